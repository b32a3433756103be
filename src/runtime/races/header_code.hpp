// header_code: tells the code of the runtime's headers, which is compiled with the program, from the program's own.
//
//   The compiler reports atomics of all code, also where it reports no loads and stores (share/races.txt). Those of the
//   headers order nothing between tasks of the program: their edges are in tess/detail/tasks/races.hpp.
//
// Threads  any.
// Cost     the program's symbols are read once; then a look into a table.
#pragma once

#include <cstdint>

namespace tess::detail::races {

/// True for an address inside a function of the runtime's headers, or of a function of std::atomic that one of these
/// calls. False for all of a program without symbols.
[[nodiscard]] bool is_header_code(std::uint64_t code, std::uint64_t caller) noexcept;
/// Reads the symbols. Before the first task runs.
void read_header_code();

}  // namespace tess::detail::races
