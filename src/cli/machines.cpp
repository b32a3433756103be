// machines: `tess machines` lists, explains, shows and compares simulated machines; it calls the simulator, which reads
// them.
#include <fmt/format.h>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

[[noreturn]] void become_machine(words const& given) {
  become(own_tree().programs() / "machine" / "tess-machine", given);
}

int show(words const& given) {
  command_line line{"tess machines show NAME|FILE.toml",
                    "Print the file of a machine with all that it extends merged: every key, with its source.",
                    "Example: tess machines show dir-16 > mine.toml"};
  std::string name;
  line.add_option("name", name, "a machine's name, or the file of your own")->required();
  if (auto const code = line.finish_early(given)) return *code;
  become_machine({"--show", name});
}

int diff(words const& given) {
  command_line line{"tess machines diff A B [--json]",
                    "Print the keys in which two machines differ, with both values; - where a machine has no such key.",
                    "Example: tess machines diff nemesys-4x4 tessera-4x4"};
  words names;
  bool json = false;
  line.add_option("names", names, "two machines, each by its name or the file of your own")->required()->expected(2);
  line.add_flag("--json", json, "a list of {key, values}; null where a machine has no such key");
  if (auto const code = line.finish_early(given)) return *code;
  words passed{"--differences", names.front(), names.back()};
  if (json) passed.emplace_back("--json");
  become_machine(passed);
}

}  // namespace

int machines(words const& given) {
  if (!given.empty() && (given.front() == "show" || given.front() == "diff")) {
    words const rest(given.begin() + 1, given.end());
    return given.front() == "show" ? show(rest) : diff(rest);
  }
  command_line line{
      "tess machines [NAME|FILE.toml]\n       tess machines show NAME|FILE.toml\n"
      "       tess machines diff A B [--json]",
      "Without a name: the simulated machines that `tess run --machine` knows, one a line.\n"
      "With one: its grid, the units of a tile, and every parameter with its unit and its source.\n"
      "show: its file, with all that it extends. diff: the keys in which two machines differ.",
      "Examples: tess machines nemesys-4x4\n          tess machines diff cni-16 dir-16"};
  std::string name;
  line.add_option("name", name, "a machine's name, or the file of your own");
  if (auto const code = line.finish_early(given)) return *code;
  become_machine(name.empty() ? words{"--list"} : words{"--explain", name});
}

}  // namespace tess::cli
