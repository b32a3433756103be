// main: the `tess` command.
#include "cli/dispatch.hpp"

int main(int argc, char** argv) {
  return tess::cli::dispatch(argc, argv);
}
