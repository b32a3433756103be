// shapes: the graphs of objects that graph-copy copies, and the members that a walk over them visits.
//
//   Every type lists its members in `visit`: values and references, in order. The list is written by hand,
//   independently
//   of the masks that the runtime derives, so that each can be checked against the other.
//
// Shapes   list: doubly linked. tree: binary, complete. vertices: a random or a given graph, each vertex with an array
//          of its successors and one of data. items: an array of objects, each referred to by others as well.
// Threads  make_…: any task; objects go where tess::make puts them.
#pragma once

#include <cstdint>
#include <string>

#include "tess/object.hpp"

namespace graph_copy {

struct list_node {
  list_node* next;
  list_node* previous;
  std::int64_t value;

  void visit(auto& walk) const {
    walk.value(value);
    walk.object(next);
    walk.object(previous);
  }
};

struct tree_node {
  tree_node* left;
  tree_node* right;
  std::int64_t value;

  void visit(auto& walk) const {
    walk.value(value);
    walk.object(left);
    walk.object(right);
  }
};

struct vertex {
  std::int64_t id;
  tess::array<vertex*> successors;
  tess::array<std::int64_t> data;

  void visit(auto& walk) const {
    walk.value(id);
    walk.objects(successors);
    walk.values(data);
  }
};

struct vertices {
  tess::array<vertex*> all;

  void visit(auto& walk) const { walk.objects(all); }
};

struct item {
  std::int64_t value;
  item* other;

  void visit(auto& walk) const {
    walk.value(value);
    walk.object(other);
  }
};

struct items {
  tess::array<item*> all;

  void visit(auto& walk) const { walk.objects(all); }
};

enum class order : std::uint8_t { allocated, shuffled };

// Each shape has `count` objects. The links of a shuffled list jump back and forth in memory.
[[nodiscard]] list_node* make_list(std::uint64_t count, order how, std::uint64_t seed);
[[nodiscard]] tree_node* make_tree(std::uint64_t count);
// About half of the successors precede a vertex and half follow it; `degree` of them, and as many words of data.
[[nodiscard]] vertices* make_random_graph(std::uint64_t count, std::uint64_t degree, std::uint64_t seed);
[[nodiscard]] items* make_items(std::uint64_t count, std::uint64_t seed);
// From a file or generator (graph/graph_input.hpp); its weights, rounded, are the data. Throws graph::input_error.
[[nodiscard]] vertices* make_from(std::string const& spec);

}  // namespace graph_copy
