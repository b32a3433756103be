// timeline: the statistics of a run over time: a row for each interval, as columns and as a picture.
//
//   Counters are read at multiples of the interval, between two events of the machine, which changes nothing of it. A
//   hart may be ahead of that by a quantum. Where nothing has happened for several intervals, they are one row.
//
// Units     docs/machine/observing.md. Inside: ps, and cycles of the tiles' clock.
// Threads   one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

/// "10us", "500ns", "2ms", "1s" or "2000cycles" as a time; 0: it is none of these, or less than a cycle.
[[nodiscard]] picoseconds time_from(std::string_view text, picoseconds cycle_ps);

class timeline {
 public:
  /// Before the run, which it must outlive. 0: the interval grows with the run, so that there are up to `rows_max`.
  timeline(timed_machine& of, picoseconds interval_ps);
  timeline(timeline const&) = delete;
  timeline& operator=(timeline const&) = delete;
  /// After the run.
  void finish() { take(); }

  static constexpr std::size_t rows_max = 512;

  /// Each row's values, in the order of `names`.
  struct table {
    std::vector<std::string> names;
    std::vector<std::vector<double>> rows;
  };
  [[nodiscard]] table columns() const;
  /// A file for `suffix`: .csv, .parquet or .svg. Empty: none of these.
  [[nodiscard]] std::string file(std::string_view suffix, std::string const& program) const;
  [[nodiscard]] static bool knows(std::string_view suffix) noexcept;

 private:
  /// A column is the growth of `part`, or its share of the growth of `whole`.
  struct column {
    std::string name;
    bool is_share;
  };
  struct counts {
    std::uint64_t part;
    std::uint64_t whole;
  };
  struct sample {
    picoseconds time;
    std::vector<counts> values;          ///< In the order of columns_.
    std::vector<std::uint64_t> regions;  ///< Cycles in each, of those there were.
  };
  void name_columns();
  void take();
  void thin();
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string picture(std::string const& program) const;

  timed_machine& of_;
  picoseconds interval_;
  bool grows_;
  std::vector<column> columns_;
  std::vector<sample> samples_;
};

}  // namespace tess::machine
