// plugin: a shared object that is opened by name, and reaches its caller by an extern "C" function only.
#include <tess/tess.hpp>

extern "C" tess::task<int>* plugin_sum() {
  // By pointer: a C function returns no class. The caller deletes it.
  return new tess::task<int>([]() -> tess::task<int> {
    int sum = 0;
    for (tess::place_id p = 0; p < tess::places(); ++p) sum += co_await tess::at(p, [] { return tess::here() + 1; });
    co_return sum;
  }());
}
