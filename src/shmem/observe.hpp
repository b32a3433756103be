// observe: what a call does to memory and to other PEs, for the checks of `--fabric checked` and for `--trace`.
//
//   A call describes itself by an `operation` (describe.hpp) only while somebody observes. Then words are calls, too,
//   instead of instructions in the program, as with --stats.
//
// Threads   any; each has its own operation.
// Cost      a comparison a call while nobody observes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tess::shmem {

enum class use : std::uint8_t { read, write, atomic_read, atomic_write };

/// Bytes that a call uses: blocks of them, `step` bytes apart.
struct access {
  void const* at = nullptr;  ///< as this PE names them
  std::size_t bytes = 0;
  int pe = 0;
  use how = use::read;
  bool is_pending = false;   ///< not before a quiet (or a fence) others may rely on it
  bool is_borrowed = false;  ///< the program must leave it alone until the quiet
  std::size_t blocks = 1;
  std::ptrdiff_t step = 0;
};

enum class role : std::uint8_t { other, moves, fences, completes, waits, locks, unlocks, meets };
/// Which of several words a wait is about: the call's result says it.
enum class chosen : std::uint8_t { all, any, some };

/// A value that all PEs of a collective must give.
struct agreed {
  char const* name = nullptr;
  std::int64_t value = 0;
};

struct operation {
  role what = role::other;
  std::array<access, 3> accesses{};
  std::size_t access_count = 0;
  // For the trace.
  int pe = -1;
  std::size_t bytes = 0;
  // A word by which PEs order themselves: of an atomic, a signal or a lock.
  void const* word = nullptr;
  int word_pe = 0;
  bool releases = false;
  bool acquires = false;
  // The words of a wait.
  void const* ivars = nullptr;
  std::size_t items = 0;
  std::size_t item_bytes = 0;
  int const* status = nullptr;
  std::size_t const* indices = nullptr;
  chosen which = chosen::all;
  bool is_test = false;
  // The PEs of shmem_pe_quiet; null: all.
  int const* targets = nullptr;
  std::size_t target_count = 0;
  // A collective: its PEs, and what they must agree on.
  int start = 0;
  int stride = 1;
  int size = 0;
  int team = -1;  ///< its number; -1: an active set
  bool completes_puts = false;
  std::size_t object_bytes = 0;  ///< the result is an object of the heap
  void const* freed = nullptr;   ///< is none any more
  int root = -1;                 ///< of the world; -1: none. All others learn of it, and it of nobody
  std::array<agreed, 6> values{};
  std::size_t value_count = 0;

  void add(access const& one) { accesses[access_count++] = one; }
  void agree(char const* name, std::int64_t value) { values[value_count++] = {name, value}; }
};

#if defined(__riscv)
// A simulated machine counts and traces itself.
inline constexpr bool observed = false;
inline void begin_observed(operation const& /*of*/) {}
inline void end_observed(double /*began*/) {}
inline void note_result(std::uint64_t /*result*/) {}
inline void begin_observing() {}
inline void end_observing() {}
#else
/// Calls are counted, traced or checked.
extern bool observed;

/// The operation of this thread's call begins and ends.
void begin_observed(operation const& of);
void end_observed(double began);
/// In between, the call's result, if it says what the call did.
void note_result(std::uint64_t result);

/// At init and finalize, whose operation has begun; both are called by all PEs.
void begin_observing();
void end_observing();
#endif

}  // namespace tess::shmem
