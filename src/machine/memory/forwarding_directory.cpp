// forwarding_directory: what a request changes in the records, and what is sent for it.
#include "machine/memory/forwarding_directory.hpp"

#include <algorithm>
#include <utility>

namespace tess::machine {

void forwarding_directory::serve(transaction& request, event& finished) {
  ++counted_.requests;
  visit& begun = visits_.take(*this);
  begun.request = &request;
  begun.finished = &finished;
  begun.of = &lines_[line_of(request.address)];
  kernel_.after(look_up_ps_, begun);
}

void forwarding_directory::enter(visit& v) {
  transaction const& request = *v.request;
  if (request.what == remote_operation::write && request.line() != nullptr) return take_back(v);
  if (v.of->blocked == blocked_by::nothing) return begin(v);
  wait(v, v.of->waiting);
}

void forwarding_directory::begin(visit& v) {
  if (v.request->what == remote_operation::write) return write_transfer(v);
  if (v.request->right() == line_right::exclusive) return read_exclusive(v);
  read_shared(v);
}

void forwarding_directory::read_shared(visit& v) {
  line& at = *v.of;
  transaction& request = *v.request;
  line_access* const client = request.line();  // null: a transfer, which keeps nothing
  if (at.owner != nobody) {
    MACHINE_ASSERT(client == nullptr || at.owner != request.source);
    forward(v);
    at.sharers.push_back({at.owner, at.owner_number});
    at.owner = nobody;
    if (client != nullptr) at.sharers.push_back({request.source, client->number});
    return block(at, blocked_by::copy);
  }
  if (client != nullptr) {
    std::erase_if(at.sharers, [&](sharer const& one) { return one.tile == request.source; });
    if (at.sharers.empty()) {
      client->right = line_right::exclusive;
      at.owner = request.source;
      at.owner_number = client->number;
    } else {
      at.sharers.push_back({request.source, client->number});
    }
    client->to_expect = 0;
  }
  from_memory(v);
}

void forwarding_directory::read_exclusive(visit& v) {
  line& at = *v.of;
  transaction& request = *v.request;
  line_access& client = *request.line();
  client.to_expect = 0;
  bool held = false;
  if (at.owner != nobody) {
    MACHINE_ASSERT(at.owner != request.source);
    forward(v);
  } else {
    for (sharer const& one : at.sharers) {
      if (one.tile == request.source) {
        held = client.held;
        continue;
      }
      ++client.to_expect;
      send(at, line_of(request.address), one, &request);
    }
    at.sharers.clear();
  }
  bool const is_forwarded = at.owner != nobody;
  at.owner = request.source;
  at.owner_number = client.number;
  if (is_forwarded) return;
  if (!held) return from_memory(v);
  request.bytes = 0;
  request.status = remote_outcome::done;
  finish(v);
}

void forwarding_directory::forward(visit& v) {
  ++counted_.forwards;
  transaction& request = *v.request;
  request.about = v.of->owner_number;
  request.target = v.of->owner;
  request.serving = served_by::owner;
  request.status = remote_outcome::passed_on;
  if (line_access* const client = request.line()) client->to_expect = 0;
  finish(v);
}

void forwarding_directory::write_transfer(visit& v) {
  line& at = *v.of;
  block(at, blocked_by::transfer);
  at.transfer = &v;
  at.missing = 1;
  std::uint64_t const address = line_of(v.request->address);
  if (at.owner != nobody) {
    ++counted_.forwards;
    send(at, address, {at.owner, at.owner_number}, nullptr);
  }
  for (sharer const& one : at.sharers) send(at, address, one, nullptr);
  at.sharers.clear();
  end_transfer(at);
}

void forwarding_directory::send(line& of, std::uint64_t address, sharer const& to, transaction const* requester) {
  if (to.tile != of.owner) ++counted_.invalidations;
  event& by = requester == nullptr ? *of.transfer : *requester->line()->acknowledged;
  if (requester == nullptr) ++of.missing;
  probe& begun = probe_of(to.tile, address, line_right::none, by);
  begun.sent.about = to.number;
  // A transfer's answers come back to this home, wherever that is.
  by_.send_probe(begun.sent, requester == nullptr ? nobody : requester->source);
}

void forwarding_directory::answered(probe& of) {
  line& at = lines_[of.sent.address];
  if (of.by != at.transfer) {
    event& acknowledged = *of.by;
    give_back(of);
    return acknowledged.happens(acknowledged);
  }
  // A sharer has the bytes of memory; what it still writes back of a line that it owned before is older.
  if (at.owner == of.sent.target) {
    at.owner = nobody;
    if (of.sent.bytes != 0) {
      ++counted_.supplied;
      by_.write_line(of.sent.address, std::span(of.sent.data).first(line_bytes_));
    }
  }
  give_back(of);
  end_transfer(at);
}

void forwarding_directory::end_transfer(line& of) {
  if (--of.missing > 0) return;
  from_memory(*std::exchange(of.transfer, nullptr));
  free(of);
}

void forwarding_directory::take_back(visit& v) {
  line& at = *v.of;
  transaction& request = *v.request;
  bool const owns = at.owner == request.source && at.blocked != blocked_by::transfer;
  ++(request.bytes == 0 ? counted_.given_back : counted_.write_backs);
  if (owns) {
    if (request.right() == line_right::none) at.owner = nobody;
    if (request.bytes != 0) by_.write_line(request.address, std::span(request.data).first(line_bytes_));
  } else {
    ++counted_.stale;
  }
  request.line()->superseded = !owns;
  request.status = remote_outcome::done;
  finish(v);
}

void forwarding_directory::was_copied(transaction const& told) {
  line& at = lines_[line_of(told.address)];
  MACHINE_ASSERT(at.blocked == blocked_by::copy);
  if (told.bytes != 0) {
    ++counted_.supplied;
    by_.write_line(told.address, std::span(told.data).first(line_bytes_));
  }
  free(at);
}

void forwarding_directory::from_memory(visit& v) {
  event& finished = *v.finished;
  transaction& request = *v.request;
  visits_.give_back(v);
  by_.serve_memory(request, finished);
}

void forwarding_directory::finish(visit& v) {
  event& finished = *v.finished;
  visits_.give_back(v);
  finished.happens(finished);
}

void forwarding_directory::block(line& of, blocked_by what) {
  of.blocked = what;
  of.since = kernel_.now();
}

void forwarding_directory::free(line& of) {
  counted_.taken_ps += kernel_.now() - of.since;
  of.blocked = blocked_by::nothing;
  while (of.blocked == blocked_by::nothing && !of.waiting.empty()) {
    begin(next(of.waiting));
  }
}

}  // namespace tess::machine
