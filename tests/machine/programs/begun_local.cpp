// begun_local: nonblocking operations on object 0 complete at once, with time and without.
#include "begun.hpp"

int main() {
  begun::word words[2] = {};
  std::uint32_t halves[2] = {};
  begun::atomics<begun::word>(0, &words[1]);
  begun::atomics<std::uint32_t>(0, &halves[1]);
  begun::check("word before", words[0], 0);
  begun::check("half before", halves[0], 0);
  begun::full_table(0, &words[1]);
  std::printf("%lu wrong\n", begun::wrong);
  return begun::wrong != 0;
}
