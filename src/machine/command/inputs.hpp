// inputs: what the command line gives to a run: the program's file, words, environment and files, and limits.
//
// Errors    wrong_use for what cannot be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "machine/command/run.hpp"
#include "machine/linux/program.hpp"
#include "machine/linux/run_limit.hpp"
#include "machine/report/runtime_files.hpp"

namespace tess::machine {

/// Tells a program that the tile's system hart runs the kernel; only a run says so.
inline constexpr std::string_view system_variable = "TESS_SYSTEM=";

[[nodiscard]] std::vector<std::byte> contents_of(std::filesystem::path const& path);
[[nodiscard]] std::vector<std::string> environment_of(chosen_options const& chosen, bool timed);
/// The folder of this program.
[[nodiscard]] std::filesystem::path own_folder();
[[nodiscard]] program_options options_of(chosen_options const& chosen, runtime_files const& files, bool timed);
[[nodiscard]] run_limit limit_of(chosen_options const& chosen);

}  // namespace tess::machine
