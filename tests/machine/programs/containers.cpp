// containers: ordered maps, deques, strings, variants, optional, views and algorithms of the library.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <variant>
#include <vector>

int main() {
  std::map<int, std::string> numbers;
  for (int k = 0; k < 3000; ++k)
    numbers[k * 7919 % 3001] = std::string(static_cast<std::size_t>(k % 40), static_cast<char>('a' + k % 26));
  for (auto k = numbers.begin(); k != numbers.end();) k = k->first % 3 == 0 ? numbers.erase(k) : std::next(k);
  std::size_t letters = 0;
  for (auto const& [number, text] : numbers) letters += text.size() * static_cast<std::size_t>(number % 10);
  std::deque<int> queue;
  for (int k = 0; k < 5000; ++k) {
    k % 2 != 0 ? queue.push_back(k) : queue.push_front(k);
    if (k % 5 == 0) queue.pop_back();
  }
  std::multiset<int> bag{queue.begin(), queue.end()};
  std::printf("%zu %zu %d %zu\n", numbers.size(), letters, *std::next(bag.begin(), 1000), bag.count(12));
  std::vector<std::variant<int, double, std::string>> mixed{1, 2.5, "three"};
  for (auto const& item : mixed) std::visit([](auto const& v) { std::printf("%zu ", sizeof(v)); }, item);
  auto squares = std::views::iota(1, 100) | std::views::filter([](int k) { return k % 7 == 3; }) |
                 std::views::transform([](int k) { return k * k; });
  int total = 0;
  for (int s : squares) total += s;
  std::function<int(int)> ackermann_2 = [](int n) { return 2 * n + 3; };
  std::optional<int> nothing;
  std::printf("%d %d %d\n", total, ackermann_2(20), nothing.value_or(-4));
  std::string text = "permutation";
  std::sort(text.begin(), text.end());
  int permutations = 0;
  for (text.resize(7); permutations < 1000 && std::next_permutation(text.begin(), text.end());) ++permutations;
  std::printf("%d %s\n", permutations, text.c_str());
}
