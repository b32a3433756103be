// data: initial contents of the arrays, and the expected contents at the end.
#include <algorithm>
#include <vector>

#include "circustent/benchmark.hpp"
#include "kernels/random_word.hpp"

namespace circustent {
namespace {

/// The arrays of one place, as written by the place that works on them.
struct replay {
  benchmark const& of;
  std::vector<std::uint64_t> array;
  std::vector<std::uint64_t> index;

  std::uint64_t fetch(std::uint64_t& word, std::uint64_t add) const {
    std::uint64_t const before = word;
    if (of.by == amo::add) word += add;
    return before;
  }
  void deliver(std::uint64_t& word, std::uint64_t value) const {
    if (of.by == amo::add)
      word += value;
    else if (word == 0)
      word = value;
  }
  void step(std::uint64_t i, std::uint64_t stride) {
    switch (of.what) {
      case pattern::rand:
        fetch(array[index[i]], 1);
        break;
      case pattern::stride1:
        fetch(array[i], stride_operand);
        break;
      case pattern::striden:
        fetch(array[i * stride], stride_operand);
        break;
      case pattern::central:
        fetch(array[0], 1);
        break;
      case pattern::sg:
        deliver(array[index[i + 1]], fetch(array[index[i]], 1));
        break;
      case pattern::scatter:
        deliver(array[index[i + 1]], fetch(array[i], 1));
        break;
      case pattern::gather:
        deliver(array[i], fetch(array[index[i + 1]], 1));
        break;
      case pattern::ptrchase:
        break;
    }
  }
};

std::uint64_t different(std::span<std::uint64_t const> here, std::vector<std::uint64_t> const& wanted) {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) count += here[k] == wanted[k] ? 0 : 1;
  return count;
}

}  // namespace

std::optional<benchmark> named(std::string_view name) {
  for (amo const by : {amo::add, amo::cas}) {
    for (std::size_t k = 0; k < pattern_names.size(); ++k) {
      benchmark const one{static_cast<pattern>(k), by};
      if (one.name() == name) return one;
    }
  }
  return std::nullopt;
}

std::uint64_t shape::target(benchmark const& of, std::uint64_t place, std::uint64_t i,
                            std::uint64_t places) const noexcept {
  if (of.what != pattern::ptrchase) return (place + 1) % places;
  return kernels::random_word(seed ^ 0x7461, place * iterations + i) % places;
}

std::uint64_t shape::array_word(std::uint64_t place, std::uint64_t k) const noexcept {
  return kernels::random_word(seed, place * elements + k);
}

std::uint64_t shape::index_word(benchmark const& of, std::uint64_t place, std::uint64_t k) const noexcept {
  std::uint64_t const limit = of.what == pattern::ptrchase ? std::max<std::uint64_t>(iterations, 2) - 1 : elements;
  return kernels::random_word(seed ^ 0x6964, place * (iterations + 1) + k) % limit;
}

void fill(benchmark const& of, shape const& given, arrays const& all) {
  auto const array = all.array.local();
  auto const index = all.index.local();
  for (std::uint64_t k = 0; k < array.size(); ++k) array[k] = given.array_word(tess::here(), k);
  for (std::uint64_t k = 0; k < index.size(); ++k) index[k] = given.index_word(of, tess::here(), k);
}

std::uint64_t checksum(arrays const& all) {
  std::uint64_t sum = 0;
  for (auto const words : {all.array.local(), all.index.local()}) {
    std::uint64_t const first = tess::here() * words.size();
    for (std::uint64_t k = 0; k < words.size(); ++k) sum += kernels::random_word(words[k], first + k);
  }
  return sum;
}

std::uint64_t wrong_words(benchmark const& of, shape const& given, arrays const& all) {
  bool const ordered = of.what == pattern::sg || of.what == pattern::scatter || of.what == pattern::gather;
  if (ordered && given.tasks > 1) return 0;
  replay one{of, std::vector<std::uint64_t>(given.elements), std::vector<std::uint64_t>(given.iterations + 1)};
  for (std::uint64_t k = 0; k < one.array.size(); ++k) one.array[k] = given.array_word(tess::here(), k);
  for (std::uint64_t k = 0; k < one.index.size(); ++k) one.index[k] = given.index_word(of, tess::here(), k);
  for (std::uint64_t i = 0; i < given.iterations; ++i) one.step(i, given.stride);
  return different(all.array.local(), one.array) + different(all.index.local(), one.index);
}

}  // namespace circustent
