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

}  // namespace

int reproduce(words const& given) {
  tree const here = own_tree();
  std::string paper;
  std::string folder = "softxmt";
  bool quick = false;
  command_line line{"tess reproduce PAPER [OPTIONS]",
                    "Run a paper's experiments here; print its figures beside ours; write CSV, JSON, a report and\n"
                    "pictures. Papers: softxmt (\"Crunching Large Graphs with Commodity Processors\", HotPar 2011)",
                    "Example: tess reproduce softxmt --output results"};
  line.add_option("PAPER", paper, "softxmt")->required()->check(CLI::IsMember({"softxmt"}));
  line.add_option("--output", folder, "folder for what is written")->type_name("FOLDER")->capture_default_str();
  line.add_flag("--quick", quick, "small and short: shows that it works, measures nothing");
  if (auto const code = line.finish_early(given)) return *code;

  words arguments{"--output", folder, "--reference", (here.share() / "reference" / "softxmt.csv").string()};
  if (quick) arguments.emplace_back("--quick");
  if (int const code = run_to_end(here.reproductions() / "softxmt", arguments); code != 0) return code;
  draw(here.share() / "python" / "softxmt_figures.py", folder);
  return exit_fine;
}

}  // namespace tess::cli
