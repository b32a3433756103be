// object: graphs are made, copied with sharing and cycles, and end with their region.
// Method: every sort of member in one graph; the copy is compared by walking both sides in step.
#include "tess/object.hpp"

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

struct node {
  int value = 0;
  node* next = nullptr;
  node* previous = nullptr;
};
struct leaf : node {
  explicit leaf(double w) : weight(w) {}
  double weight;
  leaf* twin = nullptr;
  TESS_OBJECT(leaf, node, weight, twin)
};
struct all_sorts {
  std::uint8_t small;
  node* plain;
  tess::array<double> numbers;
  tess::array<double> same_numbers;
  tess::array<node*> nodes;
  std::array<node*, 2> two;
  tess::string text;
  tess::transient<void*> stays;
  tess::global_ref<node> home;
  tess::one_of<node, leaf> either;
  struct inner {
    short a;
    all_sorts* self;
  } nested;
};

class objects : public on_layouts {};

TEST_P(objects, are_copied_with_sharing_and_cycles_and_all_sorts_of_members) {
  run_here([]() -> task<void> {
    auto* const n = make<node>(1);
    auto* const m = make<node>(2, n, n);
    n->next = m;
    auto* const l = make<leaf>(0.5);
    l->twin = l;
    l->next = n;
    auto* const a = make<all_sorts>();
    a->small = 200;
    a->plain = l;
    a->numbers = tess::array<double>(3);
    a->numbers[2] = 7;
    a->same_numbers = a->numbers;
    a->nodes = tess::array<node*>{n, nullptr, l, n};
    a->two = {m, nullptr};
    a->text = "text of some length";
    a->stays = a;
    a->home = tess::global_ref<node>(n);
    a->either = l;
    a->nested = {-3, a};
    copy_counts counts;
    auto const c = copy(a, copier::nemesys, copy_map::automatic, &counts);
    EXPECT_EQ(counts.objects, 7U);
    EXPECT_NE(c.get(), a);
    EXPECT_EQ(c->small, 200);
    auto* const cl = object_cast<leaf>(c->plain);
    EXPECT_TRUE(cl != nullptr && cl != l && cl->twin == cl && cl->weight == 0.5);
    EXPECT_EQ(object_cast<leaf>(c->two[0]), nullptr);
    EXPECT_EQ(c->numbers[2], 7);
    EXPECT_EQ(c->numbers.data(), c->same_numbers.data());
    EXPECT_NE(c->numbers.data(), a->numbers.data());
    EXPECT_TRUE(c->nodes.size() == 4 && c->nodes[1] == nullptr && c->nodes[2] == cl && c->nodes[0] == c->nodes[3]);
    EXPECT_TRUE(c->nodes[0]->next == c->two[0] && c->two[0]->next == c->nodes[0] && c->two[0]->value == 2);
    EXPECT_EQ(c->two[1], nullptr);
    EXPECT_EQ(c->text, "text of some length");
    EXPECT_EQ(c->stays.value(), nullptr);
    EXPECT_EQ(c->home.get(), n);
    EXPECT_EQ(c->either.get_if<leaf>(), cl);
    EXPECT_EQ(c->either.get_if<node>(), cl);
    EXPECT_TRUE(c->nested.self == c.get() && c->nested.a == -3);
    co_return;
  });
}

INSTANTIATE_TEST_SUITE_P(everywhere, objects, testing::ValuesIn(few_layouts()), name_of);

}  // namespace
}  // namespace tess::test
