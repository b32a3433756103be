// cereal_copy: cereal, binary archives, shared pointers.
#include <array>
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>
#include <string>

#include "graph_copy/libraries.hpp"
#include "graph_copy/shapes.hpp"
#include "harness/clock.hpp"

namespace bench {
namespace {

struct node {
  std::uint64_t value = 0;
  std::shared_ptr<node> next, previous;
  std::uint64_t weight = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, next, previous, weight);
  }
  void cut() {
    next = nullptr;
    previous = nullptr;
  }
};
struct tree_node {
  std::uint64_t value = 0;
  std::shared_ptr<tree_node> left, right;
  std::uint64_t weight = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, left, right, weight);
  }
  void cut() { left = right = nullptr; }
};
struct vertex_node {
  std::uint64_t value = 0;
  std::array<std::shared_ptr<vertex_node>, 4> edges;
  std::vector<double> numbers;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, edges, numbers);
  }
  void cut() { edges = {}; }
};

void leads_to(node const& n, auto visit) {
  visit(n.next);
  visit(n.previous);
}
void leads_to(tree_node const& n, auto visit) {
  visit(n.left);
  visit(n.right);
}
void leads_to(vertex_node const& n, auto visit) {
  for (auto const& e : n.edges) visit(e);
}

/// Cycles of shared pointers are never freed, so they are cut. A cut node has the value ~0.
template <class T>
void cut_all(std::shared_ptr<T> root) {
  std::vector<std::shared_ptr<T>> queue{std::move(root)};
  while (!queue.empty()) {
    std::shared_ptr<T> const n = std::move(queue.back());
    queue.pop_back();
    if (n->value == ~std::uint64_t{0}) continue;
    n->value = ~std::uint64_t{0};
    leads_to(*n, [&](auto const& p) {
      if (p != nullptr) queue.push_back(p);
    });
    n->cut();
  }
}

struct maker {
  using node = bench::node;
  using tree = tree_node;
  using vertex = vertex_node;
  template <class T>
  std::shared_ptr<T> object() {
    return std::make_shared<T>();
  }
  static void give_numbers(vertex_node& v, std::size_t count) { v.numbers.assign(count, 1.0); }
};

template <class T>
double measure(std::shared_ptr<T> root, std::size_t count) {
  std::shared_ptr<T> made;
  double const seconds = seconds_of([&] {
    std::ostringstream out;
    {
      cereal::BinaryOutputArchive archive(out);
      archive(root);
    }
    std::string const sent = out.str();
    std::istringstream in(sent);
    cereal::BinaryInputArchive archive(in);
    archive(made);
  });
  cut_all(std::move(made));
  cut_all(std::move(root));
  return seconds * ns_per_second / static_cast<double>(count);
}

}  // namespace

double cereal_copy_ns(shape s, std::size_t count) {
  maker m;
  if (s == shape::list) return measure(build_list(m, count, false), count);
  if (s == shape::tree) return measure(build_tree(m, count), count);
  return measure(build_graph(m, count), count);
}

}  // namespace bench
