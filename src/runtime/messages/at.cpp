// at: both halves of `at`: slots and requests at the caller, replies at the target.
#include "tess/at.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/failures/failed_places.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/job/job.hpp"
#include "runtime/messages/exception_wire.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/races/handling.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/memory.hpp"
#include "tess/stream.hpp"

namespace tess {
namespace detail {

namespace {

struct reply_header {
  std::uint64_t slot;
  std::uint32_t bytes;
  std::uint8_t is_exception;
  std::uint8_t left_tasks;
  std::uint16_t unused;
};

/// `exception`: for a reply of this place, which keeps its type; otherwise it is decoded from `data`.
void apply_reply(reply_header const& h, std::span<std::byte const> data, std::exception_ptr exception = nullptr) {
  at_slot& slot = *global_ptr<at_slot>::from_bits(h.slot).local();
  slot.left_tasks = h.left_tasks != 0;
  if (h.is_exception != 0)
    slot.exception = exception ? std::move(exception) : decode_exception(data);
  else if (!data.empty())
    std::memcpy(slot.result(), data.data(), std::min<std::size_t>(data.size(), slot.result_bytes));
  // Nobody may await the call; its finish ends after the reply.
  races::release(slot.scope->key());
  slot.cell.acknowledge(1);
}

struct reply_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(reply_header);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;

  static void invoke(message_context&, std::byte const* payload, std::size_t bytes) {
    reply_header h;
    std::memcpy(&h, payload, sizeof h);
    if (h.bytes > bytes - sizeof h) throw error("reply", "truncated", "the bytes that its header announces");
    apply_reply(h, {payload + sizeof h, h.bytes});
  }
};

void reply(place_id target, reply_header const& h, std::span<std::byte const> data) {
  worker_state& w = this_worker();
  if (target == w.place) {
    apply_reply(h, data);
    return;
  }
  send_reply(w, target, handler_entry<reply_handler>::id(), std::as_bytes(std::span(&h, 1)), data);
}

}  // namespace

at_slot* make_at_slot(std::size_t result_bytes) {
  auto* const slot = new (self->frames.allocate(sizeof(at_slot) + result_bytes, frame_pool::kind::raw)) at_slot;
  slot->result_bytes = static_cast<std::uint32_t>(result_bytes);
  slot->scope = self->current->scope;
  return slot;
}

void free_at_slot(at_slot* slot) noexcept {
  if (slot->called != 0) count_call(slot->called);
  if (slot->arrived != nullptr) region::end(slot->arrived);
  std::destroy_at(slot);
  self->frames.release(slot);
}

bool look_for_answer(completion const& cell) noexcept {
  // Longer than most answers take, short compared with the tasks that arrive meanwhile.
  constexpr int looks = 32;
  worker_state& w = this_worker();
  if (!w.may_spin || !w.runnable.empty() || !w.unstarted.empty() || w.count_event()) return false;
  serve_others(w);
  for (int i = 0; i < looks && !cell.idle(); ++i) {
    if (!w.runnable.empty() || !w.unstarted.empty()) return false;
    // With pauses the answer comes sooner: each look takes its line from the place that writes it.
    spin_pause();
    if (poll(w) && !cell.idle()) serve_others(w);
  }
  return cell.idle();
}

void abandon_at_slot(at_slot* slot, place_id target) noexcept {
  slot->target = target;
  if (job.failed != nullptr && (slot->is_event || job.failed[target])) {
    forget_answer(slot);
    return;
  }
  // The body may still run. The caller's finish must count the tasks that it leaves behind, so it waits for the reply.
  // Another worker may be applying the reply just now: the cell decides which of the two is the last.
  slot->scope->add(1);
  worker_state& w = this_worker();
  try {
    slot->abandoned = static_cast<std::uint32_t>(w.abandoned.size());
    w.abandoned.push_back(slot);
  } catch (...) {
    abort_job("abandoning an `at` of place %u", unsigned{target});
    return;
  }
  if (slot->cell.arm(self->notify_id(), reinterpret_cast<std::uint64_t>(static_cast<ready_node*>(slot)) | at_slot_tag))
    end_abandoned(slot);
}

void end_abandoned(at_slot* slot) noexcept {
  finish_scope* const scope = slot->scope;
  auto& abandoned = this_worker().abandoned;
  at_slot* const last = abandoned.back();
  abandoned[last->abandoned = slot->abandoned] = last;
  abandoned.pop_back();
  if (slot->left_tasks) scope->note_sent(slot->target, 1);
  free_at_slot(slot);
  scope->done(1);
}

void forget_answer(at_slot* slot) noexcept {
  // A surviving place may still answer, so the slot stays although nothing waits for it.
  if (has_failed(slot->target)) free_at_slot(slot);
}

void give_up_abandoned(worker_state& w) noexcept {
  std::erase_if(w.abandoned, [](at_slot* slot) {
    bool const lost = slot->is_event || has_failed(slot->target);
    if (!lost || !slot->cell.disarm()) return false;
    finish_scope* const scope = slot->scope;
    forget_answer(slot);
    scope->done(1);
    return true;
  });
  for (std::uint32_t i = 0; i < w.abandoned.size(); ++i) w.abandoned[i]->abandoned = i;
}

void send_request(place_id target, handler_record const& record, handler_id handler, std::byte const* payload,
                  std::size_t bytes) {
  worker_state& w = this_worker();
  if (target == w.place) {
    message_context context{target, nullptr};
    races::handling const by(w, races::send(), nullptr);
    record.invoke(context, payload, bytes);
    return;
  }
  w.outgoing.send_now(w, target, handler, payload, bytes);
}

std::byte* append_async_slowly(place_id target, handler_id handler, std::size_t bytes) {
  check_place(target, "at_async");
  worker_state& w = this_worker();
  if (std::byte* const room = append_to_open(w, w.outgoing_places, target, handler, bytes)) return room;
  return w.outgoing.append(w, target, handler, bytes);
}

std::uint64_t new_stream_number() noexcept {
  // One counter for all places of the process: numbers are only compared.
  static constinit std::atomic<std::uint64_t> last{0};
  // With the place, because a lambda that goes to another process may capture a stream.
  return std::uint64_t{self->place} << 48 | (last.fetch_add(1, std::memory_order_relaxed) + 1);
}

std::byte* append_item_slowly(place_id target, stream_key const& stream, std::byte const* prefix,
                              std::size_t prefix_bytes, std::size_t item_bytes) {
  check_place(target, "stream::send");
  worker_state& w = this_worker();
  return w.outgoing.append_item(w, target, stream, {prefix, prefix_bytes}, item_bytes);
}

void refuse_batch(place_id source, std::size_t bytes, std::size_t item_bytes) {
  throw error("batch of place " + std::to_string(source), std::to_string(bytes) + " bytes of items",
              "a multiple of " + std::to_string(item_bytes));
}

void check_place(place_id target, char const* where) {
  if (target >= job.places) [[unlikely]]
    throw error(where, "place " + std::to_string(target), "a place below " + std::to_string(job.places));
}

void reply_value(place_id target, std::uint64_t slot, bool left_tasks, void const* value, std::size_t bytes) noexcept
    try {
  reply(target, {slot, static_cast<std::uint32_t>(bytes), 0, left_tasks, 0},
        {static_cast<std::byte const*>(value), bytes});
} catch (...) {
  abort_job("answering an `at` of place %u", unsigned{target});
}

void reply_exception(place_id target, std::uint64_t slot, bool left_tasks, std::exception_ptr exception) noexcept try {
  if (target == here()) {
    apply_reply({slot, 0, 1, left_tasks, 0}, {}, std::move(exception));
    return;
  }
  if (reply_thrown_graph(target, slot, left_tasks, exception)) return;
  auto const bytes = encode_exception(std::move(exception), here());
  reply(target, {slot, static_cast<std::uint32_t>(bytes.size()), 1, left_tasks, 0}, bytes);
} catch (...) {
  abort_job("answering an `at` of place %u with an exception", unsigned{target});
}

}  // namespace detail

void place_argument::refuse(std::int64_t place) {
  throw error("a call", "place " + std::to_string(place), "a place below " + std::to_string(places()));
}

}  // namespace tess
