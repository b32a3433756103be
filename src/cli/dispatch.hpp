// dispatch: from the words of a `tess` command to its exit code: 0 fine, 1 the program failed, 2 wrong use or input.
#pragma once

namespace tess::cli {

int dispatch(int argc, char** argv);

}  // namespace tess::cli
