// main: the `tess` command.
#include "cli/command/dispatch.hpp"

int main(int argc, char** argv) {
  return tess::cli::dispatch(argc, argv);
}
