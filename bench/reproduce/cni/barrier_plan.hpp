// barrier_plan: the counters of a barrier of n cores, and the addresses that each of them notifies.
//
//   Arrival: every core adds 1 to the counter of its group; a complete counter adds 1 to the counter of its group of
//   groups. Release: the last counter notifies up to four counters, each of which notifies up to four more, and finally
//   a flag of every core, which the core polls. Only arrivals are executed by instructions.
//
// Shapes    a counter has an address (core, number), with at most one counter of each number per core. 1 to 1024 cores.
// Source    CNI (IJPP 2012), counter barrier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cni {

inline constexpr unsigned notified_max = 4;         ///< Notification addresses of a counter.
inline constexpr unsigned arrival_levels_max = 10;  ///< with groups of two
inline constexpr unsigned release_levels_max = 5;
inline constexpr unsigned barrier_counters = arrival_levels_max + release_levels_max;  ///< numbers per core

struct counter_place {
  unsigned core = 0;
  unsigned number = 0;
  bool is_flag = false;  ///< flag of the core, not a counter
  bool operator==(counter_place const&) const = default;
};
struct planned_counter {
  counter_place at;
  unsigned adds = 0;  ///< additions until it notifies
  std::vector<counter_place> notifies;
};

class barrier_plan {
 public:
  /// `group`: arrivals per counter, at least 2.
  barrier_plan(unsigned cores, unsigned group) : group_(group) {
    unsigned level = 0;
    unsigned span = 1;  // cores below a counter of the previous level
    do {
      unsigned const below = span;
      span *= group;
      for (unsigned first = 0; first < cores; first += span) {
        unsigned const adds = (std::min(span, cores - first) + below - 1) / below;
        counters_.push_back({{first, level}, adds, {}});
        if (span < cores) counters_.back().notifies = {{first - first % (span * group), level + 1}};
      }
      ++level;
    } while (span < cores);
    auto const last = counters_.size() - 1;
    auto const notified = release(0, cores, 0);
    counters_[last].notifies = notified;
  }

  [[nodiscard]] std::vector<planned_counter> const& counters() const noexcept { return counters_; }
  /// The counter to which an arriving core adds 1.
  [[nodiscard]] counter_place arrival(unsigned core) const noexcept { return {core - core % group_, 0}; }

 private:
  /// The addresses to notify so that all cores of [first, end) are released.
  std::vector<counter_place> release(unsigned first, unsigned end, unsigned depth) {
    unsigned const count = end - first;
    unsigned const parts = std::min(count, notified_max);
    std::vector<counter_place> notified;
    for (unsigned part = 0; part < parts; ++part) {
      unsigned const begin = first + count * part / parts;
      unsigned const next = first + count * (part + 1) / parts;
      if (next - begin == 1) {
        notified.push_back({begin, 0, true});
        continue;
      }
      notified.push_back({begin, arrival_levels_max + depth});
      auto notifies = release(begin, next, depth + 1);
      counters_.push_back({notified.back(), 1, std::move(notifies)});
    }
    return notified;
  }

  unsigned group_;
  std::vector<planned_counter> counters_;
};

}  // namespace cni
