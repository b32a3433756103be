// dispatch: finds the subcommand of `tess`, runs it, and turns its exceptions into exit codes.
#include "cli/command/dispatch.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>

#include "base/standard_output.hpp"
#include "cli/command/command.hpp"
#include "cli/command/nearest.hpp"

namespace tess::cli {
namespace {

struct subcommand {
  std::string_view name;
  std::string_view meaning;
  int (*execute)(words const&);
};

constexpr std::array subcommands{
    subcommand{"run", "run a program on a number of places", run},
    subcommand{"spawn", "start a program as processes of this host that find each other", spawn},
    subcommand{"machines", "list the simulated machines, or explain one", machines},
    subcommand{"unit", "compile a unit of your own for simulated machines", unit},
    subcommand{"sweep", "run a program on machines for every combination of parameters", sweep},
    subcommand{"report", "make one page of runs on machines, beside each other", report_runs},
    subcommand{"trace", "show a trace of instructions, or compare it with QEMU's", trace},
    subcommand{"bench", "run benchmarks and print their results as one table", bench},
    subcommand{"reproduce", "run a paper's experiments here and print its figures next to ours", reproduce},
    subcommand{"graph", "convert, describe, generate and check graphs in files", graph},
    subcommand{"memd", "serve memory: named regions for any number of programs", memd},
    subcommand{"mem", "inspect a memory server and change its regions", mem},
    subcommand{"doctor", "check this machine and report what is missing", doctor},
    subcommand{"c++", "compile and link a program against the runtime", cxx},
    subcommand{"cc", "compile and link a program in C that uses OpenSHMEM", cc},
};

int run_subcommand(words const& given) {
  if (!given.empty()) {
    for (auto const& [name, meaning, execute] : subcommands) {
      if (given[0] == name) return execute(words{given.begin() + 1, given.end()});
    }
  }
  command_line line{"tess SUBCOMMAND [WORDS...]", "Tessera: one program, one address space, many places.",
                    "`tess SUBCOMMAND --help` says more. Example: tess run bfs graph.mtx -n 4"};
  line.set_version_flag("--version", "tess " TESS_VERSION, "print the version and exit");
  words names;
  for (auto const& [name, meaning, execute] : subcommands) {
    line.add_subcommand(std::string{name}, std::string{meaning});
    names.emplace_back(name);
  }
  if (!given.empty() && !given[0].starts_with('-')) {
    std::string const meant = nearest(given[0], names);
    throw usage_error{fmt::format("unknown subcommand {}{}; see tess --help", given[0],
                                  meant.empty() ? "" : fmt::format(", did you mean {}?", meant))};
  }
  if (auto const code = line.finish_early(given)) return *code;
  fmt::print(stderr, "{}", line.help());
  return exit_misuse;
}

}  // namespace

int run_alone(int (*execute)(words const&), int argc, char** argv) {
  tess::detail::check_standard_output_at_exit();
  try {
    return execute(words{argv + 1, argv + argc});
  } catch (usage_error const& error) {
    fmt::print(stderr, "tess: {}\n", error.what());
    return exit_misuse;
  } catch (std::exception const& error) {
    fmt::print(stderr, "tess: {}\n", error.what());
    return exit_failed;
  }
}

int dispatch(int argc, char** argv) {
  // Makefiles of OpenSHMEM programs know these names.
  std::string_view const called = argc > 0 ? argv[0] : "";
  std::string_view const name = called.substr(called.rfind('/') + 1);
  if (name == "oshcc") return run_alone(cc, argc, argv);
  if (name == "oshc++" || name == "oshCC" || name == "oshcxx") return run_alone(oshcxx, argc, argv);
  if (name == "oshrun") return run_alone(oshrun, argc, argv);
  return run_alone(run_subcommand, argc, argv);
}

}  // namespace tess::cli
