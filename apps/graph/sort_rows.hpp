// sort_rows: sorts the targets in each of many rows.
//
//   Rows that lie one after the other are sorted together by radix: their entries, each with the number of its row, by
//   the digits of the target, the lowest first, and at last by the row. An entry is moved once for each digit, whatever
//   the rows' lengths, and all lies in a core's cache. Rows that are short on average are sorted one by one.
//
// Cost      a fifth of std::sort's in rows of kron:20 (perf of `bfs kron:20`); scratch for some ten thousand entries.
// Source    D. Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.5R.
#pragma once

#include <cstdint>
#include <span>

namespace graph {

// Row i is [offsets[i], offsets[i + 1]) of `entries`; offsets has one slot more than there are rows. Targets are below
// `vertices`.
void sort_rows(std::span<std::uint64_t const> offsets, std::uint32_t* entries, std::uint64_t vertices);

}  // namespace graph
