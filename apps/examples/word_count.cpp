// word_count: how often each word stands in a text; every place counts a part of it, and each word has a place.
//
//   Usage: word-count FILE [WORDS]: prints so many of the most frequent words, ten if it is not said.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tess/tess.hpp"

namespace {

using word_counts = std::unordered_map<std::string, std::uint64_t>;
using counted_word = std::pair<std::string, std::uint64_t>;

bool is_letter(int c) {
  return std::isalpha(c) != 0;
}

// The words that begin in this place's part of the file.
word_counts count_part(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw tess::error("word-count: cannot read " + path);
  file.seekg(0, std::ios::end);
  std::uint64_t const size = static_cast<std::uint64_t>(file.tellg());
  std::uint64_t const begin = size * tess::here() / tess::places();
  std::uint64_t const end = size * (tess::here() + 1U) / tess::places();
  // A word that began before is that of a lower place.
  bool ours = true;
  if (begin > 0) {
    file.seekg(static_cast<std::streamoff>(begin - 1));
    ours = !is_letter(file.get());
  } else {
    file.seekg(0);
  }
  word_counts counts;
  std::string word;
  for (std::uint64_t at = begin;; ++at) {
    int const c = file.get();
    if (is_letter(c)) {
      if (word.empty() && at >= end) break;
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (!word.empty() && ours) ++counts[word];
    word.clear();
    ours = true;
    if (c == EOF || at >= end) break;
  }
  return counts;
}

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): the same at all places, whatever their library.
tess::place_id place_of(std::string const& word) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char const c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return static_cast<tess::place_id>(hash % tess::places());
}

bool is_before(counted_word const& a, counted_word const& b) {
  return a.second != b.second ? a.second > b.second : a.first < b.first;
}

tess::task<void> count_here(std::string path, std::uint64_t most) {
  // Every place sends each word that it has seen to the place of that word, which adds up.
  std::vector<std::vector<counted_word>> to(tess::places());
  for (auto const& counted : count_part(path)) to[place_of(counted.first)].emplace_back(counted);
  word_counts totals;
  for (auto const& part : co_await tess::all_to_all(std::move(to)))
    for (auto const& [word, count] : part) totals[word] += count;

  std::vector<counted_word> top(totals.begin(), totals.end());
  std::uint64_t words = 0;
  for (auto const& counted : top) words += counted.second;
  words = co_await tess::all_reduce(words);
  std::uint64_t const different = co_await tess::all_reduce(std::uint64_t{top.size()});
  std::ranges::sort(top, is_before);
  if (top.size() > most) top.resize(most);
  std::vector<counted_word> best;
  for (auto const& part : co_await tess::gather(top)) best.insert(best.end(), part.begin(), part.end());
  if (tess::here() != 0) co_return;
  std::ranges::sort(best, is_before);
  if (best.size() > most) best.resize(most);
  std::printf("%llu words, %llu different ones\n", static_cast<unsigned long long>(words),
              static_cast<unsigned long long>(different));
  for (auto const& [word, count] : best)
    std::printf("%8llu %s\n", static_cast<unsigned long long>(count), word.c_str());
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
    if (words.empty()) {
      std::fputs("Usage: word-count FILE [WORDS]\n", stderr);
      co_return 2;
    }
    std::uint64_t const most = words.size() < 2 ? 10 : number_of(words[1]);
    co_await tess::on_all_places([](std::string path, std::uint64_t n) { return count_here(std::move(path), n); },
                                 std::string(words[0]), most);
    co_return 0;
  });
}
