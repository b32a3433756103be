// region_log: the regions that a run's program has named, and what its harts did in each.
//
//   A hart has a stack of open regions, which belongs to its thread. What it has counted since the last mark goes to
//   all regions that are open, and to the last one as its own. A mark is an instruction (tess/machine/measure.hpp) to
//   which the decoder gives an operation of its own, so programs without marks run as ever.
//
// Units     cycles of the hart's clock.
// Threads   none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/hart/hart.hpp"

namespace tess::machine {

/// What a hart has counted.
struct region_counts {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t load_misses = 0;
  region_counts& operator+=(region_counts const& more) noexcept;
  [[nodiscard]] region_counts since(region_counts const& before) const noexcept;
};

struct region_total {
  std::string name;
  std::uint64_t times = 0;                  ///< That it began.
  std::uint32_t harts = 0;                  ///< That were in it.
  region_counts all;                        ///< With the regions inside.
  region_counts own;                        ///< Without them.
  std::uint64_t begin = ~std::uint64_t{0};  ///< The first cycle of all harts, and the last.
  std::uint64_t end = 0;
};

class hart_regions;

/// Those of a run.
class region_log {
 public:
  /// Told when a hart leaves a region, of which the name stays where it is.
  using listener = std::function<void(hart const& of, std::uint32_t tile, std::string const& name, std::uint64_t begin,
                                      std::uint64_t end)>;
  void set_listener(listener told) { told_ = std::move(told); }
  /// In the order in which they were met.
  [[nodiscard]] std::deque<region_total> const& totals() const noexcept { return totals_; }
  /// Cycles of all harts in each, up to this cycle.
  [[nodiscard]] std::vector<std::uint64_t> cycles_until(std::uint64_t cycle) const;
  /// The run has ended: what is open, ends.
  void finish();
  /// A hart that comes into this region ends its turn, and take_come() is true once.
  void wait_for(std::string name) { awaited_ = std::move(name); }
  [[nodiscard]] bool take_come() noexcept { return std::exchange(has_come_, false); }

 private:
  friend class hart_regions;
  std::size_t number_of(std::string const& name);

  std::deque<region_total> totals_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<hart_regions*> harts_;
  listener told_;
  std::optional<std::string> awaited_;
  bool has_come_ = false;
};

struct open_region {
  std::size_t number;
  std::uint64_t begin;
};
/// Those of the threads of a program that have no hart.
using parked_regions = std::unordered_map<std::uint64_t, std::vector<open_region>>;

/// Those of a hart.
class hart_regions {
 public:
  /// `text`: the program's text at an address. `loads` and `load_misses` of the hart, or null.
  struct place {
    hart const* of = nullptr;
    std::uint32_t tile = 0;
    parked_regions* parked = nullptr;
    std::function<std::string(std::uint64_t)> text;
    std::uint64_t const* loads = nullptr;
    std::uint64_t const* load_misses = nullptr;
    std::function<bool()> has_ended = {};  ///< The hart's thread has, perhaps inside of a region.
  };
  /// All must exist as long.
  hart_regions(region_log& log, place where) : log_(log), where_(std::move(where)) { log_.harts_.push_back(this); }
  hart_regions(hart_regions const&) = delete;
  hart_regions& operator=(hart_regions const&) = delete;

  /// From the engine: mark i, with which the hart has retired so many instructions. True: the region was waited for.
  bool mark(inst const* i, std::uint64_t retired);
  /// Those of the same thread on another machine are open from now on.
  void take_over(hart_regions const& from);
  /// A thread begins on a hart that had none, or whose thread has ended.
  void begin_thread();
  /// Another thread takes the hart; 0: there was none.
  void switch_thread(std::uint64_t from, std::uint64_t to);

  static constexpr std::size_t name_max = 64;

 private:
  friend class region_log;
  void advance(std::uint64_t cycle, std::uint64_t retired);
  void advance() { advance(where_.of->now(), where_.of->retired); }
  void begin(std::string const& name, std::uint64_t cycle);
  void end(std::uint64_t cycle);
  [[nodiscard]] bool is_first(std::size_t place) const noexcept;

  region_log& log_;
  place where_;
  std::vector<open_region> open_;
  region_counts last_;
  std::vector<bool> was_here_;  ///< By region.
};

}  // namespace tess::machine
