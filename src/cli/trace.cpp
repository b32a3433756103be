// trace: `tess trace` shows traces of instructions, and compares one with what QEMU prints of the same program.
#include <string>

#include "cli/command/command.hpp"
#include "cli/package.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

int show_trace(words const& given) {
  command_line line{"tess trace show FILE", "Print a trace of instructions, FILE.tessi, as text.",
                    "Example: tess run --machine nemesys-2x2 --trace-instructions t.tessi,to=2000 hello\n"
                    "         tess trace show t.tessi"};
  std::string file;
  line.add_option("file", file, "what `tess run --trace-instructions` wrote")->required();
  if (auto const code = line.finish_early(given)) return *code;
  become_module(own_tree(), "trace", "tessera.simulator.trace_command", {"show", file});
}

int compare_traces(words const& given) {
  command_line line{"tess trace compare OURS QEMU [--core N]",
                    "Compare pc and registers before each instruction with those that QEMU has printed of the same\n"
                    "program, and print the first difference. Exit code 1: they differ.",
                    "Example: qemu-riscv64 -singlestep -d nochain,cpu -D q.log ./a.out\n"
                    "         tess run --machine single-tile --trace-instructions t.log ./a.out\n"
                    "         tess trace compare t.log q.log"};
  words files;
  std::string core;
  line.add_option("files", files, "what `tess run --trace-instructions` wrote, and what QEMU wrote")
      ->required()
      ->expected(2);
  line.add_option("--core", core, "of which the instructions are compared; default: the first in the file")
      ->check(CLI::NonNegativeNumber);
  if (auto const code = line.finish_early(given)) return *code;
  words passed{"compare", files.front(), files.back()};
  if (!core.empty()) passed.insert(passed.end(), {"--core", core});
  become_module(own_tree(), "trace", "tessera.simulator.trace_command", passed);
}

}  // namespace

int trace(words const& given) {
  if (!given.empty() && (given.front() == "show" || given.front() == "compare")) {
    words const rest(given.begin() + 1, given.end());
    return given.front() == "show" ? show_trace(rest) : compare_traces(rest);
  }
  command_line line{"tess trace show FILE\n       tess trace compare OURS QEMU [--core N]",
                    "Show a trace of instructions, or compare it with what QEMU prints of the same program.",
                    "Example: tess trace compare t.log q.log"};
  std::string verb;
  line.add_option("verb", verb, "show or compare")->required()->check(CLI::IsMember({"show", "compare"}));
  if (auto const code = line.finish_early(given)) return *code;
  return exit_misuse;
}

}  // namespace tess::cli
