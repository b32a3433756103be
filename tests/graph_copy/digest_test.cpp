// digest: isomorphic graphs have equal digests, and others do not. Method: the shapes of graph-copy, copied by the
// runtime, and each kind of difference, made by hand in one of two equal graphs.
#include "graph_copy/digest.hpp"

#include "graph_copy/shapes.hpp"
#include "runtime/run_job.hpp"

namespace graph_copy::test {
namespace {

template <class F>
void in_a_job(F body) {
  tess::test::run_job({"smp", 1, 1}, [body]() -> tess::task<void> {
    body();
    co_return;
  });
}

template <class Root>
void expect_equal_copies(Root* root, std::uint64_t objects, std::uint64_t arrays) {
  digest const source = digest_of(root);
  EXPECT_EQ(source.objects, objects);
  EXPECT_EQ(source.arrays, arrays);
  for (auto const by : {tess::copier::message_passing, tess::copier::pegasus, tess::copier::nemesys}) {
    tess::copy_counts counts;
    auto const copied = tess::copy(root, by, tess::copy_map::automatic, &counts);
    EXPECT_NE(copied.get(), root);
    EXPECT_EQ(digest_of(copied.get()), source);
    EXPECT_EQ(counts.objects, objects + arrays);
  }
}

TEST(copies_of_shapes, are_isomorphic) {
  in_a_job([] {
    expect_equal_copies(make_list(1000, order::allocated, 1), 1000, 0);
    expect_equal_copies(make_list(1000, order::shuffled, 1), 1000, 0);
    expect_equal_copies(make_tree(1000), 1000, 0);
    expect_equal_copies(make_items(1000, 1), 1001, 1);
    expect_equal_copies(make_random_graph(100, 5, 1), 101, 201);
    expect_equal_copies(make_from("grid:10x10"), 101, 101);  // every vertex has a neighbour, none has data
  });
}

TEST(shapes, are_as_asked) {
  in_a_job([] {
    EXPECT_NE(digest_of(make_list(50, order::shuffled, 1)), digest_of(make_list(50, order::shuffled, 2)));
    EXPECT_NE(digest_of(make_random_graph(50, 3, 1)), digest_of(make_random_graph(50, 3, 2)));
    list_node* last = make_list(3, order::allocated, 1);
    EXPECT_EQ(last->previous, nullptr);
    while (last->next != nullptr) {
      EXPECT_EQ(last->next->previous, last);
      last = last->next;
    }
    EXPECT_EQ(last->value, 2);
    vertices const& grid = *make_from("grid:3x1");
    EXPECT_EQ(grid.all[0]->successors.size(), 1U);
    EXPECT_EQ(grid.all[1]->successors.size(), 2U);
  });
}

TEST(digests, tell_values_and_references_apart) {
  in_a_job([] {
    digest const right = digest_of(make_tree(7));
    auto* const value = make_tree(7);
    value->left->value = 8;
    EXPECT_NE(digest_of(value), right);
    auto* const missing = make_tree(7);
    missing->left->right = nullptr;
    EXPECT_NE(digest_of(missing), right);
    auto* const swapped = make_tree(7);
    std::swap(swapped->left, swapped->right);
    EXPECT_NE(digest_of(swapped), right);
  });
}

TEST(digests, tell_sharing_from_equal_objects) {
  in_a_job([] {
    auto* const one = tess::make<tree_node>(nullptr, nullptr, 1);
    auto* const shared = tess::make<tree_node>(one, one, 0);
    auto* const twins = tess::make<tree_node>(one, tess::make<tree_node>(nullptr, nullptr, 1), 0);
    EXPECT_NE(digest_of(shared), digest_of(twins));
    // A ring of one, and of two equal nodes.
    auto* const self = tess::make<list_node>(nullptr, nullptr, 1);
    self->next = self->previous = self;
    auto* const first = tess::make<list_node>(nullptr, nullptr, 1);
    auto* const second = tess::make<list_node>(first, first, 1);
    first->next = first->previous = second;
    EXPECT_NE(digest_of(self), digest_of(first));
  });
}

TEST(digests, tell_shared_elements_from_equal_ones) {
  in_a_job([] {
    tess::array<std::int64_t> const data(3);
    auto const two = [](tess::array<std::int64_t> a, tess::array<std::int64_t> b) {
      auto* const v = tess::make<vertices>(tess::array<vertex*>(2));
      v->all[0] = tess::make<vertex>(0, tess::array<vertex*>(), a);
      v->all[1] = tess::make<vertex>(1, tess::array<vertex*>(), b);
      return digest_of(v);
    };
    EXPECT_NE(two(data, data), two(data, tess::array<std::int64_t>(3)));
    EXPECT_NE(two(data, tess::array<std::int64_t>(3)), two(data, tess::array<std::int64_t>(4)));
    EXPECT_EQ(two(data, tess::array<std::int64_t>(3)), two(tess::array<std::int64_t>(3), tess::array<std::int64_t>(3)));
  });
}

TEST(digests, of_null_graphs_are_equal) {
  in_a_job(
      [] { EXPECT_EQ(digest_of(static_cast<list_node*>(nullptr)), digest_of(make_list(0, order::allocated, 1))); });
}

}  // namespace
}  // namespace graph_copy::test
