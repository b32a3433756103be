// seat: run-ahead, and what is done at kernel time.
#include "machine/timed/seat.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "machine/hart/engine.hpp"

namespace tess::machine {

seat::seat(kernel& k, machine_description const& made_of, tile& at, local_window const& window,
           page_rights const& rights, seat_owner& owner)
    : event([](event& self) { static_cast<seat&>(self).go(); }),
      kernel_(k),
      clock_(made_of.tile_clock_ps),
      tile_(at),
      map_(at.map()),
      owner_(owner),
      quantum_(made_of.harts.quantum_cycles),
      system_call_cycles_(made_of.harts.system_call_cycles),
      memory_(made_of, at, window, rights) {
  occupant.memory = &memory_;
}

void seat::come_back(std::uint64_t cycle) {
  kernel_.at(std::max(clock_.cycles(cycle), kernel_.now()), *this);
}

void seat::wake(std::uint64_t cycle) {
  is = state::runnable;
  occupant.wait_until(std::max(cycle, kernel_cycle()));
  come_back(occupant.now());
}

void seat::go() {
  if (is != state::runnable) return;
  if (waits_for_ != nullptr) end_wait();
  occupant.wait_until(kernel_cycle());
  if (pending_ && !serve()) return begin_wait();
  run_ahead();
}

void seat::begin_wait() noexcept {
  if (log_ == nullptr) return;
  wait_begin_ = kernel_.now();
  switch (occupant.stopped) {
    case stop::fetch:
      waits_for_ = "instructions";
      break;
    case stop::load:
      waits_for_ = remote_pending_ ? "remote load" : "load";
      break;
    case stop::store:
      waits_for_ = remote_pending_ ? "remote store" : "store";
      break;
    case stop::wait:
      waits_for_ = "a reserved word";
      break;
    case stop::ecall:
      waits_for_ = "asleep";
      break;
    case stop::extended_load:
    case stop::extended_store:
    case stop::extended_atomic:
    case stop::extended_compare_swap:
      waits_for_ = extended_name(occupant);
      break;
    case stop::extended_begin:
      waits_for_ = "begun words";
      break;
    case stop::ticket_get:
      waits_for_ = "eaget";
      break;
    case stop::fence:
      waits_for_ = "fence";
      break;
    default:
      waits_for_ = remote_pending_ ? "remote atomic" : "atomic";
  }
}

void seat::end_wait() {
  log_->waited(*this, std::exchange(waits_for_, nullptr), wait_begin_, kernel_.now());
}

void seat::run_ahead() {
  hart& h = occupant;
  while (is == state::runnable) {
    // Not beyond the quantum behind the kernel's time, unless nothing else is to happen.
    std::uint64_t const kernel_time = kernel_cycle();
    bool const alone = may_pass(h.now());
    std::uint64_t const until = (alone ? std::max(h.now(), kernel_time) : kernel_time) + quantum_;
    if (h.now() >= until) return come_back(h.now());
    memory_.look_ahead(owner_.horizon(*this));
    engine<hart_memory>::run(h, memory_.fast(), until);
    if (h.stopped == stop::quantum) {
      if (!may_pass(h.now())) return come_back(h.now());
      if (++turns_ % turns_before_event == 0) return come_back(h.now());  // so that the kernel's time moves on
      continue;
    }
    pending_ = true;
    if (h.now() > kernel_cycle()) return come_back(h.now());
    if (!serve()) return begin_wait();
  }
}

bool seat::serve() {
  hart& h = occupant;
  tile_.catch_up(kernel_cycle());
  if (remote_pending_) return finish_remote();
  bool done = true;
  switch (h.stopped) {
    case stop::fetch:
      done = memory_.serve_fetch(h, *this);
      break;
    case stop::load:
    case stop::store:
      switch (memory_.place_of(h.request.address)) {
        case tile::place::device:
          return serve_device();
        case tile::place::event:
          return serve_event();
        case tile::place::posted:
          if (h.stopped == stop::store) return serve_posted();
          return serve_remote();
        case tile::place::remote:
          return serve_remote();
        default:
          done = h.stopped == stop::load ? memory_.serve_load(h, *this) : memory_.serve_store(h, *this);
      }
      break;
    case stop::load_reserved:
    case stop::store_conditional:
    case stop::atomic:
    case stop::compare_swap:
      return serve_atomic();
    case stop::extended_load:
    case stop::extended_store:
    case stop::extended_atomic:
    case stop::extended_compare_swap:
      return serve_extended();
    case stop::extended_begin:
      return serve_begin();
    case stop::ticket_test:
    case stop::ticket_get:
      return serve_ticket();
    case stop::fence:
      return serve_fence();
    case stop::fence_i:
      memory_.drain(h);
      memory_.forget_code();
      h.code->clear();
      h.advance();
      break;
    case stop::pause:
      h.advance();
      break;
    case stop::wait:
      h.advance();
      if (h.reserved.bytes != 0 && reservation_holds()) {
        is = state::reserved;
        tile_.watch(*this);
      }
      break;
    case stop::counter:
      h.complete(owner_.counter(h));
      break;
    case stop::ecall:
      h.wait_until(h.now() + system_call_cycles_);
      if (owner_.system_call(*this) == seat_owner::after::sleeps && is == state::runnable) is = state::sleeping;
      break;
    default:
      pending_ = false;
      is = state::idle;
      owner_.trapped(*this);
      return false;
  }
  // An address that may not be used so stops the hart anew.
  if (done && h.stopped == stop::access) return serve();
  pending_ = !done;
  return done && is == state::runnable;
}

bool seat::serve_atomic() {
  hart& h = occupant;
  stop const kind = h.stopped;
  access_right const wanted = kind == stop::load_reserved ? right_read : right_write;
  bool const aligned = h.request.address % h.request.bytes == 0;
  if (!memory_.check(h, h.request.address, h.request.bytes, wanted)) return serve();
  bool const remote = memory_.is_foreign(h.request.address) || memory_.is_remote(h.request.address);
  // LR and SC have no home elsewhere (docs/internals/machine.md, 2); registers have no atomics.
  bool const only_here = kind == stop::load_reserved || kind == stop::store_conditional;
  if (!aligned || (remote && only_here) || memory_.is_device(h.request.address)) {
    h.request.right = wanted;
    h.stopped = stop::access;
    return serve();
  }
  if (remote) return serve_remote();
  if (kind != stop::load_reserved) {
    if (memory_.place_of(h.request.address) == tile::place::event) return refuse_access();
    if (!drain_posted()) return false;
  }
  std::byte* const at = memory_.serve_atomic(h, *this);
  if (at == nullptr) return false;
  std::uint64_t raw = 0;
  if (kind == stop::atomic) {
    raw = apply(static_cast<word_operation>(h.request.operation), at, h.request.bytes, h.request.operand);
    memory_.changed(h);
  } else if (kind == stop::compare_swap) {
    raw = apply_compare_swap(at, h.request.bytes, h.request.expected, h.request.operand);
    memory_.changed(h);
  } else {
    std::uint64_t word = 0;
    std::memcpy(&word, at, h.request.bytes);
    raw = word;
    if (kind == stop::load_reserved) {
      h.reserved = {.address = h.request.address, .value = word, .bytes = h.request.bytes};
    } else {
      reservation const held = std::exchange(h.reserved, {});
      bool const kept = held.bytes == h.request.bytes && held.address == h.request.address && held.value == word;
      raw = kept ? 0 : 1;
      if (kept) {
        std::memcpy(at, &h.request.operand, h.request.bytes);
        memory_.changed(h);
      }
    }
  }
  pending_ = false;
  h.complete(raw);
  return true;
}

bool seat::serve_device() {
  hart& h = occupant;
  bool const loads = h.stopped == stop::load;
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  auto const [unit, offset] = tile_.device_at(memory_.global(h.request.address));
  std::optional<std::uint64_t> value;
  if (unit != nullptr && h.request.bytes == word && offset % word == 0) {
    if (!loads) memory_.drain(h);
    if (loads) {
      value = unit->load(offset, h.number);
    } else if (unit->store(offset, h.request.operand, h.number)) {
      value = 0;
    }
  }
  if (!value) return refuse_access();
  h.wait_until(tile_.bus(h.now(), word));
  pending_ = false;
  if (loads) {
    h.complete(*value);
  } else {
    h.advance();
  }
  return true;
}

bool seat::refuse_access() {
  occupant.request.right = occupant.stopped == stop::load ? right_read : right_write;
  occupant.stopped = stop::access;
  pending_ = true;
  return serve();
}

bool seat::drain_posted() {
  network_interface* const interface = tile_.interface();
  return interface == nullptr || interface->drain(*this);
}

bool seat::serve_event() {
  hart& h = occupant;
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  if (h.request.bytes != word || h.request.address % word != 0) return refuse_access();
  std::uint64_t const name = memory_.global(h.request.address);
  if (h.stopped == stop::load) {
    std::uint64_t value = 0;
    std::memcpy(&value, tile_.interface()->lines().at(name), word);
    memory_.pass_load(h);
    pending_ = false;
    h.complete(value);
    return true;
  }
  switch (tile_.interface()->store_event(name, std::as_bytes(std::span(&h.request.operand, 1)), *this)) {
    case access_outcome::full:
    case access_outcome::busy:
      return false;
    case access_outcome::wrong:
      return refuse_access();
    case access_outcome::done:
      break;
  }
  memory_.pass_store(h);
  pending_ = false;
  h.advance();
  return true;
}

bool seat::serve_posted() {
  hart& h = occupant;
  if (!memory_.check(h, h.request.address, h.request.bytes, right_write)) return serve();
  auto const value = std::as_bytes(std::span(&h.request.operand, 1)).first(h.request.bytes);
  if (!tile_.interface()->post(memory_.global(h.request.address), value, *this)) return false;
  memory_.pass_store(h);
  pending_ = false;
  h.advance();
  return true;
}

bool seat::serve_remote() {
  hart& h = occupant;
  bool const loads = h.stopped == stop::load;
  if (!memory_.check(h, h.request.address, h.request.bytes, loads ? right_read : right_write)) return serve();
  if (!drain_posted()) return false;
  memory_.drain(h);
  std::uint64_t const name = memory_.global(h.request.address);
  remote_.what = h.stopped == stop::load           ? remote_operation::read
                 : h.stopped == stop::store        ? remote_operation::write
                 : h.stopped == stop::compare_swap ? remote_operation::compare_swap
                                                   : remote_operation::atomic;
  remote_.word = static_cast<word_operation>(h.request.operation);
  remote_.target = map_.find(name)->tile;
  remote_.address = name;
  remote_.bytes = h.request.bytes;
  remote_.operand = h.request.operand;
  remote_.expected = h.request.expected;
  std::memcpy(remote_.data.data(), &h.request.operand, sizeof h.request.operand);
  remote_.done = this;
  remote_pending_ = true;
  tile_.network_adapter().issue(remote_);
  return false;
}

bool seat::finish_remote() {
  hart& h = occupant;
  remote_pending_ = pending_ = false;
  bool const extended = h.stopped >= stop::extended_load && h.stopped <= stop::extended_compare_swap;
  bool const loads = h.stopped == stop::load || h.stopped == stop::extended_load;
  if (remote_.status != remote_outcome::done)
    return extended ? refuse_extended(extended_fault::outside) : refuse_access();
  std::uint64_t value = remote_.operand;
  if (loads) std::memcpy(&value, remote_.data.data(), sizeof value);
  if (h.stopped == stop::store || h.stopped == stop::extended_store) {
    h.advance();
  } else {
    h.complete(value);
  }
  return true;
}

bool seat::reservation_holds() {
  std::byte const* const at = tile_.watchable(memory_.global(occupant.reserved.address));
  std::uint64_t word = 0;
  if (at != nullptr) std::memcpy(&word, at, occupant.reserved.bytes);
  return at != nullptr && word == occupant.reserved.value;
}

void seat::written(std::uint64_t address, std::size_t bytes, std::uint64_t cycle) {
  std::uint64_t const word = memory_.global(occupant.reserved.address);
  if (address >= word + occupant.reserved.bytes || word >= address + bytes) return;
  tile_.unwatch(*this);
  wake(cycle);
}

}  // namespace tess::machine
