// event_lines: lines of a machine's cache-integrated network interfaces that hold events: queues of words that any
// place puts into and takes from, without an instruction of the place whose line it is, and a barrier of all places.
//
//   An event that is used from other places moves to a line of its own place, if one is left; from then on all its
//   operations are done there. Of a bounded queue the room of an item that a waiting task gets comes back when that
//   task's place polls. Only simulated machines have such lines: elsewhere nothing of this is compiled.
//
// Units    words of 64 bits. Lines: numbers from 1 on; 0: none.
// Threads  any.
// Source   "Cache-Integrated Network Interfaces" (IJPP 2012), section 3.3 (multiple-reader queues) and figure 11b
//          (barriers).
#pragma once

#include <cstdint>

#include "tess/place.hpp"

namespace tess::detail {

#if defined(__riscv)
inline constexpr bool machine_has_lines = true;
#else
inline constexpr bool machine_has_lines = false;
#endif

class event_units {
 public:
  /// Who is told of the end, as part of poll(): with the word that was taken. Resumes no task.
  using told = void (*)(void* whom, std::uint64_t word) noexcept;

  /// A line of this place, for at most so many words; of a bounded one puts wait for room, others are refused. 0: there
  /// is none left.
  [[nodiscard]] virtual std::uint32_t make(std::uint32_t words_max, bool bounded) noexcept = 0;
  virtual void release(std::uint32_t line) noexcept = 0;
  /// Somebody waits at a line of this place.
  [[nodiscard]] virtual bool is_awaited(std::uint32_t line) const noexcept = 0;

  // At any place's line. The first two wait for a round trip; false: it is full, or empty.
  [[nodiscard]] virtual bool try_put(place_id at, std::uint32_t line, std::uint64_t word) noexcept = 0;
  [[nodiscard]] virtual bool try_take(place_id at, std::uint32_t line, std::uint64_t& word) noexcept = 0;
  /// Of a bounded one.
  virtual void put(place_id at, std::uint32_t line, std::uint64_t word, told told, void* whom) = 0;
  virtual void take(place_id at, std::uint32_t line, told told, void* whom) = 0;
  /// This place has come to the barrier; told when all have. Once at a time.
  virtual void arrive(told told, void* whom) noexcept = 0;

 protected:
  ~event_units() = default;
};

/// Of this process; null: it has none.
inline constinit event_units* event_lines = nullptr;

}  // namespace tess::detail
