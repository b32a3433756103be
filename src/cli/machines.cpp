// machines: `tess machines` lists them, `tess machines NAME` explains one; it calls the simulator, which reads them.
#include <fmt/format.h>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int machines(words const& given) {
  command_line line{"tess machines [NAME|FILE.toml]",
                    "Without a name: the simulated machines that `tess run --machine` knows, one a line.\n"
                    "With one: its grid, the units of a tile, and every parameter with its unit and its source.",
                    "Example: tess machines nemesys-4x4"};
  std::string name;
  line.add_option("name", name, "a machine's name, or the file of your own");
  if (auto const code = line.finish_early(given)) return *code;
  become(own_tree().programs() / "machine" / "tess-machine", name.empty() ? words{"--list"} : words{"--explain", name});
}

}  // namespace tess::cli
