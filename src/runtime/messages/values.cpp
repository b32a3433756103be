// values: strings and containers that travel by value: sent ahead if they are large, received, and returned as results.
#include <cstring>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/graphs/arrival.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/job/job.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/block.hpp"
#include "tess/detail/objects/at_wire.hpp"

namespace tess::detail {

void throw_malformed_value(char const* what) {
  throw error("an arrived value", what, "what the same binary sends");
}

void throw_too_deep() {
  throw error("at", "a value with more than " + std::to_string(wire_depth_max) + " nested unique_ptrs",
              "objects (make<T>), which travel without recursion");
}

namespace {

struct value_reply {
  std::uint64_t slot;
  sent_values values;
  bool left_tasks;
  std::uint8_t unused[7];
};

/// The values in a region of this place.
region* values_in_region(sent_values const& sent, std::byte const* bytes, std::size_t count) {
  if (sent.region != 0) {
    if (count != 0) throw_malformed_value("at two places at once");
    return named_region(sent.region, sent.bytes);
  }
  if (sent.bytes != count || count == 0) throw_malformed_value("of another size than announced");
  region* const made = region::make(count);
  std::memcpy(made->base() + region::blocks_begin(), bytes, count);
  return made;
}

void apply_value_reply(value_reply const& r, std::byte const* bytes, std::size_t count) noexcept {
  at_slot& slot = *global_ptr<at_slot>::from_bits(r.slot).local();
  slot.left_tasks = r.left_tasks;
  try {
    slot.arrived = values_in_region(r.values, bytes, count);
  } catch (...) {
    slot.exception = std::current_exception();
  }
  slot.cell.acknowledge(1);
}

struct value_reply_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(value_reply);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;

  static void invoke(message_context&, std::byte const* payload, std::size_t bytes) {
    value_reply r;
    std::memcpy(&r, payload, sizeof r);
    apply_value_reply(r, payload + sizeof r, bytes - sizeof r);
  }
};

/// If a reply cannot be made, the job ends, because the caller would wait for ever.
void reply_now(place_id target, value_reply const& r, std::span<std::byte const> values) noexcept try {
  if (target == self->place) {
    apply_value_reply(r, values.data(), values.size());
    return;
  }
  std::byte message[sizeof r + message_bytes_max];
  std::memcpy(message, &r, sizeof r);
  if (!values.empty()) std::memcpy(message + sizeof r, values.data(), values.size());
  send_reply(this_worker(), target, handler_entry<value_reply_handler>::id(), {message, sizeof r + values.size()});
} catch (...) {
  abort_job("answering an `at` of place %u with a value", unsigned{target});
}

}  // namespace

arrived_values::arrived_values(sent_values const& sent, std::byte const* inline_bytes, std::size_t inline_count)
    : data_(inline_bytes), count_(inline_count) {
  if (sent.region == 0) {
    if (sent.bytes != inline_count) throw_malformed_value("of another size than announced");
    return;
  }
  owner_ = values_in_region(sent, inline_bytes, inline_count);
  data_ = owner_->base() + region::blocks_begin();
  count_ = sent.bytes;
}

arrived_values::arrived_values(region* owner) noexcept
    : owner_(owner),
      data_(owner->base() + region::blocks_begin()),
      count_(owner->first()->bytes - region::blocks_begin()) {}

task<sent_values> send_values_ahead(place_id target, std::span<std::byte const> values) {
  remote_region const made = co_await make_region_at(target, values.size());
  sent_values const sent{made.address, values.size()};
  std::exception_ptr failed;
  try {
    co_await put(values, made.base + static_cast<std::ptrdiff_t>(region::blocks_begin()));
  } catch (...) {
    failed = std::current_exception();
    withdraw_values(target, sent);
  }
  if (failed) std::rethrow_exception(std::move(failed));
  co_return sent;
}

void withdraw_values(place_id target, sent_values const& sent) noexcept try {
  if (sent.region != 0) at_async(target, end_region_there, sent.region);
} catch (...) {
  // There is no memory, or the place failed: the region stays until the job ends.
}

void reply_values(place_id target, std::uint64_t slot, bool left_tasks, std::span<std::byte const> values) noexcept {
  reply_now(target, {slot, {0, values.size()}, left_tasks, {}}, values);
}

task<void> reply_values_later(place_id target, std::uint64_t slot, call_scope* scope, value_bytes values) {
  sent_values sent{};
  std::exception_ptr failed;
  try {
    sent = co_await send_values_ahead(target, {values.data.get(), values.bytes});
  } catch (...) {
    failed = std::current_exception();
  }
  bool const left_tasks = leave_call(scope);
  if (failed)
    reply_exception(target, slot, left_tasks, std::move(failed));
  else
    reply_now(target, {slot, sent, left_tasks, {}}, {});
}

}  // namespace tess::detail
