// copiers: random graphs of all sorts of members are copied alike by all copiers and maps; deep lists; damaged images.
// Method: the copy is compared with its source by walking both in step, which no copier does; images are damaged one
// byte or word at a time and must be refused, or still describe a graph that can be walked.
#include <cstring>
#include <unordered_map>

#include "runtime/graph_walk.hpp"
#include "runtime/image_check.hpp"
#include "runtime/job.hpp"
#include "runtime/outgoing_graph.hpp"
#include "runtime/run_job.hpp"
#include "runtime/serialised.hpp"

namespace tess::test {
namespace {

struct thing {
  std::uint32_t kind = 0;
  thing* a = nullptr;
  thing* b = nullptr;
};
struct derived_thing : thing {
  double weight = 0;
  derived_thing* twin = nullptr;
  TESS_OBJECT(derived_thing, thing, weight, twin)
};
struct alignas(16) wide {
  std::uint64_t x = 0;
  thing* inner = nullptr;
};
struct container {
  tess::array<std::uint16_t> numbers;
  tess::array<thing*> things;
  tess::transient<std::uint64_t> cache;
  one_of<thing, wide> either;
  std::array<container*, 2> others{};
  tess::string name;
};

struct all_objects {
  std::vector<thing*> things;
  std::vector<wide*> wides;
  std::vector<container*> containers;
};

thing* pick(random& r, all_objects const& all) {
  return r.below(5) == 0 ? nullptr : all.things[r.below(all.things.size())];
}

container* make_random_graph(random& r, std::size_t size) {
  all_objects all;
  for (std::size_t i = 0; i < size; ++i) {
    thing* t = nullptr;
    if (r.below(3) == 0) {
      auto* const d = make<derived_thing>();
      d->weight = static_cast<double>(r.below(100));
      d->twin = d;
      t = d;
    } else {
      t = make<thing>();
    }
    t->kind = static_cast<std::uint32_t>(r.below(1000));
    all.things.push_back(t);
    if (r.below(4) == 0) all.wides.push_back(make<wide>(r.below(9), t));
    if (r.below(4) == 0 || i == 0) all.containers.push_back(make<container>());
  }
  for (thing* t : all.things) {
    t->a = pick(r, all);
    t->b = pick(r, all);
  }
  for (container* c : all.containers) {
    c->numbers = array<std::uint16_t>(r.below(7));
    for (auto& n : c->numbers) n = static_cast<std::uint16_t>(r.below(65536));
    if (r.below(3) == 0) c->numbers = all.containers[0]->numbers;
    c->things = array<thing*>(r.below(5));
    for (auto& t : c->things) t = pick(r, all);
    c->cache = 77;
    if (!all.wides.empty() && r.below(2) == 0)
      c->either = all.wides[r.below(all.wides.size())];
    else
      c->either = pick(r, all);
    for (auto& o : c->others) o = r.below(3) == 0 ? nullptr : all.containers[r.below(all.containers.size())];
    c->name = std::string(r.below(20), 'x');
  }
  return all.containers[0];
}

/// Walks two graphs in step; false where they differ.
class comparison {
 public:
  bool same(container* a, container* b) {
    push(a, b);
    while (good_ && !queue_.empty()) {
      auto const [x, y, compare] = queue_.back();
      queue_.pop_back();
      compare(*this, x, y);
    }
    return good_;
  }

 private:
  struct step {
    void* a;
    void* b;
    void (*compare)(comparison&, void*, void*);
  };
  void expect(bool x) { good_ = good_ && x; }
  bool meet(void* a, void* b) {
    if ((a == nullptr) != (b == nullptr)) expect(false);
    if (a == nullptr || !good_) return false;
    auto const [there, first] = forth_.try_emplace(a, b);
    auto const [back, also_first] = back_.try_emplace(b, a);
    expect(there->second == b && back->second == a && first == also_first && a != b);
    return first && good_;
  }
  void push(thing* a, thing* b) {
    if (!meet(a, b)) return;
    queue_.push_back({a, b, [](comparison& c, void* x, void* y) {
                        auto* const p = static_cast<thing*>(x);
                        auto* const q = static_cast<thing*>(y);
                        c.expect(p->kind == q->kind);
                        auto* const dp = object_cast<derived_thing>(p);
                        auto* const dq = object_cast<derived_thing>(q);
                        c.expect((dp == nullptr) == (dq == nullptr));
                        if (dp != nullptr && dq != nullptr) c.expect(dp->weight == dq->weight && dq->twin == dq);
                        c.push(p->a, q->a);
                        c.push(p->b, q->b);
                      }});
  }
  void push(container* a, container* b) {
    if (!meet(a, b)) return;
    queue_.push_back({a, b, [](comparison& c, void* x, void* y) {
                        c.compare(*static_cast<container*>(x), *static_cast<container*>(y));
                      }});
  }
  void compare(container& p, container& q) {
    expect(p.numbers.size() == q.numbers.size() && p.things.size() == q.things.size() && q.cache == 0 &&
           p.name == q.name.view());
    if (!good_) return;
    expect(std::ranges::equal(p.numbers, q.numbers));
    meet(p.numbers.data(), q.numbers.data());
    meet(p.things.data(), q.things.data());
    for (std::size_t i = 0; i < p.things.size(); ++i) push(p.things[i], q.things[i]);
    auto* const wp = p.either.get_if<wide>();
    auto* const wq = q.either.get_if<wide>();
    if (wp != nullptr && wq != nullptr) {
      expect(wp->x == wq->x && reinterpret_cast<std::uintptr_t>(wq) % 16 == 0);
      if (meet(wp, wq)) push(wp->inner, wq->inner);
    } else {
      expect(wp == wq);
      push(p.either.get_if<thing>(), q.either.get_if<thing>());
    }
    for (unsigned i = 0; i < 2; ++i) push(p.others[i], q.others[i]);
  }

  bool good_ = true;
  std::vector<step> queue_;
  std::unordered_map<void*, void*> forth_, back_;
};

constexpr copier copiers[] = {copier::message_passing, copier::pegasus, copier::nemesys};
constexpr copy_map maps[] = {copy_map::automatic, copy_map::linear, copy_map::hashed, copy_map::dense};

class copiers_agree : public on_layouts {};

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

INSTANTIATE_TEST_SUITE_P(everywhere, copiers_agree, testing::ValuesIn(few_layouts()), name_of);

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
                    stream ? detail::graph_walk::naming::numbers : detail::graph_walk::naming::places);
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

TEST(regions, stay_flat_over_many_returns_in_one_task) {
  run_job({"smp", 2, 1, 2}, []() -> task<void> {
    constexpr int calls = 20'000;
    auto const used = [] { return detail::this_place().own->left_bytes(); };
    thing* const t = make<thing>();
    for (int i = 0; i < 100; ++i) auto const g = co_await at(1, [](thing* x) { return x; }, t);
    auto const before = used();
    auto const before_there = co_await at(1, used);
    for (int i = 0; i < calls; ++i) {
      auto const g = co_await at(
          1,
          [](thing* x) -> task<thing*> {
            x->a = make<thing>(5U);
            co_return x;
          },
          t);
      EXPECT_EQ(g->a->kind, 5U);
    }
    EXPECT_LE(before - used(), std::uint64_t{8} << 20);
    EXPECT_LE(before_there - co_await at(1, used), std::uint64_t{8} << 20);
  });
}

#if defined(TESS_CHECKED) && TESS_CHECKED
TEST(regions, that_ended_are_noticed_in_checked_builds) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    thing* dead = nullptr;
    {
      arena scratch;
      dead = scratch.make<thing>();
    }
    EXPECT_THROW(static_cast<void>(copy(dead)), error);
    EXPECT_THROW(static_cast<void>(keep(dead)), error);
    int here_only = 0;
    EXPECT_THROW(static_cast<void>(copy(reinterpret_cast<thing*>(&here_only))), error);
    co_return;
  });
}
#endif

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
