// memd: `tess memd` becomes the memory server, a separate program, so that the command is not linked with it.
#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

int memd(words const& given) {
  become(own_tree().programs() / "rmem" / "tess-memd", given);
}

}  // namespace tess::cli
