// copiers: all copiers and maps give isomorphic copies of random graphs and deep lists, and refuse damaged images.
// Method: the copy is compared with its source by walking both in step, which no copier does; images are damaged one
// byte or word at a time and must be refused, or still describe a graph that can be walked.
#include <cstring>

#include "runtime/graphs/check.hpp"
#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "runtime/random_graphs.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

constexpr copier copiers[] = {copier::message_passing, copier::pegasus, copier::nemesys};
constexpr copy_map maps[] = {copy_map::automatic, copy_map::linear, copy_map::hashed, copy_map::dense};

class copiers_agree : public on_layouts {};

/// `root` goes to a place and comes back as what is thrown there.
task<bool> comes_in_an_exception(container* root, place_id from) {
  try {
    co_await at(from, [](container* c) { throw graph_error<container>("thrown", c); }, root);
  } catch (graph_error<container> const& e) {
    co_return comparison().same(root, e.get());
  }
  co_return false;
}

std::vector<layout> layouts_of_graphs() {
  std::vector<layout> all = few_layouts();
  all.insert(all.end(), {{"checked", 2, 1, 2}, {"smp", 2, 1, 0, "", true}, {"smp", 2, 2, 3, "3us", true}});
  return all;
}

TEST_P(copiers_agree, on_random_graphs_with_every_map) {
  run_here([]() -> task<void> {
    random r(seed());
    for (int round = 0; round < 40; ++round) {
      co_await at(
          here(),
          [](std::uint64_t s) -> task<void> {
            random own(s);
            container* const root = make_random_graph(own, 1 + own.below(own.below(2) == 0 ? 12 : 200));
            for (copier const by : copiers) {
              for (copy_map const map : maps) {
                auto const g = copy(root, by, map);
                EXPECT_TRUE(comparison().same(root, g.get())) << "seed " << s;
              }
              auto const to = static_cast<place_id>(own.below(places()));
              graph<container> const back = co_await at(to, by, [](container* c) { return c; }, root);
              EXPECT_TRUE(comparison().same(root, back.get())) << "seed " << s;
            }
            EXPECT_TRUE(co_await comes_in_an_exception(root, static_cast<place_id>(own.below(places()))));
          },
          r.next());
    }
  });
}

TEST_P(copiers_agree, on_lists_that_are_deep) {
  run_here([]() -> task<void> {
    arena all;
    constexpr int length = 200'000;
    thing* const first = all.make<thing>();
    thing* last = first;
    for (int i = 1; i < length; ++i) last = last->a = all.make<thing>(static_cast<std::uint32_t>(i));
    for (copier const by : copiers) {
      auto const g = copy(first, by);
      std::uint32_t i = 0;
      for (thing* t = g; t != nullptr; t = t->a) {
        if (t->kind != i) break;
        ++i;
      }
      EXPECT_EQ(i, length);
    }
    co_return;
  });
}

INSTANTIATE_TEST_SUITE_P(everywhere, copiers_agree, testing::ValuesIn(layouts_of_graphs()), name_of);

/// Walks what a damaged image became: it must be a graph, whatever it says.
std::uint64_t touch(container* root) {
  std::uint64_t sum = 0;
  auto const g = copy(root, copier::nemesys, copy_map::hashed);
  sum += g->numbers.size() + g->name.size();
  return sum;
}

template <class Damage>
void damage_images(bool stream, Damage damage) {
  run_job({"smp", 1, 1}, [=]() -> task<void> {
    random r(seed());
    container* const root = make_random_graph(r, 20);
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
      detail::borrowed_walk walk;
      void const* const pointer = root;
      walk->measure(&pointer, detail::any_root_type(), detail::worker_copy_maps(), copy_map::automatic,
                    stream ? detail::graph_walk::naming::numbers : detail::graph_walk::naming::positions);
      std::vector<std::byte> bytes;
      if (stream) {
        bytes = detail::serialise(*walk);
      } else {
        bytes.resize(detail::region::blocks_begin() + walk->bytes());
        walk->write(bytes.data(), 0);
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(detail::region::blocks_begin()));
      }
      damage(r, bytes);
      detail::sent_graph const sent{
          stream ? detail::sent_graph::transport::serialised : detail::sent_graph::transport::image,
          {},
          static_cast<std::uint32_t>(walk->blocks()),
          bytes.size(),
          0};
      try {
        auto const arrived = detail::receive_graph(sent, bytes.data(), bytes.size(), detail::any_root_type());
        void* copied;
        std::memcpy(&copied, arrived.root, sizeof copied);
        graph<container> const owned(static_cast<container*>(copied), arrived.owner);
        if (copied != nullptr && detail::is_object_of<container>(copied)) touch(owned.get());
      } catch (error const&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 100);
    co_return;
  });
}

void damage_one(random& r, std::vector<std::byte>& bytes) {
  std::size_t const words = bytes.size() / 8;
  std::uint64_t word;
  std::byte* const at = bytes.data() + r.below(words) * 8;
  std::memcpy(&word, at, sizeof word);
  switch (r.below(4)) {
    case 0:
      word ^= std::uint64_t{1} << r.below(64);
      break;
    case 1:
      word = r.next();
      break;
    case 2:
      word += 8 * r.below(64);
      break;
    default:
      word = ~std::uint64_t{0};
      break;
  }
  std::memcpy(at, &word, sizeof word);
}
void truncate(random& r, std::vector<std::byte>& bytes) {
  bytes.resize(r.below(bytes.size()));
}

TEST(damaged_graphs, are_refused_and_freed_as_images) {
  damage_images(false, damage_one);
}
TEST(damaged_graphs, are_refused_and_freed_as_streams) {
  damage_images(true, damage_one);
}
TEST(damaged_graphs, are_refused_when_truncated) {
  damage_images(false, truncate);
  damage_images(true, truncate);
}

TEST(objects_of_the_stack, are_refused) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    auto* const t = make<thing>();
    alignas(8) static constinit std::byte outside[64] = {};
    t->a = reinterpret_cast<thing*>(outside + 16);
    for (copier const by : copiers) EXPECT_THROW(static_cast<void>(copy(t, by)), error);
    co_return;
  });
}

}  // namespace
}  // namespace tess::test
