// boost_copy: Boost.Serialization, binary archives, pointers tracked.
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>
#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_set>

#include "graph_copy/libraries.hpp"
#include "graph_copy/shapes.hpp"
#include "harness/clock.hpp"

namespace bench {
namespace {

struct node {
  std::uint64_t value = 0;
  node* next = nullptr;
  node* previous = nullptr;
  std::uint64_t weight = 0;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & value & next & previous & weight;
  }
};
struct tree_node {
  std::uint64_t value = 0;
  tree_node* left = nullptr;
  tree_node* right = nullptr;
  std::uint64_t weight = 0;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & value & left & right & weight;
  }
};
struct vertex_node {
  std::uint64_t value = 0;
  vertex_node* edges[4] = {};
  std::vector<double> numbers;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & value & edges & numbers;
  }
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
  for (vertex_node* const e : n.edges) visit(e);
}

/// Objects that the archive allocated with new.
template <class T>
void delete_all(T* root) {
  std::unordered_set<T*> seen{root};
  std::vector<T*> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i)
    leads_to(*queue[i], [&](T* p) {
      if (p != nullptr && seen.insert(p).second) queue.push_back(p);
    });
  for (T* const n : queue) delete n;
}

struct maker {
  using node = bench::node;
  using tree = tree_node;
  using vertex = vertex_node;
  std::deque<bench::node> nodes;
  std::deque<tree_node> trees;
  std::deque<vertex_node> vertices;

  template <class T>
  T* object() {
    if constexpr (std::is_same_v<T, bench::node>)
      return &nodes.emplace_back();
    else if constexpr (std::is_same_v<T, tree_node>)
      return &trees.emplace_back();
    else
      return &vertices.emplace_back();
  }
  static void give_numbers(vertex_node& v, std::size_t count) { v.numbers.assign(count, 1.0); }
};

template <class T>
double measure(T* root, std::size_t count) {
  T* made = nullptr;
  double const seconds = seconds_of([&] {
    std::ostringstream out;
    {
      boost::archive::binary_oarchive archive(out, boost::archive::no_header);
      T* const r = root;
      archive << r;
    }
    std::string const sent = out.str();
    std::istringstream in(sent);
    boost::archive::binary_iarchive archive(in, boost::archive::no_header);
    archive >> made;
  });
  delete_all(made);
  return seconds * ns_per_second / static_cast<double>(count);
}

}  // namespace

double boost_copy_ns(shape s, std::size_t count) {
  maker m;
  if (s == shape::list) return measure(build_list(m, count, false), count);
  if (s == shape::tree) return measure(build_tree(m, count), count);
  return measure(build_graph(m, count), count);
}

}  // namespace bench
