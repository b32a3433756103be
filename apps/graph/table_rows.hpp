// table_rows: the rows of a table that begin in a range of its bytes.
//
//   A row that is cut by the end of what was read is parsed again when more is there.
//
// Threads   one for each reader; readers share nothing but the result, in which each has its own rows.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/byte_stream.hpp"
#include "graph/text_source.hpp"

namespace graph {

inline constexpr std::uint64_t row_bytes_max = 1 << 20;

// An error in the row or field at `offset`, which becomes an input_error when the line is counted.
struct table_error {
  std::uint64_t offset;
  std::string what;
  std::string expected;
};

// What was read of a stream and is not used yet, in front of a line end that is none of the stream's.
class text_window {
 public:
  text_window(std::unique_ptr<byte_stream> bytes, std::uint64_t offset);

  [[nodiscard]] char const* begin() const noexcept { return buffer_.data(); }
  [[nodiscard]] char const* end() const noexcept { return buffer_.data() + filled_; }
  [[nodiscard]] bool is_last() const noexcept { return last_; }
  [[nodiscard]] bool is_ascii() const noexcept { return ascii_; }
  [[nodiscard]] std::uint64_t offset_of(char const* at) const noexcept {
    return offset_ + static_cast<std::uint64_t>(at - buffer_.data());
  }
  // Reads more; bytes before `unused` are dropped, and what followed it is at begin() now.
  void refill(char const* unused);

 private:
  std::unique_ptr<byte_stream> bytes_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  std::uint64_t offset_;
  bool last_ = false;
  bool ascii_ = true;
};

struct field_rules {
  char separator = ',';
  bool quotes = true;
};

enum class field_end : std::uint8_t { separator, line, cut };

struct field {
  std::string_view text;  // between the quotes, if it has some
  field_end end = field_end::cut;
  bool quoted = false;
  bool has_quotes = false;  // written as ""
};

// Reads one field after another.
class field_scanner {
 public:
  field_scanner(field_rules rules, text_window const& window, char const* at);

  // Throws table_error.
  [[nodiscard]] field next() {
    if (rules_.quotes && at_ != end_ && *at_ == '"') return next_quoted();
    char const* const begin = at_;
    char const* stop = begin;
    for (std::uint64_t found = 0;; stop += sizeof found) {
      found = special_bytes(stop);
      if (found != 0) {
        stop += static_cast<unsigned>(__builtin_ctzll(found)) / 8;
        break;
      }
    }
    if (stop >= end_) return cut_or_last(begin);
    if (*stop == '"' && rules_.quotes) throw_quote_inside(stop);
    at_ = stop + 1;
    if (*stop != '\n') return {.text = {begin, stop}, .end = field_end::separator};
    return {.text = without_return(begin, stop), .end = field_end::line};
  }
  [[nodiscard]] char const* at() const noexcept { return at_; }

 private:
  // The upper bits of the bytes that end a field; a byte after the first of them may be wrong.
  [[nodiscard]] std::uint64_t special_bytes(char const* at) const noexcept {
    std::uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    auto const zeros = [](std::uint64_t x) { return (x - 0x0101010101010101U) & ~x & 0x8080808080808080U; };
    return zeros(word ^ separators_) | zeros(word ^ newlines) | zeros(word ^ quotes_);
  }
  [[nodiscard]] static std::string_view without_return(char const* begin, char const* end) noexcept {
    return {begin, end != begin && end[-1] == '\r' ? end - 1 : end};
  }
  [[nodiscard]] field next_quoted();
  [[nodiscard]] field cut_or_last(char const* begin);
  [[noreturn]] void throw_quote_inside(char const* at) const;

  static constexpr std::uint64_t newlines = 0x0101010101010101U * '\n';

  field_rules rules_;
  text_window const& window_;
  std::uint64_t separators_;
  std::uint64_t quotes_;
  char const* at_;
  char const* end_;
};

// The text of a field that has quotes.
[[nodiscard]] std::string without_doubled_quotes(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// A whole number as it is written without need: the shortest form.
[[nodiscard]] inline std::optional<std::int64_t> plain_integer(std::string_view text) noexcept {
  bool const negative = text.starts_with('-');
  std::string_view const digits = text.substr(negative ? 1 : 0);
  constexpr std::size_t digits_max = 18;  // any such number fits
  if (digits.empty() || digits.size() > digits_max) return std::nullopt;
  if (digits[0] == '0' && (digits.size() > 1 || negative)) return std::nullopt;
  std::int64_t value = 0;
  for (char const digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

// A finite number, as from_chars reads it, but for a `+`, and blanks around it.
[[nodiscard]] std::optional<double> finite_number(std::string_view text) noexcept;

// What std::from_chars found out of range at `begin`: 0 or the nearest number if it is too small for a double, else
// infinity.
[[nodiscard]] double out_of_range(char const* begin, char const* stop) noexcept;

}  // namespace graph
