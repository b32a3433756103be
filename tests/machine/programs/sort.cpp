// sort: std::sort, std::stable_sort, heaps and a merge sort of linked lists, on numbers of a fixed stream.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <numeric>
#include <random>
#include <string>
#include <vector>

int main() {
  std::mt19937_64 random{7};
  std::vector<std::uint64_t> numbers(50'000);
  for (auto& n : numbers) n = random() % 10'000;
  auto sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < order.size(); ++k) sum = sum * 31 + order[k] * sorted[k];
  std::make_heap(numbers.begin(), numbers.end());
  std::sort_heap(numbers.begin(), numbers.end());
  std::list<std::string> words;
  for (int k = 0; k < 2000; ++k) words.push_back(std::to_string(random() % 1000));
  words.sort();
  words.unique();
  std::printf("%d %d %llu %zu %s %s\n", std::is_sorted(sorted.begin(), sorted.end()), numbers == sorted,
              static_cast<unsigned long long>(sum), words.size(), words.front().c_str(), words.back().c_str());
}
