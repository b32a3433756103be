// commit_file: a trace of instructions in a file: as text like Spike's commit log, or as compressed columns.
//
//   Text has a line for each instruction, `core   0: 0 0x… (0x…) x5 0x… mem 0x… 0x… cycle 12`: hart, privilege, pc,
//   word, what it changed. Lines that begin with # are not instructions: the head, and registers that the system set.
//   Columns (.tessi) are the same numbers: after a head of 8 bytes, the length of a text in JSON and this text, blocks
//   of at most `rows_max` rows: the number of rows and of bytes, and these bytes, which zlib made of the columns one
//   after another. Each column is split into its first bytes, its second bytes, and so on; cycle, pc and address are
//   differences to the row before. A block without rows is the last.
//
// Units     docs/machine/observing.md.
// Errors    write_error from the constructor and close(), never from keep().
// Source    the form of riscv-isa-sim's --log-commits.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "machine/commit/committed.hpp"

namespace tess::machine {

class commit_file final : public commit_sink {
 public:
  /// `about` is a JSON object in a line: machine, program and units.
  commit_file(std::string const& name, std::string const& about);

  void keep(committed const& one) override;
  void close();

  /// What is said by the name of a file.
  [[nodiscard]] static bool is_columns(std::string const& name) { return name.ends_with(".tessi"); }

  static constexpr std::size_t rows_max = 65'536;

 private:
  void add_line(committed const& one);
  void write_text();
  void write_block();
  void write(std::string_view bytes);

  tess::detail::output_file file_;
  bool columns_;
  fmt::memory_buffer text_;
  std::vector<committed> rows_;
  std::exception_ptr failure_;  ///< Thrown by close(): harts cannot be left by an exception.
};

}  // namespace tess::machine
