// sweep: `tess sweep` runs a program for every combination of parameters of machines and program, and tabulates it.
#include <stdlib.h>

#include <algorithm>
#include <string>

#include "cli/command/command.hpp"
#include "cli/package.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int sweep(words const& given) {
  command_line line{
      "tess sweep --machine NAME [--set KEY=VALUE,...]... -- PROGRAM [ARGUMENTS...]",
      "Run a program on simulated machines for every combination of parameters, on all processors; print a\n"
      "table, and write it as CSV, JSON, Parquet and a picture. What was run before, with the same simulator,\n"
      "machine, program and input files, is not run again, so an interrupted command continues when it is\n"
      "run again.",
      "Examples: tess sweep --machine nemesys-2x2 --set l2.kib=64,128,256 --set network.link_bytes=4,8 -- bfs kron:8\n"
      "          tess sweep --machine nemesys-2x2 --set scale=6,7,8 --set places=1,3 -- bfs 'kron:{scale}'\n"
      "          tess sweep --machine dir-4 --machine mine.toml --layouts 5 -- ./a.out"};
  words passed;
  auto const keep = [&](std::string const& name, std::string const& form, std::string const& meaning) {
    auto const add = [&passed, name](words const& values) {
      for (auto const& one : values) passed.insert(passed.end(), {name, one});
    };
    return line.add_option_function<words>(name, add, meaning)->type_name(form)->expected(1)->take_all();
  };
  keep("--machine", "NAME|FILE", "a machine by name, or the file of one; repeatable")->required();
  keep("--set", "KEY=VALUE,...",
       "values of a key of the machine's file (l2.ways; l2.kib is its size); else of a word {KEY} of the program; else "
       "of an option of `tess run`; repeatable");
  keep("--layouts", "N", "run each combination in so many layouts of stack and heap: medians, with intervals");
  keep("--statistic", "NAME", "a column from the statistics of `tess run`, as measured.memory_load; repeatable");
  keep("--jobs", "N", "runs at the same time; default: the processors");
  keep("--output", "FOLDER", "for the results; default: sweep");
  keep("--cache", "FOLDER", "where runs are kept; default: tessera in ~/.cache");
  auto const split = std::ranges::find(given, "--");
  if (auto const code = line.finish_early(words(given.begin(), split))) return *code;
  tree const here = own_tree();
  ::setenv("TESSERA_TESS", (here.prefix / "bin" / "tess").c_str(), 0);
  passed.insert(passed.end(), split, given.end());
  become_module(here, "sweep", "tessera.simulator.sweep_command", passed);
}

}  // namespace tess::cli
