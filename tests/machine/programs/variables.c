// variables: prints the environment's variables that its words name.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    char const* const value = getenv(argv[k]);
    puts(value == 0 ? "none" : value);
  }
  return 0;
}
