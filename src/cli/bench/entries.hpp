// entries: results of benchmarks: reads those of one benchmark, and formats all of them as a table.
//
//   A benchmark is run as `NAME --json FILE [--runs N]` and writes a list of entries
//     {"bench": "gups", "case": "remote", "places": 4, "value": 1.5e8, "unit": "updates/s", "limit": 1e8, "ratio": 1.5,
//     "runs": 5}
//   `limit` is the reference for the value and `ratio` the comparison, 1 or more being good; either may be null.
//
// Errors    std::runtime_error: the file is not such a list; the message names the entry and the missing key.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tess::cli {

nlohmann::json read_bench_entries(std::filesystem::path const& file);

// Columns bench, case, places, value, unit, limit, ratio; numbers to the right.
std::string bench_table(nlohmann::json const& entries);

}  // namespace tess::cli
