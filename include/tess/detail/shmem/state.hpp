// state: the state of a PE of either kind, and how it ends when it is misused.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <tess/detail/words/word_op.hpp>
#include <type_traits>

namespace tess::detail::shmem {

/// The integer type as which a word is transferred.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct state {
  int pe = -1;
  int pes = 0;
  std::byte* heap = nullptr;  ///< The heap of this PE.
  std::size_t heap_bytes = 0;
};

// Constants of the heap (heap.hpp).
inline constexpr std::size_t heap_alignment = 16;
inline constexpr std::size_t heap_in_use = 1;
struct alignas(heap_alignment) heap_header {
  std::size_t bytes;
};
/// Makes the whole heap one free block.
inline void open_heap(state const& of) {
  reinterpret_cast<heap_header*>(of.heap)->bytes = of.heap_bytes;
}

[[noreturn, gnu::cold]] inline void fail_at(int pe, char const* where, char const* what, char const* expected) {
  std::fprintf(stderr, "shmem: PE %d: %s: %s; expected %s\n", pe, where, what, expected);
  std::exit(2);
}

/// SHMEM_SYMMETRIC_SIZE in bytes, whole pages; 0: it is not a valid size.
inline std::size_t symmetric_bytes() {
  constexpr std::size_t page = 4096;
  constexpr std::string_view scales = "KMG";
  char const* const given = std::getenv("SHMEM_SYMMETRIC_SIZE");
  std::string_view const text = given == nullptr ? "16M" : given;
  std::size_t number = 0;
  auto const [end, problem] = std::from_chars(text.begin(), text.end(), number);
  std::string_view const scale(end, text.end());
  std::size_t const found = scale.empty() ? 0 : scales.find(scale) + 1;
  if (problem != std::errc() || scale.size() > 1 || (!scale.empty() && found == 0)) return 0;
  unsigned const shift = static_cast<unsigned>(10 * found);
  if (number > (std::size_t{1} << 46U) >> shift) return 0;
  return ((number << shift) + page - 1) / page * page;
}

}  // namespace tess::detail::shmem
