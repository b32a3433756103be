// stream: many small items of one type for other places; items that arrive together are passed as one span.
//
//   auto const add = tess::make_stream<std::uint32_t>([table](std::span<std::uint32_t const> words) {
//     for (std::uint32_t const i : words) ++table.local()[i];
//   });
//   add.send(place, i);
//
//   at_async for streams: items of one stream, finish and destination are contiguous behind one header,
//   so that the receiver runs a simple loop over them, in which it can prefetch ahead. They share buffers, deadlines,
//   back-pressure and finish with at_async (docs/internals/contract.md, 6). Where a place has several workers, batches
//   run concurrently: a loop inside place_atomic() needs no processor atomics, only one lock per batch.
//
// Shapes   T: trivially copyable, aligned to 8 at most.
//          f(std::span<T const>): a trivially copyable callable that returns void, as for at_async.
//          The span is not empty, and invalid when f has returned. Items of one batch are in the
//          order in which they were sent; batches are not ordered.
// Threads  as for at_async: any task or handler. A stream may be copied and captured; it holds no items.
// Errors   as for at_async: exceptions of f go to the finish. A callable and one item over 2 KiB are a compile error.
// Cost     send: four loads, a compare each, and the item; per batch of up to 4 KiB the cost of a message.
// Source   "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 5,
//          request aggregation;
//          exstack2 of bale.
#pragma once

#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/handler.hpp"
#include "tess/detail/tasks/worker.hpp"

namespace tess {

namespace detail {

/// Distinguishes the batches of one stream from those of others.
struct stream_key {
  std::uint64_t number;  ///< unique in the process, never 0
  handler_id handler;
};

[[nodiscard]] std::uint64_t new_stream_number() noexcept;
/// Starts a batch: room for its first item, after `prefix_bytes` bytes that precede every batch.
[[nodiscard]] std::byte* append_item_slowly(place_id target, stream_key const& stream, std::byte const* prefix,
                                            std::size_t prefix_bytes, std::size_t item_bytes);
[[noreturn]] void refuse_batch(place_id source, std::size_t bytes, std::size_t item_bytes);

template <class T, class F>
struct stream_handler {
  static constexpr std::size_t prefix = std::is_empty_v<F> ? 0 : padded(sizeof(F));
  static constexpr std::uint32_t payload_bytes = prefix + sizeof(T);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;
  static_assert(payload_bytes <= message_bytes_max, "stream: callable and item exceed 2 KiB; send a global_ptr");

  static void invoke(message_context& context, std::byte const* payload, std::size_t bytes) {
    std::size_t const count = (bytes - prefix) / sizeof(T);
    if (prefix + count * sizeof(T) != bytes) [[unlikely]]
      refuse_batch(context.source, bytes - prefix, sizeof(T));
    // Payloads are aligned to 8, wherever a message lies (docs/internals/contract.md, 6).
    std::span<T const> const items(reinterpret_cast<T const*>(payload + prefix), count);
    alignas(F) std::byte copy[sizeof(F)];
    if constexpr (prefix != 0) std::memcpy(copy, payload, sizeof(F));
    F& f = *reinterpret_cast<F*>(copy);
    try {
      f(items);
    } catch (...) {
      context.scope->fail(std::current_exception());
    }
  }
};

}  // namespace detail

template <class T, class F>
class stream {
  static_assert(std::is_trivially_copyable_v<T>, "stream: items must be trivially copyable");
  static_assert(alignof(T) <= 8, "stream: items are aligned to 8 bytes at most");
  static_assert(
      detail::address_free<T>,
      "stream: addresses do not cross places: send a global_ptr or an index; for unions and bit-fields without "
      "an address, see tess/unchecked.hpp");
  static_assert(std::is_void_v<std::invoke_result_t<F&, std::span<T const>>>,
                "stream: the callable takes std::span<T const> and returns nothing; it must not be a coroutine");

 public:
  explicit stream(F f) : f_(std::move(f)), key_{detail::new_stream_number(), detail::handler_entry<handler>::id()} {
    detail::check_callable<F>();
  }

  /// Sends `item` to `target` later; counts for the caller's innermost finish. Throws tess::error if there is no such
  /// place.
  [[gnu::always_inline]] void send(place_argument to, T const& item) const {
    place_id const target = to;
    detail::races::sending_from(TESS_RACES_CALLER);
    detail::worker& w = *detail::self;
    if (target < w.outgoing_places) [[likely]] {
      detail::out_buffer* const b = w.outgoing_open[target];
      if (b != nullptr && b->stream == key_.number && b->stream_scope == w.current->scope && b->has_room(sizeof(T)))
          [[likely]] {
        std::memcpy(b->next, &item, sizeof(T));
        b->next += sizeof(T);
        detail::races::also_send(b->clock);
        return;
      }
    }
    send_first(to, item);
  }

 private:
  using handler = detail::stream_handler<T, F>;

  [[gnu::noinline]] void send_first(place_argument to, T item) const {
    place_id const target = to;
    detail::check_addresses(target, to.called_at(), f_, item);
    std::byte* const room = detail::append_item_slowly(target, key_, reinterpret_cast<std::byte const*>(&f_),
                                                       std::is_empty_v<F> ? 0 : sizeof(F), sizeof(T));
    std::memcpy(room, &item, sizeof(T));
  }

  F f_;
  detail::stream_key key_;
};

/// A stream of T for f(std::span<T const>).
template <class T, class F>
[[nodiscard]] stream<T, F> make_stream(F f) {
  return stream<T, F>(std::move(f));
}

}  // namespace tess
