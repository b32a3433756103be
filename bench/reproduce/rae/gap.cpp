// gap: GAP's kernels that have atomics, in OpenSHMEM: on the machine by instructions or by messages, or natively.
//
//   gap_shmem --kernel bfs|sssp|cc|bc|pr --scale S --degree D [--count yes]
//
//   A Kronecker graph of 2^S vertices with D edges each before duplicates and loops are dropped, undirected. Vertex v
//   is at PE v mod PEs, with its edges; its words are in symmetric arrays. Prints one line:
//     KERNEL seconds S gams 0 instructions I wrong W atomics A edges E
//   I: instructions of all PEs together (natively 0). W: vertices whose result differs from that of one thread. A: with
//   --count, the atomic operations of all PEs, own words included; they are counted by instructions of their own.
//
//   bfs    top-down: a vertex without a parent is taken by compare-and-swap
//   sssp   by buckets of distances; a distance is lowered by a loop of compare-and-swap
//   cc     Afforest: two neighbours of each are linked, then all that are not in the largest component
//   bc     Brandes, from one source: depths by compare-and-swap, numbers of paths by addition; none on the way back
//   pr     by push, in fixed point, two iterations: an addition for each edge; GAP's own pulls, without atomics
//   Triangles have no atomics.
//
// Source    the GAP benchmark suite (Beamer, Asanovic, Patterson, 2015), its algorithms; R-MAT with GAP's parameters.
#include <shmem.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/random_word.hpp"
#include "measured.hpp"

namespace {

using word = std::uint64_t;

constexpr word none = ~word{0};
constexpr word seed = 27;
constexpr word delta = 64;            // width of a bucket
constexpr word one = word{1} << 40U;  // 1.0 in fixed point
constexpr int pr_iterations = 2;

/// Neighbours of some vertices, in ascending order.
struct adjacency {
  std::vector<word> begins;
  std::vector<std::uint32_t> ends;
  [[nodiscard]] std::uint32_t const* begin(word i) const { return ends.data() + begins[i]; }
  [[nodiscard]] std::uint32_t const* end(word i) const { return ends.data() + begins[i + 1]; }
  [[nodiscard]] word degree(word i) const { return begins[i + 1] - begins[i]; }
};

struct graph {
  word vertices = 0;
  int pes = 1;
  int me = 0;
  word own = 0;                        ///< vertices of this PE
  adjacency mine{};                    ///< by local number
  std::vector<std::uint32_t> pe_of{};  ///< by vertex
  std::vector<std::uint32_t> at{};     ///< its local number

  [[nodiscard]] word vertex(word i) const { return i * static_cast<word>(pes) + static_cast<word>(me); }
};

word weight(word u, word v) {
  return 1 + kernels::random_word(seed + 1, std::min(u, v) << 32U | std::max(u, v)) % 255;
}

/// Edge k of the Kronecker graph, its labels permuted.
std::pair<word, word> edge(word k, unsigned scale) {
  word u = 0;
  word v = 0;
  for (unsigned level = 0; level < scale; ++level) {
    word const r = kernels::random_word(seed, k * scale + level) % 100;  // A 57, B 19, C 19
    u = u << 1U | (r >= 76 ? 1U : 0U);
    v = v << 1U | ((r >= 57 && r < 76) || r >= 95 ? 1U : 0U);
  }
  word const mask = (word{1} << scale) - 1;
  auto const label = [&](word x) { return (x * 0x9e3779b1U + 12345) & mask; };
  return {label(u), label(v)};
}

/// Neighbours of the vertices that `number` gives a number below `count`.
template <class Number>
adjacency adjacency_of(std::vector<word> const& edges, word count, Number&& number) {
  std::vector<std::pair<word, std::uint32_t>> all;
  for (word const e : edges) {
    word const u = e >> 32U;
    word const v = e & 0xffffffffU;
    if (u == v) continue;
    if (word const i = number(u); i < count) all.emplace_back(i, static_cast<std::uint32_t>(v));
    if (word const i = number(v); i < count) all.emplace_back(i, static_cast<std::uint32_t>(u));
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  adjacency made;
  made.begins.assign(count + 1, 0);
  for (auto const& [i, to] : all) {
    ++made.begins[i + 1];
    made.ends.push_back(to);
  }
  for (word i = 0; i < count; ++i) made.begins[i + 1] += made.begins[i];
  return made;
}

/// The atomics of this PE, if they are counted.
word counted = 0;

template <bool Counts>
struct remote {
  graph const& g;
  word get(word const* array, word v) const { return shmem_uint64_g(&array[g.at[v]], static_cast<int>(g.pe_of[v])); }
  word swap_if(word* array, word v, word expected, word desired) const {
    if constexpr (Counts) ++counted;
    return shmem_uint64_atomic_compare_swap(&array[g.at[v]], expected, desired, static_cast<int>(g.pe_of[v]));
  }
  void add(word* array, word v, word value) const {
    if constexpr (Counts) ++counted;
    shmem_uint64_atomic_add(&array[g.at[v]], value, static_cast<int>(g.pe_of[v]));
  }
};

/// Words of this PE that others read and change.
word load(word const& own_word) {
  return __atomic_load_n(&own_word, __ATOMIC_RELAXED);
}
void store(word& own_word, word value) {
  __atomic_store_n(&own_word, value, __ATOMIC_RELAXED);
}

/// Reductions of all PEs, with barriers before and after.
struct reductions {
  word* cell;  ///< two, at each PE
  word sum(word mine) const { return of(mine, shmem_uint64_sum_reduce); }
  word least(word mine) const { return of(mine, shmem_uint64_min_reduce); }

 private:
  word of(word mine, decltype(shmem_uint64_sum_reduce)& reduce) const {
    cell[0] = mine;
    shmem_barrier_all();
    reduce(SHMEM_TEAM_WORLD, &cell[1], &cell[0], 1);
    shmem_barrier_all();
    return cell[1];
  }
};

/// Symmetric arrays, one word for each own vertex.
struct state {
  word* a;
  word* b;
  word* c;
};

template <class By>
void bfs(graph const& g, By by, state const& s, reductions const& all) {
  std::vector<bool> done(g.own);
  std::vector<word> frontier;
  for (;;) {
    frontier.clear();
    for (word i = 0; i < g.own; ++i) {
      if (done[i] || load(s.a[i]) == none) continue;
      done[i] = true;
      frontier.push_back(i);
    }
    if (all.sum(frontier.size()) == 0) return;
    for (word const i : frontier)
      for (auto const v : std::ranges::subrange(g.mine.begin(i), g.mine.end(i)))
        if (by.get(s.a, v) == none) by.swap_if(s.a, v, none, g.vertex(i));
    shmem_barrier_all();
  }
}

template <class By>
void sssp(graph const& g, By by, state const& s, reductions const& all) {
  std::vector<word> done(g.own, none);
  std::vector<word> frontier;
  for (word bucket = 0;;) {
    frontier.clear();
    word next = none;
    for (word i = 0; i < g.own; ++i) {
      word const d = load(s.a[i]);
      if (d >= done[i]) continue;
      next = std::min(next, d / delta);
      if (d / delta <= bucket) frontier.push_back(i);
    }
    next = all.least(next);
    if (next == none) return;
    if (next > bucket) {
      bucket = next;
      continue;
    }
    for (word const i : frontier) {
      word const d = load(s.a[i]);
      done[i] = d;
      for (auto const v : std::ranges::subrange(g.mine.begin(i), g.mine.end(i))) {
        word const through = d + weight(g.vertex(i), v);
        for (word old = by.get(s.a, v); through < old;) {
          word const seen = by.swap_if(s.a, v, old, through);
          if (seen == old) break;
          old = seen;
        }
      }
    }
    shmem_barrier_all();
  }
}

template <class By>
void link(By by, word* component, word u, word v) {
  word p = by.get(component, u);
  word q = by.get(component, v);
  while (p != q) {
    word const high = std::max(p, q);
    word const low = std::min(p, q);
    word const above = by.get(component, high);
    if (above == low || (above == high && by.swap_if(component, high, high, low) == high)) return;
    p = by.get(component, by.get(component, high));
    q = by.get(component, low);
  }
}

template <class By>
void cc(graph const& g, By by, state const& s) {
  auto const compress = [&] {
    shmem_barrier_all();
    for (word i = 0; i < g.own; ++i)
      for (;;) {
        word const at = load(s.a[i]);
        word const above = by.get(s.a, at);
        if (at == above) break;
        store(s.a[i], above);
      }
    shmem_barrier_all();
  };
  constexpr word rounds = 2;
  for (word round = 0; round < rounds; ++round) {
    for (word i = 0; i < g.own; ++i)
      if (round < g.mine.degree(i)) link(by, s.a, g.vertex(i), g.mine.begin(i)[round]);
    compress();
  }
  std::array<word, 64> sample{};
  for (word k = 0; k < sample.size(); ++k) sample[k] = by.get(s.a, kernels::random_word(seed + 2, k) % g.vertices);
  std::ranges::sort(sample);
  word largest = sample[0];
  for (std::ptrdiff_t most = 0; word const label : sample) {
    auto const times = std::ranges::count(sample, label);
    if (times > most) most = times, largest = label;
  }
  shmem_barrier_all();
  for (word i = 0; i < g.own; ++i) {
    if (load(s.a[i]) == largest) continue;
    for (word k = rounds; k < g.mine.degree(i); ++k) link(by, s.a, g.vertex(i), g.mine.begin(i)[k]);
  }
  compress();
}

/// Depths in a, paths in b, dependencies in c as the bits of a double.
template <class By>
void bc(graph const& g, By by, state const& s, reductions const& all) {
  std::vector<std::vector<word>> levels;
  std::vector<bool> follows(g.mine.ends.size());  // the edge leads to the next level
  for (word level = 0;; ++level) {
    auto& frontier = levels.emplace_back();
    for (word i = 0; i < g.own; ++i)
      if (load(s.a[i]) == level) frontier.push_back(i);
    if (all.sum(frontier.size()) == 0) break;
    for (word const i : frontier) {
      word const paths = load(s.b[i]);
      for (word k = g.mine.begins[i]; k < g.mine.begins[i + 1]; ++k) {
        word const v = g.mine.ends[k];
        word depth = by.get(s.a, v);
        if (depth == none) {
          depth = by.swap_if(s.a, v, none, level + 1);
          if (depth == none) depth = level + 1;
        }
        if (depth != level + 1) continue;
        by.add(s.b, v, paths);
        follows[k] = true;
      }
    }
    shmem_barrier_all();
  }
  while (!levels.empty()) {
    for (word const i : levels.back()) {
      double sum = 0;
      auto const paths = static_cast<double>(s.b[i]);
      for (word k = g.mine.begins[i]; k < g.mine.begins[i + 1]; ++k) {
        if (!follows[k]) continue;
        word const v = g.mine.ends[k];
        sum += paths / static_cast<double>(by.get(s.b, v)) * (1 + std::bit_cast<double>(by.get(s.c, v)));
      }
      store(s.c[i], std::bit_cast<word>(sum));
    }
    levels.pop_back();
    shmem_barrier_all();
  }
}

word damped(word sum, word vertices) {
  return one / vertices * 15 / 100 + sum / 100 * 85;
}

/// Scores in a, sums in b.
template <class By>
void pr(graph const& g, By by, state const& s) {
  for (int round = 0; round < pr_iterations; ++round) {
    for (word i = 0; i < g.own; ++i) {
      if (g.mine.degree(i) == 0) continue;
      word const share = s.a[i] / g.mine.degree(i);
      for (auto const v : std::ranges::subrange(g.mine.begin(i), g.mine.end(i))) by.add(s.b, v, share);
    }
    shmem_barrier_all();
    for (word i = 0; i < g.own; ++i) {
      s.a[i] = damped(load(s.b[i]), g.vertices);
      store(s.b[i], 0);
    }
    shmem_barrier_all();
  }
}

// The same by one thread, for the check.

std::vector<word> depths_of(adjacency const& g, word vertices, word source) {
  std::vector<word> depth(vertices, none);
  std::vector<word> queue{source};
  depth[source] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (auto const v : std::ranges::subrange(g.begin(queue[k]), g.end(queue[k])))
      if (depth[v] == none) depth[v] = depth[queue[k]] + 1, queue.push_back(v);
  return depth;
}

/// Vertices whose result in `a` or `c` is wrong.
word wrong_of(std::string_view kernel, adjacency const& g, word vertices, word source, std::vector<word> const& a,
              std::vector<word> const& b, std::vector<word> const& c) {
  word wrong = 0;
  if (kernel == "bfs") {
    auto const depth = depths_of(g, vertices, source);
    for (word v = 0; v < vertices; ++v) {
      bool right = (a[v] == none) == (depth[v] == none);
      if (right && a[v] != none && v != source)
        right = depth[a[v]] + 1 == depth[v] && std::binary_search(g.begin(v), g.end(v), a[v]);
      wrong += right ? 0 : 1;
    }
    return wrong;
  }
  std::vector<word> expected(vertices, none);
  if (kernel == "sssp") {
    std::priority_queue<std::pair<word, word>, std::vector<std::pair<word, word>>, std::greater<>> queue;
    queue.emplace(expected[source] = 0, source);
    while (!queue.empty()) {
      auto const [d, u] = queue.top();
      queue.pop();
      if (d != expected[u]) continue;
      for (auto const v : std::ranges::subrange(g.begin(u), g.end(u)))
        if (d + weight(u, v) < expected[v]) queue.emplace(expected[v] = d + weight(u, v), v);
    }
  } else if (kernel == "cc") {
    std::vector<word> stack;
    for (word root = 0; root < vertices; ++root) {
      if (expected[root] == none) stack.push_back(root);
      while (!stack.empty()) {
        word const u = stack.back();
        stack.pop_back();
        if (expected[u] != none) continue;
        expected[u] = root;
        stack.insert(stack.end(), g.begin(u), g.end(u));
      }
    }
  } else if (kernel == "bc") {
    auto const depth = depths_of(g, vertices, source);
    std::vector<word> order;
    for (word v = 0; v < vertices; ++v)
      if (depth[v] != none) order.push_back(v);
    std::ranges::sort(order, {}, [&](word v) { return std::pair(depth[v], v); });
    std::vector<word> paths(vertices, 0);
    std::vector<double> sums(vertices, 0);
    paths[source] = 1;
    for (word const u : order)
      for (auto const v : std::ranges::subrange(g.begin(u), g.end(u)))
        if (depth[v] == depth[u] + 1) paths[v] += paths[u];
    for (auto u = order.rbegin(); u != order.rend(); ++u)
      for (auto const v : std::ranges::subrange(g.begin(*u), g.end(*u)))
        if (depth[v] == depth[*u] + 1)
          sums[*u] += static_cast<double>(paths[*u]) / static_cast<double>(paths[v]) * (1 + sums[v]);
    for (word v = 0; v < vertices; ++v)
      wrong += depth[v] == a[v] && paths[v] == b[v] && std::bit_cast<word>(sums[v]) == c[v] ? 0 : 1;
    return wrong;
  } else {
    expected.assign(vertices, one / vertices);
    for (int round = 0; round < pr_iterations; ++round) {
      std::vector<word> sum(vertices, 0);
      for (word u = 0; u < vertices; ++u)
        for (auto const v : std::ranges::subrange(g.begin(u), g.end(u))) sum[v] += expected[u] / g.degree(u);
      for (word v = 0; v < vertices; ++v) expected[v] = damped(sum[v], vertices);
    }
  }
  for (word v = 0; v < vertices; ++v) wrong += a[v] == expected[v] ? 0 : 1;
  return wrong;
}

[[noreturn]] void misused(char const* what) {
  if (shmem_my_pe() == 0)
    std::fprintf(stderr, "gap_shmem: %s; expected --kernel bfs|sssp|cc|bc|pr --scale S --degree D [--count yes]\n",
                 what);
  shmem_finalize();
  std::exit(2);
}

word number_of(std::string_view text) {
  word number = 0;
  auto const [end, problem] = std::from_chars(text.begin(), text.end(), number);
  if (problem != std::errc() || end != text.end() || number == 0) misused("a value is no positive number");
  return number;
}

word* symmetric(word words) {
  auto* const made = static_cast<word*>(shmem_malloc(words * sizeof(word)));
  if (made == nullptr) misused("SHMEM_SYMMETRIC_SIZE is too small");
  return made;
}

/// Every PE makes its part of the edges, and has all of them afterwards.
std::vector<word> all_edges(graph const& g, unsigned scale, word count) {
  word const share = (count + static_cast<word>(g.pes) - 1) / static_cast<word>(g.pes);
  word* const made = symmetric(share);
  for (word k = 0; k < share; ++k) {
    auto const [u, v] = edge(std::min(static_cast<word>(g.me) * share + k, count - 1), scale);
    made[k] = u << 32U | v;
  }
  shmem_barrier_all();
  std::vector<word> all(share * static_cast<word>(g.pes));
  for (int pe = 0; pe < g.pes; ++pe)
    shmem_getmem(all.data() + static_cast<word>(pe) * share, made, share * sizeof(word), pe);
  shmem_barrier_all();
  shmem_free(made);
  return all;
}

template <bool Counts>
void run_kernel(std::string_view kernel, graph const& g, state const& s, reductions const& all) {
  remote<Counts> const by{g};
  if (kernel == "bfs") bfs(g, by, s, all);
  if (kernel == "sssp") sssp(g, by, s, all);
  if (kernel == "cc") cc(g, by, s);
  if (kernel == "bc") bc(g, by, s, all);
  if (kernel == "pr") pr(g, by, s);
}

/// A PE's words at PE 0, in the order of vertices.
std::vector<word> gathered(graph const& g, word const* array, word share) {
  std::vector<word> part(share);
  std::vector<word> whole(g.vertices);
  for (int pe = 0; pe < g.pes; ++pe) {
    shmem_getmem(part.data(), array, share * sizeof(word), pe);
    for (word v = static_cast<word>(pe), i = 0; v < g.vertices; v += static_cast<word>(g.pes)) whole[v] = part[i++];
  }
  return whole;
}

}  // namespace

int main(int count, char** given) {
  shmem_init();
  std::string_view kernel;
  word scale = 0;
  word degree = 0;
  bool counts = false;
  for (int i = 1; i < count; i += 2) {
    std::string_view const option = given[i];
    if (i + 1 == count) misused("the last option has no value");
    std::string_view const value = given[i + 1];
    if (option == "--kernel") {
      kernel = value;
    } else if (option == "--scale") {
      scale = number_of(value);
    } else if (option == "--degree") {
      degree = number_of(value);
    } else if (option == "--count") {
      counts = value == "yes";
    } else {
      misused("an unknown option");
    }
  }
  constexpr std::array<std::string_view, 5> kernels{"bfs", "sssp", "cc", "bc", "pr"};
  if (std::ranges::count(kernels, kernel) == 0) misused("there is no such kernel");
  if (scale == 0 || scale > 24 || degree == 0) misused("a scale from 1 to 24 and a degree are wanted");

  graph g{.vertices = word{1} << scale, .pes = shmem_n_pes(), .me = shmem_my_pe()};
  auto const pes = static_cast<word>(g.pes);
  word const share = (g.vertices + pes - 1) / pes;
  for (word v = 0; v < g.vertices; ++v) {
    g.pe_of.push_back(static_cast<std::uint32_t>(v % pes));
    g.at.push_back(static_cast<std::uint32_t>(v / pes));
    if (static_cast<int>(v % pes) == g.me) ++g.own;
  }
  auto const edges = all_edges(g, static_cast<unsigned>(scale), g.vertices * degree);
  g.mine = adjacency_of(edges, g.own, [&](word v) { return static_cast<int>(g.pe_of[v]) == g.me ? g.at[v] : none; });
  word const source = edges[0] >> 32U;

  state const s{symmetric(share), symmetric(share), symmetric(share)};
  reductions const all{symmetric(2)};
  word* const sums = symmetric(3);
  for (word i = 0; i < share; ++i) {
    bool const is_source = i < g.own && g.vertex(i) == source;
    s.a[i] = kernel == "cc" ? g.vertex(i) : kernel == "pr" ? one / g.vertices : none;
    s.b[i] = s.c[i] = 0;
    if (!is_source) continue;
    if (kernel == "bfs") s.a[i] = source;
    if (kernel == "sssp" || kernel == "bc") s.a[i] = 0;
    if (kernel == "bc") s.b[i] = 1;
  }
  sums[0] = sums[1] = sums[2] = 0;
  shmem_barrier_all();
  if (g.me == 0) measured::mark(true);
  shmem_barrier_all();
  auto const begin = std::chrono::steady_clock::now();
  word const first = measured::instructions();
  counts ? run_kernel<true>(kernel, g, s, all) : run_kernel<false>(kernel, g, s, all);
  shmem_barrier_all();
  word const last = measured::instructions();
  std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;
  if (g.me == 0) measured::mark(false);
  shmem_uint64_atomic_add(&sums[0], last - first, 0);
  shmem_uint64_atomic_add(&sums[1], counted, 0);
  shmem_uint64_atomic_add(&sums[2], g.mine.ends.size(), 0);
  shmem_barrier_all();
  word wrong = 0;
  if (g.me == 0) {
    auto const whole = adjacency_of(edges, g.vertices, [](word v) { return v; });
    wrong = wrong_of(kernel, whole, g.vertices, source, gathered(g, s.a, share), gathered(g, s.b, share),
                     gathered(g, s.c, share));
    std::printf("%s seconds %.9f gams 0.0 instructions %lu wrong %lu atomics %lu edges %lu\n", kernel.data(),
                spent.count(), sums[0], wrong, sums[1], sums[2]);
    std::fflush(stdout);
  }
  shmem_barrier_all();
  shmem_finalize();
  return wrong == 0 ? 0 : 1;
}
