// dispatch: from the words of a `tess` command to its exit code: 0 fine, 1 the program failed, 2 wrong use or input.
#pragma once

#include <string>
#include <vector>

namespace tess::cli {

int dispatch(int argc, char** argv);

// The same for a program that is one subcommand.
int run_alone(int (*execute)(std::vector<std::string> const&), int argc, char** argv);

}  // namespace tess::cli
