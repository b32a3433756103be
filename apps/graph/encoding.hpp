// encoding: tables that threads filled from consecutive parts of an input become one, in the order of the input.
//
//   Neighbours are joined in pairs, then pairs of pairs: the names of the right one that the left one lacks follow
//   those of the left one, in their order. So each name is where it would be if one thread had read everything.
//
// Cost      each round looks up the names of the right tables, not the input again; rounds: the logarithm of the parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/name_table.hpp"
#include "graph/parallel.hpp"

namespace graph {

// The numbers of one part's names in the joined table; empty if they are the same.
using renumbering = std::vector<std::uint32_t>;

template <class Table>
[[nodiscard]] renumbering absorb(Table& into, Table const& from) {
  auto const& names = from.names();
  renumbering numbers(names.size());
  std::array<typename Table::name, names_batch> batch;
  for (std::uint64_t begin = 0; begin < names.size(); begin += names_batch) {
    std::size_t const count = std::min<std::uint64_t>(names_batch, names.size() - begin);
    for (std::size_t i = 0; i < count; ++i) batch[i] = names[begin + i];
    into.add(std::span<typename Table::name const>(batch).first(count), numbers.data() + begin);
  }
  return numbers;
}

// Leaves everything in tables[0].
template <class Table>
[[nodiscard]] std::vector<renumbering> join(std::vector<Table>& tables) {
  std::vector<renumbering> changes(tables.size());
  for (std::size_t step = 1; step < tables.size(); step *= 2) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i + step < tables.size(); i += 2 * step) left.push_back(i);
    on_threads(static_cast<unsigned>(left.size()), [&](unsigned pair) {
      std::size_t const right = left[pair] + step;
      renumbering const change = absorb(tables[left[pair]], tables[right]);
      tables[right] = Table();
      for (std::size_t i = right + 1; i < std::min(right + step, tables.size()); ++i)
        for (std::uint32_t& number : changes[i]) number = change[number];
      changes[right] = std::move(change);
    });
  }
  return changes;
}

inline void renumber(std::span<std::uint32_t> numbers, renumbering const& change) noexcept {
  if (change.empty()) return;
  for (std::uint32_t& number : numbers) number = change[number];
}

}  // namespace graph
