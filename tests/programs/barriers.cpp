// barriers: a program that runs COUNT barriers, during which tests fail hosts. Usage: barriers COUNT.
#include <charconv>
#include <string>

#include "tess/tess.hpp"

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::uint64_t count = 0;
    if (words.size() == 1) std::from_chars(words[0].data(), words[0].data() + words[0].size(), count);
    if (count == 0) throw tess::error("barriers", words.empty() ? "nothing" : words[0], "a number of barriers");
    co_await tess::on_all_places([count]() -> tess::task<void> {
      for (std::uint64_t i = 0; i < count; ++i) co_await tess::barrier();
    });
    co_return 0;
  });
}
