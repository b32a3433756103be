// trace: a run as Chrome's trace events, for Perfetto: each tile a process; in it a track for every hart and unit.
//
//   A hart's track shows when it waits and what for; what is not a wait is running. The regions that the program marks
//   are above that. A unit's tracks show what it does:
//   the L2 its misses, the adapter its transactions, the memory's port its turns; of things at a time each has a track
//   of its own. Counter tracks show a hart's
//   instructions per cycle, and the load of bus, L2, adapter, router and memory. Bounded: when there are too many
//   waits, the shorter half is dropped and shorter ones are no longer kept; when there are too many samples, every
//   second one goes, and they are taken half as often. What was dropped is counted.
//
// Units     picoseconds inside, microseconds in the file.
// Threads   one. A function of the run alone: nothing of the host's time is in it.
// Source    the Trace Event Format of Chromium.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

class trace final : public wait_log, public activity_log {
 public:
  /// Is told by all harts of the machine as long as it lives, at most as long as the machine.
  explicit trace(timed_machine& of);
  trace(trace const&) = delete;
  trace& operator=(trace const&) = delete;
  ~trace() override;

  void waited(timed_hart const& who, char const* why, picoseconds begin, picoseconds end) override;
  void busy(std::uint32_t tile, char const* unit, char const* what, picoseconds begin, picoseconds end) override;
  /// Looks whether it is time for a sample.
  void sample();
  [[nodiscard]] std::string json();

  static constexpr std::size_t waits_max = 100'000;
  static constexpr std::size_t values_max = 150'000;  ///< Over all samples.

 private:
  /// A track of a hart or of a unit.
  struct wait {
    std::uint32_t tile;
    std::uint32_t hart;
    char const* unit;  ///< Null: of a hart.
    char const* why;
    picoseconds begin;
    picoseconds length;
  };
  /// What a counter track shows: growth of `part` for each of `whole`.
  struct counter {
    std::uint32_t tile;
    std::string name;
    char const* unit;
  };
  struct counts {
    std::uint64_t part;
    std::uint64_t whole;
  };
  struct snapshot {
    picoseconds time;
    std::vector<counts> values;  ///< In the order of counters_.
  };

  void take();
  void keep(wait const& added);
  [[nodiscard]] std::string units_json();
  void thin_waits();
  void name_counters();
  [[nodiscard]] char const* name_of_region(std::string const& name);

  timed_machine& of_;
  std::deque<std::string> names_;  ///< Those of regions, as in JSON.
  std::unordered_map<std::string const*, char const*> names_by_region_;
  std::vector<wait> waits_;
  picoseconds shortest_ = 0;
  std::uint64_t dropped_ = 0;
  std::vector<counter> counters_;
  std::vector<snapshot> samples_;
  picoseconds interval_ = 1'000'000;
  picoseconds next_ = 0;
};

}  // namespace tess::machine
