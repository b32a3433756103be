// copies: times of the NMA for copies of single objects, arrays, lists and arrays of objects, with both maps, as JSON.
//
//     tess run --machine nemesys-4x4 --tile 1,1 copies            # the four families of Fig. 8
//     tess run --machine nemesys-4x4 --tile 1,1 copies check      # compares every copy with its original; faults
//
//   A bare program on the hart of a memory tile, as in the paper: it controls the units by their registers. A time is
//   from the doorbell until the hart sees the counter; building the graph and writing it back are not included.
//
// Source    NEMESYS (MEMSYS 2019), section 5.2, Fig. 8a to 8d.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "checks.hpp"
#include "graphs.hpp"

namespace bench::nemesys {
namespace {

// The type records that the units read, in the section of the runtime's records.
[[gnu::section("tess_types"), gnu::used, gnu::retain]] constinit record const types[types_count] = {
    {.bytes = 8 * plain_words[0], .mask = no_pointers},
    {.bytes = 8 * plain_words[1], .mask = no_pointers},
    {.bytes = 8 * plain_words[2], .mask = no_pointers},
    {.bytes = 8 * plain_words[3], .mask = no_pointers},
    {.bytes = 8 * plain_words[4], .mask = no_pointers},
    {.bytes = 8 * plain_words[5], .mask = no_pointers},
    {.bytes = 8 * plain_words[6], .mask = no_pointers},
    {.bytes = 8 * plain_words[7], .mask = no_pointers},
    {.bytes = 8 * plain_words[8], .mask = no_pointers},
    {.bytes = 8 * plain_words[9], .mask = no_pointers},
    {.bytes = 8 * plain_words[10], .mask = no_pointers},
    {.bytes = 8 * plain_words[11], .mask = no_pointers},
    {.bytes = 8 * plain_words[12], .mask = no_pointers},
    {.bytes = 8 * plain_words[13], .mask = no_pointers},
    {.bytes = 16, .mask = node_mask},
    {.bytes = 56, .mask = branch_mask},
    {.bytes = 8, .kind = layout::data_array},
    {.bytes = 8, .kind = layout::pointer_array}};

using maker = std::uint64_t (*)(heap&, std::uint64_t);

struct family {
  char const* name;
  char const* size;  ///< what its sizes count
  maker make;
  std::vector<std::uint64_t> sizes;
  std::uint64_t objects_for_each;  ///< in addition to one
};

struct point {
  std::uint64_t size;
  double us;
};

double copied_us(heap& objects, heap& copies, family const& of, std::uint64_t size, registers::nma::map_code map) {
  objects.clear();
  copies.clear();
  std::uint64_t const root = of.make(objects, size);
  range(registers::ranges::flush, objects.begin(), objects.used());
  std::uint64_t const room = (objects.used() + first_block + 63) / 64 * 64;
  std::uint64_t const chunk = copies.chunk(room);
  std::uint64_t const count = of.objects_for_each == 0 ? 1 : size + (of.objects_for_each - 1);
  ended const how = copy(root, chunk, room, first_block, count, map);
  if (how.error != registers::graph_fault::none) {
    std::fprintf(stderr, "nemesys-copies: %s of %llu: fault %llu\n", of.name, static_cast<unsigned long long>(size),
                 static_cast<unsigned long long>(how.error));
    std::exit(1);
  }
  return static_cast<double>(how.cycles * information(registers::information::clock_ps)) / 1e6;
}

/// Least squares through the points from `first` on.
void print_line(std::vector<point> const& points, std::size_t first) {
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = first; i < points.size(); ++i) {
    auto const size = static_cast<double>(points[i].size);
    n += 1;
    x += size;
    y += points[i].us;
    xx += size * size;
    xy += size * points[i].us;
  }
  double const slope = (n * xy - x * y) / (n * xx - x * x);
  std::printf("\"setup_us\": %.3f, \"slope_us\": %.5f", (y - slope * x) / n, slope);
}

void print_family(heap& objects, heap& copies, family const& of, registers::nma::map_code map, bool last) {
  std::vector<point> points;
  for (std::uint64_t const size : of.sizes) points.push_back({size, copied_us(objects, copies, of, size, map)});
  std::printf("    {\"family\": \"%s\", \"size\": \"%s\", \"map\": \"%s\", ", of.name, of.size,
              map == registers::nma::linear ? "linear" : "hashed");
  print_line(points, points.size() / 2);
  std::printf(", \"us\": [");
  for (std::size_t i = 0; i < points.size(); ++i)
    std::printf("%s[%llu, %.2f]", i == 0 ? "" : ", ", static_cast<unsigned long long>(points[i].size), points[i].us);
  std::printf("]}%s\n", last ? "" : ",");
}

int measure(heap& objects, heap& copies) {
  std::vector<std::uint64_t> objects_of_words;
  for (std::size_t i = 0; i < plain_words.size(); ++i) objects_of_words.push_back(plain_words[i]);
  std::vector<std::uint64_t> const lengths{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  auto const plain = [](heap& in, std::uint64_t words) {
    std::size_t which = 0;
    while (plain_words[which] != words) ++which;
    return make_plain(in, which);
  };
  family const families[] = {
      {"object", "words", plain, objects_of_words, 0},
      {"array", "words", make_array, {1, 8, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768}, 0},
      {"list", "elements", make_list, lengths, 1},
      {"objects", "elements", make_objects, lengths, 2},
  };
  std::printf("{\n  \"tile\": %llu,\n  \"copies\": [\n",
              static_cast<unsigned long long>(information(registers::information::tile)));
  for (family const& one : families) {
    print_family(objects, copies, one, registers::nma::linear, false);
    print_family(objects, copies, one, registers::nma::hashed, &one == &families[3]);
  }
  std::printf("  ]\n}\n");
  return 0;
}

}  // namespace
}  // namespace bench::nemesys

int main(int argc, char** argv) {
  using namespace bench::nemesys;  // NOLINT: main of this namespace
  std::uint64_t const begin = own_row(registers::information::row_partition);
  std::uint64_t const half = own_row(registers::information::row_partition_bytes) / 2 / 4096 * 4096;
  heap objects(begin, begin + half);
  heap copies(begin + half, begin + 2 * half);
  bool const checks = argc == 2 && std::string_view(argv[1]) == "check";
  if (argc != 1 && !checks) return std::fputs("nemesys-copies: takes no argument but `check`\n", stderr), 2;
  return checks ? check_all(objects, copies) : measure(objects, copies);
}
