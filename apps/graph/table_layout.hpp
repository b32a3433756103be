// table_layout: what the header of a table says, and which columns are used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/table.hpp"
#include "graph/table_rows.hpp"

namespace graph {

enum class column_use : std::uint8_t { none, source, target, weight };

struct table_layout {
  field_rules rules;
  std::vector<std::string> names;
  std::vector<column_use> uses;     // of each column
  std::vector<char> blanks_before;  // whether the heading has blanks before it, which are then none of the names either
  bool weighted = false;
  std::uint64_t data_offset = 0;
};

// Throws input_error or table_error.
[[nodiscard]] table_layout read_layout(table_text const& text, table_columns const& wanted);

}  // namespace graph
