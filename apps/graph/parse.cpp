// parse: one pass over the bytes of a chunk, specialised for each format; diagnosis only after something went wrong.
#include "graph/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "graph/error.hpp"
#include "graph/table_rows.hpp"

namespace graph {

namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// State common to all lines of a file.
struct line_rules {
  std::string_view file;
  file_format const& format;
  weight_rule weights;
  std::uint64_t vertices_count;  // or the most there can be
};

// Finds the error at `at`, a byte of the line that begins at `line`. Reads the line again, slowly.
class diagnosis {
 public:
  diagnosis(line_rules const& rules, text_chunk const& chunk, char const* line, char const* at)
      : rules_(rules), at_(at), end_(std::find(line, chunk.text.data() + chunk.text.size(), '\n')) {
    auto const before = std::string_view(chunk.text.data(), static_cast<std::size_t>(line - chunk.text.data()));
    auto const first_line = chunk.first_line != 0 ? chunk.first_line : line_at(std::string(rules.file), chunk.offset);
    number_ = first_line + static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
    if (static_cast<std::size_t>(end_ - line) > line_bytes_max) line_too_long();  // whatever else is wrong with it
    if (end_ != line && end_[-1] == '\r') --end_;
    at_ = std::find_if_not(at_, end_, [](char byte) { return byte == ' ' || byte == '\t'; });
  }

  [[noreturn]] void line_too_long() const { throw_line_too_long(rules_.file, number_); }

  [[noreturn]] void wrong_line_kind() const { fail(quoted(word()), line_form()); }

  [[noreturn]] void wrong_vertex() const {
    refuse_end_and_binary();
    std::string_view const text = word();
    if (!std::ranges::all_of(text, is_digit)) fail(fmt::format("{} as a vertex", quoted(text)), line_form());
    bool const from_zero = rules_.format.kind == format_kind::edge_list;
    std::string const range = fmt::format("{} to {}", from_zero ? 0 : 1, rules_.vertices_count - (from_zero ? 1 : 0));
    fail(fmt::format("vertex {}", text.size() <= 40 ? text : "of more than 40 digits"),
         rules_.format.size_line == 0 ? range : fmt::format("{} (line {})", range, rules_.format.size_line));
  }

  [[noreturn]] void wrong_weight() const {
    refuse_end_and_binary();
    fail(fmt::format("{} as a weight", quoted(word())),
         rules_.format.weights == weight_kind::integer ? "an integer" : "a finite number");
  }

  [[noreturn]] void negative_weight() const { fail(fmt::format("weight {}", word()), "a weight of at least 0"); }

  [[noreturn]] void wrong_separator() const {
    refuse_end_and_binary();
    fail(fmt::format("{} after a number", quoted(word())), line_form());
  }

  [[noreturn]] void wrong_end() const {
    refuse_binary();
    fail(fmt::format("{} after the last number", quoted(rest())), line_form());
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    throw input_error(rules_.file, number_, what, expected);
  }

  void refuse_binary() const {
    auto const is_control = [](char byte) { return static_cast<unsigned char>(byte) < ' ' && byte != '\t'; };
    std::string_view const text = word();
    auto const found = std::ranges::find_if(text, is_control);
    if (found != text.end()) fail(fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*found)), "a text file");
  }

  void refuse_end_and_binary() const {
    if (at_ == end_) fail("the line ends too early", line_form());
    refuse_binary();
  }

  [[nodiscard]] std::string_view rest() const { return {at_, end_}; }
  [[nodiscard]] std::string_view word() const { return rest().substr(0, rest().find_first_of(" \t,", 1)); }

  [[nodiscard]] std::string line_form() const {
    bool const weighted = rules_.format.weights != weight_kind::none;
    switch (rules_.format.kind) {
      case format_kind::matrix_market:
        return weighted ? "\"row column weight\"" : "\"row column\"";
      case format_kind::dimacs:
        return "\"a u v weight\" or a comment \"c ...\"";
      case format_kind::edge_list:
        break;
    }
    return weighted ? "\"u v weight\"" : "\"u v\"";
  }

  line_rules const& rules_;
  char const* at_;
  char const* end_;
  std::uint64_t number_ = 0;
};

template <format_kind Kind, weight_kind Weights>
class line_parser {
 public:
  line_parser(line_rules const& rules, text_chunk const& chunk)
      : rules_(rules), chunk_(chunk), at_(chunk.text.data()), line_(at_), end_(at_ + chunk.text.size()) {}

  // Whether there is another edge.
  bool next(edge& result) {
    do {
      if (at_ == end_) return false;
      line_ = at_;
    } while (skip_line_without_edge());
    if constexpr (Kind == format_kind::dimacs) arc_letter();
    result.source = vertex();
    separator();
    result.target = vertex();
    if constexpr (Weights != weight_kind::none) {
      separator();
      result.weight = weight();
    }
    skip_blanks();
    if (!at_line_end()) diagnose().wrong_end();
    end_line();
    return true;
  }

 private:
  static constexpr std::uint64_t first_vertex = Kind == format_kind::edge_list ? 0 : 1;

  [[nodiscard]] diagnosis diagnose() const { return {rules_, chunk_, line_, at_}; }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  [[nodiscard]] bool at_line_end() const {
    if (at_ == end_ || *at_ == '\n') return true;
    return *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n');
  }

  [[nodiscard]] static bool begins_comment(char byte) {
    if constexpr (Kind == format_kind::matrix_market) return byte == '%';
    if constexpr (Kind == format_kind::dimacs) return byte == 'c';
    return byte == '#' || byte == '%';
  }

  bool skip_line_without_edge() {
    skip_blanks();
    if (!at_line_end() && !begins_comment(*at_)) return false;
    at_ = std::find(at_, end_, '\n');
    end_line();
    return true;
  }

  void end_line() {
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (static_cast<std::size_t>(at_ - line_) > line_bytes_max) diagnose().line_too_long();
    if (at_ != end_) ++at_;
  }

  void arc_letter() {
    if (*at_ != 'a' || at_ + 1 == end_ || (at_[1] != ' ' && at_[1] != '\t')) diagnose().wrong_line_kind();
    ++at_;
    skip_blanks();
  }

  std::uint32_t vertex() {
    constexpr std::ptrdiff_t digits_max = 19;  // fewer than overflow 64 bits
    char const* const begin = at_;
    std::uint64_t value = 0;
    while (at_ != end_ && is_digit(*at_)) value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    // In a file that counts from 1, a 0 wraps around to a value above every count.
    bool const valid = at_ != begin && at_ - begin <= digits_max && value - first_vertex < rules_.vertices_count;
    if (!valid) {
      at_ = begin;
      diagnose().wrong_vertex();
    }
    return static_cast<std::uint32_t>(value - first_vertex);
  }

  void separator() {
    char const* const begin = at_;
    skip_blanks();
    if constexpr (Kind == format_kind::edge_list) {
      if (at_ != end_ && *at_ == ',') {
        ++at_;
        skip_blanks();
      }
    }
    if (at_ == begin) diagnose().wrong_separator();
  }

  double weight() {
    char const* const begin = at_;
    double value = 0;
    if (!small_integer(value)) {
      at_ = begin;
      number(value);
    }
    if (!std::isfinite(value) || at_ == begin) {
      at_ = begin;
      diagnose().wrong_weight();
    }
    if (value < 0 && rules_.weights == weight_rule::nonnegative) {
      at_ = begin;
      diagnose().negative_weight();
    }
    return value;
  }

  // The usual case: digits only, few enough to be exact.
  bool small_integer(double& value) {
    constexpr std::ptrdiff_t digits_max = 15;
    char const* const begin = at_;
    std::int64_t integer = 0;
    while (at_ != end_ && is_digit(*at_) && at_ - begin < digits_max) integer = integer * 10 + (*at_++ - '0');
    value = static_cast<double>(integer);
    return at_ != begin && (at_ == end_ || *at_ <= ',');  // '.', digits and letters, which would go on, lie above
  }

  // Leaves at_ where the number ends, or where it was when there is none.
  void number(double& value) {
    char const* const begin = at_;
    bool const plus = at_ + 1 < end_ && at_[0] == '+' && at_[1] != '-';
    char const* const digits = plus ? at_ + 1 : at_;
    std::from_chars_result result{};
    if constexpr (Weights == weight_kind::integer) {
      std::int64_t integer = 0;
      result = std::from_chars(digits, end_, integer);
      value = static_cast<double>(integer);
    } else {
      result = std::from_chars(digits, end_, value);
      if (result.ec == std::errc::result_out_of_range) {
        value = out_of_range(digits, result.ptr);
        result.ec = {};
      }
    }
    at_ = result.ec == std::errc{} ? result.ptr : begin;
  }

  line_rules const& rules_;
  text_chunk const& chunk_;
  char const* at_;
  char const* line_;
  char const* end_;
};

template <format_kind Kind, weight_kind Weights>
void parse_lines(line_rules const& rules, text_chunk const& chunk, std::vector<edge>& edges) {
  line_parser<Kind, Weights> lines(rules, chunk);
  for (edge next; lines.next(next);) edges.push_back(next);
}

}  // namespace

chunk_parser::chunk_parser(std::string file, file_format const& format, weight_rule rule)
    : file_(std::move(file)), format_(format), rule_(rule) {}

std::uint64_t chunk_parser::vertices_count() const noexcept {
  return format_.vertices_count.value_or(vertices_seen_);
}

void chunk_parser::parse(text_chunk const& chunk, std::vector<edge>& edges) {
  using enum format_kind;
  std::size_t const before = edges.size();
  line_rules const rules{file_, format_, rule_, format_.vertices_count.value_or(vertices_count_max)};
  bool const weighted = format_.weights != weight_kind::none;
  if (format_.kind == dimacs) {
    parse_lines<dimacs, weight_kind::integer>(rules, chunk, edges);
  } else if (format_.kind == edge_list) {
    weighted ? parse_lines<edge_list, weight_kind::real>(rules, chunk, edges)
             : parse_lines<edge_list, weight_kind::none>(rules, chunk, edges);
  } else if (weighted) {
    format_.weights == weight_kind::integer ? parse_lines<matrix_market, weight_kind::integer>(rules, chunk, edges)
                                            : parse_lines<matrix_market, weight_kind::real>(rules, chunk, edges);
  } else {
    parse_lines<matrix_market, weight_kind::none>(rules, chunk, edges);
  }
  entries_count_ += edges.size() - before;
  if (format_.vertices_count) return;
  for (edge const& seen : std::span(edges).subspan(before)) {
    vertices_seen_ = std::max({vertices_seen_, seen.source + std::uint64_t{1}, seen.target + std::uint64_t{1}});
  }
}

}  // namespace graph
