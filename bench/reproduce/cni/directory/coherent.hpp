// coherent: shared parts of programs on tiles with coherent caches: the cores, and lines that every core can address.
//
//   Copy i of the program is core i. The lines of core i are in the partition of its tile, below the memory that the
//   copy itself uses; every tile loads, stores and swaps them in its own cache.
//
// Errors    expect(): reports a false expectation and sets the exit code.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>
#include <vector>

namespace coherent {

namespace registers = tess::machine::registers;
namespace info = registers::information;

inline constexpr std::uint64_t line_bytes = 64;

using word = std::atomic_ref<std::uint64_t>;
using flag = std::atomic_ref<std::uint8_t>;

inline std::uint64_t information(std::uint64_t offset) {
  return *reinterpret_cast<std::uint64_t volatile*>(registers::own_devices + offset);
}
inline std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}

inline bool expectations_held = true;
inline void expect(bool held, char const* what) {
  if (held) return;
  std::fprintf(stderr, "coherent: tile %lu: %s\n", static_cast<unsigned long>(information(info::tile)), what);
  expectations_held = false;
}

/// The copies of the program and their lines.
class cores {
 public:
  cores() : own_(information(info::program)), lines_(information(info::programs)) {
    std::uint64_t const tiles = information(info::width) * information(info::height);
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      std::uint64_t const row = info::table + tile * info::row_bytes;
      std::uint64_t const copy = information(row + info::row_program);
      if (copy != 0) lines_[copy - 1] = information(row + info::row_partition);
    }
  }
  [[nodiscard]] std::uint64_t own() const noexcept { return own_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return lines_.size(); }
  /// Address of a line of a core.
  [[nodiscard]] std::uint64_t line(std::uint64_t core, std::uint64_t number) const {
    return lines_[core] + number * line_bytes;
  }
  [[nodiscard]] std::uint64_t& word_at(std::uint64_t core, std::uint64_t number, std::uint64_t offset = 0) const {
    return *reinterpret_cast<std::uint64_t*>(line(core, number) + offset);
  }
  /// A barrier of all copies, for start and end. Its line is initially zero.
  void meet(std::uint64_t line_number) {
    word arrived(word_at(0, line_number));
    arrived.fetch_add(1);
    while (arrived.load() < (meetings_ + 1) * count()) {
    }
    ++meetings_;
  }

 private:
  std::uint64_t own_;
  std::vector<std::uint64_t> lines_;
  std::uint64_t meetings_ = 0;
};

/// The program's only argument, 1 to 2^20; 0 if it is not such a number.
inline std::uint64_t rounds_of(int count, char** words) {
  if (count != 2) return 0;
  std::uint64_t rounds = 0;
  char const* const end = words[1] + std::strlen(words[1]);
  auto const [rest, trouble] = std::from_chars(words[1], end, rounds);
  return trouble == std::errc{} && rest == end && rounds <= std::uint64_t{1} << 20U ? rounds : 0;
}

}  // namespace coherent
