// team: a subset of the places, with its own ranks and collectives.
//
//   `team const row = co_await team::world().split(colour, key)` is called by every member of the team that is split,
//   like a collective. Members with the same colour become a team, ranked by key, then by rank in the old team. A
//   team may be split again, several may be used at once, and release() gives one back. A handle belongs to the place
//   at which split() returned it.
//
// Threads  one task per member at a time, for one team; different teams do not affect each other.
// Errors   tess::error for a call at a place that is not a member, or with another place's handle;
//          out_of_memory at every member
//          if one of them has no room for its record.
// Cost     a record of about 6 KiB at each member, of any size; 8 bytes for each member at one place. Collectives:
//          as those over all places (collective.hpp), with the team's size as P. split: two reductions and three
//          barriers of the old team, and a sort at its rank 0. place_of: a get of one word.
// Source   MPI_Comm_split (MPI 4.0, 7.4.2); team::split of UPC++.
#pragma once

#include "tess/collective.hpp"
#include "tess/detail/objects/plain_data.hpp"
#include "tess/exchange.hpp"

namespace tess {

class team {
 public:
  /// The colour of members that are in no part of a split.
  static constexpr int no_colour = -1;

  /// No team: what split() returns for no_colour.
  constexpr team() noexcept = default;
  /// All places, ranked by their number.
  [[nodiscard]] static constexpr team world() noexcept { return team(detail::world_team); }

  /// True if the caller's place is a member and this is its handle.
  [[nodiscard]] bool member() const noexcept;
  [[nodiscard]] unsigned rank() const { return detail::team_rank(name_); }
  [[nodiscard]] unsigned size() const { return detail::team_size(name_); }
  [[nodiscard]] task<place_id> place_of(unsigned rank) const;

  /// Collective: the team of the members that pass the same colour, 0 or more.
  [[nodiscard]] task<team> split(int colour, int key = 0) const;
  /// Collective: gives the memory back. No effect for a handle of no team, or for the world.
  [[nodiscard]] task<void> release() const;

  /// Ends when all members of the team have called it.
  [[nodiscard]] detail::barrier_call barrier(std::source_location at = std::source_location::current()) const noexcept {
    return {name_, at};
  }
  /// op over the values of the members, in rank order.
  template <detail::reducible T, class Op = detail::addition>
  task<T> all_reduce(T mine, Op op = {}, std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_all_reduce(name_, mine, op), at);
  }
  /// `root` is a rank.
  template <detail::reducible T, class Op = detail::addition>
  task<std::optional<T>> reduce(T mine, unsigned root = 0, Op op = {},
                                std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_reduce(name_, mine, root, op), at);
  }
  template <detail::reducible T>
  task<T> broadcast(T value, unsigned root = 0, std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_broadcast(name_, value, root), at);
  }
  template <detail::reducible T, class Op = detail::addition>
  task<T> prefix_sum(T mine, T first = {}, Op op = {},
                     std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_prefix_sum(name_, mine, first, op), at);
  }

  /// Values of any size, and arrays: exchange.hpp. Results are indexed by rank; `root` is a rank.
  template <class X>
  task<std::vector<X>> all_gather(X mine, std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_all_gather(name_, std::move(mine)), at);
  }
  template <class X>
  task<std::vector<X>> gather(X mine, unsigned root = 0,
                              std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_gather(name_, std::move(mine), root), at);
  }
  template <class X>
  task<X> scatter(std::vector<X> values, unsigned root = 0,
                  std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_scatter(name_, std::move(values), root), at);
  }
  template <class X>
  task<std::vector<X>> all_to_all(std::vector<X> to_each,
                                  std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_all_to_all(name_, std::move(to_each)), at);
  }
  template <detail::array_element T>
  task<void> all_gather(std::span<std::type_identity_t<T> const> mine, std::span<T> all,
                        std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_all_gather_array<T>(name_, mine, all), at);
  }
  template <detail::array_element T>
  task<void> all_to_all(std::span<std::type_identity_t<T> const> to_each, std::span<T> from_each,
                        std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_all_to_all_array<T>(name_, to_each, from_each), at);
  }
  template <detail::array_element T, class Op = detail::addition>
  task<void> all_reduce(std::span<T> values, Op op = {},
                        std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_reduce_array(name_, values, op, true, 0), at);
  }
  template <detail::array_element T, class Op = detail::addition>
  task<void> reduce(std::span<T> values, unsigned root = 0, Op op = {},
                    std::source_location at = std::source_location::current()) const {
    detail::check_root(name_, root);
    return detail::made_at(detail::team_reduce_array(name_, values, op, false, root), at);
  }
  template <detail::array_element T, class Op = detail::addition>
  task<void> prefix_sum(std::span<T> values, std::type_identity_t<T> first = {}, Op op = {},
                        std::source_location at = std::source_location::current()) const {
    return detail::made_at(detail::team_prefix_array<T>(name_, values, first, op), at);
  }

 private:
  constexpr explicit team(detail::team_name name) noexcept : name_(name) {}
  detail::team_name name_ = detail::no_team;
};

template <>
inline constexpr bool plain_data<team> = true;

}  // namespace tess
