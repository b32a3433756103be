// reproduce: `tess reproduce PAPER` runs a paper's experiments here and draws their figures.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "cli/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

// The Python that ./tess prepared, or the system's.
std::string python() {
  char const* const prepared = ::getenv("TESS_PYTHON");
  return prepared == nullptr || *prepared == '\0' ? "/usr/bin/python3" : prepared;
}

// Pictures are worth having, but the numbers are there without them.
void draw(fs::path const& script, std::string const& folder) {
  std::string const with = python();
  if (is_executable_file(with) && run_to_end(with, {script.string(), folder}) == 0) return;
  fmt::print(stderr,
             "tess: reproduce: THE PICTURES ARE MISSING: they need Python 3.11 with matplotlib, and {} did not draw "
             "them;\ntess: reproduce: everything measured is in {}/softxmt.csv and softxmt.json. Later: {} {} {}\n",
             with, folder, with, script.string(), folder);
}

struct chosen {
  std::string paper;
  std::string folder;
  bool quick = false;
  words more;  // what not every paper has, as it was typed
};

int reproduce_softxmt(tree const& here, chosen const& given) {
  if (!given.more.empty())
    throw usage_error{fmt::format("reproduce: softxmt has no {}; see tess reproduce --help", given.more.front())};
  words arguments{"--output", given.folder, "--reference", (here.share() / "reference" / "softxmt.csv").string()};
  if (given.quick) arguments.emplace_back("--quick");
  if (int const code = run_to_end(here.reproductions() / "softxmt", arguments); code != 0) return code;
  draw(here.share() / "python" / "softxmt_figures.py", given.folder);
  return exit_fine;
}

/// By programs on the simulated machine: nemesys, rmem, cni, rae, and together.
int reproduce_on_machine(tree const& here, chosen const& given) {
  std::string const with = python();
  if (!is_executable_file(with))
    throw usage_error{fmt::format("reproduce: there is no {}; install Python 3.11 or later", with)};
  words arguments{(here.share() / "python" / (given.paper + "_report.py")).string(),
                  "--tess",
                  (here.prefix / "bin" / "tess").string(),
                  "--reference",
                  (here.share() / "reference").string(),
                  "--output",
                  given.folder};
  if (given.quick) arguments.emplace_back("--quick");
  arguments.insert(arguments.end(), given.more.begin(), given.more.end());
  become(with, arguments);
}

}  // namespace

int reproduce(words const& given) {
  tree const here = own_tree();
  chosen of;
  command_line line{"tess reproduce PAPER [OPTIONS]",
                    "Run a paper's experiments here; print its figures beside ours; write CSV, JSON, a report and\n"
                    "pictures. Papers: softxmt (\"Crunching Large Graphs with Commodity Processors\", HotPar 2011);\n"
                    "nemesys (NEMESYS, MEMSYS 2019), rmem (RMem, MultiProg 2019), cni (Cache-Integrated Network\n"
                    "Interfaces, IJPP 2012) and rae (Remote Atomic Extension, 2020), by programs on the simulated\n"
                    "machine: stopped, the same command goes on where it was. And together: no paper, but nemesys,\n"
                    "cni, rae and tasks on one machine, each of them on and off",
                    "Examples: tess reproduce softxmt --output results\n"
                    "          tess reproduce nemesys --figure 9 --kernel bf\n"
                    "          tess reproduce rmem\n"
                    "          tess reproduce cni --table 1a --table 1b\n"
                    "          tess reproduce rae --figure 3\n"
                    "          tess reproduce together --suite circustent"};
  line.add_option("PAPER", of.paper, "softxmt, nemesys, rmem, cni, rae or together")
      ->required()
      ->check(CLI::IsMember({"softxmt", "nemesys", "rmem", "cni", "rae", "together"}));
  line.add_option("--output", of.folder, "folder for what is written; default: the paper's name")->type_name("FOLDER");
  line.add_flag("--quick", of.quick, "small and short: shows that it works");
  auto const keep = [&](std::string const& name, std::string const& value, std::string const& meaning) {
    auto const add = [&of, name](words const& values) {
      for (auto const& one : values) of.more.insert(of.more.end(), {name, one});
    };
    line.add_option_function<words>(name, add, meaning)->type_name(value)->expected(1)->take_all();
  };
  keep("--figure", "N",
       "nemesys (8..13), rmem (3, 4), cni (8..10, 11a, 11b), rae (1..3, 7..10, tasks): only this figure; repeatable");
  keep("--table", "N", "nemesys (2, 5, 6), cni (1a, 1b), rae (1): only this table; repeatable");
  keep("--kernel", "bf|dst|...", "nemesys: of the kernels only this one; repeatable");
  keep("--suite", "imsuite|gap|circustent", "together: only this suite; repeatable");
  keep("--jobs", "N", "nemesys, rmem, cni, rae, together: runs at a time; default: as many as processors");
  line.add_flag_callback(
      "--overlap", [&] { of.more.emplace_back("--overlap"); },
      "nemesys: only calls that overlap, and calls that do not");
  line.add_flag_callback(
      "--sweep", [&] { of.more.emplace_back("--sweep"); },
      "only what is beyond the paper: nemesys: grids and NMAs; cni: locks and barriers to 1024 cores; rae: its "
      "network interface by requests under way, with and without merging");
  if (auto const code = line.finish_early(given)) return *code;
  if (of.folder.empty()) of.folder = of.paper;
  return of.paper == "softxmt" ? reproduce_softxmt(here, of) : reproduce_on_machine(here, of);
}

}  // namespace tess::cli
