// run: what `tess run` and oshrun share.
#pragma once

#include "cli/command/command.hpp"

namespace tess::cli {

/// `always_pes`: whatever the program is, such as an interpreter, whose script uses OpenSHMEM.
int run_words(words const& given, bool always_pes);

}  // namespace tess::cli
