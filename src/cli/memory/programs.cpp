// programs: `tess memd`, `tess mem` and `tess graph` become programs of their own, whose libraries are not linked here.
#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int memd(words const& given) {
  become(own_tree().programs() / "rmem" / "tess-memd", given);
}

int mem(words const& given) {
  become(own_tree().programs() / "rmem" / "tess-mem", given);
}

int graph(words const& given) {
  become(own_tree().programs() / "graph" / "tess-graph", given);
}

}  // namespace tess::cli
