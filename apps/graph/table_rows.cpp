// table_rows: fields in quotes, and what rarely happens in others.
#include "graph/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "graph/error.hpp"

namespace graph {

namespace {

constexpr std::size_t window_bytes = 1 << 18;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::string_view quoting = "a field in quotes, with each quote in it twice";

bool is_ascii_text(std::string_view text) noexcept {
  unsigned char all = 0;
  for (char const byte : text) all |= static_cast<unsigned char>(byte);
  return all < 0x80;
}

}  // namespace

text_window::text_window(std::unique_ptr<byte_stream> bytes, std::uint64_t offset)
    : bytes_(std::move(bytes)), buffer_(row_bytes_max + window_bytes + word_bytes), offset_(offset) {
  refill(begin());
}

void text_window::refill(char const* unused) {
  auto const kept = static_cast<std::size_t>(end() - unused);
  if (kept > row_bytes_max) {
    throw table_error{offset_of(unused), fmt::format("a row of more than {} bytes", row_bytes_max),
                      "shorter ones (is a quote not closed?)"};
  }
  offset_ = offset_of(unused);
  std::memmove(buffer_.data(), unused, kept);
  std::size_t const count = bytes_->read(std::span(buffer_).subspan(kept, window_bytes));
  last_ = count == 0;
  filled_ = kept + count;
  ascii_ = is_ascii_text({buffer_.data(), filled_});
  std::fill_n(buffer_.data() + filled_, word_bytes, '\n');
}

field_scanner::field_scanner(field_rules rules, text_window const& window, char const* at)
    : rules_(rules),
      window_(window),
      separators_(0x0101010101010101U * static_cast<unsigned char>(rules.separator)),
      quotes_(rules.quotes ? 0x0101010101010101U * '"' : newlines),
      at_(at),
      end_(window.end()) {}

field field_scanner::cut_or_last(char const* begin) {
  if (!window_.is_last()) return {};
  at_ = end_;
  return {.text = without_return(begin, end_), .end = field_end::line};
}

field field_scanner::next_quoted() {
  char const* const begin = at_ + 1;
  field made;
  made.quoted = true;
  char const* close = begin;
  for (;; close += 2) {
    close = std::find(close, end_, '"');
    if (close == end_ && !window_.is_last()) return {};
    if (close == end_) throw table_error{window_.offset_of(at_), "a quote that is never closed", std::string(quoting)};
    if (close + 1 == end_ && !window_.is_last()) return {};
    if (close + 1 == end_ || close[1] != '"') break;
    made.has_quotes = true;
  }
  char const* after = close + 1;
  if (after != end_ && *after == '\r') ++after;
  if (after == end_ && !window_.is_last()) return {};
  made.text = {begin, close};
  if (after != end_ && *after == rules_.separator && after == close + 1) {
    made.end = field_end::separator;
  } else if (after == end_ || *after == '\n') {
    made.end = field_end::line;
  } else {
    throw table_error{
        window_.offset_of(close),
        fmt::format("{} after the quote that ends a field", graph::quoted(std::string_view(close + 1, 1))),
        std::string(quoting)};
  }
  at_ = after == end_ ? end_ : after + 1;
  return made;
}

void field_scanner::throw_quote_inside(char const* at) const {
  throw table_error{window_.offset_of(at), "a quote inside a field", std::string(quoting)};
}

std::string without_doubled_quotes(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    made += text[i];
    if (text[i] == '"') ++i;
  }
  return made;
}

bool is_utf8(std::string_view text) noexcept {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    unsigned const lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i <= more) return false;
    // The second byte excludes what a shorter form has, surrogates, and what is above U+10FFFF.
    unsigned const least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned const most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(i + 1) < least || byte(i + 1) > most) return false;
    for (std::size_t k = 2; k <= more; ++k)
      if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return false;
    i += more + 1;
  }
  return true;
}

double out_of_range(char const* begin, char const* stop) noexcept {
  long double wider = 0;
  if (std::from_chars(begin, stop, wider).ec == std::errc{}) return static_cast<double>(wider);
  std::string_view const text(begin, stop);
  auto const exponent = text.find_first_of("eE");
  bool const small = exponent != std::string_view::npos
                         ? text.substr(exponent + 1).starts_with('-')
                         : text.substr(0, text.find('.')).find_first_of("123456789") == std::string_view::npos;
  return small ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<double> finite_number(std::string_view text) noexcept {
  if (auto const integer = plain_integer(text); integer && text.size() <= 15) return static_cast<double>(*integer);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc::result_out_of_range) value = out_of_range(text.data(), stop);
  bool const whole = problem != std::errc::invalid_argument && stop == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace graph
