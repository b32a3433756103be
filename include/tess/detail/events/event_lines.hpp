// event_lines: event queues and a barrier in hardware, if the fabric has them (src/fabric/capabilities.hpp).
//
//   A line is a queue of words at one place. All places put and take without executing an instruction there. An event
//   that other places use moves to a line of its own place, if one is free; from then on the line performs all its
//   operations. When a waiting task gets an item of a bounded queue, its slot is returned when the task's place polls.
//   Only simulated machines have such lines; elsewhere this is not compiled.
//
// Units    words of 64 bits. Lines: numbers from 1; 0: none.
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
  /// Called inside poll() when an operation has ended, with the word that was taken. Resumes no task.
  using callback = void (*)(void* context, std::uint64_t word) noexcept;

  /// Reserves a line of this place for at most `words_max` words; 0: none is free. Puts to a full line wait if it is
  /// bounded and are refused otherwise.
  [[nodiscard]] virtual std::uint32_t make(std::uint32_t words_max, bool bounded) noexcept = 0;
  virtual void release(std::uint32_t line) noexcept = 0;
  /// True if a put or take waits at a line of this place.
  [[nodiscard]] virtual bool is_awaited(std::uint32_t line) const noexcept = 0;

  // On a line of any place. The first two wait for a round trip; false: the line is full, or empty.
  [[nodiscard]] virtual bool try_put(place_id at, std::uint32_t line, std::uint64_t word) noexcept = 0;
  [[nodiscard]] virtual bool try_take(place_id at, std::uint32_t line, std::uint64_t& word) noexcept = 0;
  /// Puts to a bounded line.
  virtual void put(place_id at, std::uint32_t line, std::uint64_t word, callback callback, void* context) = 0;
  virtual void take(place_id at, std::uint32_t line, callback callback, void* context) = 0;
  /// This place arrives at the barrier; the callback is called when all have arrived. One barrier at a time.
  virtual void arrive(callback callback, void* context) noexcept = 0;

 protected:
  ~event_units() = default;
};

/// The units of this process; null: none.
inline constinit event_units* event_lines = nullptr;

}  // namespace tess::detail
