// exceptions: thrown through frames with destructors, rethrown, nested, caught by base, and in thousands.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct counted {
  static inline int alive = 0;
  counted() { ++alive; }
  counted(counted const&) { ++alive; }
  ~counted() { --alive; }
};

int deep(int depth) {
  counted const here;
  if (depth == 0) throw std::out_of_range{"bottom"};
  return deep(depth - 1) + 1;
}

void nested() {
  try {
    deep(50);
  } catch (...) {
    std::throw_with_nested(std::runtime_error{"outer"});
  }
}

void print(std::exception const& e, int level) {
  std::printf("%d %s\n", level, e.what());
  try {
    std::rethrow_if_nested(e);
  } catch (std::exception const& inner) {
    print(inner, level + 1);
  }
}

}  // namespace

int main() {
  try {
    nested();
  } catch (std::exception const& e) {
    print(e, 0);
  }
  int caught = 0;
  for (int k = 0; k < 3000; ++k) {
    try {
      if (k % 3 == 0) throw k;
      if (k % 3 == 1) throw std::string{"text"};
      std::vector<int>(1).at(static_cast<std::size_t>(k));
    } catch (int) {
      caught += 1;
    } catch (std::string const&) {
      caught += 10;
    } catch (std::logic_error const&) {
      caught += 100;
    }
  }
  std::printf("%d %d\n", caught, counted::alive);
  return 3;
}
