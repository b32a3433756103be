// opener: opens a shared object with dlopen: `opener before|late FILE`, before the job or while it runs.
#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <string>
#include <tess/tess.hpp>

namespace {

using sum_function = tess::task<int>*();

sum_function* opened(char const* file) {
  void* const library = dlopen(file, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  auto* const f = reinterpret_cast<sum_function*>(dlsym(library, "plugin_sum"));
  dlclose(library);  // it stays loaded
  return f;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  bool const before = argv[1] == std::string("before");
  sum_function* sum = before ? opened(argv[2]) : nullptr;
  if (before && sum == nullptr) return 3;
  return tess::run(1, argv, [&](tess::args) -> tess::task<int> {
    if (sum == nullptr) sum = opened(argv[2]);
    if (sum == nullptr) co_return 3;
    std::unique_ptr<tess::task<int>> const t(sum());
    std::printf("%d\n", co_await std::move(*t));
    co_return 0;
  });
}
