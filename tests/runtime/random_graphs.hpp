// random_graphs: makes random graphs with all kinds of members, and compares two graphs without a copier.
//
//   In them are null and shared pointers, cycles, bases, one_of, arrays and strings of which several objects share a
//   block, transients, handles, and objects that are aligned to 16.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tess/tess.hpp"

namespace tess::test {

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
  tess::global_ref<container> home;
  one_of<thing, wide> either;
  std::array<container*, 2> others{};
  tess::string name;
};

struct all_objects {
  std::vector<thing*> things;
  std::vector<wide*> wides;
  std::vector<container*> containers;
};

template <class Choices>
thing* pick(Choices& r, all_objects const& all) {
  return r.below(5) == 0 ? nullptr : all.things[r.below(all.things.size())];
}

/// `r.below(n)` chooses.
template <class Choices>
container* make_random_graph(Choices& r, std::size_t size) {
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
    if (r.below(4) == 0) c->things = all.containers[0]->things;
    if (r.below(4) == 0) c->name = all.containers[0]->name;
    c->home = global_ref<container>(all.containers[0]);
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
  bool meet(void const* a, void const* b) {
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
    meet(p.name.view().data(), q.name.view().data());
    expect(p.home == q.home);
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
  std::unordered_map<void const*, void const*> forth_, back_;
};

}  // namespace tess::test
