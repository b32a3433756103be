// measure: the objects in the graph of a closure or result, found by its C++ types alone, without
// the runtime's masks, so that each can check the other.
//
// Units    bytes and words as they travel: 8 bytes of header before an object, 16 before the elements of an array.
// Cost     a walk with a set of visited objects.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "imsuite/benchmark.hpp"
#include "imsuite/copies.hpp"

namespace imsuite {

class measure {
 public:
  template <class Root>
  explicit measure(Root const* root) {
    walk(root);
  }

  [[nodiscard]] graph_size size() const noexcept { return size_; }
  // In the order of the walk.
  [[nodiscard]] std::vector<graph_part> const& parts() const noexcept { return parts_; }

 private:
  bool enter(void const* object, std::string_view name, std::uint64_t bytes, bool array = false) {
    if (object == nullptr || !seen_.insert(object).second) return false;
    std::uint64_t const all = (array ? 16 : 8) + (bytes + 7) / 8 * 8;
    ++(array ? size_.arrays : size_.objects);
    size_.bytes += all;
    parts_.push_back({name, all / 8});
    return true;
  }

  void walk(x10::region const* r) {
    enter(r, r != nullptr && r->rank == 2 ? "region of two dimensions" : "region", sizeof *r);
  }
  void walk(x10::place_group const* g) { enter(g, "place group", sizeof *g); }
  void walk(x10::point const* p) { enter(p, "point", sizeof *p); }
  void walk(x10::distribution const* d) {
    if (!enter(d, "distribution", sizeof *d)) return;
    walk(d->indices);
    walk(d->group);
  }
  void walk(x10::int_array const* a) {
    if (!enter(a, "array", sizeof *a)) return;
    walk(a->indices);
    walk(a->raw);
  }
  template <class T>
  void walk(x10::dist_array<T> const* a) {
    if (enter(a, "distributed array", sizeof *a)) walk(a->dist);
  }
  template <class T>
  void walk(x10::box<T> const* b) {
    enter(b, "box", sizeof *b);
  }
  template <class Kernel>
  void walk(benchmark<Kernel> const* b) {
    if (!enter(b, "benchmark", sizeof *b)) return;
    walk(b->R);
    walk(b->D);
    walk(b->node_set);
    walk(b->nval);
    walk_references(b->own);
  }
  template <class Kernel>
  void walk(sweep_closure<Kernel> const* c) {
    if (!enter(c, "closure", sizeof *c)) return;
    walk(c->self);
    walk(c->to);
  }
  template <class Kernel, class Args>
  void walk(closure<Kernel, Args> const* c) {
    if (!enter(c, "closure", sizeof *c)) return;
    walk(c->self);
    walk(c->to);
    walk_references(c->args);
  }
  template <class Kernel>
  void walk(evaluation<Kernel> const* e) {
    if (enter(e, "evaluation", sizeof *e)) walk(e->body);
  }

  // The result of a kernel.
  template <class T>
  void walk(T const* result) {
    if (enter(result, "result", sizeof *result)) walk_references(*result);
  }
  void walk(tess::array<std::int32_t> const& a) {
    if (!a.empty()) enter(a.data(), "elements", a.size() * sizeof(std::int32_t), true);
  }

  // The members that a struct of the kernel lists.
  template <class T>
  void walk_references(T const& of) {
    if constexpr (requires { of.references(); })
      std::apply([&](auto const&... each) { (walk(each), ...); }, of.references());
  }

  std::set<void const*> seen_;
  graph_size size_;
  std::vector<graph_part> parts_;
};

}  // namespace imsuite
