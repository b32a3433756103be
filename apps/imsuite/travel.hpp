// travel: X10's `async at (D(i)) S`, `at (D(i)) S` and `at (D(i)) E`, for the nodes of a benchmark.
//
//   Each makes its closure, an object graph with the benchmark object in it, and has `at` copy it to the place of node
//   i. The code there gets the copy of the benchmark object. send and get run their code in a place_atomic section.
//
//     sweep(self, body)         finish { for (i in D) async at (D(i)) body(self, i) }, with the suite's load hook
//     sweep(self, args, body)   the same, body(self, i, args)
//     at_node(self, j, body)    at (D(j)) body(self, j); with arguments: body(self, j, args)
//     send(self, j, args, f)    at (D(j)) atomic f(node j, args)
//     get(self, j, f)           at (D(j)) f(node j), whose value comes back in a box
//     evaluate(self, j, f)      at (D(j)) f(self, j), alike
//     get_object(self, j, f)    the same for an f that makes an object; the caller owns the copy
//     remake(self, array)       DistArray.make: a statement at every place
//
// Threads  any task; bodies of one sweep run concurrently. Bodies and f hold no references, because they are sent.
// Cost     one copy of the closure's graph for each statement, and one of the result for each expression. A sweep has
//          at most 64 MiB of closures in flight, so that its memory does not grow with the cube of n.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include "imsuite/benchmark.hpp"
#include "imsuite/measure.hpp"
#include "tess/at.hpp"
#include "tess/finish.hpp"
#include "tess/object.hpp"

namespace imsuite {

namespace detail {

// Code is sent by number: processes have their functions at different addresses.
template <class F>
concept body_that_travels = !std::is_pointer_v<F>;

// Before a graph leaves for `target`.
template <class Kernel, class Root>
void note_copy(benchmark<Kernel> const* self, tess::place_id target, Root const* root) {
  if (!self->copies->counting || target == tess::here()) return;
  measure const found(root);
  self->copies->note(found.size(), found.parts());
}

// The suite's load hook, at the end of each body.
template <class Kernel>
void add_load(benchmark<Kernel>* self, std::int32_t i) {
  std::int64_t sum = (*self->nval)(i) + i;
  for (std::int64_t k = 0; k < self->load; ++k) {
    ++sum;
    asm volatile("" : "+r"(sum));  // or the loop would be an addition
  }
  (*self->nval)(i) = sum;
}

template <body_that_travels Body, bool Loaded>
struct sweep_body {
  Body body;

  template <class Kernel>
  tess::task<void> operator()(sweep_closure<Kernel>* c) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, benchmark<Kernel>*, std::int32_t>>)
      body(c->self, c->to->index);
    else
      co_await body(c->self, c->to->index);
    if constexpr (Loaded) add_load(c->self, c->to->index);
    co_return;
  }
  template <class Kernel, class Args>
  tess::task<void> operator()(closure<Kernel, Args>* c) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, benchmark<Kernel>*, std::int32_t, Args>>)
      body(c->self, c->to->index, c->args);
    else
      co_await body(c->self, c->to->index, c->args);
    add_load(c->self, c->to->index);
    co_return;
  }
};

template <body_that_travels Body>
struct node_body {
  Body body;

  template <class Kernel>
  auto operator()(sweep_closure<Kernel>* c) {
    return body(c->self, c->to->index);
  }
  template <class Kernel, class Args>
  auto operator()(closure<Kernel, Args>* c) {
    return body(c->self, c->to->index, c->args);
  }
};

template <body_that_travels F>
struct send_body {
  F f;

  template <class Kernel, class Args>
  void operator()(closure<Kernel, Args>* c) {
    auto& node = c->self->node(c->to->index);
    tess::place_atomic([&] { f(node, c->args); });
  }
};

template <body_that_travels F>
struct evaluate_body {
  F f;
  tess::place_id caller;

  template <class Kernel>
  auto* operator()(evaluation<Kernel>* e) {
    benchmark<Kernel>* const self = e->body->self;
    std::int32_t const i = e->body->to->index;
    using result = std::invoke_result_t<F&, benchmark<Kernel>*, std::int32_t>;
    auto* const made = tess::make<x10::box<result>>(tess::place_atomic([&] { return f(self, i); }));
    note_copy(self, caller, made);
    return made;
  }
};

template <body_that_travels F>
struct of_node {
  F f;

  template <class Kernel>
  auto operator()(benchmark<Kernel>* self, std::int32_t i) {
    return f(std::as_const(self->node(i)));
  }
};

template <body_that_travels F>
struct get_object_body {
  F f;
  tess::place_id caller;

  template <class Kernel>
  auto* operator()(evaluation<Kernel>* e) {
    benchmark<Kernel>* const self = e->body->self;
    auto* const made = f(self->node(e->body->to->index));
    note_copy(self, caller, made);
    return made;
  }
};

template <class Kernel>
sweep_closure<Kernel>* capture(tess::arena& in, benchmark<Kernel>* self, std::int32_t to) {
  return in.make<sweep_closure<Kernel>>(self, in.make<x10::point>(to));
}
template <class Kernel, class Args>
closure<Kernel, Args>* capture(tess::arena& in, benchmark<Kernel>* self, std::int32_t to, Args args) {
  return in.make<closure<Kernel, Args>>(self, in.make<x10::point>(to), args);
}

// The number of closures of a sweep that may be in flight: each carries n * n integers.
constexpr std::int64_t sweep_bytes = std::int64_t{1} << 26;
constexpr std::int32_t closures_at_once(std::int32_t nodes) {
  return static_cast<std::int32_t>(std::max<std::int64_t>(1, sweep_bytes / (4 * std::int64_t{nodes} * nodes + 4096)));
}

// An activity for each closure: `async at`. It goes on when the closure has been copied, the sweep at once.
template <class Body, class Closure>
tess::task<void> send_closure(tess::place_id owner, Body body, Closure* closure) {
  co_await tess::at_async_copied(owner, body, closure);
}

// args: none, or those of each closure.
template <bool Loaded, class Kernel, class Body, class... Args>
tess::task<void> sweep(benchmark<Kernel>* self, Body body, Args... args) {
  std::int32_t const at_once = closures_at_once(self->nodes);
  for (std::int32_t first = 0; first < self->nodes; first += at_once) {
    tess::arena closures;
    co_await tess::finish([&] {
      for (std::int32_t i = first; i < std::min(first + at_once, self->nodes); ++i) {
        auto* const c = capture(closures, self, i, args...);
        tess::place_id const owner = (*self->D)(i);
        note_copy(self, owner, c);
        tess::spawn(send_closure(owner, sweep_body<Body, Loaded>{body}, c));
      }
    });
  }
}

}  // namespace detail

template <class Kernel, class Body>
tess::task<void> sweep(benchmark<Kernel>* self, Body body) {
  return detail::sweep<true>(self, body);
}
template <class Kernel, class Args, class Body>
tess::task<void> sweep(benchmark<Kernel>* self, Args args, Body body) {
  return detail::sweep<true>(self, body, args);
}
// The same outside of the measured part, without load.
template <class Kernel, class Body>
tess::task<void> initialize_nodes(benchmark<Kernel>* self, Body body) {
  return detail::sweep<false>(self, body);
}

template <class Kernel, class Body>
tess::task<void> at_node(benchmark<Kernel>* self, std::int32_t j, Body body) {
  tess::arena closures;
  auto* const c = detail::capture(closures, self, j);
  tess::place_id const owner = (*self->D)(j);
  detail::note_copy(self, owner, c);
  co_await tess::at(owner, detail::node_body<Body>{body}, c);
}

template <class Kernel, class Args, class Body>
tess::task<void> at_node(benchmark<Kernel>* self, std::int32_t j, Args args, Body body) {
  tess::arena closures;
  auto* const c = detail::capture(closures, self, j, args);
  tess::place_id const owner = (*self->D)(j);
  detail::note_copy(self, owner, c);
  co_await tess::at(owner, detail::node_body<Body>{body}, c);
}

template <class Kernel, class Args, class F>
tess::task<void> send(benchmark<Kernel>* self, std::int32_t j, Args args, F f) {
  tess::arena closures;
  auto* const c = detail::capture(closures, self, j, args);
  tess::place_id const owner = (*self->D)(j);
  detail::note_copy(self, owner, c);
  co_await tess::at(owner, detail::send_body<F>{f}, c);
}

template <class Kernel, class F>
auto evaluate(benchmark<Kernel>* self, std::int32_t j, F f)
    -> tess::task<std::invoke_result_t<F&, benchmark<Kernel>*, std::int32_t>> {
  tess::arena closures;
  auto* const e = closures.make<evaluation<Kernel>>(detail::capture(closures, self, j));
  tess::place_id const owner = (*self->D)(j);
  detail::note_copy(self, owner, e);
  auto const boxed = co_await tess::at(owner, detail::evaluate_body<F>{f, tess::here()}, e);
  co_return boxed->value;
}

template <class Kernel, class F>
auto get(benchmark<Kernel>* self, std::int32_t j, F f) {
  return evaluate(self, j, detail::of_node<F>{f});
}

template <class Kernel, class F>
auto get_object(benchmark<Kernel>* self, std::int32_t j, F f)
    -> tess::task<tess::graph<std::remove_pointer_t<std::invoke_result_t<F&, typename Kernel::node const&>>>> {
  tess::arena closures;
  auto* const e = closures.make<evaluation<Kernel>>(detail::capture(closures, self, j));
  tess::place_id const owner = (*self->D)(j);
  detail::note_copy(self, owner, e);
  co_return co_await tess::at(owner, detail::get_object_body<F>{f, tess::here()}, e);
}

// All elements become T{}.
template <class Kernel, class T>
tess::task<void> remake(benchmark<Kernel>* self, x10::dist_array<T>* array) {
  co_await tess::finish([&]() -> tess::task<void> {
    for (std::int32_t p = 0; p < self->D->group->places; ++p) {
      auto const target = static_cast<tess::place_id>(p);
      detail::note_copy(self, target, array);
      co_await tess::at_async_copied(
          target, [](x10::dist_array<T>* here) { std::ranges::fill(here->local->elements, T{}); }, array);
    }
  });
}

}  // namespace imsuite
