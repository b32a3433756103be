// report: `tess report` makes one page of runs on simulated machines, each beside the others.
#include <stdlib.h>

#include <string>

#include "cli/command/command.hpp"
#include "cli/package.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int report_runs(words const& given) {
  command_line line{
      "tess report RUN... [--output FILE.html]",
      "Make one page of runs on simulated machines, which opens without a network: machines and the keys\n"
      "in which they differ, figures side by side, where the cycles of each tile went, links, rooflines\n"
      "of the memories, and what else the runs left behind. RUN is what `tess run --stats FILE.json` or\n"
      "`tess run --report FILE.html` wrote; the latter has more.",
      "Examples: tess run --machine nemesys-4x4 --report bfs.html bfs kron:8\n"
      "          tess report a.json b.json --output both.html"};
  words runs;
  std::string output = "report.html";
  line.add_option("runs", runs, "what `tess run --stats` or `tess run --report` wrote")->required();
  line.add_option("--output", output, "the page; default report.html")->type_name("FILE")->check(writable_file());
  if (auto const code = line.finish_early(given)) return *code;
  tree const here = own_tree();
  ::setenv("TESSERA_TESS", (here.prefix / "bin" / "tess").c_str(), 0);
  words passed{"compare", output};
  passed.insert(passed.end(), runs.begin(), runs.end());
  become_module(here, "report", "tessera.simulator.report.command", passed);
}

}  // namespace tess::cli
