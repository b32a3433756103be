// names: reading, checking and indexing a names file.
#include "graph/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "graph/edge.hpp"
#include "graph/error.hpp"
#include "graph/table_rows.hpp"

namespace graph {

vertex_names::vertex_names(text_source& text, std::uint64_t vertices_count) {
  line_reader lines(text);
  while (auto line = lines.next()) {
    if (line->number == 1 && line->text.starts_with(byte_order_mark)) line->text.remove_prefix(byte_order_mark.size());
    append(text.name(), *line, vertices_count);
  }
  if (size() != vertices_count) {
    throw input_error(text.name(), lines.lines_count(), fmt::format("the file ends after {} names", size()),
                      fmt::format("{}, one for each vertex", vertices_count));
  }
  index(text.name());
}

void vertex_names::append(std::string const& file, text_line const& line, std::uint64_t vertices_count) {
  auto const fail = [&](std::string_view what, std::string_view expected) {
    throw input_error(file, line.number, what, expected);
  };
  auto const is_control = [](char byte) { return static_cast<unsigned char>(byte) < ' '; };
  if (line.text.empty()) fail("an empty line", "the name of a vertex");
  if (std::ranges::any_of(line.text, is_control)) fail(quoted(line.text), "a name without control characters");
  if (!is_utf8(line.text)) fail(quoted(line.text), "UTF-8");
  if (size() == vertices_count) {
    fail(fmt::format("name {}, {}", size() + 1, quoted(line.text)),
         fmt::format("{} names, one for each vertex", vertices_count));
  }
  text_ += line.text;
  ends_.push_back(text_.size());
}

void vertex_names::index(std::string const& file) {
  auto const name_of = [this](std::uint32_t vertex) { return name(vertex); };
  by_name_.resize(size());
  std::iota(by_name_.begin(), by_name_.end(), std::uint32_t{0});
  // Equal names are sorted by line: an error message gives the later one.
  std::ranges::sort(by_name_, {}, [&](std::uint32_t vertex) { return std::pair(name_of(vertex), vertex); });
  auto const twice = std::ranges::adjacent_find(by_name_, {}, name_of);
  if (twice == by_name_.end()) return;
  std::uint64_t const first_line = twice[0] + std::uint64_t{1};
  throw input_error(file, twice[1] + std::uint64_t{1},
                    fmt::format("{} is also on line {}", quoted(name(twice[1])), first_line), "each name once");
}

std::string_view vertex_names::name(std::uint32_t vertex) const {
  return std::string_view(text_).substr(ends_[vertex], ends_[vertex + 1] - ends_[vertex]);
}

std::optional<std::uint32_t> vertex_names::vertex(std::string_view wanted) const {
  auto const name_of = [this](std::uint32_t vertex) { return name(vertex); };
  auto const found = std::ranges::lower_bound(by_name_, wanted, {}, name_of);
  if (found == by_name_.end() || name(*found) != wanted) return std::nullopt;
  return *found;
}

std::optional<std::string> find_names_file(std::string const& graph_path) {
  std::filesystem::path stem(graph_path);
  if (stem.extension() == ".gz") stem.replace_extension();
  stem.replace_extension();
  for (std::string const& candidate : {graph_path + ".names", stem.string() + ".names", stem.string() + ".names.gz"}) {
    std::error_code ignored;  // a candidate that cannot be looked at is none
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

}  // namespace graph
