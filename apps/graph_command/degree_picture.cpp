// degree_picture: a bar grows by four characters for each factor of ten.
#include "graph_command/degree_picture.hpp"

#include <fmt/format.h>

#include <cmath>

namespace graph_command {

std::string degree_picture(std::span<std::uint64_t const> classes) {
  constexpr double characters_per_decade = 4;
  std::string text = "              degree   vertices\n";
  for (std::size_t kind = 0; kind < classes.size(); ++kind) {
    std::uint64_t const least = kind == 0 ? 0 : std::uint64_t{1} << (kind - 1);
    std::uint64_t const most = kind == 0 ? 0 : 2 * least - 1;
    std::string const range = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    double const decades = classes[kind] == 0 ? 0 : std::log10(static_cast<double>(classes[kind])) + 0.25;
    auto const bar = static_cast<std::size_t>(std::lround(decades * characters_per_decade));
    text += fmt::format("{:>20} {:10}{}{}\n", range, classes[kind], bar == 0 ? "" : "  ", std::string(bar, '#'));
  }
  return text;
}

}  // namespace graph_command
