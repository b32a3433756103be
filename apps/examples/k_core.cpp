// k_core: the core numbers of a random graph. A vertex of core number k is in a part of the graph where each vertex has
// k neighbours or more, and in none where each has k + 1.
//
//   Usage: k-core [VERTICES [EDGES]]. Vertex v lives at place v % places. Vertices of few neighbours are removed, round
//   after round, and their neighbours are told.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "tess/tess.hpp"

namespace {

using vertex = std::uint32_t;

// The vertices of this place; vertex v is number v / places here.
struct graph_part {
  std::vector<std::vector<vertex>> neighbours;
  std::vector<std::uint32_t> degrees;  // without removed neighbours
  std::vector<std::uint32_t> cores;
  std::vector<bool> removed;
};
using graph_everywhere = tess::place_local<graph_part>;

tess::place_id owner(vertex v) {
  return static_cast<tess::place_id>(v % tess::places());
}

// Every place makes all edges and keeps those of its vertices. Low numbers have more neighbours.
void make_graph(graph_part& mine, vertex vertices, std::uint64_t edges) {
  mine.neighbours.resize(vertices / tess::places() + (tess::here() < vertices % tess::places() ? 1 : 0));
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < edges; ++i) {
    auto const some = [&] {
      std::uint64_t const below = random() % vertices + 1;
      return static_cast<vertex>(random() % below);
    };
    vertex const a = some();
    vertex const b = some();
    if (a == b) continue;
    if (owner(a) == tess::here()) mine.neighbours[a / tess::places()].push_back(b);
    if (owner(b) == tess::here()) mine.neighbours[b / tess::places()].push_back(a);
  }
  for (auto const& row : mine.neighbours) mine.degrees.push_back(static_cast<std::uint32_t>(row.size()));
  mine.cores.resize(mine.neighbours.size());
  mine.removed.resize(mine.neighbours.size());
}

// Removes what has at most k neighbours; true if this place removed anything.
tess::task<bool> remove_once(graph_part& mine, std::uint32_t k) {
  std::vector<std::vector<vertex>> lost(tess::places());  // neighbours that lose one, by place
  bool any = false;
  for (std::size_t i = 0; i < mine.degrees.size(); ++i) {
    if (mine.removed[i] || mine.degrees[i] > k) continue;
    mine.removed[i] = any = true;
    mine.cores[i] = k;
    for (vertex const other : mine.neighbours[i]) lost[owner(other)].push_back(other);
  }
  for (auto const& here : co_await tess::all_to_all(std::move(lost)))
    for (vertex const v : here) --mine.degrees[v / tess::places()];
  co_return any;
}

struct result {
  std::uint32_t highest = 0;
  std::uint64_t in_highest = 0;
  std::uint64_t sum = 0;
};

tess::task<result> cores_here(graph_everywhere parts, vertex vertices, std::uint64_t edges) {
  graph_part& mine = *parts;
  make_graph(mine, vertices, edges);
  result r;
  for (std::uint32_t k = 0;; ++k) {
    std::uint64_t any = 1;
    while (any != 0) any = co_await tess::all_reduce(std::uint64_t{co_await remove_once(mine, k) ? 1U : 0U});
    std::uint64_t left = 0, mine_of_k = 0, sum = 0;
    for (std::size_t i = 0; i < mine.removed.size(); ++i) {
      left += mine.removed[i] ? 0 : 1;
      mine_of_k += mine.removed[i] && mine.cores[i] == k ? 1 : 0;
      sum += mine.cores[i];
    }
    std::uint64_t const of_k = co_await tess::all_reduce(mine_of_k);
    if (of_k != 0) r = {k, of_k, co_await tess::all_reduce(sum)};
    if (co_await tess::all_reduce(left) == 0) co_return r;
  }
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
    auto const number = [&](std::size_t i, std::uint64_t otherwise) {
      return words.size() > i ? number_of(words[i]) : otherwise;
    };
    auto const vertices = static_cast<vertex>(number(0, 10'000));
    std::uint64_t const edges = number(1, std::uint64_t{vertices} * 8);
    if (vertices == 0) {
      std::fputs("k-core: give at least one vertex\n", stderr);
      co_return 2;
    }
    auto const parts = co_await graph_everywhere::make();
    co_await tess::on_all_places(
        [](graph_everywhere p, vertex n, std::uint64_t m) -> tess::task<void> {
          result const r = co_await cores_here(p, n, m);
          if (tess::here() == 0)
            std::printf("%u vertices, %llu edges: highest core number %u, of %llu vertices; sum of all %llu\n", n,
                        static_cast<unsigned long long>(m), r.highest, static_cast<unsigned long long>(r.in_highest),
                        static_cast<unsigned long long>(r.sum));
        },
        parts, vertices, edges);
    co_await graph_everywhere::release(parts);
    co_return 0;
  });
}
