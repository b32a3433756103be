// programs: `tess memd` and `tess mem` become programs of their own, so that the command does not link remote memory.
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

}  // namespace tess::cli
