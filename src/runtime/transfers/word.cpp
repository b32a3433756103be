// word: word operations without a window: the fabric fills a slot, and the task waits for it.
#include "tess/word.hpp"

#include <cstdio>
#include <exception>

#include "runtime/failures/abort.hpp"
#include "runtime/job/job.hpp"
#include "runtime/memory/allocation_map.hpp"
#include "tess/counter.hpp"

namespace tess::detail {

namespace {
std::uint64_t cookie_of(ready_node& n) noexcept {
  return reinterpret_cast<std::uint64_t>(&n);
}

// The fabric completes it in any case.
constexpr wait_kind word_wait_kind{"word operation"};
constinit parked_wait word_wait{&word_wait_kind};

struct delayed_wait : stoppable_wait {
  [[nodiscard]] bool take_back() noexcept { return self->delayed.remove(task); }
  promise_base* task = nullptr;
};
}  // namespace

void check_access(std::uint64_t address, std::size_t bytes, std::size_t alignment, std::source_location at) {
  auto const g = global_ptr<std::byte>::from_bits(address);
  auto const where = [at] { return to_text(at); };  // made for an error only
  if (address == 0) throw error(where(), "access through a null global_ptr", "an address from allocate() or an array");
  if (g.place() >= job.places)
    throw error(where(), "access to place " + std::to_string(g.place()) + " offset " + std::to_string(g.offset()),
                "a place below " + std::to_string(job.places));
  std::uint64_t size = job.segment_bytes[g.place()];
  if (size == 0) size = the_job->fabric->segment(g.place()).bytes;
  // If the place is gone, the operation says so.
  if (size != 0 && (g.offset() >= size || bytes > size - g.offset()))
    throw error(where(),
                std::to_string(bytes) + " bytes at place " + std::to_string(g.place()) + " offset " +
                    std::to_string(g.offset()),
                "a range inside its segment of " + std::to_string(size) + " bytes");
  if (g.offset() % alignment != 0)
    throw error(where(),
                "misaligned access at place " + std::to_string(g.place()) + " offset " + std::to_string(g.offset()),
                "a multiple of " + std::to_string(alignment));
  if (the_job == nullptr || the_job->allocations == nullptr) return;
  if (char const* const wrong = the_job->allocations->what_is_wrong(g.place(), g.offset(), bytes))
    throw error(where(),
                std::to_string(bytes) + " bytes at place " + std::to_string(g.place()) + " offset " +
                    std::to_string(g.offset()) + ": " + wrong,
                "allocated memory");
}

std::uint64_t verified_address(std::uint64_t address, std::size_t bytes, std::size_t alignment,
                               std::source_location at) {
  place_id const place = place_of(address);
  std::uint64_t const offset = offset_of(address);
  // First what is right, without more work than needed.
  if (place >= job.places || offset % alignment != 0 || offset >= job.segment_bytes[place] ||
      the_job->allocations->what_is_wrong(place, offset, bytes) != nullptr) [[unlikely]]
    check_access(address, bytes, alignment, at);
  return the_job->windows.verified[place] + offset;
}

bool verifies_accesses() noexcept {
  return the_job->allocations != nullptr;
}

word_slot* issue_word(word_request const& request, std::source_location at) {
  if (verifies_accesses()) [[unlikely]]
    check_access(request.address, request.bytes, request.alignment, at);
#if TESS_RACES
  std::byte const* const word =
      bytes_of_window(job.load_window[place_of(request.address)] + offset_of(request.address));
  races::begin_word(word, request.bytes, request.op != word_op::get, true, at);
#endif
  worker_state& w = this_worker();
  auto* const slot = new (w.frames.allocate(sizeof(word_slot), frame_pool::kind::raw)) word_slot;
  try {
    the_job->fabric->word(w.place, request, slot->result, slot->cell);
  } catch (...) {
    w.frames.release(slot);
    throw;
  }
  return slot;
}

std::coroutine_handle<> await_slot(word_slot& slot, promise_base& waiter) noexcept {
  // The reply has arrived. Other tasks have their turn first, so that a loop over operations does not starve them.
  if (slot.cell.idle()) return self->give_way(&waiter);
  if (!slot.enter(waiter)) [[unlikely]]
    return handle_of(&waiter);
  waiter.waits_for = &word_wait;
  if (!slot.cell.arm(self->notify_id(), cookie_of(waiter))) return self->next();
  // It entered its stop scope, so it must not be in the ring: a stop request would insert it again.
  waiter.waits_for = nullptr;
  return handle_of(&waiter);
}

std::coroutine_handle<> await_delayed_or_stop(std::uint64_t& call, promise_base& waiter) noexcept {
  auto* const wait = new (self->frames.allocate(sizeof(delayed_wait), frame_pool::kind::raw)) delayed_wait;
  std::uint64_t const called = std::exchange(call, reinterpret_cast<std::uint64_t>(wait));
  wait->task = &waiter;
  return wait->enter(waiter) ? await_delayed(called, waiter) : handle_of(&waiter);
}

void end_delayed(std::uint64_t call) {
  auto* const wait = reinterpret_cast<delayed_wait*>(call);
  bool const given_up = wait->given_up();
  if (!given_up) wait->leave();
  self->frames.release(wait);
  if (given_up) throw_stopped();
}

void finish_slot(word_slot* slot, std::uint64_t (&result)[2]) {
  if (slot->given_up()) [[unlikely]] {
    abandon_slot(slot);
    throw_stopped();
  }
  slot->leave();
  result[0] = slot->result[0];
  result[1] = slot->result[1];
  std::uint64_t const failure = slot->cell.take_error();
  self->frames.release(slot);
  if (failure != 0) throw_failure(failure);
}

void abandon_slot(word_slot* slot) noexcept {
  if (slot->cell.arm(self->notify_id(), cookie_of(*slot) | word_slot_tag)) self->frames.release(slot);
}

}  // namespace tess::detail
