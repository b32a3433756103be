// at_objects: calls take and return graphs, with every copier, and the copies end with the calls.
// Method: graphs below and above what a message holds go to every place of every layout, by each copier; what comes
// back is compared with what was sent.
#include "runtime/run_job.hpp"
#include "runtime/sanitized.hpp"

namespace tess::test {
namespace {

struct node {
  std::int64_t value = 0;
  node* next = nullptr;
  node* previous = nullptr;
};

/// A ring of `count` nodes, linked both ways.
node* make_ring(int count) {
  node* const first = make<node>();
  node* last = first;
  for (int i = 1; i < count; ++i) {
    auto* const n = make<node>(i, nullptr, last);
    last->next = n;
    last = n;
  }
  last->next = first;
  first->previous = last;
  return first;
}
std::int64_t check_ring(node* first, std::int64_t offset) {
  std::int64_t count = 0;
  node* n = first;
  do {
    if (n->value != count + offset || n->next->previous != n) return -1;
    n = n->next;
    ++count;
  } while (n != first);
  return count;
}

constexpr copier copiers[] = {copier::message_passing, copier::pegasus, copier::nemesys};

class at_objects : public on_layouts {};

TEST_P(at_objects, take_and_return_graphs_of_any_size_by_every_copier) {
  run_here([]() -> task<void> {
    for (int const count : {1, 3, 40, 700}) {
      node* const ring = make_ring(count);
      for (copier const by : copiers)
        for (unsigned p = 0; p < places(); ++p) {
          auto const to = static_cast<place_id>(p);
          EXPECT_EQ(co_await at(to, by, [](node* r) { return check_ring(r, 0); }, ring), count);
          graph<node> const back = co_await at(
              to, by,
              [](node* r, int add) -> task<node*> {
                node* n = r;
                do {
                  n->value += add;
                  n = n->next;
                } while (n != r);
                co_await yield();
                co_return r;
              },
              ring, 5);
          EXPECT_EQ(check_ring(back, 5), count);
          graph<node> const plain = co_await at(to, by, [](node* r) { return r; }, ring);
          EXPECT_TRUE(check_ring(plain, 0) == count && plain.get() != ring);
          graph<node> const made = co_await at(to, by, [](int n) { return make_ring(n); }, count);
          EXPECT_EQ(check_ring(made, 0), count);
        }
      EXPECT_EQ(check_ring(ring, 0), count);
    }
  });
}

TEST_P(at_objects, take_and_return_graphs_that_just_fit_a_message) {
  run_here([]() -> task<void> {
    auto const to = static_cast<place_id>(places() - 1);
    for (copier const by : copiers)
      // A ring of this many nodes takes about one message.
      for (int count = 60; count < 135; count += is_emulated ? 5 : 1) {
        node* const ring = make_ring(count);
        graph<node> const back = co_await at(to, by, [](node* r) { return r; }, ring);
        EXPECT_EQ(check_ring(back, 0), count);
        std::array<char, 400> const more{};
        EXPECT_EQ(co_await at(to, by, [more](node* r) { return check_ring(r, 0) + more[0]; }, ring), count);
        co_await finish([=] { at_async(to, by, [more](node* r) { return check_ring(r, 0) + more[0]; }, ring); });
      }
  });
}

TEST_P(at_objects, keep_what_arguments_share) {
  run_here([]() -> task<void> {
    node* const a = make<node>(1);
    node* const b = make<node>(2, a);
    array<node*> const both{a, b};
    for (copier const by : copiers)
      for (unsigned p = 0; p < places(); ++p)
        EXPECT_TRUE(co_await at(
            static_cast<place_id>(p), by,
            [](node* x, node* y, array<node*> all, node* none, node* again) {
              return y->next == x && all.size() == 2 && all[0] == x && all[1] == y && none == nullptr && again == x;
            },
            a, b, both, nullptr, a));
  });
}

TEST_P(at_objects, sent_without_waiting_are_copied_at_the_call) {
  run_here([]() -> task<void> {
    auto const sums = co_await place_local<std::atomic<std::int64_t>>::make(0);
    for (int const count : {2, 500}) {
      for (copier const by : copiers)
        co_await finish([&]() -> task<void> {
          node* const ring = make_ring(count);
          for (unsigned p = 0; p < places(); ++p) {
            at_async(
                static_cast<place_id>(p), by,
                [](node* r, place_local<std::atomic<std::int64_t>> s) -> task<void> {
                  co_await yield();
                  *s += check_ring(r, 0);
                  spawn(
                      [](node* later, place_local<std::atomic<std::int64_t>> t) -> task<void> {
                        for (int i = 0; i < 5; ++i) co_await yield();
                        *t += check_ring(later, 0);
                      },
                      r, s);
                },
                ring, sums);
            at_async(
                static_cast<place_id>(p), by,
                [](node* r, place_local<std::atomic<std::int64_t>> s) { *s += check_ring(r, 0); }, ring, sums);
            co_await at_async_copied(
                static_cast<place_id>(p), by,
                [](node* r, place_local<std::atomic<std::int64_t>> s) { *s += check_ring(r, 0); }, ring, sums);
          }
          for (node* n = ring->next; n != ring; n = n->next) n->value = -7;
        });
      for (unsigned p = 0; p < places(); ++p) {
        std::int64_t const sum = co_await at(
            static_cast<place_id>(p), [](place_local<std::atomic<std::int64_t>> s) { return s->exchange(0); }, sums);
        EXPECT_EQ(sum, 4 * 3 * count);
      }
    }
    co_await place_local<std::atomic<std::int64_t>>::release(sums);
  });
}

TEST_P(at_objects, refuse_a_result_that_make_did_not_make) {
  run_here([]() -> task<void> {
    for (unsigned p = 0; p < places(); ++p) {
      auto const to = static_cast<place_id>(p);
      std::string text;
      try {
        static_cast<void>(co_await at(to, [] {
          static int number = 7;
          return &number;
        }));
      } catch (error const& e) {
        text = e.what();
      }
      EXPECT_TRUE(text.starts_with("the result of at: an address outside the objects of place " + std::to_string(p)))
          << text;
      EXPECT_TRUE(text.contains("; expected an object made by tess::make")) << text;
      EXPECT_EQ(*co_await at(to, [] { return make<int>(7); }), 7);
    }
  });
}

TEST_P(at_objects, carry_graphs_in_exceptions) {
  run_here([]() -> task<void> {
    for (int const count : {3, 900})
      for (unsigned p = 0; p < places(); ++p) {
        auto const to = static_cast<place_id>(p);
        bool caught = false;
        try {
          co_await at(
              to,
              [](node* r) -> task<void> {
                co_await yield();
                throw graph_error<node>("a ring", r);
              },
              make_ring(count));
        } catch (graph_error<node> const& e) {
          caught = check_ring(e.get(), 0) == count && std::string(e.what()) == "a ring";
        }
        EXPECT_TRUE(caught);
        caught = false;
        try {
          co_await at(to, [](int n) { throw graph_error<node>("made there", make_ring(n)); }, count);
        } catch (graph_error<node> const& e) {
          caught = check_ring(e.get(), 0) == count;
        }
        EXPECT_TRUE(caught);
      }
  });
}

TEST_P(at_objects, keep_what_is_kept_and_drop_the_rest) {
  run_here([]() -> task<void> {
    for (unsigned p = 0; p < places(); ++p) {
      auto const to = static_cast<place_id>(p);
      auto const ref = co_await at(to, [](node* r) { return global_ref<node>(keep(r)); }, make_ring(300));
      EXPECT_EQ(co_await at(
                    to,
                    [](global_ref<node> r) {
                      std::int64_t const count = check_ring(r.get(), 0);
                      discard(r.get());
                      return count;
                    },
                    ref),
                300);
    }
    graph<node> g = co_await at(0, [] { return make_ring(4); });
    node* const kept = keep(std::move(g));
    EXPECT_EQ(check_ring(kept, 0), 4);
    discard(kept);
  });
}

TEST_P(at_objects, may_be_abandoned) {
  run_here([]() -> task<void> {
    for (int const count : {2, 600})
      co_await finish([&]() -> task<void> {
        node* const ring = make_ring(count);
        for (copier const by : copiers)
          for (unsigned p = 0; p < places(); ++p)
            at(static_cast<place_id>(p), by, [](node* r) { return r; }, ring).abandon();
        co_return;
      });
  });
}

INSTANTIATE_TEST_SUITE_P(everywhere, at_objects, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
