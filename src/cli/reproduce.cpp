// reproduce: `tess reproduce PAPER` runs a paper's experiments here and draws their figures.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

// The Python that ./tess prepared, or the system's.
std::string python() {
  char const* const prepared = ::getenv("TESS_PYTHON");
  return prepared == nullptr || *prepared == '\0' ? "/usr/bin/python3" : prepared;
}

// Arguments of Python that run the package tessera, which lies in share/tessera/python: `-m tessera.reproduce PAPER`.
// -P: a folder named tessera in the current one is not used as the package.
words package_call(tree const& here, std::string const& paper) {
  std::string path = (here.share() / "python").string();
  if (char const* const more = ::getenv("PYTHONPATH"); more != nullptr && *more != '\0')
    path += fmt::format(":{}", more);
  ::setenv("PYTHONPATH", path.c_str(), 1);
  return {"-P", "-m", "tessera.reproduce", paper};
}

// A reproduction without pictures still has all its numbers, so a failure here does not fail the command.
void draw(tree const& here, std::string const& folder) {
  std::string const interpreter = python();
  words arguments = package_call(here, "softxmt");
  arguments.push_back(folder);
  if (is_executable_file(interpreter) && run_to_end(interpreter, arguments) == 0) return;
  fmt::print(stderr,
             "tess: reproduce: THE PICTURES ARE MISSING: they need Python 3.11 with matplotlib, and {} did not draw "
             "them;\ntess: reproduce: all measurements are in {}/softxmt.csv and softxmt.json. To draw them later: "
             "PYTHONPATH={} {} {}\n",
             interpreter, folder, (here.share() / "python").string(), interpreter, fmt::join(arguments, " "));
}

struct chosen {
  std::string paper;
  std::string folder;
  bool quick = false;
  words more;  // options that not every paper has, as they were typed
};

int reproduce_softxmt(tree const& here, chosen const& given) {
  if (!given.more.empty())
    throw usage_error{fmt::format("reproduce: softxmt has no {}; see tess reproduce --help", given.more.front())};
  words arguments{"--output", given.folder, "--reference", (here.share() / "reference" / "softxmt.csv").string()};
  if (given.quick) arguments.emplace_back("--quick");
  if (int const code = run_to_end(here.reproductions() / "softxmt", arguments); code != 0) return code;
  draw(here, given.folder);
  return exit_fine;
}

// Papers whose programs run on the simulated machine: nemesys, rmem, cni, rae, and together.
int reproduce_on_machine(tree const& here, chosen const& given) {
  std::string const interpreter = python();
  if (!is_executable_file(interpreter))
    throw usage_error{fmt::format("reproduce: there is no {}; install Python 3.11 or later", interpreter)};
  words arguments = package_call(here, given.paper);
  for (auto const& [option, value] :
       {std::pair{"--tess", (here.prefix / "bin" / "tess").string()},
        std::pair{"--reference", (here.share() / "reference").string()}, std::pair{"--output", given.folder}})
    arguments.insert(arguments.end(), {option, value});
  if (given.quick) arguments.emplace_back("--quick");
  arguments.insert(arguments.end(), given.more.begin(), given.more.end());
  become(interpreter, arguments);
}

}  // namespace

int reproduce(words const& given) {
  tree const here = own_tree();
  chosen of;
  command_line line{
      "tess reproduce PAPER [OPTIONS]",
      "Run a paper's experiments on this computer and print the results next to the published ones;\n"
      "write CSV, JSON, a report and pictures. Papers: softxmt (\"Crunching Large Graphs with Commodity\n"
      "Processors\", HotPar 2011); by programs on the simulated machine: nemesys (NEMESYS, MEMSYS 2019),\n"
      "rmem (RMem, MultiProg 2019), cni (Cache-Integrated Network Interfaces, IJPP 2012) and rae (Remote\n"
      "Atomic Extension, 2020); and together, not a paper: nemesys, cni, rae and tasks on one\n"
      "machine, each of them on and off. An interrupted command continues when it is run again.",
      "Examples: tess reproduce softxmt --output results\n"
      "          tess reproduce nemesys --figure 9 --kernel bf\n"
      "          tess reproduce rmem\n"
      "          tess reproduce cni --table 1a --table 1b\n"
      "          tess reproduce rae --figure 3\n"
      "          tess reproduce together --suite circustent"};
  line.add_option("PAPER", of.paper, "softxmt, nemesys, rmem, cni, rae or together")
      ->required()
      ->check(CLI::IsMember({"softxmt", "nemesys", "rmem", "cni", "rae", "together"}));
  line.add_option("--output", of.folder, "folder for the output; default: the paper's name")->type_name("FOLDER");
  line.add_flag("--quick", of.quick, "small inputs: shows that it works");
  auto const keep = [&](std::string const& name, std::string const& value, std::string const& meaning) {
    auto const add = [&of, name](words const& values) {
      for (auto const& one : values) of.more.insert(of.more.end(), {name, one});
    };
    line.add_option_function<words>(name, add, meaning)->type_name(value)->expected(1)->take_all();
  };
  keep("--figure", "N",
       "nemesys (8..13), rmem (3, 4), cni (8..10, 11a, 11b), rae (1..3, 7..10, tasks): only this figure; repeatable");
  keep("--table", "N", "nemesys (2, 5, 6), cni (1a, 1b), rae (1): only this table; repeatable");
  keep("--kernel", "bf|dst|...", "nemesys: only this kernel; repeatable");
  keep("--suite", "imsuite|gap|circustent", "together: only this suite; repeatable");
  keep("--jobs", "N", "nemesys, rmem, cni, rae, together: runs at the same time; default: number of processors");
  keep("--layouts", "N",
       "the same: layouts of stack, heap and mappings in which each timed run is made; default 5, 1 with --quick");
  line.add_flag_callback(
      "--draft", [&] { of.more.emplace_back("--draft"); },
      "the same: write results of a changed source tree, marked as a draft; without it they are refused");
  line.add_flag_callback(
      "--overlap", [&] { of.more.emplace_back("--overlap"); },
      "nemesys: only the comparison of calls with and without overlap");
  line.add_flag_callback(
      "--sweep", [&] { of.more.emplace_back("--sweep"); },
      "only the items beyond the paper: nemesys: grids and NMAs; cni: locks and barriers to 1024 cores; rae: the "
      "network interface by outstanding requests, with and without merging");
  if (auto const code = line.finish_early(given)) return *code;
  if (of.folder.empty()) of.folder = of.paper;
  return of.paper == "softxmt" ? reproduce_softxmt(here, of) : reproduce_on_machine(here, of);
}

}  // namespace tess::cli
