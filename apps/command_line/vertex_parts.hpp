// vertex_parts: what one place has of the table of --output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace command_line {

// The cells of a column are the rows' own vertices.
struct own_vertices {};

// No name, in a column of names that are integers.
inline constexpr std::int64_t no_integer = INT64_MIN;

// Names take the place of numbers where vertices have names.
struct part_column {
  std::string name;
  std::variant<own_vertices, std::span<std::uint32_t const>, std::span<double const>, std::vector<std::string>,
               std::vector<std::int64_t>>
      cells;
};
struct table_part {
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
  std::vector<part_column> columns;
};

}  // namespace command_line
