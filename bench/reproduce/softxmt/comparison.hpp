// comparison: the published numbers of the SoftXMT paper beside the measured ones, as a report.
//
// Units     rates in million lines per second.
// Errors    std::runtime_error if the file of published numbers lacks one.
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

/// The paper's numbers by name.
[[nodiscard]] std::map<std::string, double> read_reference(std::string const& file);

struct row {
  std::string what;
  double paper;
  double here;
  std::string why;  ///< reason for the difference
};

[[nodiscard]] std::vector<row> compare(std::map<std::string, double> const& paper, points const& measured);

[[nodiscard]] std::string to_csv(points const& measured);
[[nodiscard]] std::string to_json(points const& measured, std::vector<row> const& rows, bool quick);
[[nodiscard]] std::string to_table(std::vector<row> const& rows);
/// The report as Markdown.
[[nodiscard]] std::string to_report(std::vector<row> const& rows, bool quick);

}  // namespace softxmt
