// diffusion: heat spreads along a rod, step by step, by products with a sparse matrix; the result goes to a file.
//
//   Usage: diffusion FILE [CELLS [STEPS]]. The file gets a line for each cell, in order.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "tess/tess.hpp"

namespace {

using matrix = tess::sparse_matrix<double>;
using vector = tess::global_array<double>;

// A cell keeps half of its heat and gives a quarter to each neighbour; what leaves the rod is lost.
tess::task<matrix> make_step(std::uint64_t cells) {
  return matrix::make(cells, cells, [cells](auto add) {
    for (std::uint64_t i = tess::here(); i < cells; i += tess::places()) {
      add(i, i, 0.5);
      if (i > 0) add(i, i - 1, 0.25);
      if (i + 1 < cells) add(i, i + 1, 0.25);
    }
  });
}

tess::task<> write_lines(vector heat, std::string name) {
  std::string lines;
  for (double const x : heat.local()) {
    char line[64];
    int const length = std::snprintf(line, sizeof line, "%.12g\n", x);
    lines.append(line, static_cast<std::size_t>(length));
  }
  tess::file out = co_await tess::file::open(name, tess::file_mode::write);
  co_await out.write_ordered(lines);
  co_await out.close();
}

// A word as a number; 0 if it is none.
std::uint64_t number_of(std::string_view word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::uint64_t const cells = words.size() > 1 ? number_of(words[1]) : 100000;
    std::uint64_t const steps = words.size() > 2 ? number_of(words[2]) : 100;
    if (words.empty() || cells == 0) {
      std::fprintf(stderr, "diffusion: expected FILE [CELLS [STEPS]]\n");
      co_return 2;
    }
    matrix const step = co_await make_step(cells);
    vector now = co_await vector::make(cells, 64);
    vector next = co_await vector::make(cells, 64);
    co_await tess::put(now[cells / 2], 1.0);
    for (std::uint64_t k = 0; k < steps; ++k) {
      co_await tess::multiply(step, now, next);
      std::swap(now, next);
    }
    co_await tess::on_all_places([](vector heat, std::string name) { return write_lines(heat, name); }, now,
                                 std::string(words[0]));
    std::printf("%llu cells, %llu steps: %.9f in the middle\n", static_cast<unsigned long long>(cells),
                static_cast<unsigned long long>(steps), co_await tess::get(now[cells / 2]));
    co_await vector::release(next);
    co_await vector::release(now);
    co_await matrix::release(step);
    co_return 0;
  });
}
