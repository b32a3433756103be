// process: starts other programs, always by argument vector and never through a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tess::cli {

// Becomes the program; argv[0] is the file itself. A name without '/' is looked up in PATH. Returns only by
// throwing usage_error, with the reason and, where known, the remedy.
[[noreturn]] void become(std::filesystem::path const& file, std::vector<std::string> const& arguments);

// Starts it, sharing our standard streams; returns its process number. wait_for: its exit code, or 128 + signal.
int start(std::filesystem::path const& file, std::vector<std::string> const& arguments);
int wait_for(int process);

// Runs it to its end, sharing our standard streams. Returns the exit code, or 128 + signal as in a shell.
int run_to_end(std::filesystem::path const& file, std::vector<std::string> const& arguments);

// Its standard output (standard error is dropped); nothing if it could not start or failed.
std::optional<std::string> output_of(std::string const& program, std::vector<std::string> const& arguments);

// The value of the variable; empty if it is not set.
std::string environment_variable(char const* name);

}  // namespace tess::cli
