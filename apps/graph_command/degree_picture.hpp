// degree_picture: the distribution of degrees as lines of text, both axes logarithmic.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace graph_command {

// `classes`: vertices of degree 0, of 1, of 2 to 3, of 4 to 7 … A line for each.
[[nodiscard]] std::string degree_picture(std::span<std::uint64_t const> classes);

}  // namespace graph_command
