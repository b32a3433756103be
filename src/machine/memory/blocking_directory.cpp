// blocking_directory: the steps of a request: its turn, probes, memory, the grant, and the unblock.
#include "machine/memory/blocking_directory.hpp"

#include <algorithm>
#include <utility>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {
namespace {

bool contains(std::vector<std::uint32_t> const& tiles, std::uint32_t one) {
  return std::ranges::find(tiles, one) != tiles.end();
}

}  // namespace

void blocking_directory::serve(transaction& request, std::uint64_t offset, event& finished) {
  MACHINE_ASSERT(line_of(request.address) == line_of(request.address + request.bytes - 1));
  ++counted_.requests;
  visit& begun = visits_.take(*this);
  begun.request = &request;
  begun.finished = &finished;
  begun.offset = offset;
  begun.of = &lines_[line_of(request.address)];
  begun.missing = 0;
  begun.supplied = false;
  begun.happens = [](event& self) {
    auto& arrived = static_cast<visit&>(self);
    arrived.owner.enter(arrived);
  };
  kernel_.after(look_up_ps_, begun);
}

void blocking_directory::enter(visit& v) {
  if (v.of->taken_by == nullptr) return begin(v);
  wait(v, v.of->waiting);
}

void blocking_directory::begin(visit& v) {
  transaction const& request = *v.request;
  line& at = *v.of;
  if (request.what == remote_operation::write && request.line() != nullptr) return take_back(v);
  at.taken_by = &v;
  v.since = kernel_.now();
  v.missing = 1;
  // A transfer's tile may have the line like any other.
  std::uint32_t const client = keeps_nothing(request) ? nobody : request.source;
  bool const to_write = request.what == remote_operation::write || request.right() == line_right::exclusive;
  line_access const* const of_cache = request.line();
  v.held = of_cache != nullptr && of_cache->held && contains(at.sharers, client);
  v.supplied = v.held;
  if (at.owner != nobody && at.owner != client) {
    ++counted_.forwards;
    send(v, at.owner, to_write ? line_right::none : line_right::shared);
  } else if (request.what == remote_operation::read && !v.supplied) {
    read_memory(v);  // concurrent with the invalidations
  }
  for (std::uint32_t const tile : at.sharers) {
    if (!to_write || tile == client) continue;
    ++counted_.invalidations;
    send(v, tile, line_right::none);
  }
  one_less(v);
}

void blocking_directory::take_back(visit& v) {
  transaction& request = *v.request;
  request.status = remote_outcome::done;
  ++counted_.write_backs;
  if (v.of->owner == request.source) {
    if (request.right() == line_right::none) v.of->owner = nobody;
    memory_.write(v.offset, {request.data.data(), request.bytes}, *v.finished);
  } else {
    ++counted_.stale;
    kernel_.after(0, *v.finished);
  }
  visits_.give_back(v);
}

void blocking_directory::send(visit& v, std::uint32_t tile, line_right keep) {
  ++v.missing;
  caches_.send_probe(probe_of(tile, line_of(v.request->address), keep, v).sent);
}

void blocking_directory::answered(probe& of) {
  auto& v = static_cast<visit&>(*of.by);
  line& at = *v.of;
  // Sharers have the same bytes as memory.
  if (at.owner == of.sent.target) {
    at.owner = nobody;
    if (of.sent.right() == line_right::shared) at.sharers.push_back(of.sent.target);
    if (of.sent.bytes != 0) {
      ++counted_.supplied;
      memory_.write(line_offset(v), {of.sent.data.data(), line_bytes_}, nothing_);
      if (!keeps_nothing(*v.request)) {
        copy_line(v.request->data.data(), of.sent.data.data(), line_bytes_);
        v.supplied = true;
      }
    }
  }
  give_back(of);
  one_less(v);
}

void blocking_directory::read_memory(visit& v) {
  ++v.missing;
  v.supplied = true;
  v.happens = [](event& self) {
    auto& read = static_cast<visit&>(self);
    read.owner.one_less(read);
  };
  memory_.read(v.offset, {v.request->data.data(), v.request->bytes}, v);
}

void blocking_directory::one_less(visit& v) {
  if (--v.missing > 0) return;
  if (v.request->what == remote_operation::write) {
    memory_.write(v.offset, {v.request->data.data(), v.request->bytes}, *v.finished);
    return finish(v);
  }
  if (v.supplied) return finish(v);
  read_memory(v);  // the owner has not written it, or has dropped it
}

void blocking_directory::finish(visit& v) {
  transaction& request = *v.request;
  request.status = remote_outcome::done;
  if (!keeps_nothing(request)) return grant(v);
  line& at = *v.of;
  if (request.what == remote_operation::write) {
    at.sharers.clear();
  } else {
    v.finished->happens(*v.finished);
  }
  free(at);
}

void blocking_directory::grant(visit& v) {
  transaction& request = *v.request;
  line& at = *v.of;
  std::erase(at.sharers, request.source);
  if (v.held) request.bytes = 0;
  line_access& granted = *request.line();
  if (granted.right == line_right::exclusive || at.sharers.empty()) {
    granted.right = line_right::exclusive;
    at.owner = request.source;
    at.sharers.clear();
  } else {
    at.sharers.push_back(request.source);
  }
  v.finished->happens(*v.finished);
}

void blocking_directory::unblocked(std::uint64_t address) {
  line& at = lines_[line_of(address)];
  MACHINE_ASSERT(at.taken_by != nullptr);
  free(at);
}

void blocking_directory::free(line& of) {
  counted_.taken_ps += kernel_.now() - of.taken_by->since;
  visits_.give_back(*std::exchange(of.taken_by, nullptr));
  while (of.taken_by == nullptr && !of.waiting.empty()) begin(next(of.waiting));
}

}  // namespace tess::machine
