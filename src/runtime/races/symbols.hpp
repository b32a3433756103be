// symbols: the source lines of addresses of code, and the names of global variables, by llvm-symbolizer-19.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tess::detail::races {

struct code_line {
  std::string function;
  std::string file;  ///< empty: not known; then `function` has the module and the offset
  unsigned line = 0;
  bool of_program = false;  ///< not of the runtime's headers, nor of the system's
};

/// Each address of code, by the innermost function of the program that is inlined there.
[[nodiscard]] std::vector<code_line> lines_of(std::vector<std::uint64_t> const& code);
/// For each address the name of its global variable; empty: it is in none.
[[nodiscard]] std::vector<std::string> variables_at(std::vector<std::uint64_t> const& addresses);

}  // namespace tess::detail::races
