// barrier_plan: which counters make a barrier of n cores, and whom each of them tells.
//
//   Arrival: every core adds 1 to the counter of its group; a counter that has got all adds 1 to that of its group of
//   groups. Release: the last one tells up to four counters, each of which tells up to four more, and in the end a flag
//   of every core, on which that core polls. Nothing but arrivals is done by instructions.
//
// Shapes    a counter has a place (core, number): at most one of each number a core. Cores 1 to 1024.
// Source    CNI (IJPP 2012), counter barrier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cni {

inline constexpr unsigned told_max = 4;             ///< Notification addresses of a counter.
inline constexpr unsigned arrival_levels_max = 10;  ///< Groups of two.
inline constexpr unsigned release_levels_max = 5;
inline constexpr unsigned barrier_counters = arrival_levels_max + release_levels_max;  ///< Numbers, of a core.

struct counter_place {
  unsigned core = 0;
  unsigned number = 0;
  bool is_flag = false;  ///< The core's flag, not a counter.
  bool operator==(counter_place const&) const = default;
};
struct planned_counter {
  counter_place at;
  unsigned adds = 0;  ///< So many until it tells.
  std::vector<counter_place> tells;
};

class barrier_plan {
 public:
  /// `group`: arrivals at a counter, at least 2.
  barrier_plan(unsigned cores, unsigned group) : group_(group) {
    unsigned level = 0;
    unsigned span = 1;  // cores below a counter of the level before
    do {
      unsigned const below = span;
      span *= group;
      for (unsigned first = 0; first < cores; first += span) {
        unsigned const adds = (std::min(span, cores - first) + below - 1) / below;
        counters_.push_back({{first, level}, adds, {}});
        if (span < cores) counters_.back().tells = {{first - first % (span * group), level + 1}};
      }
      ++level;
    } while (span < cores);
    auto const last = counters_.size() - 1;
    auto const told = release(0, cores, 0);
    counters_[last].tells = told;
  }

  [[nodiscard]] std::vector<planned_counter> const& counters() const noexcept { return counters_; }
  /// To which a core adds 1 when it arrives.
  [[nodiscard]] counter_place arrival(unsigned core) const noexcept { return {core - core % group_, 0}; }

 private:
  /// Whom to tell so that all cores of [first, end) are told.
  std::vector<counter_place> release(unsigned first, unsigned end, unsigned depth) {
    unsigned const count = end - first;
    unsigned const parts = std::min(count, told_max);
    std::vector<counter_place> told;
    for (unsigned part = 0; part < parts; ++part) {
      unsigned const begin = first + count * part / parts;
      unsigned const next = first + count * (part + 1) / parts;
      if (next - begin == 1) {
        told.push_back({begin, 0, true});
        continue;
      }
      told.push_back({begin, arrival_levels_max + depth});
      auto tells = release(begin, next, depth + 1);
      counters_.push_back({told.back(), 1, std::move(tells)});
    }
    return told;
  }

  unsigned group_;
  std::vector<planned_counter> counters_;
};

}  // namespace cni
