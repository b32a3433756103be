// source_lines: functions and lines of a program's source at addresses of its code, by llvm-symbolizer.
//
// Threads   none. Starts a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tess::machine {

struct source_frame {
  std::string function;    ///< Without parameters.
  std::string file;        ///< As the compiler saw it; empty: unknown.
  std::uint32_t line = 0;  ///< 0: unknown.
};

/// For each address: the function that contains it last, after those that were inlined there, innermost first. Empty:
/// there is no tool, or the file has no lines.
[[nodiscard]] std::vector<std::vector<source_frame>> source_lines(std::string const& program,
                                                                  std::span<std::uint64_t const> addresses);

}  // namespace tess::machine
