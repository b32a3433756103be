// exchange: gather, all_gather, scatter and all_to_all of values of any size; reductions and prefix sums of arrays.
//
//   Values are of any type that `at` takes as an argument: numbers, std::string, std::vector of different lengths at
//   each place. Results are indexed by place (in a team, by rank). `all_to_all` is also MPI's alltoallv:
//
//     std::vector<std::vector<edge>> const from = co_await all_to_all(std::move(to));   // to[p] goes to place p
//
//   Like the other collectives, they are called by one task of every place, in the same order. A collective becomes
//   non-blocking by `auto f = async(all_gather(x)); … co_await f;`. Several at once need a team for each.
//
//   Arrays lie anywhere, and have the same length at every place. Reductions and prefix sums work in place; elements
//   are combined in place order, so floating-point results do not depend on timing.
//
// Errors   tess::error at every member if the arrays differ in length, or a place does not have one value for each
//          member; out_of_memory at every member if one has no room. An exchange that ends by another exception leaves
//          its buffer allocated until the job ends.
// Cost     up to eight places that map each other's segments: arrays of up to 32 bytes take a cache line from each
//          member to each other; longer ones are copied to memory of the segment (up to 2 MiB, kept) and from there, a
//          piece at a time, or read from where they lie. Others: up to 2 KiB from each member one all_reduce, after
//          which others read from its segment; more take a barrier for each 256 KiB and one at the end. The forms for
//          arrays allocate nothing else; those for values make the values anew. Reductions of n elements read 2 n of
//          others (reduce-scatter, then gather); of a few KiB everybody reads all.
// Source   R. Rabenseifner, "Optimization of Collective Reduction Operations" (ICCS 2004), for the arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tess/at.hpp"
#include "tess/collective.hpp"

namespace tess {

namespace detail {

/// One part of what a member published, for exchange_parts to read.
struct part_read {
  unsigned rank;
  unsigned part;
  value_bytes got{};
  std::span<std::byte> into{};  ///< in place of `got`: the member's body has parts of this size, and nothing else
};

/// What is wrong at a member that all must learn.
enum class exchange_fault : std::uint32_t { none, memory, values };

/// Publishes what to_parts made (or nothing), or a body of equal parts, and reads parts of other members. `length` must
/// be the same at all members.
[[nodiscard]] task<void> exchange_parts(team_name team, value_bytes head, std::span<std::byte const> body,
                                        std::span<part_read> reads, std::uint64_t length = 0,
                                        exchange_fault fault = exchange_fault::none);
[[nodiscard]] inline task<void> exchange_parts(team_name team, value_bytes mine, std::span<part_read> reads,
                                               std::uint64_t length = 0, exchange_fault fault = exchange_fault::none) {
  return exchange_parts(team, std::move(mine), std::span<std::byte const>(), reads, length, fault);
}

/// Combines `right` into `left`, element by element.
struct element_combination {
  std::size_t bytes;  ///< of an element
  void (*combine)(std::byte* left, std::byte const* right, std::size_t count, void* op);
  void* op;
};
/// Each element becomes its combination over the members, in rank order, where that is wanted. Throws at all members if
/// their arrays differ in length.
[[nodiscard]] task<void> reduce_elements(team_name team, std::span<std::byte> values, element_combination by,
                                         bool wanted);

/// Room for `count` parts: count + 1 offsets from the start of the bytes; then the parts.
[[nodiscard]] value_bytes make_parts(std::size_t count, std::size_t bytes);

template <class X>
value_bytes to_parts(std::vector<X> const& values) {
  wire_writer size;
  for (auto const& v : values) wire_put<X>(size, v);
  value_bytes made = make_parts(values.size(), size.bytes);
  auto* const offsets = reinterpret_cast<std::uint64_t*>(made.data.get());
  wire_writer w{made.data.get(), offsets[0]};
  for (std::size_t i = 0; i < values.size(); ++i) {
    wire_put<X>(w, values[i]);
    offsets[i + 1] = w.bytes;
  }
  return made;
}

template <class X>
X from_part(part_read const& read) {
  wire_reader r(read.got.data.get(), read.got.bytes);
  X value = wire_take<X>(r);
  r.expect_end();
  return value;
}
template <class X>
std::vector<X> from_parts(std::vector<part_read> const& reads) {
  std::vector<X> values;
  values.reserve(reads.size());
  for (part_read const& read : reads) values.push_back(from_part<X>(read));
  return values;
}

/// Part `part` of every member.
[[nodiscard]] std::vector<part_read> reads_of_all(team_name team, unsigned part);

template <class X>
task<std::vector<X>> team_all_gather(team_name team, X mine) {
  std::vector<part_read> reads = reads_of_all(team, 0);
  std::vector<X> one;
  one.push_back(std::move(mine));
  co_await exchange_parts(team, to_parts(one), reads);
  co_return from_parts<X>(reads);
}
template <class X>
task<std::vector<X>> team_gather(team_name team, X mine, unsigned root) {
  check_root(team, root);
  std::vector<part_read> reads;
  if (team_rank(team) == root) reads = reads_of_all(team, 0);
  std::vector<X> one;
  one.push_back(std::move(mine));
  co_await exchange_parts(team, to_parts(one), reads);
  co_return from_parts<X>(reads);
}
template <class X>
task<X> team_scatter(team_name team, std::vector<X> values, unsigned root) {
  check_root(team, root);
  bool const wrong = team_rank(team) == root && values.size() != team_size(team);
  std::vector<part_read> reads;
  reads.push_back({root, team_rank(team)});
  co_await exchange_parts(team, team_rank(team) == root ? to_parts(values) : value_bytes{}, reads, 0,
                          wrong ? exchange_fault::values : exchange_fault::none);
  co_return from_part<X>(reads.front());
}
template <class X>
task<std::vector<X>> team_all_to_all(team_name team, std::vector<X> to_each) {
  bool const wrong = to_each.size() != team_size(team);
  std::vector<part_read> reads = reads_of_all(team, team_rank(team));
  co_await exchange_parts(team, to_parts(to_each), reads, 0, wrong ? exchange_fault::values : exchange_fault::none);
  co_return from_parts<X>(reads);
}

template <class T>
concept array_element = std::is_trivially_copyable_v<T> && !std::is_const_v<T> && alignof(T) <= 16;

/// The elements of an array that a member combines for all.
struct slice {
  std::size_t begin, end;
};
[[nodiscard]] inline slice slice_of(std::size_t count, unsigned rank, unsigned size) noexcept {
  std::size_t const each = count / size, more = count % size;
  auto const begin_of = [&](std::size_t r) { return r * each + (r < more ? r : more); };
  return {begin_of(rank), begin_of(std::size_t{rank} + 1)};
}

/// An array as one part for each member, its slice.
template <class T>
value_bytes to_slices(std::span<T const> values, unsigned size) {
  value_bytes made = make_parts(size, values.size_bytes());
  auto* const offsets = reinterpret_cast<std::uint64_t*>(made.data.get());
  for (unsigned r = 0; r < size; ++r) offsets[r + 1] = offsets[0] + slice_of(values.size(), r, size).end * sizeof(T);
  if (!values.empty()) std::memcpy(made.data.get() + offsets[0], values.data(), values.size_bytes());
  return made;
}

template <class T, class Op>
void combine_elements(T* left, T const* right, std::size_t count, Op& op) {
  for (std::size_t i = 0; i < count; ++i) left[i] = op(std::as_const(left[i]), right[i]);
}

template <class T, class Op>
task<void> team_reduce_array(team_name team, std::span<T> values, Op op, bool to_all, unsigned root) {
  check_collective<T>();
  auto const combine = [](std::byte* left, std::byte const* right, std::size_t count, void* by) {
    combine_elements(reinterpret_cast<T*>(left), reinterpret_cast<T const*>(right), count, *static_cast<Op*>(by));
  };
  co_await reduce_elements(team, std::as_writable_bytes(values), {sizeof(T), combine, &op},
                           to_all || team_rank(team) == root);
}

/// Part `part` of every member's array, which has parts of this size, into the parts of `into`.
[[nodiscard]] std::vector<part_read> reads_of_arrays(team_name team, unsigned part, std::size_t part_bytes,
                                                     std::span<std::byte> into);

template <class T>
task<void> team_all_gather_array(team_name team, std::span<T const> mine, std::span<T> all) {
  check_collective<T>();
  bool const fits = all.size() == mine.size() * team_size(team);
  std::vector<part_read> reads;
  if (fits) reads = reads_of_arrays(team, 0, mine.size_bytes(), std::as_writable_bytes(all));
  co_await exchange_parts(team, {}, std::as_bytes(mine), reads, mine.size(),
                          fits ? exchange_fault::none : exchange_fault::values);
}
template <class T>
task<void> team_all_to_all_array(team_name team, std::span<T const> to_each, std::span<T> from_each) {
  check_collective<T>();
  std::size_t const size = team_size(team), each = to_each.size() / size;
  bool const fits = each * size == to_each.size() && from_each.size() == to_each.size();
  std::vector<part_read> reads;
  if (fits) reads = reads_of_arrays(team, team_rank(team), each * sizeof(T), std::as_writable_bytes(from_each));
  co_await exchange_parts(team, {}, std::as_bytes(to_each), reads, to_each.size(),
                          fits ? exchange_fault::none : exchange_fault::values);
}

template <class T, class Op>
task<void> team_prefix_array(team_name team, std::span<T> values, T first, Op op) {
  check_collective<T>();
  unsigned const size = team_size(team);
  std::size_t const length = values.size();
  std::vector<part_read> reads = reads_of_all(team, team_rank(team));
  co_await exchange_parts(team, to_slices<T>(values, size), reads, length);
  std::size_t const count = reads[0].got.bytes / sizeof(T);
  // Part r: what comes before member r, of the elements of this slice.
  value_bytes before = make_parts(size, size * count * sizeof(T));
  auto* const offsets = reinterpret_cast<std::uint64_t*>(before.data.get());
  std::vector<T> sum(count, first);
  for (unsigned r = 0; r < size; ++r) {
    if (count != 0) std::memcpy(before.data.get() + offsets[r], sum.data(), count * sizeof(T));
    offsets[r + 1] = offsets[r] + count * sizeof(T);
    combine_elements(sum.data(), reinterpret_cast<T const*>(reads[r].got.data.get()), count, op);
  }
  co_await exchange_parts(team, std::move(before), reads, length);
  for (part_read const& part : reads)
    if (part.got.bytes != 0)
      std::memcpy(values.data() + slice_of(length, part.rank, size).begin, part.got.data.get(), part.got.bytes);
}

}  // namespace detail

/// Every place gets the values of all.
template <class X>
task<std::vector<X>> all_gather(X mine, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_all_gather(detail::world_team, std::move(mine)), at);
}
/// Only `root` gets them; others an empty vector.
template <class X>
task<std::vector<X>> gather(X mine, place_id root = 0, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_gather(detail::world_team, std::move(mine), root), at);
}
/// Every place gets its value of those that `root` passes, one for each place; what others pass is not used.
template <class X>
task<X> scatter(std::vector<X> values, place_id root = 0, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_scatter(detail::world_team, std::move(values), root), at);
}
/// to_each[p] goes to place p; the result has what each place sent here.
template <class X>
task<std::vector<X>> all_to_all(std::vector<X> to_each, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_all_to_all(detail::world_team, std::move(to_each)), at);
}

/// The same with arrays: each place gives equally many elements, which lie in `all` in the order of the places.
template <detail::array_element T>
task<void> all_gather(std::span<std::type_identity_t<T> const> mine, std::span<T> all,
                      std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_all_gather_array<T>(detail::world_team, mine, all), at);
}
/// The same with arrays, which have equally many elements for each place.
template <detail::array_element T>
task<void> all_to_all(std::span<std::type_identity_t<T> const> to_each, std::span<T> from_each,
                      std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_all_to_all_array<T>(detail::world_team, to_each, from_each), at);
}

/// Replaces each element by its combination over all places. op: as for values.
template <detail::array_element T, class Op = detail::addition>
task<void> all_reduce(std::span<T> values, Op op = {}, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_reduce_array(detail::world_team, values, op, true, 0), at);
}
/// The same at `root`; the arrays of others stay as they are.
template <detail::array_element T, class Op = detail::addition>
task<void> reduce(std::span<T> values, place_id root = 0, Op op = {},
                  std::source_location at = std::source_location::current()) {
  detail::check_root(detail::world_team, root);
  return detail::made_at(detail::team_reduce_array(detail::world_team, values, op, false, root), at);
}
/// Replaces each element by the combination of that element at all lower places, after `first`.
template <detail::array_element T, class Op = detail::addition>
task<void> prefix_sum(std::span<T> values, std::type_identity_t<T> first = {}, Op op = {},
                      std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_prefix_array<T>(detail::world_team, values, first, op), at);
}

}  // namespace tess
