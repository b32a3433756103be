// uts: counts the nodes of an unbalanced tree, whose shape nobody knows before; tess::balanced spreads the search.
//
//   Each node is a SHA-1 digest, from which its number of children follows. Usage: uts [T1 | T3 | T1:DEPTH | T3:ROOT]:
//   a published tree, or T1 of another depth, or T3 with another number of children of the root.
//
// Source   S. Olivier et al., "UTS: An Unbalanced Tree Search Benchmark" (LCPC 2006), and its sample trees; the digest:
//          FIPS PUB 180-4.
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tess/tess.hpp"

namespace {

using digest = std::array<std::uint32_t, 5>;

// The digest of one block, which is padded already.
digest sha1(std::array<std::uint32_t, 16> const& block) {
  std::array<std::uint32_t, 80> w{};
  for (unsigned t = 0; t < 80; ++t)
    w[t] = t < 16 ? block[t] : std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  digest const first{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  auto [a, b, c, d, e] = first;
  auto const rounds = [&](unsigned begin, std::uint32_t constant, auto f) {
    for (unsigned t = begin; t < begin + 20; ++t) {
      std::uint32_t const next = std::rotl(a, 5) + f(b, c, d) + e + constant + w[t];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
  };
  auto const parity = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x ^ y ^ z; };
  rounds(0, 0x5a827999, [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x & y) | (~x & z); });
  rounds(20, 0x6ed9eba1, parity);
  rounds(40, 0x8f1bbcdc, [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x & y) | (x & z) | (y & z); });
  rounds(60, 0xca62c1d6, parity);
  return {first[0] + a, first[1] + b, first[2] + c, first[3] + d, first[4] + e};
}

digest root_of(std::uint32_t seed) {
  return sha1({0, 0, 0, 0, seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8});
}
digest child_of(digest const& d, std::uint32_t k) {
  return sha1({d[0], d[1], d[2], d[3], d[4], k, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 24 * 8});
}

struct tree {
  bool geometric = true;  // else binomial
  std::uint32_t seed = 0;
  std::uint32_t depth_max = 0;  // geometric
  double children = 0;          // geometric: the mean, down to depth_max; binomial: those of the root
  double probability = 0;       // binomial: that another node has children
  std::uint32_t children_then = 0;
};

struct node {
  digest state;
  std::uint32_t depth;
};

std::uint32_t children_of(tree const& t, node const& n) {
  double const u = (n.state[4] & 0x7fffffffU) / 2147483648.0;
  if (!t.geometric) {
    if (n.depth == 0) return static_cast<std::uint32_t>(t.children);
    return u < t.probability ? t.children_then : 0;
  }
  if (n.depth >= t.depth_max) return 0;
  return static_cast<std::uint32_t>(std::log(1 - u) / std::log(1 - 1 / (1 + t.children)));
}

struct counts {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;
};

// Nodes to be visited, and what was counted at this place.
struct bag {
  tree of;
  std::vector<node> nodes;
  counts seen;

  [[nodiscard]] bool empty() const { return nodes.empty(); }
  void process(unsigned items) {
    for (; items != 0 && !nodes.empty(); --items) {
      node const n = nodes.back();
      nodes.pop_back();
      std::uint32_t const children = children_of(of, n);
      ++seen.nodes;
      if (children == 0) ++seen.leaves;
      if (n.depth > seen.depth) seen.depth = n.depth;
      for (std::uint32_t k = 0; k < children; ++k) nodes.push_back({child_of(n.state, k), n.depth + 1});
    }
  }
  // The older half: nodes nearer to the root have more below them.
  bag split() {
    auto const middle = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
    bag part{of, {nodes.begin(), middle}, {}};
    nodes.erase(nodes.begin(), middle);
    return part;
  }
  void merge(bag part) {
    of = part.of;
    nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  [[nodiscard]] counts result() const { return seen; }
};

std::optional<tree> tree_named(std::string const& name) {
  tree const t1{.geometric = true, .seed = 19, .depth_max = 10, .children = 4};
  tree const t3{.geometric = false, .seed = 42, .children = 2000, .probability = 0.124875, .children_then = 8};
  tree t = name.starts_with("T1") ? t1 : t3;
  if (name == "T1" || name == "T3") return t;
  if (!name.starts_with("T1:") && !name.starts_with("T3:")) return std::nullopt;
  std::uint64_t number = 0;
  char const* const end = name.data() + name.size();
  auto const [stop, error] = std::from_chars(name.data() + 3, end, number);
  if (stop != end || error != std::errc() || number < 1 || number > (t.geometric ? 20 : 100'000)) return std::nullopt;
  if (t.geometric)
    t.depth_max = static_cast<std::uint32_t>(number);
  else
    t.children = static_cast<double>(number);
  return t;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string const name = words.empty() ? "T1" : std::string(words[0]);
    auto const t = tree_named(name);
    if (!t || words.size() > 1) {
      std::fprintf(stderr,
                   "uts: %s is no tree; give T1, T3, T1:DEPTH (1 to 20) or T3:CHILDREN OF THE ROOT (1 to 100000)\n",
                   name.c_str());
      co_return 2;
    }
    auto const begin = std::chrono::steady_clock::now();
    auto const of_places = co_await tess::balanced(bag{*t, {{root_of(t->seed), 0}}, {}});
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    counts all;
    for (counts const& c : of_places) {
      all.nodes += c.nodes;
      all.leaves += c.leaves;
      if (c.depth > all.depth) all.depth = c.depth;
    }
    std::printf("tree %s: %llu nodes, %llu leaves, depth %u\n", name.c_str(),
                static_cast<unsigned long long>(all.nodes), static_cast<unsigned long long>(all.leaves), all.depth);
    std::fprintf(stderr, "%.3f s, %.2f million nodes a second\n", seconds,
                 static_cast<double>(all.nodes) / seconds / 1e6);
    co_return 0;
  });
}
