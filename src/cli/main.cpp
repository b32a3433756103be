// main: `tess`: find the subcommand, run it, end with 0 (fine), 1 (the program failed) or 2 (wrong use or input).
#include <fmt/format.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/nearest.hpp"

namespace {

using tess::cli::words;

struct subcommand {
  std::string_view name;
  std::string_view meaning;
  int (*execute)(words const&);
};

constexpr std::array subcommands{
    subcommand{"run", "run a program on a number of places", tess::cli::run},
    subcommand{"machines", "list the simulated machines, or explain one", tess::cli::machines},
    subcommand{"bench", "run benchmarks and print their results as one table", tess::cli::bench},
    subcommand{"reproduce", "run a paper's experiments here and print its figures beside ours", tess::cli::reproduce},
    subcommand{"memd", "serve memory: named regions for any number of programs", tess::cli::memd},
    subcommand{"mem", "look at a memory server, and change what it has", tess::cli::mem},
    subcommand{"doctor", "say what this machine has, what is missing and what to do", tess::cli::doctor},
    subcommand{"c++", "compile and link a program against the runtime", tess::cli::cxx},
};

int dispatch(words const& given) {
  if (!given.empty()) {
    for (auto const& [name, meaning, execute] : subcommands) {
      if (given[0] == name) return execute(words{given.begin() + 1, given.end()});
    }
  }
  tess::cli::command_line line{"tess SUBCOMMAND [WORDS...]", "Tessera: one program, one address space, many places.",
                               "`tess SUBCOMMAND --help` says more. Example: tess run bfs graph.mtx -n 4"};
  line.set_version_flag("--version", "tess " TESS_VERSION, "print the version and end");
  words names;
  for (auto const& [name, meaning, execute] : subcommands) {
    line.add_subcommand(std::string{name}, std::string{meaning});
    names.emplace_back(name);
  }
  if (!given.empty() && !given[0].starts_with('-')) {
    std::string const meant = tess::cli::nearest(given[0], names);
    throw tess::cli::usage_error{fmt::format("unknown subcommand {}{}; see tess --help", given[0],
                                             meant.empty() ? "" : fmt::format(", did you mean {}?", meant))};
  }
  if (auto const code = line.finish_early(given)) return *code;
  fmt::print(stderr, "{}", line.help());
  return tess::cli::exit_misuse;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(words{argv + 1, argv + argc});
  } catch (tess::cli::usage_error const& error) {
    fmt::print(stderr, "tess: {}\n", error.what());
    return tess::cli::exit_misuse;
  } catch (std::exception const& error) {
    fmt::print(stderr, "tess: {}\n", error.what());
    return tess::cli::exit_failed;
  }
}
