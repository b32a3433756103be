// server_set: transfers are cut at the borders of parts.
#include "rmem/client/server_set.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace tess::rmem {

namespace {

using wire::operation;

constexpr std::uint64_t page_bytes = 4096;

/// A transfer in several steps; lives until the last one has ended.
struct split_transfer {
  struct step : transfer {
    split_transfer* of = nullptr;
  };
  transfer& whole;
  std::vector<step> steps;
  std::atomic<std::size_t> left;
  std::mutex mutex;  // protects whole.failure

  void end(step& t) noexcept {
    if (t.failure) {
      std::lock_guard const lock(mutex);
      whole.failure = t.failure;
    }
    // acq_rel: the last one sees the failures and bytes of the others.
    if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    transfer& ended = whole;
    delete this;
    ended.ended(ended);
  }
};

std::string part_name(std::string_view name, std::size_t part, std::size_t parts) {
  return std::string(name) + " (part " + std::to_string(part + 1) + " of " + std::to_string(parts) + ")";
}

}  // namespace

std::span<std::byte const> bytes_of_name(std::string_view name) {
  if (name.size() > wire::name_bytes_max)
    throw refused(reason::bad_request, "a region's name has at most 255 bytes, and '" +
                                           std::string(name.substr(0, 16)) + "...' has " + std::to_string(name.size()));
  return std::as_bytes(std::span(name));
}

server_set::server_set(std::string const& where) {
  for (std::size_t at = 0; at <= where.size();) {
    std::size_t const plus = std::min(where.find('+', at), where.size());
    servers_.push_back(std::make_unique<remote_server>(where.substr(at, plus - at)));
    at = plus + 1;
  }
}

std::uint8_t server_set::number_of(remote_server& s) const {
  std::uint8_t const number = s.number();
  for (auto const& other : servers_)
    if (other.get() != &s && other->known_number() == number)
      throw refused(reason::bad_request, "the servers " + other->text() + " and " + s.text() +
                                             " both have the number " + std::to_string(number) +
                                             ": start each with a --number of its own");
  return number;
}

void server_set::connect() {
  static_cast<void>(number_of(first()));
  for (std::size_t i = 1; i < servers_.size(); ++i) {
    try {
      static_cast<void>(number_of(*servers_[i]));
    } catch (lost const&) {
      // Its users get this error.
    }
  }
}

void server_set::prepare() {
  for (auto const& s : servers_) s->prepare();
  // Asks for layouts.
  if (!is_single()) static_cast<void>(first().executor());
}

remote_server& server_set::server_of(address a) const {
  if (is_single()) return first();
  auto const number = static_cast<std::uint8_t>(a >> wire::server_shift);
  for (auto const& s : servers_)
    if (s->known_number() == number) return *s;
  std::string lost_servers;
  for (auto const& s : servers_) {
    try {
      if (!s->known_number() && number_of(*s) == number) return *s;
    } catch (lost const& gone) {
      // It may be the one; the others must stay usable.
      lost_servers += std::string("; ") + gone.what();
    }
  }
  if (!lost_servers.empty()) throw lost("server number " + std::to_string(number) + " is lost" + lost_servers);
  throw refused(reason::no_region, "none of the servers that were named has the number " + std::to_string(number));
}

std::shared_ptr<layout const> server_set::cached_layout(address a) const {
  std::shared_lock const lock(mutex_);
  auto const after = layouts_.upper_bound(a);
  if (after == layouts_.begin()) return nullptr;
  auto const& found = std::prev(after)->second;
  return a - found->base < found->size ? found : nullptr;
}

std::shared_ptr<layout const> server_set::cache_layout(wire::message const& opened, std::span<std::byte const> others) {
  auto made = std::make_shared<layout>(layout{opened.address, opened.size, {}});
  wire::reader from(others);
  auto parts = wire::take_parts(from, others.size() / wire::part_bytes);
  std::uint64_t first_bytes = opened.size;
  for (auto const& p : *parts) first_bytes -= std::min(first_bytes, p.size);
  made->parts.push_back({opened.address, first_bytes});
  made->parts.insert(made->parts.end(), parts->begin(), parts->end());
  std::lock_guard const lock(mutex_);
  return layouts_.insert_or_assign(opened.address, std::move(made)).first->second;
}

void server_set::drop_layout(address base) {
  std::lock_guard const lock(mutex_);
  layouts_.erase(base);
}

std::shared_ptr<layout const> server_set::layout_at(address a) {
  if (auto known = cached_layout(a)) return known;
  auto const found = server_of(a).call({.what = operation::open, .address = a});
  return cache_layout(found.head, found.payload);
}

connection::answer server_set::create(wire::message const& m, std::string_view name, std::vector<std::string>& owners) {
  std::size_t const count = servers_.size();
  owners.resize(count);
  if (count == 1 || m.size / count <= part_bytes_min) return first().call(m, bytes_of_name(name));
  std::uint64_t const most = ((m.size + count - 1) / count + page_bytes - 1) / page_bytes * page_bytes;
  std::vector<wire::part> others;
  try {
    for (std::size_t i = 1; i < count; ++i) {
      wire::message of_part = m;
      of_part.size = std::min(most, m.size - i * most);
      auto const made = servers_[i]->call(of_part, bytes_of_name(part_name(name, i, count)));
      others.push_back({made.head.address, of_part.size});
      if (!made.payload.empty()) {
        auto const owner = token::from(made.payload);
        if (!owner) throw lost("the memory server gave a token of the wrong size");
        owners[i] = owner->text();
        servers_[i]->present(*owner, std::nullopt);
      }
    }
    wire::message of_first = m;
    of_first.size = most;
    of_first.argument2 = others.size();
    wire::writer payload;
    payload.text(name);
    wire::put(payload, others);
    auto made = first().call(of_first, payload.take());
    wire::writer parts;
    wire::put(parts, others);
    cache_layout(made.head, parts.take());
    return made;
  } catch (...) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      try {
        servers_[i + 1]->call({.what = operation::remove, .address = others[i].address});
      } catch (error const&) {
        // The first error matters more; this part has a name of its own, by which it can be removed.
      }
    }
    throw;
  }
}

std::vector<server_set::step> server_set::steps(layout const& whole, address from, std::size_t bytes) const {
  std::uint64_t offset = from - whole.base;
  if (bytes > whole.size - offset)
    throw refused(reason::out_of_bounds, std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                                             " leave the region, which has " + std::to_string(whole.size));
  std::vector<step> all;
  std::size_t done = 0;
  for (auto const& p : whole.parts) {
    if (done == bytes) break;
    if (offset >= p.size) {
      offset -= p.size;
      continue;
    }
    std::size_t const now = std::min<std::uint64_t>(bytes - done, p.size - offset);
    all.push_back({&server_of(p.address), p.address + offset, done, now});
    done += now;
    offset = 0;
  }
  return all;
}

void server_set::move(bool reads, address from, std::byte* memory, std::size_t bytes) {
  if (is_single()) return first().move(reads, from, memory, bytes);
  for (auto const& s : steps(*layout_at(from), from, bytes)) s.server->move(reads, s.from, memory + s.offset, s.bytes);
}

bool server_set::move_mapped(bool reads, address from, std::byte* memory, std::size_t bytes) {
  if (is_single()) return first().move_mapped(reads, from, memory, bytes);
  auto const known = cached_layout(from);
  if (!known || bytes > known->size - (from - known->base)) return false;
  std::uint64_t offset = from - known->base;
  for (auto const& p : known->parts) {
    if (offset < p.size)
      return bytes <= p.size - offset && server_of(p.address).move_mapped(reads, p.address + offset, memory, bytes);
    offset -= p.size;
  }
  return false;
}

void server_set::start(transfer& t) noexcept {
  try {
    if (is_single()) return first().start(t);
    if (auto const known = cached_layout(t.at)) return start_steps(t, *known);
    first().executor().run([this, &t] {
      try {
        start_steps(t, *layout_at(t.at));
      } catch (...) {
        t.failure = std::current_exception();
        t.ended(t);
      }
    });
  } catch (...) {
    t.failure = std::current_exception();
    t.ended(t);
  }
}

void server_set::start_steps(transfer& t, layout const& whole) noexcept {
  try {
    auto const all = steps(whole, t.at, t.bytes);
    auto* const made = new split_transfer{
        .whole = t, .steps = std::vector<split_transfer::step>(all.size()), .left = all.size(), .mutex = {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& one = made->steps[i];
      one.of = made;
      one.reads = t.reads;
      one.at = all[i].from;
      one.memory = t.memory + all[i].offset;
      one.bytes = all[i].bytes;
      one.ended = [](transfer& ended) noexcept {
        auto& step = static_cast<split_transfer::step&>(ended);
        step.of->end(step);
      };
    }
    // `made` deletes itself when the last step has ended.
    for (std::size_t i = 0; i < all.size(); ++i) all[i].server->start(made->steps[i]);
  } catch (...) {
    // Nothing was started.
    t.failure = std::current_exception();
    t.ended(t);
  }
}

}  // namespace tess::rmem
