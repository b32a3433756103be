// command: the interface of every subcommand of `tess`: arguments in, exit code out.
//
// Errors    usage_error: a mistake in the command line; main prints it and ends with 2.
//           Exit codes: 0 fine, 1 the program failed, 2 wrong use or input.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tess::cli {

using words = std::vector<std::string>;

inline constexpr int exit_fine = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_misuse = 2;

class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The words after the subcommand's name. Each is defined in the file of its name, but for cc and oshcxx, which
// stand beside cxx.
int run(words const& given);
int bench(words const& given);
int reproduce(words const& given);
int sweep(words const& given);
int trace(words const& given);
int report_runs(words const& given);
int doctor(words const& given);
int cxx(words const& given);
int cc(words const& given);
int oshcxx(words const& given);
int oshrun(words const& given);
int machines(words const& given);
int memd(words const& given);
int mem(words const& given);
int graph(words const& given);
int unit(words const& given);
int spawn(words const& given);

// An App whose help starts with this usage line and ends with this example.
class command_line : public CLI::App {
 public:
  command_line(std::string const& usage, std::string const& description, std::string const& example);

  // The exit code if parsing already ended the command (by --help, or a wrong argument), else nothing.
  [[nodiscard]] std::optional<int> finish_early(words const& given);
};

// Refuses a name that cannot become a file, before anything runs.
[[nodiscard]] CLI::Validator writable_file();

}  // namespace tess::cli
