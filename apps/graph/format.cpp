// format: reads the headers of the three formats.
#include "graph/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <vector>

#include "graph/edge.hpp"
#include "graph/error.hpp"

namespace graph {

namespace {

constexpr std::string_view banner_word = "%%matrixmarket";
constexpr std::string_view banner_form = "\"%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric\"";
constexpr std::string_view size_line_form = "a line \"N N ENTRIES\"";
constexpr std::string_view problem_line_form = "a line \"p sp N ARCS\"";

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

std::vector<std::string_view> words(std::string_view line, bool commas_separate = false) {
  auto const separates = [&](char byte) { return is_blank(byte) || (commas_separate && byte == ','); };
  std::vector<std::string_view> result;
  auto at = line.begin();
  while ((at = std::find_if_not(at, line.end(), separates)) != line.end()) {
    auto const end = std::find_if(at, line.end(), separates);
    result.emplace_back(at, end);
    at = end;
  }
  return result;
}

// One header at a time: the lines, and the name for messages.
class header_reader {
 public:
  explicit header_reader(text_source& text) : name_(text.name()), lines_(text) {}

  // The next line, or an error that names what was expected instead of the file's end.
  text_line next(std::string_view expected) {
    if (auto const line = lines_.next()) return *line;
    if (lines_.lines_count() == 0) throw input_error(name_, 0, "the file is empty", expected);
    throw input_error(name_, lines_.lines_count(), "the file ends here", expected);
  }

  [[noreturn]] void fail(text_line const& line, std::string_view what, std::string_view expected) const {
    throw input_error(name_, line.number, what, expected);
  }

  // A count of 0 to `max`, as the header's line states it.
  std::uint64_t count(text_line const& line, std::string_view word, std::string_view thing, std::uint64_t max) const {
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(word.begin(), word.end(), value);
    bool const is_number = end == word.end() && error != std::errc::invalid_argument;
    if (!is_number) fail(line, fmt::format("{} is not a number of {}", quoted(word), thing), "digits");
    if (error != std::errc{} || value > max) {
      fail(line, fmt::format("{} {}", quoted(word), thing), fmt::format("at most {}", max));
    }
    return value;
  }

  std::uint64_t vertices_count(text_line const& line, std::string_view word) const {
    std::uint64_t const value = count(line, word, "vertices", vertices_count_max);
    if (value == 0) fail(line, "0 vertices", "at least 1");
    return value;
  }

 private:
  std::string name_;
  line_reader lines_;
};

void start_data_after(file_format& format, text_line const& line) {
  format.size_line = line.number;
  format.data_line = line.number + 1;
  format.data_offset = line.next_offset;
}

file_format banner_format(header_reader const& header, text_line const& banner) {
  auto const fields = words(banner.text);
  if (fields.size() != 5) {
    header.fail(banner, fmt::format("banner of {} words", fields.size()), banner_form);
  }
  // The word at `index` must be one of `supported`; returns which one.
  auto const choice = [&](std::size_t index, auto const&... supported) {
    std::array const choices{std::string_view(supported)...};
    auto const found = std::ranges::find(choices, lower_case(fields[index]));
    if (found == choices.end()) {
      header.fail(banner, fmt::format("{} is not supported", quoted(fields[index])),
                  fmt::format("{}", fmt::join(choices, " or ")));
    }
    return static_cast<std::size_t>(found - choices.begin());
  };
  choice(1, "matrix");
  choice(2, "coordinate");
  // scipy's mmwrite writes unsigned-integer, whose values may be above 2^63: they are read as real ones.
  constexpr std::array weights{weight_kind::none, weight_kind::integer, weight_kind::real, weight_kind::real};
  file_format format{.kind = format_kind::matrix_market};
  format.weights = weights[choice(3, "pattern", "integer", "real", "unsigned-integer")];
  format.symmetric = choice(4, "general", "symmetric") == 1;
  return format;
}

file_format matrix_market_format(header_reader& header, text_line const& banner) {
  file_format format = banner_format(header, banner);
  for (;;) {
    text_line const line = header.next(size_line_form);
    if (!is_data_line(format_kind::matrix_market, line.text)) continue;
    auto const sizes = words(line.text);
    if (sizes.size() != 3) header.fail(line, fmt::format("{} as the size line", quoted(line.text)), size_line_form);
    format.vertices_count = header.vertices_count(line, sizes[0]);
    if (header.vertices_count(line, sizes[1]) != *format.vertices_count) {
      header.fail(line, fmt::format("{} rows but {} columns", sizes[0], sizes[1]), "a square matrix");
    }
    format.entries_count = header.count(line, sizes[2], "entries", edges_count_max);
    start_data_after(format, line);
    return format;
  }
}

file_format dimacs_format(header_reader& header, text_line line) {
  file_format format{.kind = format_kind::dimacs, .weights = weight_kind::integer};
  while (!is_data_line(format_kind::dimacs, line.text)) line = header.next(problem_line_form);
  auto const fields = words(line.text);
  if (fields.size() != 4 || fields[0] != "p" || fields[1] != "sp") {
    header.fail(line, fmt::format("{} before the problem line", quoted(line.text)), problem_line_form);
  }
  format.vertices_count = header.vertices_count(line, fields[2]);
  format.entries_count = header.count(line, fields[3], "arcs", edges_count_max);
  start_data_after(format, line);
  return format;
}

file_format edge_list_format(header_reader& header, text_line line, std::string_view extension) {
  file_format format;
  while (!is_data_line(format_kind::edge_list, line.text)) line = header.next("an edge \"u v\"");
  std::size_t const columns = words(line.text, true).size();
  bool const may_be_unweighted = extension != ".wel";
  bool const may_be_weighted = extension != ".el";
  if (columns == 2 && !may_be_unweighted) header.fail(line, "an edge of 2 columns", "\"u v weight\" in a .wel file");
  if (columns == 3 && !may_be_weighted) {
    header.fail(line, "an edge of 3 columns", "\"u v\" in a .el file (with weights it is named .wel)");
  }
  if (columns < 2 || columns > 3) {
    header.fail(line, fmt::format("a line of {} columns, {}", columns, quoted(line.text)), "\"u v\" or \"u v weight\"");
  }
  format.weights = columns == 3 ? weight_kind::real : weight_kind::none;
  format.data_offset = line.offset;
  format.data_line = line.number;
  return format;
}

bool is_edge_list_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 5> extensions{".el", ".wel", ".txt", ".csv", ".tsv"};
  return std::ranges::find(extensions, extension) != extensions.end();
}

// What makes a saved graph of a file that the programs do not read, by the package for Python; empty if nothing does.
std::string_view way_by_python(std::string_view extension) {
  if (extension == ".parquet") return "read_parquet(FILE)";
  if (extension == ".gml") return "from_networkx(networkx.read_gml(FILE))";
  if (extension == ".graphml") return "from_networkx(networkx.read_graphml(FILE))";
  if (extension == ".gexf") return "from_networkx(networkx.read_gexf(FILE))";
  if (extension == ".net") return "from_networkx(networkx.read_pajek(FILE))";
  return {};
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return result;
}

std::string extension_of(std::string_view name) {
  std::string made = lower_case(name);
  if (made.ends_with(".gz")) made.resize(made.size() - 3);
  std::size_t const dot = made.find_last_of("./");
  return dot == std::string::npos || made[dot] == '/' ? "" : made.substr(dot);
}

file_format recognise(text_source& text) {
  // A banner identifies the format whatever the name is, and would be a comment in an edge list.
  header_reader header(text);
  std::string const extension = extension_of(text.name());
  bool const is_market_name = extension == ".mtx";
  text_line const first = header.next(is_market_name ? banner_form : "a graph");
  if (lower_case(first.text.substr(0, banner_word.size())) == banner_word) return matrix_market_format(header, first);
  if (is_market_name) {
    header.fail(
        first, fmt::format("no MatrixMarket banner but {}", quoted(first.text)),
        fmt::format("the first line {} and then {} (an edge list without a header is named .el and counts from 0)",
                    banner_form, size_line_form));
  }
  if (extension == ".gr") return dimacs_format(header, first);
  if (is_edge_list_extension(extension)) {
    text_line line = first;
    if (line.text.starts_with(byte_order_mark)) {
      line.text.remove_prefix(byte_order_mark.size());
      line.offset += byte_order_mark.size();
    }
    return edge_list_format(header, line, extension);
  }
  bool const is_zipped = lower_case(text.name()).ends_with(".gz");
  std::string_view const way = is_zipped ? std::string_view() : way_by_python(extension);
  throw input_error(
      text.name(), 0, fmt::format("unknown kind of file {}", graph::quoted(extension + (is_zipped ? ".gz" : ""))),
      way.empty() ? ".mtx, .gr, .el, .wel, .txt, .csv, .tsv, .metis or .graph, each also with .gz, .npz or .tgr"
                  : fmt::format("a .tgr file: the package for Python makes one by tessera.{}.save(\"FILE.tgr\")", way));
}

bool is_data_line(format_kind kind, std::string_view line) {
  auto const begin = std::ranges::find_if_not(line, is_blank);
  if (begin == line.end()) return false;
  switch (kind) {
    case format_kind::matrix_market:
      return *begin != '%';
    case format_kind::edge_list:
      return *begin != '%' && *begin != '#';
    case format_kind::dimacs:
      return *begin != 'c';
  }
  return true;
}

}  // namespace graph
