// vertex_vector: names are looked up before files.
#include "command_line/vertex_vector.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "graph/error.hpp"

namespace command_line {

namespace {

std::string unquoted(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;  // a quote is written twice
  }
  return text;
}

// A finite number from 0; whether it is one.
bool read_number(std::string_view text, double& into) {
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
  return problem == std::errc{} && stop == text.data() + text.size() && std::isfinite(into) && into >= 0;
}

void add_file(loaded_graph const& loaded, std::string const& path, std::vector<double>& numbers) {
  std::ifstream file(path);
  std::string line;
  for (std::uint64_t n = 1; std::getline(file, line); ++n) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (n == 1 && (line.starts_with("vertex,") || line.starts_with("vertex\t")))) continue;
    std::size_t const cut = line.find_last_of(",\t");
    double number = 1;
    // A name may have a comma: then what follows is no number.
    bool const two = cut != std::string::npos && read_number(std::string_view(line).substr(cut + 1), number);
    std::string const name = unquoted(two ? std::string_view(line).substr(0, cut) : std::string_view(line));
    auto const v = loaded.lookup(name);
    if (!v)
      throw graph::input_error(path, n, graph::quoted(name),
                               "a vertex, and a number from 0 after a comma or a tab if it is not 1");
    numbers[*v] += two ? number : 1;
  }
  if (file.bad() || !file.eof()) throw graph::input_error(path, 0, "it cannot be read", "a file of vertices");
}

}  // namespace

std::vector<double> vector_of(loaded_graph const& loaded, std::string const& option,
                              std::vector<std::string> const& words) {
  if (words.empty()) return {};
  std::vector<double> numbers(loaded.graph.vertices());
  for (std::string const& word : words) {
    if (auto const v = loaded.lookup(word))
      numbers[*v] += 1;
    else if (std::filesystem::is_regular_file(word))
      add_file(loaded, word, numbers);
    else
      throw graph::input_error(option, 0, graph::quoted(word), "a vertex of the graph, or a file");
  }
  for (double const x : numbers)
    if (x > 0) return numbers;
  throw graph::input_error(option, 0, "no vertex with a positive number", "at least one");
}

}  // namespace command_line
