// sample_sort: sorts random numbers that are spread over the places; afterwards place p has those of the p-th part.
//
//   Usage: sample-sort [NUMBERS], of all places together.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "tess/tess.hpp"

namespace {

constexpr std::size_t samples_each = 32;

// The numbers of this place, the same for any number of places.
std::vector<std::uint64_t> numbers_here(std::uint64_t count) {
  std::uint64_t const begin = count * tess::here() / tess::places();
  std::uint64_t const end = count * (tess::here() + 1U) / tess::places();
  std::mt19937_64 random(17);
  random.discard(begin);
  std::vector<std::uint64_t> numbers(end - begin);
  for (auto& number : numbers) number = random();
  return numbers;
}

tess::task<std::vector<std::uint64_t>> sorted(std::vector<std::uint64_t> numbers) {
  std::ranges::sort(numbers);
  // Every place takes samples of its numbers; of all samples together, every so many is a border between two places.
  std::vector<std::uint64_t> mine;
  for (std::size_t i = 0; i < samples_each && !numbers.empty(); ++i)
    mine.push_back(numbers[i * numbers.size() / samples_each]);
  std::vector<std::uint64_t> samples;
  for (auto const& some : co_await tess::all_gather(mine)) samples.insert(samples.end(), some.begin(), some.end());
  std::ranges::sort(samples);

  std::vector<std::vector<std::uint64_t>> to;
  auto from = numbers.cbegin();
  for (std::size_t p = 1; p <= tess::places(); ++p) {
    bool const last = p == tess::places() || samples.empty();
    auto const end =
        last ? numbers.cend() : std::lower_bound(from, numbers.cend(), samples[p * samples.size() / tess::places()]);
    to.emplace_back(from, end);
    from = end;
  }
  std::vector<std::uint64_t> result;
  for (auto const& part : co_await tess::all_to_all(std::move(to)))
    result.insert(result.end(), part.begin(), part.end());
  std::ranges::sort(result);
  co_return result;
}

// Sorted here, not below what lower places have, and none got lost.
tess::task<bool> is_right(std::vector<std::uint64_t> const& before, std::vector<std::uint64_t> const& after) {
  auto const sum = [](std::vector<std::uint64_t> const& numbers) {
    std::uint64_t total = 0;
    for (std::uint64_t const number : numbers) total += number;
    return total;
  };
  std::uint64_t const lost = co_await tess::all_reduce(sum(before) - sum(after));
  std::uint64_t const count = co_await tess::all_reduce(std::uint64_t{before.size()} - after.size());
  bool right = lost == 0 && count == 0 && std::ranges::is_sorted(after);
  std::vector<std::uint64_t> borders;
  if (!after.empty()) borders = {after.front(), after.back()};
  std::uint64_t most = 0;
  for (auto const& border : co_await tess::all_gather(borders)) {
    if (border.empty()) continue;
    right = right && border[0] >= most;
    most = border[1];
  }
  co_return right;
}

tess::task<void> sort_here(std::uint64_t count) {
  auto const before = numbers_here(count);
  auto const after = co_await sorted(before);
  bool const right = co_await is_right(before, after);
  std::uint64_t const wrong_places = co_await tess::all_reduce(std::uint64_t{right ? 0U : 1U});
  if (tess::here() == 0)
    std::printf("%llu numbers, %s\n", static_cast<unsigned long long>(count),
                wrong_places == 0 ? "sorted" : "NOT sorted");
  if (wrong_places != 0) throw tess::error("the result is wrong");
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
    std::uint64_t const count = words.empty() ? 1'000'000 : number_of(words[0]);
    co_await tess::on_all_places([](std::uint64_t n) { return sort_here(n); }, count);
    co_return 0;
  });
}
