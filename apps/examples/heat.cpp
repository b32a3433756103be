// heat: the temperature of a plate after some steps of Jacobi's method; its rows are spread over the places.
//
//   Usage: heat [SIDE [STEPS]]. The upper edge has 100 degrees, the others 0.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "tess/tess.hpp"

namespace {

// The rows of this place, between the last row of the place above and the first row of the place below.
struct plate {
  unsigned side = 0;
  unsigned rows = 0;
  tess::global_ptr<double> now, next;
};
using plate_everywhere = tess::place_local<plate>;

tess::task<void> make_rows(plate_everywhere plates, unsigned side) {
  plate& mine = *plates;
  mine.side = side;
  mine.rows = side * (tess::here() + 1U) / tess::places() - side * tess::here() / tess::places();
  std::size_t const cells = (std::size_t{mine.rows} + 2) * side;
  for (auto* grid : {&mine.now, &mine.next}) {
    *grid = tess::allocate<double>(cells);
    std::fill_n(grid->local(), cells, 0.0);
    if (tess::here() == 0) std::fill_n(grid->local(), side, 100.0);
  }
  co_await tess::barrier();
}

// Sends a row into the border of a neighbour.
tess::task<void> send_row(plate_everywhere plates, double const* row, tess::place_id to, bool above) {
  plate const& mine = *plates;
  auto const border = co_await tess::at(
      to, [](plate_everywhere all, bool last) { return all->now + (last ? (all->rows + 1UL) * all->side : 0UL); },
      plates, above);
  co_await tess::put(std::span(row, mine.side), border);
}

tess::task<void> step(plate_everywhere plates) {
  plate& mine = *plates;
  std::size_t const side = mine.side;
  double const* const now = mine.now.local();
  double* const next = mine.next.local();
  if (tess::here() > 0) co_await send_row(plates, now + side, static_cast<tess::place_id>(tess::here() - 1), true);
  if (tess::here() + 1U < tess::places())
    co_await send_row(plates, now + mine.rows * side, static_cast<tess::place_id>(tess::here() + 1), false);
  co_await tess::barrier();
  for (std::size_t row = 1; row <= mine.rows; ++row)
    for (std::size_t column = 0; column < side; ++column) {
      std::size_t const cell = row * side + column;
      double const left = column == 0 ? 0 : now[cell - 1];
      double const right = column + 1 == side ? 0 : now[cell + 1];
      next[cell] = (now[cell - side] + now[cell + side] + left + right) / 4;
    }
  std::swap(mine.now, mine.next);
  co_await tess::barrier();
}

tess::task<void> heat_here(plate_everywhere plates, unsigned side, unsigned steps) {
  co_await make_rows(plates, side);
  for (unsigned i = 0; i < steps; ++i) co_await step(plates);
  plate const& mine = *plates;
  // Sums of rows in the order of the rows, so that the result does not depend on the number of places.
  std::vector<double> sums;
  for (std::size_t row = 1; row <= mine.rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < side; ++column) sum += mine.now.local()[row * side + column];
    sums.push_back(sum);
  }
  double total = 0;
  for (auto const& rows : co_await tess::gather(sums))
    for (double const sum : rows) total += sum;
  if (tess::here() == 0)
    std::printf("%u x %u cells, %u steps: %.9f degrees in the mean\n", side, side, steps, total / side / side);
  tess::deallocate(mine.now);
  tess::deallocate(mine.next);
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
    auto const number = [&](std::size_t i, unsigned otherwise) {
      return words.size() > i ? static_cast<unsigned>(number_of(words[i])) : otherwise;
    };
    unsigned const side = number(0, 256);
    if (side < tess::places()) {
      std::fprintf(stderr, "heat: %u rows are too few for %u places\n", side, unsigned{tess::places()});
      co_return 2;
    }
    auto const plates = co_await plate_everywhere::make();
    co_await tess::on_all_places([](plate_everywhere p, unsigned n, unsigned k) { return heat_here(p, n, k); }, plates,
                                 side, number(1, 100));
    co_await plate_everywhere::release(plates);
    co_return 0;
  });
}
