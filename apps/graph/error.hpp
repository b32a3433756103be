// error: the error in a graph input, its position, and what was expected there.
//
//   The only exception of this library. Programs catch it in main, print what() and exit with code 2: the input
//   is wrong, not the program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace graph {

// what() reads `file:line: what, expected what`; line 0 means that no particular line is wrong, and is omitted.
class input_error : public std::runtime_error {
 public:
  input_error(std::string_view file, std::uint64_t line, std::string_view what, std::string_view expected);
  // The same error again, from its text: errors that cross places travel as text.
  explicit input_error(std::string const& text) : std::runtime_error(text), line_(0) {}

  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  std::uint64_t line_;
};

// The text in quotes for a message: unprintable bytes as \xNN, cut after a few dozen bytes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace graph
