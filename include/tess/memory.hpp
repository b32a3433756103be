// memory: allocation in the caller's segment, and symmetric allocation in all segments.
//
//   A segment's address range is as large as the machine's memory and is committed as it is used: there is no size to
//   tune. Its first half is the symmetric heap: the same offsets at every place, handed out by place 0; the other half
//   is the place's own. Blocks are aligned and padded to cache lines.
//
// Units    elements of T.
// Threads  any task.
// Errors   out_of_memory says how much was requested, how much is left, and which limit applies.
// Cost     one cache line before each block; a lock per place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "tess/global_ptr.hpp"
#include "tess/place.hpp"
#include "tess/task.hpp"

namespace tess {

/// A segment has no room. what() gives the place, the size requested, what is left of its address range, what is left
/// of the memory that the process may use, and which limit that is (the machine's, a control group's, `ulimit`).
class out_of_memory : public std::bad_alloc {
 public:
  out_of_memory(place_id place, std::uint64_t asked_bytes, std::uint64_t range_left_bytes);
  explicit out_of_memory(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] char const* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

namespace detail {
[[nodiscard]] std::uint64_t segment_allocate(std::size_t bytes);
void segment_release(std::uint64_t address);
[[noreturn]] void throw_not_local(std::uint64_t address);
[[gnu::always_inline]] inline void* to_local(std::uint64_t address) {
  worker const& w = *self;
  if (address == 0) [[unlikely]]
    return nullptr;
  if (detail::place_of(address) != w.place) [[unlikely]]
    throw_not_local(address);
  return w.segment + detail::offset_of(address);
}
/// Allocates zeroed memory at the same offset at every place; returns the offset.
[[nodiscard]] task<std::uint64_t> symmetric_allocate(std::size_t bytes);
[[nodiscard]] task<void> symmetric_release(std::uint64_t offset);
[[nodiscard]] std::size_t checked_bytes(std::uint64_t count, std::size_t size);
/// The bytes of `share` elements at each place, of an array of `count` that `what` was to make for its caller.
[[nodiscard]] std::size_t checked_share(std::uint64_t share, std::size_t size, std::uint64_t count, char const* what,
                                        std::source_location at);
[[nodiscard]] std::uint64_t to_global(void const* address);

template <class T>
consteval void check_element() {
  static_assert(
      std::is_trivially_copyable_v<T>,
      "tess: an element of memory that other places use must be trivially copyable, because they copy its "
      "bytes: use numbers, structs and fixed arrays of them; for a std::string or std::vector at each place a "
      "place_local, for data with pointers objects made by tess::make, for keys and values a distributed_map");
  static_assert(alignof(T) <= 64, "tess: an element of memory that other places use is aligned to 64 bytes at most");
}
}  // namespace detail

template <class T>
T* global_ptr<T>::local() const {
  return static_cast<T*>(detail::to_local(bits_));
}

/// `count` uninitialised elements in the caller's segment.
template <class T>
[[nodiscard]] global_ptr<T> allocate(std::size_t count = 1) {
  detail::check_element<T>();
  return global_ptr<T>::from_bits(detail::segment_allocate(detail::checked_bytes(count, sizeof(T))));
}

/// Refuses at once, by out_of_memory, what would not be there if every place asked for so many bytes: memory of other
/// processes is committed slowly, and a place that has its part already notices nothing. Allocates nothing.
[[nodiscard]] task<void> check_room(std::size_t bytes_of_each_place);

/// Gives back what allocate() returned at this place; null is allowed.
template <class T>
void deallocate(global_ptr<T> p) {
  if (p) detail::segment_release(p.bits());
}

/// The global address of an object in the caller's segment (throws for other memory).
template <class T>
[[nodiscard]] global_ptr<T> to_global(T* local) {
  return global_ptr<T>::from_bits(detail::to_global(local));
}

}  // namespace tess
