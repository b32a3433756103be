// software: times and instructions of software copiers for the graphs of Fig. 8, on a memory tile's hart: those of the
// runtime, and one that looks up each word's mask.
//
//     tess run --machine nemesys-4x4 --tile 1,1 --places 1 --workers 1 nemesys-software           # JSON
//     tess run --machine nemesys-4x4 --tile 1,1 --places 1 --workers 1 nemesys-software short     # fewer sizes
//
//   As nemesys-copies and as in the paper, the program has the hart for itself, and there is no operating system. Each
//   graph is copied twice over: `memory`, the graph having been flushed from the caches, as at a place that invalidates
//   what others wrote; and `cache`, where it is in the L2 as far as it fits. The second of two copies counts, so that
//   the code is cached and the copy's memory was used before.
//
// Source    NEMESYS (MEMSYS 2019), section 5.2, Fig. 8a to 8d: the lines of Pegasus.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs.hpp"
#include "mask_copier.hpp"
#include "tess/tess.hpp"
#include "units.hpp"

namespace bench::nemesys {
namespace {

template <std::size_t Words>
struct plain {
  std::array<std::int64_t, Words> values;
};
struct node {
  std::int64_t value;
  node* next;
};
struct words {
  tess::array<std::int64_t> all;
};
struct plains {
  tess::array<plain<1>*> all;
};

/// Memory that a copy reads, to be flushed: begin and bytes.
using extents = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add(extents& to, void const* begin, std::uint64_t bytes, std::uint64_t front = layout::front_bytes) {
  to.emplace_back(reinterpret_cast<std::uint64_t>(begin) - front, bytes + front);
}

struct taken {
  double us = 0;
  std::uint64_t instructions = 0;
};

std::uint64_t instructions() {
  std::uint64_t now = 0;
  asm volatile("rdinstret %0" : "=r"(now)::"memory");
  return now;
}

struct way {
  std::optional<tess::copier> by;  ///< none: mask_copier
  bool from_memory;
};

template <std::size_t Words>
bool same(plain<Words> const& one, plain<Words> const& other) {
  return one.values == other.values;
}
bool same(words const& one, words const& other) {
  return std::ranges::equal(one.all, other.all);
}
bool same(plains const& one, plains const& other) {
  return std::ranges::equal(one.all, other.all, [](auto const* a, auto const* b) { return same(*a, *b); });
}
bool same(node const& one, node const& other) {
  node const* a = &one;
  node const* b = &other;
  for (; a != nullptr && b != nullptr && a->value == b->value; b = b->next) a = a->next;
  return a == nullptr && b == nullptr;
}

template <class Copy>
taken timed(Copy const& copy) {
  std::uint64_t const cycles = cycle();
  std::uint64_t const count = instructions();
  [[maybe_unused]] auto const made = copy();  // ends after the time was taken
  taken result;
  result.instructions = instructions() - count;
  result.us = static_cast<double>((cycle() - cycles) * information(registers::information::clock_ps)) / 1e6;
  return result;
}

template <class Root>
taken timed_by_masks(Root* root, extents const& read) {
  std::uint64_t bytes = 0;
  for (auto const& [begin, count] : read) bytes += count;
  mask_copier copier(read.size(), bytes);
  std::uint64_t copy = 0;
  taken const result = timed([&] { return copy = copier.copy(reinterpret_cast<std::uint64_t>(root)); });
  if (!same(*root, *reinterpret_cast<Root const*>(copy))) {
    std::fputs("nemesys-software: mask_copier has made a wrong copy\n", stderr);
    std::exit(1);
  }
  return result;
}

template <class Root>
taken take(Root* root, extents const& read, way how) {
  taken result;
  for (int i = 0; i < 2; ++i) {
    if (how.from_memory)
      for (auto const& [begin, bytes] : read) range(registers::ranges::flush, begin, bytes);
    result =
        how.by ? timed([&] { return tess::copy(root, *how.by, tess::copy_map::hashed); }) : timed_by_masks(root, read);
  }
  return result;
}

struct point {
  std::uint64_t size;
  taken took;
};

/// One object for each index into plain_words.
template <std::size_t... Index>
std::vector<point> objects(way how, std::size_t step, std::index_sequence<Index...>) {
  std::vector<point> points;
  auto const one = [&]<std::size_t I>() {
    if (I % step != 0) return;
    tess::arena scratch;
    auto* const made = scratch.make<plain<plain_words[I]>>();
    for (auto& value : made->values) value = 7;
    extents read;
    add(read, made, sizeof *made);
    points.push_back({plain_words[I], take(made, read, how)});
  };
  (one.template operator()<Index>(), ...);
  return points;
}

point copied_array(way how, std::uint64_t size) {
  tess::arena scratch;
  auto* const made = scratch.make<words>(scratch.make_array<std::int64_t>(size));
  extents read;
  add(read, made, sizeof *made);
  add(read, made->all.data(), size * 8, layout::array_front_bytes);
  return {size, take(made, read, how)};
}

point copied_list(way how, std::uint64_t size) {
  tess::arena scratch;
  extents read;
  node* first = nullptr;
  for (std::uint64_t i = 0; i < size; ++i) {
    first = scratch.make<node>(static_cast<std::int64_t>(i), first);
    add(read, first, sizeof *first);
  }
  return {size, take(first, read, how)};
}

point copied_objects(way how, std::uint64_t size) {
  tess::arena scratch;
  extents read;
  auto* const made = scratch.make<plains>(scratch.make_array<plain<1>*>(size));
  add(read, made, sizeof *made);
  add(read, made->all.data(), size * 8, layout::array_front_bytes);
  for (auto& one : made->all) {
    one = scratch.make<plain<1>>();
    add(read, one, sizeof *one);
  }
  return {size, take(made, read, how)};
}

struct line {
  double setup = 0;
  double slope = 0;
};

/// The slope by least squares through the second half of the points; and the smallest graph without its words.
template <class Value>
line fitted(std::vector<point> const& points, Value const& value) {
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = points.size() / 2; i < points.size(); ++i) {
    auto const size = static_cast<double>(points[i].size);
    n += 1;
    x += size;
    y += value(points[i]);
    xx += size * size;
    xy += size * value(points[i]);
  }
  double const slope = (n * xy - x * y) / (n * xx - x * x);
  return {value(points.front()) - slope * static_cast<double>(points.front().size), slope};
}

void print(char const* family, char const* size, char const* by, bool from_memory, std::vector<point> const& points,
           bool last) {
  line const us = fitted(points, [](point const& p) { return p.took.us; });
  line const count = fitted(points, [](point const& p) { return static_cast<double>(p.took.instructions); });
  std::printf("    {\"family\": \"%s\", \"size\": \"%s\", \"copier\": \"%s\", \"from\": \"%s\", ", family, size, by,
              from_memory ? "memory" : "cache");
  std::printf("\"setup_us\": %.3f, \"slope_us\": %.5f, ", us.setup, us.slope);
  std::printf("\"setup_instructions\": %.0f, \"slope_instructions\": %.3f, \"us\": [", count.setup, count.slope);
  for (point const& p : points)
    std::printf("%s[%llu, %.2f, %llu]", &p == points.data() ? "" : ", ", static_cast<unsigned long long>(p.size),
                p.took.us, static_cast<unsigned long long>(p.took.instructions));
  std::printf("]}%s\n", last ? "" : ",");
}

template <class Make>
std::vector<point> each(std::vector<std::uint64_t> const& sizes, way how, Make const& make) {
  std::vector<point> points;
  for (std::uint64_t const size : sizes) points.push_back(make(how, size));
  return points;
}

void measure(bool quick) {
  using sizes_of = std::vector<std::uint64_t>;
  auto const lengths = quick ? sizes_of{1, 8, 64, 128} : sizes_of{1, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096};
  // The slope is that of the second half: more than the L1, at most half of the L2.
  auto const sizes = quick ? sizes_of{1, 64, 8192, 12288} : sizes_of{1, 64, 1024, 8192, 16384, 32768};
  std::printf("{\n  \"copies\": [\n");
  struct named {
    std::optional<tess::copier> by;
    char const* name;
  };
  for (auto const& [by, name] : {named{tess::copier::pegasus, "pegasus"}, named{std::nullopt, "masks"},
                                 named{tess::copier::message_passing, "message_passing"}}) {
    for (bool const from_memory : {true, false}) {
      way const how{by, from_memory};
      bool const last = by == tess::copier::message_passing && !from_memory;
      auto const plain = objects(how, quick ? 4 : 1, std::make_index_sequence<plain_words.size()>());
      print("object", "words", name, from_memory, plain, false);
      print("array", "words", name, from_memory, each(sizes, how, copied_array), false);
      print("list", "elements", name, from_memory, each(lengths, how, copied_list), false);
      print("objects", "elements", name, from_memory, each(lengths, how, copied_objects), last);
    }
  }
  std::printf("  ]\n}\n");
}

}  // namespace
}  // namespace bench::nemesys

int main(int argc, char** argv) {
  bool const quick = argc == 2 && std::string_view(argv[1]) == "short";
  if (argc != 1 && !quick) return std::fputs("nemesys-software: takes no argument but `short`\n", stderr), 2;
  return tess::run(argc, argv, [quick](tess::args) -> tess::task<int> {
    bench::nemesys::measure(quick);
    co_return 0;
  });
}
