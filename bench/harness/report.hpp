// report: formats measured entries as an aligned table, as one line, or as JSON.
//
// JSON: a list of {"bench", "case", "places", "value", "unit", "limit", "ratio", "runs"}; limit and ratio are null for
// an entry without a limit.
#pragma once

#include <span>
#include <string>

#include "harness/suite.hpp"

namespace bench {

[[nodiscard]] std::string one_line(entry const& shown);
[[nodiscard]] std::string table(std::span<entry const> entries);
[[nodiscard]] std::string json(std::span<entry const> entries);

/// False if the file could not be written completely.
[[nodiscard]] bool write_json(std::span<entry const> entries, std::string const& file);

}  // namespace bench
