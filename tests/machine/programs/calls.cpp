// calls: ends by a trap, deep in its own functions; the first argument says how: a null pointer or abort().
#include <cstdio>
#include <cstdlib>
#include <string>

[[gnu::noinline]] int inner(int* at, std::string const& how) {
  if (how == "abort") std::abort();
  return *at + 1;
}
[[gnu::noinline]] int middle(int* at, int depth, std::string const& how) {
  if (depth > 0) return middle(at, depth - 1, how) + depth;
  char volatile room[500];
  room[0] = 1;
  return inner(at, how) + room[0];
}
[[gnu::noinline]] int outer(int* at, std::string const& how) {
  std::string const copy = how + std::to_string(how.size());
  return middle(at, 2, how) + static_cast<int>(copy.size());
}

int main(int, char** words) {
  std::printf("%d\n", outer(nullptr, words[1]));
}
