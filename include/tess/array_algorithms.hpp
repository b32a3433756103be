// array_algorithms: fill, copy and sort of arrays that are spread over all places; one task calls them, for all.
//
//     co_await fill(a, 0.0);
//     co_await copy(a, b);                        // of equal size, also of another distribution
//     co_await sort(a, std::greater<>());         // sample sort
//
// Errors    tess::error if two arrays differ in size.
// Cost      fill and copy between equal distributions: memory bandwidth, and one task at each place. Other copies: a
//           transfer for each run of neighbours. sort: two local sorts, one all_to_all and one put for each border; an
//           element moves twice. A place may hold more than its share meanwhile, most for many equal elements.
// Source    sample sort: W. D. Frazer, A. C. McKellar, "Samplesort" (J. ACM, 1970); regular samples: H. Shi,
//           J. Schaeffer, "Parallel Sorting by Regular Sampling" (JPDC 1992).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tess/block.hpp"
#include "tess/cyclic_array.hpp"
#include "tess/error.hpp"
#include "tess/exchange.hpp"
#include "tess/global_array.hpp"

namespace tess {

namespace detail {

/// Elements from index i on that lie side by side, at most up to `end`.
template <class T>
std::uint64_t run_length(global_array<T> const& a, std::uint64_t i, std::uint64_t end) {
  return min_of(end, a.end_at(a.owner(i))) - i;
}
template <class T>
std::uint64_t run_length(cyclic_array<T> const& a, std::uint64_t i, std::uint64_t end) {
  return min_of(end, (i / a.block() + 1) * a.block()) - i;
}

/// Writes this place's elements, which begin with index `begin` of `to`, to their owners.
template <class Array, class T>
task<void> put_run(std::span<T const> from, Array to, std::uint64_t begin, counter& done) {
  std::uint64_t const end = begin + from.size();
  for (std::uint64_t i = begin; i < end;) {
    std::uint64_t const count = run_length(to, i, end);
    put(from.subspan(i - begin, count), to[i], done);
    i += count;
  }
  co_return;
}

template <class From, class To>
task<void> copy_here(From from, To to) {
  auto const mine = from.local();
  using element = typename From::element_type;
  counter done;
  if constexpr (std::is_same_v<From, global_array<element>>) {
    co_await put_run(std::span<element const>(mine), to, from.begin_at(here()), done);
  } else {
    for (std::uint64_t k = 0; k < mine.size(); k += from.block())
      co_await put_run(std::span<element const>(mine.subspan(k, min_of(from.block(), mine.size() - k))), to,
                       from.index(here(), k), done);
  }
  co_await done;
}

constexpr std::uint64_t samples_of_a_place = 64;

template <class T, class Less>
task<void> sort_here(global_array<T> a, Less less) {
  auto const mine = a.local();
  std::sort(mine.begin(), mine.end(), less);
  std::vector<T> samples;
  for (std::uint64_t i = 0; i < samples_of_a_place && !mine.empty(); ++i)
    samples.push_back(mine[i * mine.size() / samples_of_a_place]);
  auto const of_all = co_await all_gather(std::move(samples));
  std::vector<T> all;
  for (auto const& some : of_all) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end(), less);

  std::vector<std::vector<T>> to;
  auto from = mine.begin();
  for (std::uint64_t p = 1; p <= places(); ++p) {
    bool const rest = p == places() || all.empty();
    auto const end = rest ? mine.end() : std::lower_bound(from, mine.end(), all[p * all.size() / places()], less);
    to.emplace_back(from, end);
    from = end;
  }
  std::vector<T> sorted;
  for (auto const& part : co_await all_to_all(std::move(to))) sorted.insert(sorted.end(), part.begin(), part.end());
  std::sort(sorted.begin(), sorted.end(), less);

  // All have been read; now each goes where it belongs.
  std::uint64_t const begin = co_await prefix_sum(std::uint64_t{sorted.size()});
  counter done;
  co_await put_run(std::span<T const>(sorted), a, begin, done);
  co_await done;
}

template <class A, class B>
void check_equal_sizes(A const& a, B const& b) {
  if (a.size() != b.size()) throw error("copy: the arrays differ in size");
}

}  // namespace detail

/// Assigns the value to all elements.
template <class T>
task<void> fill(global_array<T> a, std::type_identity_t<T> value) {
  return on_all_places([](global_array<T> to, T v) { std::ranges::fill(to.local(), v); }, a, value);
}
/// Assigns the value to all elements.
template <class T>
task<void> fill(cyclic_array<T> a, std::type_identity_t<T> value) {
  return on_all_places([](cyclic_array<T> to, T v) { std::ranges::fill(to.local(), v); }, a, value);
}

/// Copies all elements, index by index.
template <class From, class To>
  requires(std::is_same_v<typename From::element_type, typename To::element_type>)
task<void> copy(From from, To to) {
  detail::check_equal_sizes(from, to);
  return on_all_places([](From a, To b) { return detail::copy_here(a, b); }, from, to);
}

/// Sorts in place; `less` is empty or trivially copyable. Equal elements may change their order.
template <class T, class Less = std::less<>>
task<void> sort(global_array<T> a, Less less = {}) {
  return on_all_places([](global_array<T> b, Less order) { return detail::sort_here(b, order); }, a, less);
}

}  // namespace tess
