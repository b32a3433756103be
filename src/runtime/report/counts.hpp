// counts: what a worker counts outside the hot paths, for the statistics.
#pragma once

#include <array>
#include <cstdint>

#include "tess/detail/tasks/out_buffer.hpp"

namespace tess::detail {

/// Added up when the job ends.
struct cold_counts {
  std::uint64_t block_operations = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t messages = 0;  ///< at and at_async calls and replies
  std::uint64_t message_bytes = 0;
  std::uint64_t flushes[flush_reasons] = {};  ///< buffers sent, by reason
  std::uint64_t batch_bytes = 0;              ///< in these buffers
  std::uint64_t batch_room = 0;               ///< capacity of these buffers
  std::uint64_t refusals = 0;                 ///< messages that the fabric did not accept at once
  std::uint64_t finish_reports = 0;
  std::uint64_t graphs = 0;         ///< copied for at, at_async and copy()
  std::uint64_t graph_objects = 0;  ///< and arrays, without the arguments themselves
  std::uint64_t graph_bytes = 0;
  std::uint64_t calls = 0;  ///< with their times; see call_time.cpp
  std::uint64_t call_ns = 0;
  std::uint64_t function_ns = 0;
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;  ///< times the thread slept
  std::uint64_t polls = 0;
};

/// The counters of a place, in the order of statistics.cpp.
using place_counts = std::array<std::uint64_t, 26>;

}  // namespace tess::detail
