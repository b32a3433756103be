// many_lines: every place writes lines that name it, as fast as it can. Usage: many_lines COUNT.
#include <charconv>
#include <cstdio>
#include <string>

#include "tess/tess.hpp"

namespace {

/// `PLACE:NUMBER:aaaa…:PLACE:NUMBER`; the letter and the length depend on both numbers.
void write_lines(unsigned count) {
  unsigned const place = tess::here();
  for (unsigned i = 0; i < count; ++i) {
    std::string const body(100 + i * 37 % 900, static_cast<char>('a' + place % 26));
    std::printf("%u:%u:%s:%u:%u\n", place, i, body.c_str(), place, i);
    if (i % 100 == 0) std::fprintf(stderr, "%u:%u:e:%u:%u\n", place, i, place, i);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    unsigned count = 0;
    if (words.size() == 1) std::from_chars(words[0].data(), words[0].data() + words[0].size(), count);
    if (count == 0) throw tess::error("many_lines", words.empty() ? "nothing" : words[0], "a number of lines");
    co_await tess::on_all_places([count] { write_lines(count); });
    co_return 0;
  });
}
