// reproduce: `tess reproduce PAPER` runs a paper's experiments here and draws their figures.

#include <string>
#include <utility>

#include "cli/command/command.hpp"
#include "cli/package.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

struct chosen {
  std::string paper;
  std::string folder;
  words more;  // options that not every paper has, as they were typed
};

// The experiments are described in the package tessera.
[[noreturn]] void become_package(tree const& here, chosen const& given) {
  words arguments{given.paper};
  arguments.insert(arguments.end(), {"--tess", (here.prefix / "bin" / "tess").string()});
  arguments.insert(arguments.end(), {"--reference", (here.share() / "reference").string()});
  if (!given.folder.empty()) arguments.insert(arguments.end(), {"--output", given.folder});
  arguments.insert(arguments.end(), given.more.begin(), given.more.end());
  become_module(here, "reproduce", "tessera.reproduce", arguments);
}

}  // namespace

int reproduce(words const& given) {
  tree const here = own_tree();
  chosen of;
  command_line line{
      "tess reproduce PAPER|all|checks [OPTIONS]",
      "Run a paper's experiments on this computer and print the results next to the published ones;\n"
      "write CSV, JSON, a report and pictures. Papers: softxmt (\"Crunching Large Graphs with Commodity\n"
      "Processors\", HotPar 2011); by programs on the simulated machine: nemesys (NEMESYS, MEMSYS 2019),\n"
      "rmem (RMem, MultiProg 2019), cni (Cache-Integrated Network Interfaces, IJPP 2012) and rae (Remote\n"
      "Atomic Extension, 2020); and together, not a paper: nemesys, cni, rae and tasks on one\n"
      "machine, each of them on and off. all: all of these, and a page of every claim, which checks\n"
      "makes anew. An interrupted command continues when it is run again.",
      "Examples: tess reproduce all --forecast\n"
      "          tess reproduce softxmt --output results\n"
      "          tess reproduce nemesys --figure 9 --kernel bf\n"
      "          tess reproduce cni --table 1a --table 1b --layouts 1\n"
      "          tess reproduce rae --figure 3\n"
      "          tess reproduce together --suite circustent"};
  line.add_option("PAPER", of.paper, "softxmt, nemesys, rmem, cni, rae, together, all or checks")
      ->required()
      ->check(CLI::IsMember({"softxmt", "nemesys", "rmem", "cni", "rae", "together", "all", "checks"}));
  line.add_option("--output", of.folder, "folder for the output; default: the paper's name, results for all")
      ->type_name("FOLDER");
  auto const keep = [&](std::string const& name, std::string const& value, std::string const& meaning) {
    auto const add = [&of, name](words const& values) {
      for (auto const& one : values) of.more.insert(of.more.end(), {name, one});
    };
    line.add_option_function<words>(name, add, meaning)->type_name(value)->expected(1)->take_all();
  };
  auto const keep_flag = [&](std::string const& name, std::string const& meaning) {
    line.add_flag_callback(name, [&of, name] { of.more.emplace_back(name); }, meaning);
  };
  keep_flag("--quick", "small inputs: shows that it works");
  keep("--figure", "N",
       "nemesys (8..13), rmem (3, 4), cni (7..10, 11a, 11b, rounds), rae (1..3, 7..10, tasks, saving): only this "
       "figure; repeatable");
  keep("--table", "N", "nemesys (2, 3, 5, 6), cni (1a, 1b), rae (1): only this table; repeatable");
  keep("--kernel", "bf|dst|...", "nemesys: only this kernel; repeatable");
  keep("--heap", "collected|recycled", "nemesys: of the kernels; collected, as the paper's, is the default");
  keep("--image", "memory|tlm", "nemesys: where the kernels' images are; memory, as the paper's, is the default");
  keep("--system", "polled|kernel", "nemesys: who does its tasks at the system's harts; polled is the default");
  keep("--rounds", "N|paper", "cni: rounds of figures 11a and 11b; paper: 1000 and 10000 as there, which take hours");
  keep("--suite", "imsuite|gap|circustent", "together: only this suite; repeatable");
  keep("--jobs", "N", "runs at the same time; default: number of processors");
  keep("--layouts", "N",
       "layouts of stack, heap and mappings in which each timed run is made; default 5, 1 with --quick");
  keep_flag("--draft", "write results of a changed source tree, marked as a draft; without it they are refused");
  keep_flag("--conditions", "nemesys: only the comparison of the paper's heap and images with ours");
  keep_flag("--overlap", "nemesys: only the comparison of calls with and without overlap");
  keep_flag("--sweep",
            "only the items beyond the paper: nemesys: grids and NMAs; cni: locks and barriers to 1024 cores; rae: the "
            "network interface by outstanding requests, with and without merging");
  keep_flag("--hardware", "rae: only the memories and comparators of its circuit");
  keep_flag("--sensitivity", "nemesys, cni: vary the fitted parameters, too, and say what they do to the main claims");
  keep_flag("--forecast", "all: only say how long it will take");
  keep_flag("--check", "checks: only say whether docs/papers/checks.md is stale");
  if (auto const code = line.finish_early(given)) return *code;
  become_package(here, of);
}

}  // namespace tess::cli
