// shared_source: several tasks send parts of one graph at once, to several places, by every copier, without writing it.
// Method: all bytes of the source's region are compared with what they were; what came back with what was sent; and
// ThreadSanitizer sees every store beside the other tasks' loads.
#include <cstring>

#include "runtime/random_graphs.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

constexpr copier copiers[] = {copier::message_passing, copier::pegasus, copier::nemesys};
constexpr unsigned tasks_count = 8;
constexpr unsigned rounds = 6;

/// Every byte of the region that holds `object`.
std::vector<std::byte> region_bytes(void const* object) {
  std::vector<std::byte> all;
  for (detail::chunk const* c = detail::region_of(object)->first(); c != nullptr; c = c->next) {
    auto const* const begin = reinterpret_cast<std::byte const*>(c);
    all.insert(all.end(), begin, begin + c->bytes);
  }
  return all;
}

task<void> send_parts(container* root, unsigned number) {
  for (unsigned round = 0; round < rounds; ++round) {
    copier const by = copiers[(number + round) % 3];
    auto const to = static_cast<place_id>((number / 2 + round) % places());
    container* part = root->others[number % 2];
    if (part == nullptr || round % 2 == 0) part = root;
    graph<container> const back = co_await at(to, by, [](container* c) { return c; }, part);
    EXPECT_TRUE(comparison().same(part, back.get()));
    // The arguments share what both lead to.
    EXPECT_TRUE(co_await at(
        to, by, [](container* whole, container* again, thing* none) { return whole == again && none == nullptr; }, part,
        part, nullptr));
  }
}

class shared_source : public on_layouts {};

TEST_P(shared_source, is_never_written_by_those_who_copy_it) {
  run_here([]() -> task<void> {
    co_await at(
        here(),
        [](std::uint64_t s) -> task<void> {
          random r(s);
          container* const root = make_random_graph(r, 80);
          std::vector<std::byte> const before = region_bytes(root);
          co_await finish([root] {
            for (unsigned t = 0; t < tasks_count; ++t) spawn(send_parts, root, t);
          });
          EXPECT_TRUE(region_bytes(root) == before);
        },
        seed());
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, shared_source,
                         testing::Values(layout{"smp", 1, 1}, layout{"smp", 3, 1, 3}, layout{"smp", 3, 4, 6},
                                         layout{"hostile", 3, 2, 4}, layout{"smp", 2, 2, 3, "3us", true}),
                         name_of);

}  // namespace
}  // namespace tess::test
