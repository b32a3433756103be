// table_layout: reads the header, and finds the columns that were asked for, or usual ones.
#include "graph/table_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "graph/error.hpp"
#include "graph/format.hpp"
#include "graph/text_source.hpp"

namespace graph {

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Chooses the columns of one header.
class column_chooser {
 public:
  column_chooser(std::string const& file, std::uint64_t line, std::vector<std::string> const& names)
      : file_(file), line_(line), names_(names) {}

  [[nodiscard]] std::optional<std::size_t> named(std::string const& wanted, std::string_view option) const {
    if (wanted.empty()) return std::nullopt;
    auto const found = std::ranges::find(names_, wanted);
    if (found == names_.end())
      throw input_error(file_, line_, fmt::format("no column {} ({})", graph::quoted(wanted), option), columns_there());
    if (std::ranges::count(names_, wanted) > 1)
      throw input_error(file_, line_, fmt::format("two columns {}", graph::quoted(wanted)), "different names");
    return static_cast<std::size_t>(found - names_.begin());
  }
  [[nodiscard]] std::optional<std::size_t> usual(std::initializer_list<std::string_view> words) const {
    for (std::string_view const word : words)
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (lower_case(names_[i]) == word) return i;
    return std::nullopt;
  }
  // The first column that is none of the two.
  [[nodiscard]] std::size_t other_than(std::optional<std::size_t> a, std::optional<std::size_t> b) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (a != i && b != i) return i;
    throw input_error(file_, line_, "no column is left for an end of the edges", columns_there());
  }

 private:
  [[nodiscard]] std::string columns_there() const {
    return fmt::format("one of the columns {}", fmt::join(names_, ", "));
  }

  std::string const& file_;
  std::uint64_t line_;
  std::vector<std::string> const& names_;
};

// The header is in line `line`.
void choose_columns(std::string const& file, std::uint64_t line, table_columns const& wanted, table_layout& layout) {
  if (layout.names.size() < 2) {
    throw input_error(
        file, line, fmt::format("a header of one column, {}", graph::quoted(layout.names[0])),
        fmt::format("at least two columns, separated by {}", layout.rules.separator == ',' ? "commas" : "tabs"));
  }
  column_chooser const columns(file, line, layout.names);
  auto source = columns.named(wanted.source, "--source-column");
  auto target = columns.named(wanted.target, "--target-column");
  auto weight = columns.named(wanted.weight, "--weight-column");
  auto const usual_source = columns.usual({"source", "from", "src", "u"});
  auto const usual_target = columns.usual({"target", "to", "dst", "v"});
  if (!weight) weight = columns.usual({"weight", "w"});
  if (!source && !target && usual_source && usual_target) {
    source = usual_source;
    target = usual_target;
  }
  if (!source && target) source = usual_source && usual_source != target ? usual_source : std::nullopt;
  if (source && !target) target = usual_target && usual_target != source ? usual_target : std::nullopt;
  // A column "w" may well be an end, beside "u" or "v"; one that is called "weight" is none if there are others.
  bool const weighs = weight && lower_case(layout.names[*weight]) == "weight" && layout.names.size() > 2;
  bool const has_weights = !wanted.weight.empty() || weighs;
  if (!source) source = columns.other_than(target, has_weights ? weight : std::nullopt);
  if (!target) target = columns.other_than(source, has_weights ? weight : std::nullopt);
  if (wanted.weight.empty() && (weight == source || weight == target)) weight = std::nullopt;
  if (source == target || weight == source || weight == target)
    throw input_error(file, line, "a column is used twice", "different columns for source, target and weight");
  layout.uses.assign(layout.names.size(), column_use::none);
  layout.uses[*source] = column_use::source;
  layout.uses[*target] = column_use::target;
  if (weight) layout.uses[*weight] = column_use::weight;
  layout.weighted = weight.has_value();
}

// Where the header is. A line of one column that begins with # or % cannot be one: it is a comment.
char const* after_blank_lines_and_comments(char const* at, char const* end, char separator) {
  for (;;) {
    while (at != end && (*at == '\n' || *at == '\r')) ++at;
    if (at == end || (*at != '#' && *at != '%')) return at;
    char const* const line_end = std::find(at, end, '\n');
    if (line_end == end || std::find(at, line_end, separator) != line_end) return at;
    at = line_end;
  }
}

}  // namespace

table_layout read_layout(table_text const& text, table_columns const& wanted) {
  table_layout layout;
  if (extension_of(text.name) == ".tsv") layout.rules = {.separator = '\t', .quotes = false};
  text_window window(text.open(0), 0);
  while (!window.is_last() && window.end() - window.begin() < static_cast<std::ptrdiff_t>(row_bytes_max))
    window.refill(window.begin());
  char const* at = window.begin();
  if (std::string_view(at, window.end()).starts_with(byte_order_mark)) at += byte_order_mark.size();
  at = after_blank_lines_and_comments(at, window.end(), layout.rules.separator);
  if (at == window.end()) throw input_error(text.name, 0, "the file is empty", "a header with names of columns");
  auto const line = static_cast<std::uint64_t>(1 + std::count(window.begin(), at, '\n'));
  field_scanner fields(layout.rules, window, at);
  for (;;) {
    field const next = fields.next();
    if (next.end == field_end::cut) {
      throw table_error{window.offset_of(at), fmt::format("a header of more than {} bytes", row_bytes_max),
                        "names of columns"};
    }
    std::string const name = next.has_quotes ? without_doubled_quotes(next.text) : std::string(next.text);
    if (!next.has_quotes && name.contains('\r')) {
      throw table_error{window.offset_of(at), "a header with a carriage return inside",
                        "lines that end with LF or CR LF"};
    }
    if (!is_utf8(name)) {
      throw table_error{window.offset_of(at), fmt::format("{} in the header", graph::quoted(name)), "UTF-8"};
    }
    layout.names.emplace_back(trimmed(name));
    layout.blanks_before.push_back(!next.quoted && name.starts_with(' ') ? 1 : 0);
    if (next.end == field_end::line) break;
  }
  layout.data_offset = window.offset_of(fields.at());
  choose_columns(text.name, line, wanted, layout);
  return layout;
}

bool has_table_header(std::string const& path) {
  std::string const extension = extension_of(path);
  if (extension != ".csv" && extension != ".tsv") return false;
  text_source text(path);
  line_reader lines(text);
  while (auto const line = lines.next()) {
    std::string_view rest = line->text;
    if (lines.lines_count() == 1 && rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    auto const separates = [](char byte) { return byte == ' ' || byte == '\t' || byte == ',' || byte == '\r'; };
    if (std::ranges::all_of(rest, separates) || rest.starts_with('#') || rest.starts_with('%')) continue;
    while (!rest.empty()) {
      auto const end = std::ranges::find_if(rest, separates);
      std::string_view const word(rest.begin(), end);
      bool const begins_as_number = !word.empty() && word[0] <= '9' && word[0] != '"';
      if (!word.empty() && !(begins_as_number && finite_number(word))) return true;
      rest = rest.substr(std::min(word.size() + 1, rest.size()));
    }
    return false;
  }
  return false;
}

}  // namespace graph
