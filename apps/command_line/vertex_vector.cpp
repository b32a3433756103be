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

// The next line, which is the n-th, without a byte order mark and a carriage return.
bool next_line(std::ifstream& file, std::uint64_t n, std::string& line) {
  if (!std::getline(file, line)) return false;
  if (line.ends_with('\r')) line.pop_back();
  if (n == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

// The fields of a row; none if the row goes on in the next line, in quotes.
std::vector<std::string> fields_of(std::string_view row, bool tabs_alone) {
  std::vector<std::string> fields;
  for (;;) {
    std::size_t end = 0;
    if (!tabs_alone && row.starts_with('"')) {
      for (end = 1; end < row.size() && (row[end] != '"' || row.substr(end).starts_with("\"\"")); ++end)
        if (row[end] == '"') ++end;
      if (end >= row.size()) return {};
    }
    end = row.find_first_of(tabs_alone ? "\t" : ",\t", end);
    std::string_view const field = row.substr(0, end);
    fields.push_back(tabs_alone ? std::string(field) : unquoted(field));
    if (end == std::string_view::npos) return fields;
    row.remove_prefix(end + 1);
  }
}

// A finite number from 0; whether it is one.
bool read_number(std::string_view text, double& into) {
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
  return problem == std::errc{} && stop == text.data() + text.size() && std::isfinite(into) && into >= 0;
}

void add_file(loaded_graph const& loaded, std::string const& path, std::vector<double>& numbers) {
  std::ifstream file(path);
  std::string line;
  for (std::uint64_t n = 1; next_line(file, n, line); ++n) {
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

std::vector<std::pair<graph::vertex, graph::vertex>> pairs_of(loaded_graph const& loaded, std::string const& path) {
  std::ifstream file(path);
  if (!file) throw graph::input_error(path, 0, "cannot be opened", "a file of pairs");
  std::vector<std::pair<graph::vertex, graph::vertex>> pairs;
  std::string row, line;
  for (std::uint64_t n = 1; next_line(file, n, row); ++n) {
    if (row.empty()) continue;
    std::uint64_t const first = n;
    std::vector<std::string> fields = fields_of(row, path.ends_with(".tsv"));
    while (fields.empty()) {
      if (!next_line(file, ++n, line))
        throw graph::input_error(path, first, "a quote that is not closed", "another one");
      row += '\n' + line;
      fields = fields_of(row, false);
    }
    if (fields.size() < 2) throw graph::input_error(path, first, "one word", "two vertices, as a,b");
    if (first == 1 && fields[0] == "source" && fields[1] == "target") continue;
    auto const a = loaded.lookup(fields[0]);
    auto const b = loaded.lookup(fields[1]);
    if (!a || !b)
      throw graph::input_error(path, first, graph::quoted(fields[a ? 1 : 0]) + " is no vertex of the graph",
                               "two of its vertices, as a,b");
    pairs.emplace_back(*a, *b);
  }
  if (file.bad() || !file.eof()) throw graph::input_error(path, 0, "it cannot be read", "a file of pairs");
  return pairs;
}

}  // namespace command_line
