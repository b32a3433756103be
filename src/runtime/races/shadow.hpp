// shadow: the latest accesses to each 8 bytes of memory, in a table of fixed size; an access is compared with them.
//
//   Memory of a task's own stack and of its thread is left out. Bytes that fall on the same cell replace each other,
//   and a cell keeps five accesses: what is forgotten is missed.
//
// Threads  any; each cell has a lock of its own.
// Cost     64 MiB, of which only what is used needs memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "runtime/races/strand.hpp"

namespace tess::detail::races {

inline constexpr unsigned writes = 1;
inline constexpr unsigned is_word = 2;       ///< a word operation or another atomic: two of these do not race
inline constexpr unsigned has_location = 4;  ///< known by its source location, not by the address of its code

/// One access as a cell keeps it.
struct access {
  // 0-31 clock, 32-39 slot, 40-47 the bytes of the granule, 48-55 flags.
  std::uint64_t when = 0;  ///< 0: none
  // 0-47 the code or the source location, 48-63 the number of the origin.
  std::uint64_t where = 0;
  std::uint64_t callers = 0;  ///< two return addresses, the inner one in the low half; see unpack()

  [[nodiscard]] std::uint32_t clock() const noexcept { return static_cast<std::uint32_t>(when); }
  [[nodiscard]] unsigned slot() const noexcept { return when >> 32 & 0xff; }
  [[nodiscard]] unsigned bytes() const noexcept { return when >> 40 & 0xff; }
  [[nodiscard]] unsigned flags() const noexcept { return when >> 48 & 0xff; }
  [[nodiscard]] std::uint64_t code() const noexcept { return where & ((std::uint64_t{1} << 48) - 1); }
  [[nodiscard]] std::uint16_t origin() const noexcept { return static_cast<std::uint16_t>(where >> 48); }
};

/// The frame of a function whose frames are linked (-fno-omit-frame-pointer).
struct frame {
  frame const* outer;
  std::uint64_t return_address;
};
/// The addresses; 0: not known.
[[nodiscard]] std::array<std::uint64_t, 2> unpack(std::uint64_t callers) noexcept;

/// The current strand accesses memory: by code that called a function with this frame, or at a source location.
void note(void const* begin, std::size_t bytes, unsigned flags, frame const& called) noexcept;
void note(void const* begin, std::size_t bytes, unsigned flags, std::source_location at) noexcept;
/// The memory was allocated just now.
void forget(void const* begin, std::size_t bytes) noexcept;
void forget_all() noexcept;

/// Two accesses to the same granule that nothing orders, the later one first.
void found(std::uint64_t granule, access const& now, access const& before) noexcept;

/// The address lies on the stack of a thread that has run tasks, or in its thread-local memory.
[[nodiscard]] bool is_on_stack(std::uint64_t address) noexcept;

}  // namespace tess::detail::races
