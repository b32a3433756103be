// main: copies of object graphs by the runtime, against a hand-written copy, Boost.Serialization, cereal and memcpy.
//
//   Ours is tess::copy with the default copier: it measures the graph, allocates a region, writes the copy with final
//   pointers, and frees it; the case `at` adds the cost of a call. Both sides reuse memory from copy to copy.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "graph_copy/hand_written.hpp"
#include "graph_copy/libraries.hpp"
#include "graph_copy/shapes.hpp"
#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"

namespace {

using bench::shape;

struct node {
  std::uint64_t value = 0;
  node* next = nullptr;
  node* previous = nullptr;
  std::uint64_t weight = 0;
};
struct tree_node {
  std::uint64_t value = 0;
  tree_node* left = nullptr;
  tree_node* right = nullptr;
  std::uint64_t weight = 0;
};
struct vertex_node {
  std::uint64_t value = 0;
  std::array<vertex_node*, 4> edges{};
  tess::array<double> numbers;
};
struct holder {
  tess::array<double> numbers;
};

struct ours {
  using node = ::node;
  using tree = tree_node;
  using vertex = vertex_node;
  tess::arena& arena;
  template <class T>
  T* object() {
    return arena.make<T>();
  }
  void give_numbers(vertex_node& v, std::size_t count) { v.numbers = arena.make_array<double>(count); }
};

/// Plain structs are contiguous, as our objects are.
struct plain {
  using node = bench::plain_node;
  using tree = bench::plain_tree;
  using vertex = bench::plain_vertex;
  std::vector<std::byte> memory;
  std::size_t used = 0;
  explicit plain(std::size_t bytes) : memory(bytes) {}
  template <class T>
  T* object() {
    return new (take(sizeof(T))) T;
  }
  void give_numbers(bench::plain_vertex& v, std::size_t count) {
    v.numbers = reinterpret_cast<double*>(take(count * sizeof(double)));
    v.numbers_count = count;
  }
  std::byte* take(std::size_t bytes) {
    std::byte* const at = memory.data() + used;
    used += bytes;
    return at;
  }
};

std::size_t rounds_for(std::size_t count) {
  return std::max<std::size_t>(1, 400'000 / count);
}

template <class Build>
double our_copy(std::size_t count, Build build, tess::copier by = tess::copier::nemesys,
                tess::copy_map map = tess::copy_map::automatic) {
  return bench::in_job(1, [=]() -> tess::task<double> {
    tess::arena arena;
    ours make{arena};
    auto* const root = build(make);
    for (int warm = 0; warm < 3; ++warm) auto const g = tess::copy(root, by, map);
    std::size_t const rounds = rounds_for(count);
    double const seconds = bench::seconds_of([&] {
      for (std::size_t i = 0; i < rounds; ++i) auto const g = tess::copy(root, by, map);
    });
    co_return seconds* bench::ns_per_second / static_cast<double>(rounds * count);
  });
}

template <class Build>
double hand_copy(std::size_t count, Build build) {
  plain make(count * 200);
  auto* const root = build(make);
  bench::hand_written_copy<std::remove_pointer_t<decltype(build(make))>> copier;
  std::size_t found = 0;
  for (int warm = 0; warm < 3; ++warm) copier.copy(root, found);
  std::size_t const rounds = rounds_for(count);
  double const seconds = bench::seconds_of([&] {
    for (std::size_t i = 0; i < rounds; ++i) copier.copy(root, found);
  });
  return seconds * bench::ns_per_second / static_cast<double>(rounds * count);
}

std::string size_name(std::size_t count) {
  std::string text = "10^";
  unsigned exponent = 0;
  for (; count >= 10; count /= 10) ++exponent;
  return text + std::to_string(exponent);
}

/// Both libraries recurse along the graph; this size fits on a stack of 8 MiB.
bool survives(shape s, std::size_t count, std::size_t depth_most) {
  return BENCH_LIBRARIES != 0 && (s == shape::tree ? count <= 1'000'000 : count <= depth_most);
}

template <shape S>
void compare(bench::suite& suite, std::string const& name, std::size_t count, bool shuffled = false) {
  auto const made = [=](auto& make) {
    if constexpr (S == shape::list)
      return bench::build_list(make, count, shuffled);
    else if constexpr (S == shape::tree)
      return bench::build_tree(make, count);
    else
      return bench::build_graph(make, count);
  };
  std::string const full = name + " " + size_name(count);
  suite.pair(
      full + ", hand-written", 1, "ns", [&] { return hand_copy(count, made); }, [&] { return our_copy(count, made); });
  if (shuffled) return;
  if (survives(S, count, 1'000))
    suite.pair(
        full + ", Boost.Serialization", 1, "ns", [&] { return bench::boost_copy_ns(S, count); },
        [&] { return our_copy(count, made); });
  if (survives(S, count, 10'000))
    suite.pair(
        full + ", cereal", 1, "ns", [&] { return bench::cereal_copy_ns(S, count); },
        [&] { return our_copy(count, made); });
}

double our_array(std::size_t bytes) {
  return bench::in_job(1, [=]() -> tess::task<double> {
    tess::arena arena;
    auto* const h = arena.make<holder>(arena.make_array<double>(bytes / sizeof(double)));
    for (int warm = 0; warm < 2; ++warm) auto const g = tess::copy(h);
    std::size_t const rounds = std::max<std::size_t>(1, (std::size_t{64} << 20) / bytes);
    double const seconds = bench::seconds_of([&] {
      for (std::size_t i = 0; i < rounds; ++i) auto const g = tess::copy(h);
    });
    co_return seconds* bench::ns_per_second / static_cast<double>(rounds);
  });
}

double plain_array(std::size_t bytes) {
  // In the segment, so that both use the same kind of pages.
  return bench::in_job(1, [=]() -> tess::task<double> {
    auto const from = tess::allocate<std::byte>(bytes);
    auto const to = tess::allocate<std::byte>(bytes);
    std::memset(from.local(), 1, bytes);
    std::memset(to.local(), 1, bytes);
    std::size_t const rounds = std::max<std::size_t>(1, (std::size_t{64} << 20) / bytes);
    double const seconds = bench::seconds_of([&] {
      for (std::size_t i = 0; i < rounds; ++i) {
        std::memcpy(to.local(), from.local(), bytes);
        asm volatile("" : : : "memory");
      }
    });
    tess::deallocate(from);
    tess::deallocate(to);
    co_return seconds* bench::ns_per_second / static_cast<double>(rounds);
  });
}

struct pair_of_words {
  std::uint64_t a, b, c, d;
};

tess::task<double> calls(bool with_graph) {
  constexpr std::uint64_t rounds = 50'000;
  auto* const n = tess::make<node>();
  pair_of_words const same_bytes{1, 2, 3, 4};
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    if (with_graph)
      co_await tess::at(1, [](node*) {}, n);
    else
      co_await tess::at(1, [](pair_of_words) {}, same_bytes);
  }
  co_return (bench::timestamp() - begin) * bench::ns_per_second / rounds;
}

void compare_maps(bench::suite& suite) {
  for (std::size_t const count : {1U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 1024U}) {
    auto const list = [=](auto& make) { return bench::build_list(make, count, false); };
    for (auto const& [map, name] : {std::pair{tess::copy_map::linear, "linear"},
                                    {tess::copy_map::hashed, "hashed"},
                                    {tess::copy_map::dense, "dense"},
                                    {tess::copy_map::automatic, "auto"}})
      suite.alone("map " + std::string(name) + ", list of " + std::to_string(count), 1, "ns",
                  [&] { return our_copy(count, list, tess::copier::nemesys, map); });
  }
}

void compare_copiers(bench::suite& suite) {
  auto const list = [](auto& make) { return bench::build_list(make, 10'000, false); };
  for (auto const& [by, name] : {std::pair{tess::copier::message_passing, "message_passing"},
                                 {tess::copier::pegasus, "pegasus"},
                                 {tess::copier::nemesys, "nemesys"}})
    suite.alone("copier " + std::string(name) + ", list 10^4", 1, "ns", [&] { return our_copy(10'000, list, by); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("copies of object graphs, in ns per object; the limit is whom it is compared with");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("graph-copy", chosen);
  for (std::size_t const count : {100U, 1'000U, 10'000U, 100'000U, 1'000'000U}) {
    compare<shape::list>(suite, "list", count);
    compare<shape::list>(suite, "shuffled list", count, true);
    compare<shape::tree>(suite, "tree", count);
    compare<shape::graph>(suite, "graph", count);
  }
  for (std::size_t kib = 1; kib <= 256 * 1024; kib *= 4)
    suite.pair(
        "array " + std::to_string(kib) + " KiB, memcpy", 1, "ns", [=] { return plain_array(kib << 10U); },
        [=] { return our_array(kib << 10U); });
  suite.pair(
      "at with a one-object graph, with its bytes", 2, "ns",
      [] { return bench::in_job(2, [] { return calls(false); }); },
      [] { return bench::in_job(2, [] { return calls(true); }); });
  compare_maps(suite);
  compare_copiers(suite);
  return suite.finish();
}
