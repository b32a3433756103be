// measure: the size of a closure's graph, computed from the C++ types, is what the runtime copies. Method: a benchmark
// object with every kind of member, copied by every copier at one place; and sizes computed by hand.
#include "imsuite/measure.hpp"

#include <tuple>

#include "imsuite/builder.hpp"
#include "runtime/run_job.hpp"

namespace imsuite::test {
namespace {

struct everything {
  struct node {};
  struct fields {
    x10::int_array* matrix;
    x10::int_array* ids;
    x10::dist_array<std::uint8_t>* flags;
    x10::dist_array<double>* absent;
    std::int32_t root;

    [[nodiscard]] auto references() const { return std::tuple(matrix, ids, flags, absent); }
  };
};
using object = benchmark<everything>;

struct with_array {
  x10::int_array* also;
  [[nodiscard]] auto references() const { return std::tuple(also); }
};

tess::task<object*> make_everything(builder& make, std::int32_t nodes) {
  auto* const self = co_await make.object<everything>(0);
  std::vector<std::uint8_t> const bits(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
  std::vector<std::int32_t> const ids(static_cast<std::size_t>(nodes));
  self->own = {make_matrix(nodes, bits), make_ints(ids), co_await make.array<std::uint8_t>(), nullptr, 3};
  co_return self;
}

template <class Root>
void expect_copied(Root* root) {
  graph_size const found = measure(root).size();
  for (auto const by : {tess::copier::message_passing, tess::copier::pegasus, tess::copier::nemesys}) {
    tess::copy_counts counts;
    auto const copied = tess::copy(root, by, tess::copy_map::automatic, &counts);
    EXPECT_EQ(counts.objects, found.objects + found.arrays);
    EXPECT_EQ(measure(copied.get()).size(), found);
    if (by == tess::copier::nemesys) {
      // The image: the part before the first block, the blocks, and their alignment.
      EXPECT_GE(counts.bytes, found.bytes);
      EXPECT_LE(counts.bytes, found.bytes + 128 + 8 * counts.objects);
    }
  }
}

TEST(measured_graphs, are_what_the_runtime_copies) {
  tess::test::run_job({"smp", 3, 1}, []() -> tess::task<void> {
    builder make(11);
    object* const self = co_await make_everything(make, 11);
    auto* const to = tess::make<x10::point>(5);
    auto* const swept = tess::make<sweep_closure<everything>>(self, to);
    expect_copied(swept);
    expect_copied(tess::make<evaluation<everything>>(swept));
    expect_copied(tess::make<closure<everything, std::int32_t>>(self, to, 7));
    expect_copied(tess::make<closure<everything, with_array>>(self, to, with_array{self->own.ids}));
    expect_copied(tess::make<closure<everything, with_array>>(self, to, with_array{make_ints(std::vector{1, 2, 3})}));
    expect_copied(tess::make<x10::box<double>>(0.5));
    expect_copied(self->own.flags);
    co_await make.release();
  });
}

TEST(measured_graphs, are_sums_of_words) {
  tess::test::run_job({"smp", 2, 1}, []() -> tess::task<void> {
    builder make(16);
    object* const self = co_await make_everything(make, 16);
    auto* const root = tess::make<sweep_closure<everything>>(self, tess::make<x10::point>(0));
    graph_size const found = measure(root).size();
    // Closure, benchmark, region, distribution, place group, 3 distributed arrays, 2 arrays with their regions, point.
    EXPECT_EQ(found.objects, 13U);
    EXPECT_EQ(found.arrays, 2U);
    std::uint64_t const benchmark_words = 1 + 7 + 5;  // header, the common members, the kernel's
    std::uint64_t const words = 3 + benchmark_words + 4 + 3 + 2 + 3 * 3 + 2 * (5 + 4) + (2 + 128) + (2 + 8) + 2;
    EXPECT_EQ(found.bytes, 8 * words);
    co_await make.release();
  });
}

TEST(block_distributions, give_the_first_places_one_more) {
  x10::region indices{1, {0, 0}, {63, 0}};
  x10::place_group group{14};
  x10::distribution const d{&indices, &group};
  std::vector<int> owned(14);
  for (std::int32_t i = 0; i < 64; ++i) {
    ++owned.at(d(i));
    EXPECT_LE(d.begin(d(i)), i);
    EXPECT_GT(d.begin(d(i) + 1), i);
  }
  EXPECT_EQ(owned, (std::vector{5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4}));
  // Fewer nodes than places.
  x10::region few{1, {0, 0}, {2, 0}};
  x10::distribution const sparse{&few, &group};
  for (std::int32_t i = 0; i < 3; ++i) EXPECT_EQ(sparse(i), i);
}

}  // namespace
}  // namespace imsuite::test
