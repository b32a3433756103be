// patterns: the loops of the access patterns.
#include <algorithm>

#include "circustent/benchmark.hpp"

namespace circustent {
namespace {

using word = std::uint64_t;
using word_ptr = tess::global_ptr<word>;

// An atomic that changes nothing, or adds; returns the old word.
template <amo By>
auto fetch(word_ptr p, word add) {
  if constexpr (By == amo::add) {
    return tess::fetch_add(p, add);
  } else {
    return tess::compare_swap(p, 0, 0);
  }
}
// The last atomic of an iteration of SG, SCATTER and GATHER.
template <amo By>
auto deliver(word_ptr p, word value) {
  if constexpr (By == amo::add) {
    return tess::fetch_add(p, value);
  } else {
    return tess::compare_swap(p, 0, value);
  }
}

struct part {
  benchmark of;
  shape given;
  arrays all;
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] std::uint64_t target(std::uint64_t i) const noexcept {
    return given.target(of, tess::here(), i, tess::places());
  }
};

template <amo By>
tess::task<void> random_words(part p) {
  for (std::uint64_t i = p.begin; i < p.end; ++i) {
    word const at = co_await tess::get(p.all.index_at(p.target(i), i));
    static_cast<void>(co_await fetch<By>(p.all.array_at(p.target(i), at), 1));
  }
}

template <amo By>
tess::task<void> strided_words(part p, std::uint64_t stride) {
  for (std::uint64_t i = p.begin; i < p.end; ++i)
    static_cast<void>(co_await fetch<By>(p.all.array_at(p.target(i), i * stride), stride_operand));
}

template <amo By>
tess::task<void> pointer_chase(part p) {
  word at = 0;
  for (std::uint64_t i = p.begin; i < p.end; ++i) at = co_await fetch<By>(p.all.index_at(p.target(i), at), 0);
}

template <amo By>
tess::task<void> central_word(part p) {
  for (std::uint64_t i = p.begin; i < p.end; ++i)
    static_cast<void>(co_await fetch<By>(p.all.array_at(p.target(i), 0), 1));
}

template <amo By>
tess::task<void> scatter_gather(part p) {
  for (std::uint64_t i = p.begin; i < p.end; ++i) {
    std::uint64_t const there = p.target(i);
    word const from = co_await fetch<By>(p.all.index_at(there, i), 0);
    word const to = co_await fetch<By>(p.all.index_at(there, i + 1), 0);
    word const value = co_await fetch<By>(p.all.array_at(there, from), 1);
    static_cast<void>(co_await deliver<By>(p.all.array_at(there, to), value));
  }
}

template <amo By>
tess::task<void> scatter(part p) {
  for (std::uint64_t i = p.begin; i < p.end; ++i) {
    std::uint64_t const there = p.target(i);
    word const to = co_await fetch<By>(p.all.index_at(there, i + 1), 0);
    word const value = co_await fetch<By>(p.all.array_at(there, i), 1);
    static_cast<void>(co_await deliver<By>(p.all.array_at(there, to), value));
  }
}

template <amo By>
tess::task<void> gather(part p) {
  for (std::uint64_t i = p.begin; i < p.end; ++i) {
    std::uint64_t const there = p.target(i);
    word const from = co_await fetch<By>(p.all.index_at(there, i + 1), 0);
    word const value = co_await fetch<By>(p.all.array_at(there, from), 1);
    static_cast<void>(co_await deliver<By>(p.all.array_at(there, i), value));
  }
}

template <amo By>
tess::task<void> pattern_of(part p) {
  switch (p.of.what) {
    case pattern::rand:
      return random_words<By>(p);
    case pattern::stride1:
      return strided_words<By>(p, 1);
    case pattern::striden:
      return strided_words<By>(p, p.given.stride);
    case pattern::ptrchase:
      return pointer_chase<By>(p);
    case pattern::central:
      return central_word<By>(p);
    case pattern::sg:
      return scatter_gather<By>(p);
    case pattern::scatter:
      return scatter<By>(p);
    case pattern::gather:
      break;
  }
  return gather<By>(p);
}

}  // namespace

tess::task<void> run(benchmark of, shape given, arrays all) {
  std::uint64_t const share = (given.iterations + given.tasks - 1) / given.tasks;
  co_await tess::forall_chunks(0, given.iterations, std::max<std::uint64_t>(share, 1),
                               [=](std::uint64_t begin, std::uint64_t end) {
                                 part const mine{of, given, all, begin, end};
                                 return of.by == amo::add ? pattern_of<amo::add>(mine) : pattern_of<amo::cas>(mine);
                               });
}

}  // namespace circustent
