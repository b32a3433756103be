// timed_hart: run-ahead, operations at kernel time, extended addresses, and words begun and not waited for.
#include "machine/timed/timed_hart.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "machine/commit/commit_log.hpp"
#include "machine/hart/engine.hpp"
#include "machine/regions/region_log.hpp"
#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

remote_operation extended_operation(stop wanted) {
  switch (wanted) {
    case stop::extended_load:
      return remote_operation::read;
    case stop::extended_store:
      return remote_operation::write;
    case stop::extended_compare_swap:
      return remote_operation::compare_swap;
    default:
      return remote_operation::atomic;
  }
}

remote_operation begun_operation(stop begun) {
  if (begun == stop::load) return remote_operation::read;
  return begun == stop::compare_swap ? remote_operation::compare_swap : remote_operation::atomic;
}

}  // namespace

timed_hart::timed_hart(kernel& k, machine_description const& description, tile& at, local_window const& window,
                       page_rights const& rights, page_tables* tables, hart_environment& owner, std::uint32_t number)
    : event([](event& self) { static_cast<timed_hart&>(self).go(); }),
      kernel_(k),
      clock_(description.tile_clock_ps),
      tile_(at),
      map_(at.map()),
      owner_(owner),
      quantum_(description.harts.quantum_cycles),
      system_call_cycles_(description.harts.system_call_cycles),
      trap_cycles_(description.system ? description.system->trap_cycles : 0),
      memory_(description, at, window, rights, tables) {
  context.memory = &memory_;
  if (description.pipeline) {
    pipeline_.emplace(*description.pipeline, description.branches, description.harts.branch_taken_cycles);
    context.pipe = &*pipeline_;
  }
  context.number = number;
  rank = 1 + at.number() * harts_max + number;
  site = network::site_of(at.number());
  memory_.set_rank(rank);
}

void timed_hart::come_back(std::uint64_t cycle) {
  kernel_.at(std::max(clock_.cycles(cycle), kernel_.now()), *this);
}

void timed_hart::wake(std::uint64_t cycle) {
  if (is == state::idle) {
    if (context.profile != nullptr) context.profile->begin_thread();
    if (context.regions != nullptr) context.regions->begin_thread();
  }
  is = state::runnable;
  context.wait_until(std::max(cycle, kernel_cycle()));
  come_back(context.now());
}

void timed_hart::interrupt(std::uint64_t cycle) {
  attends_at_ = std::min(attends_at_, std::max(cycle, kernel_cycle() + quantum_));
}

void timed_hart::wake_to_attend() {
  if (is != state::reserved || kernel_cycle() < attends_at_) return;
  tile_.unwatch(*this);
  wake(kernel_cycle());
}

void timed_hart::release() {
  held_ = false;
  if (std::exchange(would_run_, false)) come_back(context.now());
}

void timed_hart::go() {
  if (is != state::runnable) return;
  if (waits_for_ != nullptr) end_wait();
  guess_no_more();
  context.wait_until(kernel_cycle());
  if (pending_ && !serve()) return begin_wait();
  run_ahead();
}

void timed_hart::run_ahead() {
  hart& h = context;
  while (is == state::runnable && !held_) {
    // At the end of a block, which is the same however often the hart stopped inside of it.
    if (h.now() >= next_mark_ && h.stopped == stop::quantum) [[unlikely]]
      pass_marks();
    if (h.now() >= attends_at_ && h.stopped == stop::quantum) [[unlikely]] {
      if (h.now() > kernel_cycle()) return come_back(h.now());
      attends_at_ = never;
      memory_.catch_up();
      h.wait_until(h.now() + system_call_cycles_);
      owner_.attend(*this);
      continue;
    }
    if (h.is_tentative) {
      if (may_pass(h.now())) {
        guess_no_more();
      } else if (h.now() >= std::min(attends_at_, next_mark_)) {
        return come_back(h.now());
      }
    }
    // A block that was begun is ended, beyond the end of the run up to its next access, whether or not the hart stopped
    // inside of it before.
    bool const ends_block = h.is_inside_block() && h.now() >= ends_at_;
    std::uint64_t const last = std::min(limit(), ends_at_);
    if (h.now() >= last && !ends_block) return come_back(h.now());
    // Beyond a bound, too, which may take no cycle.
    std::uint64_t const bound = std::min(attends_at_, next_mark_);
    std::uint64_t const soon = h.now() + (h.is_inside_block() ? 0 : 1);
    std::uint64_t const until = ends_block ? h.now() : std::min(last, std::max(bound, soon));
    if (privileged_) {
      if (auto const why = privileged_->pending(h.now())) {
        enter_handler(privileged_->enter(*why, h.pc));
        continue;
      }
    }
    memory_.catch_up();  // for what only hits its L1s
    if (h.is_tentative) {
      memory_.guess(*this, guess_end());
      guessed_.until = until;
    } else {
      memory_.look_ahead(std::min(owner_.horizon(*this), ends_at_), kernel_cycle());
    }
    if (h.is_observed && h.profile != nullptr) {
      h.profile->go_on(h, spent_on(), std::exchange(bus_waited_, 0), std::exchange(translated_, 0));
      has_waited_ = false;
    }
    tile_.runs(this);
    engine<hart_memory>::run(h, memory_.fast(), until);
    tile_.runs(nullptr);
    if (h.is_observed) {
      if (h.profile != nullptr) h.profile->stop(h.now());
      if (h.commits != nullptr) h.commits->settle(h);
      if (observer_ != nullptr) observer_->check();
    }
    if (h.stopped == stop::quantum) {
      if (!may_pass(h.now())) return come_back(h.now());
      if (++turns_ % turns_before_event == 0) return come_back(h.now());  // so that kernel time advances
      continue;
    }
    pending_ = true;
    if (h.stopped == stop::uncertain) {
      go_back(0);
      return come_back(h.now());
    }
    if (h.now() > kernel_cycle()) {
      if (guess()) continue;
      return come_back(h.now());
    }
    if (!serve()) return begin_wait();
  }
  would_run_ = held_ && is == state::runnable;
}

void timed_hart::mark(measured_part which, std::uint64_t cycle) noexcept {
  marks_[static_cast<std::size_t>(which)] = {cycle, {}};
  next_mark_ = std::min(marks_[0].cycle, marks_[1].cycle);
}

void timed_hart::pass_marks() noexcept {
  for (mark_at& one : marks_) {
    if (context.now() >= one.cycle) one = {never, work()};
  }
  next_mark_ = std::min(marks_[0].cycle, marks_[1].cycle);
}

hart_work timed_hart::work() const noexcept {
  hart_memory::statistics const& memory = memory_.counted();
  return {retired(), memory.tlm_loads, memory.tlm_fetches, memory_.tlm_stores()};
}

std::uint64_t timed_hart::limit() {
  std::uint64_t const now = context.now();
  std::uint64_t const kernel_time = kernel_cycle();
  if (privileged_) {
    // An interrupt may follow from any event, so all events of earlier times must have happened. A line that has
    // changed may not be visible yet.
    std::uint64_t const next = kernel_.idle() ? now + quantum_ : clock_.count(kernel_.next_due()) + 1;
    return std::min(next, privileged_->changes_from(now));
  }
  // At most a quantum ahead of kernel time, unless no other event is pending.
  return (may_pass(now) ? std::max(now, kernel_time) : kernel_time) + quantum_;
}

bool timed_hart::serve() {
  memory_.catch_up();
  std::uint64_t const bus_before = tile_.bus_wait_cycles();
  bool const done = serve_stop();
  bus_waited_ += tile_.bus_wait_cycles() - bus_before;
  return done;
}

bool timed_hart::serve_stop() {
  hart& h = context;
  if (remote_pending_) return finish_remote();
  if (memory_.translates() && !translate()) return false;
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
        tile_.watch(*this, memory_.global(h.reserved.address), h.reserved.bytes);
      }
      break;
    case stop::counter:
      h.complete(owner_.counter(h));
      break;
    case stop::control:
      return serve_control();
    case stop::trap_return:
      enter_handler(privileged_->leave());
      break;
    case stop::wait_for_interrupt:
      return serve_wait_for_interrupt();
    case stop::ecall:
      if (privileged_) return take_exception();
      h.wait_until(h.now() + system_call_cycles_);
      if (owner_.system_call(*this) == hart_environment::after::sleeps && is == state::runnable) is = state::sleeping;
      break;
    default:
      if (privileged_ && exception()) return take_exception();
      pending_ = false;
      // It takes time, so that a program that traps for ever comes to its limits.
      h.wait_until(h.now() + system_call_cycles_ + 1);
      if (owner_.handles(*this)) return is == state::runnable;
      if (observer_ != nullptr) observer_->trapped();
      is = state::idle;
      owner_.trapped(*this);
      return false;
  }
  // If the access is not allowed, the hart stops again, with the missing right.
  if (done && h.stopped == stop::access) return serve_stop();
  pending_ = !done;
  return done && is == state::runnable;
}

bool timed_hart::serve_atomic() {
  hart& h = context;
  stop const kind = h.stopped;
  access_right const wanted = kind == stop::load_reserved ? right_read : right_write;
  bool const aligned = h.request.address % h.request.bytes == 0;
  if (!memory_.check(h, h.request.address, h.request.bytes, wanted)) return serve_stop();
  bool const remote = memory_.is_foreign(h.request.address) || memory_.is_remote(h.request.address);
  // LR and SC have no home elsewhere (docs/internals/machine.md, 2); registers have no atomics.
  bool const only_here = kind == stop::load_reserved || kind == stop::store_conditional;
  if (!aligned || (remote && only_here) || memory_.is_device(h.request.address)) {
    h.request.right = wanted;
    h.stopped = stop::access;
    return serve_stop();
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
    raw = apply(static_cast<atomic_operation>(h.request.operation), at, h.request.bytes, h.request.operand);
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

bool timed_hart::serve_device() {
  hart& h = context;
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

bool timed_hart::refuse_access() {
  context.request.right = context.stopped == stop::load ? right_read : right_write;
  context.stopped = stop::access;
  pending_ = true;
  return serve_stop();
}

bool timed_hart::drain_posted() {
  network_interface* const interface = tile_.interface();
  return interface == nullptr || interface->drain(*this);
}

bool timed_hart::serve_event() {
  hart& h = context;
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

bool timed_hart::serve_posted() {
  hart& h = context;
  if (!memory_.check(h, h.request.address, h.request.bytes, right_write)) return serve_stop();
  auto const value = std::as_bytes(std::span(&h.request.operand, 1)).first(h.request.bytes);
  if (!tile_.interface()->post(memory_.global(h.request.address), value, *this)) return false;
  memory_.pass_store(h);
  pending_ = false;
  h.advance();
  return true;
}

bool timed_hart::serve_remote() {
  hart& h = context;
  bool const loads = h.stopped == stop::load;
  if (!memory_.check(h, h.request.address, h.request.bytes, loads ? right_read : right_write)) return serve_stop();
  if (!drain_posted()) return false;
  memory_.drain(h);
  std::uint64_t const name = memory_.global(h.request.address);
  remote_.what = h.stopped == stop::load           ? remote_operation::read
                 : h.stopped == stop::store        ? remote_operation::write
                 : h.stopped == stop::compare_swap ? remote_operation::compare_swap
                                                   : remote_operation::atomic;
  remote_.word = static_cast<atomic_operation>(h.request.operation);
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

bool timed_hart::finish_remote() {
  hart& h = context;
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

bool timed_hart::reservation_holds() {
  std::byte const* const at = tile_.watchable(memory_.global(context.reserved.address));
  std::uint64_t word = 0;
  if (at != nullptr) std::memcpy(&word, at, context.reserved.bytes);
  return at != nullptr && word == context.reserved.value;
}

void timed_hart::written(std::uint64_t address, std::size_t bytes, std::uint64_t cycle) {
  std::uint64_t const word = memory_.global(context.reserved.address);
  if (address >= word + context.reserved.bytes || word >= address + bytes) return;
  tile_.unwatch(*this);
  wake(cycle);
}

// Machine mode.

void timed_hart::become_privileged(std::uint32_t number) {
  privileged_.emplace(number);
  context.privileged = &*privileged_;
}

void timed_hart::set_line(interrupt_cause which, bool level) {
  privileged_->set_line(which, level, clock_.count(kernel_.now()) + 1);
  if (!awaits_interrupt_ || privileged_->wakes_from(context.now()) == privileged_state::never) return;
  awaits_interrupt_ = false;
  std::uint64_t const until = privileged_->wakes_from(context.now());
  asleep_cycles_ += until - std::min(until, awaits_from_);
  wake(until);
}

std::uint64_t timed_hart::awake_cycles() const noexcept {
  std::uint64_t const now = kernel_cycle();
  std::uint64_t const asleep = asleep_cycles_ + (awaits_interrupt_ ? now - std::min(now, awaits_from_) : 0);
  return now - std::min(now, asleep);
}

void timed_hart::enter_handler(std::uint64_t pc) {
  context.jump(pc);
  context.wait_until(context.now() + trap_cycles_);
}

std::optional<exception_cause> timed_hart::exception() const noexcept {
  hart const& h = context;
  bool const misaligned = h.request.bytes != 0 && h.request.address % h.request.bytes != 0;
  switch (h.stopped) {
    case stop::ecall:
      return privileged_->mode() == privilege::user ? exception_cause::call_from_user
                                                    : exception_cause::call_from_machine;
    case stop::ebreak:
      return exception_cause::breakpoint;
    case stop::illegal:
      return exception_cause::illegal;
    case stop::access:
      // A handler that cannot be executed would trap forever.
      if (h.request.right == right_execute)
        return h.pc == privileged_->handler() ? std::nullopt : std::optional(exception_cause::fetch_access);
      if (h.request.right == right_read)
        return misaligned ? exception_cause::load_misaligned : exception_cause::load_access;
      return misaligned ? exception_cause::store_misaligned : exception_cause::store_access;
    default:
      return std::nullopt;
  }
}

std::uint64_t timed_hart::exception_value() const {
  hart const& h = context;
  // For a fetch it is the line; the instruction begins in it, or extends into it.
  if (h.stopped == stop::access && h.request.right == right_execute) return std::max(h.pc, h.request.address);
  if (h.stopped == stop::access) return h.request.address;
  if (h.stopped == stop::ebreak) return h.pc;
  if (h.stopped != stop::illegal) return 0;
  // The instruction's word.
  std::uint16_t low = 0;
  std::uint16_t high = 0;
  bool const whole =
      h.code->source().halfword(h.pc, low) && ((low & 3U) != 3U || h.code->source().halfword(h.pc + 2, high));
  return whole ? std::uint64_t{low} | std::uint64_t{high} << 16U : 0;
}

bool timed_hart::take_exception() {
  hart& h = context;
  // The instruction that trapped was counted, but is not executed.
  if (h.stopped != stop::access || h.request.right != right_execute) --h.retired;
  enter_handler(privileged_->enter(*exception(), h.pc, exception_value()));
  pending_ = false;
  return true;
}

bool timed_hart::serve_control() {
  hart& h = context;
  std::uint64_t const number = h.request.address;
  auto const counter = privileged_->counter(number);
  std::uint64_t count = 0;
  std::optional<std::uint64_t> old;
  if (counter) {
    h.request.address = *counter;
    count = owner_.counter(h);
    old = privileged_->counted(number, count);
  } else {
    old = privileged_->read(number, h.now());
  }
  bool legal = old.has_value();
  if (legal && h.request.expected != 0) {
    std::uint64_t value = h.request.operand;
    auto const action = static_cast<csr_action>(h.request.expected - 1);
    if (action == csr_action::set) value = *old | value;
    if (action == csr_action::clear) value = *old & ~value;
    legal = counter ? privileged_->write_counter(number, count, value) : privileged_->write(number, value);
  }
  if (!legal) {
    h.stopped = stop::illegal;
    return take_exception();
  }
  pending_ = false;
  h.complete(*old);
  return true;
}

bool timed_hart::serve_wait_for_interrupt() {
  hart& h = context;
  h.advance();
  pending_ = false;
  std::uint64_t const from = privileged_->wakes_from(h.now());
  if (from <= h.now()) return true;
  if (from != privileged_state::never) {
    h.wait_until(from);
    come_back(h.now());
    return false;
  }
  is = state::sleeping;
  awaits_interrupt_ = true;
  awaits_from_ = h.now();
  return false;
}

// Extended addresses (xBGAS): a word at the node of an object.

bool timed_hart::look_up_object() {
  hart& h = context;
  object_lookaside* const objects = tile_.objects();
  if (looked_up_ || objects == nullptr) return true;
  looked_up_ = true;
  std::uint32_t const cycles = objects->look_up(h.number, h.request.object);
  if (cycles == 0) return true;
  h.wait_until(h.now() + cycles);
  come_back(h.now());
  return false;
}

bool timed_hart::refuse_extended(extended_fault why) {
  hart& h = context;
  looked_up_ = false;
  bool const loads =
      h.stopped == stop::extended_load || (h.stopped == stop::extended_begin && h.request.begun == stop::load);
  h.request.right = loads ? right_read : right_write;
  h.request.fault = why;
  h.stopped = stop::access;
  pending_ = true;
  return serve_stop();
}

timed_hart::extended_place timed_hart::find_extended(access_request const& of) const {
  if (of.address % of.bytes != 0) return {.fault = extended_fault::misaligned};
  object_lookaside const* const objects = tile_.objects();
  auto const node = objects == nullptr ? std::nullopt : objects->tile_of(of.object);
  if (!node) return {.fault = extended_fault::no_object};
  auto const name = objects->global(*node, of.address);
  region const* const in = name ? map_.find(*name) : nullptr;
  // Within another node's memory, but not the object's: an error, not an access to the neighbour.
  if (in == nullptr || in->kind == region_kind::device || in->tile != *node) return {.fault = extended_fault::outside};
  return {.tile = in->tile, .name = *name};
}

void timed_hart::fill_remote(transaction& operation, remote_operation what, extended_place const& there) const {
  access_request const& of = context.request;
  operation.what = what;
  operation.word = static_cast<atomic_operation>(of.operation);
  operation.status = remote_outcome::pending;
  operation.target = there.tile;
  operation.address = there.name;
  operation.bytes = of.bytes;
  operation.operand = of.operand;
  operation.expected = of.expected;
  std::memcpy(operation.data.data(), &of.operand, sizeof of.operand);
}

bool timed_hart::serve_extended() {
  hart& h = context;
  if (!look_up_object()) return false;
  extended_place const there = find_extended(h.request);
  if (there.fault != extended_fault::none) return refuse_extended(there.fault);
  if (!drain_posted()) return false;
  memory_.drain(h);
  looked_up_ = false;
  fill_remote(remote_, extended_operation(h.stopped), there);
  remote_.done = this;
  remote_pending_ = true;
  // The own node is no special case for the program: the access is as weakly ordered and has the home's latency.
  if (there.tile == tile_.number()) {
    remote_.source = there.tile;
    tile_.serve(remote_, *this);
  } else {
    tile_.network_adapter().issue(remote_);
  }
  return false;
}

// Words that are begun and not waited for (xBGAS, non-blocking forms).

timed_hart::begun_word::begun_word(timed_hart& of, std::uint64_t its_number, bool posts)
    : event([](event& self) {
        auto& word = static_cast<begun_word&>(self);
        word.owner.answered(word);
      }),
      owner(of),
      number(its_number),
      is_posted(posts) {}

timed_hart::begun_word& timed_hart::begun_word_of(bool posts) {
  std::uint64_t const number = posts ? context.tickets.post() : context.tickets.take();
  // The lowest free number is taken, so records are added in order.
  std::deque<begun_word>& all = posts ? posted_words_ : ticket_words_;
  while (all.size() <= number) all.emplace_back(*this, all.size(), posts);
  return all[number];
}

bool timed_hart::await_answer() noexcept {
  awaits_answer_ = true;
  return false;
}

bool timed_hart::serve_begin() {
  hart& h = context;
  bool const posts = h.request.rd == no_register;
  if (posted_failure_ != nullptr) return refuse_begun(*posted_failure_);
  if (h.request.in_order && h.tickets.are_under_way()) return await_answer();
  if (!posts && h.tickets.is_full()) {
    pending_ = false;
    h.refuse_ticket();
    return true;
  }
  if (posts && h.tickets.posted_are_full()) return await_answer();
  if (h.request.object == 0) {
    if (h.request.in_order) {
      if (!drain_posted()) return false;
      memory_.drain(h);
    }
    h.stopped = h.request.begun;
    return serve_stop();
  }
  if (!look_up_object()) return false;
  extended_place const there = find_extended(h.request);
  if (there.fault != extended_fault::none) return refuse_extended(there.fault);
  bool const own = there.tile == tile_.number();
  if (h.request.in_order && !drain_posted()) return false;
  // A word at home may have stores of this hart in flight to it.
  if (h.request.in_order || own) memory_.drain(h);
  looked_up_ = false;
  begun_word& begun = begun_word_of(posts);
  begun.object = h.request.object;
  begun.address = h.request.address;
  fill_remote(begun.operation, begun_operation(h.request.begun), there);
  begun.operation.done = &begun;
  if (!posts) h.x[h.request.rd] = begun.number;
  if (own) {
    begun.operation.source = there.tile;
    tile_.serve(begun.operation, begun);
  } else {
    tile_.network_adapter().issue(begun.operation);
  }
  pending_ = false;
  h.advance();
  return true;
}

void timed_hart::answered(begun_word& word) {
  transaction const& operation = word.operation;
  bool const failed = operation.status != remote_outcome::done;
  if (word.is_posted) {
    context.tickets.answer_posted(word.number);
    if (failed && posted_failure_ == nullptr) posted_failure_ = &word;
  } else {
    std::uint64_t value = operation.operand;
    if (operation.what == remote_operation::read) {
      std::memcpy(&value, operation.data.data(), sizeof value);
      if (operation.bytes == sizeof(std::int32_t)) {
        value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
      }
    }
    context.tickets.answer(word.number, value, failed);
  }
  if (!awaits_answer_) return;
  awaits_answer_ = false;
  kernel_.after(0, *this);
}

bool timed_hart::serve_ticket() {
  hart& h = context;
  std::uint64_t const ticket = h.request.address;
  bool const answered = h.tickets.is_answered(ticket);
  if (h.stopped == stop::ticket_get) {
    if (!answered) return await_answer();
    if (h.tickets.has_failed(ticket)) return refuse_begun(ticket_words_[ticket]);
  }
  pending_ = false;
  h.complete(h.stopped == stop::ticket_test ? std::uint64_t{answered} : h.tickets.redeem(ticket));
  return true;
}

bool timed_hart::serve_fence() {
  hart& h = context;
  if (h.tickets.are_under_way()) return await_answer();
  if (posted_failure_ != nullptr) return refuse_begun(*posted_failure_);
  if (!drain_posted()) return false;
  memory_.drain(h);
  pending_ = false;
  h.advance();
  return true;
}

bool timed_hart::refuse_begun(begun_word const& word) {
  access_request& of = context.request;
  of.address = word.address;
  of.object = word.object;
  of.bytes = static_cast<std::uint8_t>(word.operation.bytes);
  of.right = word.operation.what == remote_operation::read ? right_read : right_write;
  of.fault = extended_fault::outside;
  of.begun = word.is_posted ? stop::extended_begin : stop::none;
  context.stopped = stop::access;
  pending_ = true;
  return serve_stop();
}

}  // namespace tess::machine
