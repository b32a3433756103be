// comparison: what the SoftXMT paper published beside what was measured here, and how both look on paper.
//
// Units     rates in million lines per second.
// Errors    std::runtime_error for a reference file that lacks a figure.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace softxmt {

struct point {
  std::string figure;  ///< lists, tasks, delay or cache
  std::string series;
  double x;  ///< lists, tasks or bytes of the private set
  double rate;
};
using points = std::vector<point>;

/// The paper's figures by name.
[[nodiscard]] std::map<std::string, double> read_reference(std::string const& file);

struct row {
  std::string what;
  double paper;
  double here;
  std::string why;  ///< they differ
};

[[nodiscard]] std::vector<row> compare(std::map<std::string, double> const& paper, points const& measured);

[[nodiscard]] std::string to_csv(points const& measured);
[[nodiscard]] std::string to_json(points const& measured, std::vector<row> const& rows, bool quick);
[[nodiscard]] std::string to_table(std::vector<row> const& rows);
/// Markdown.
[[nodiscard]] std::string to_report(std::vector<row> const& rows, bool quick);

}  // namespace softxmt
