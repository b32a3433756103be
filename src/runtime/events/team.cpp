// team: splits a team: rank 0 of the old team sorts the requests, in memory that all members access by words.
//
//   The table of a split stays there: how many of its teams are left, then the addresses of the members' records, team
//   after team. A member keeps the addresses of the peers of its collectives, a logarithmic number, and reads others
//   from the table.
#include "tess/team.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "runtime/events/collective.hpp"
#include "runtime/job/job.hpp"
#include "tess/at.hpp"
#include "tess/memory.hpp"
#include "tess/word.hpp"

namespace tess {

namespace detail {

namespace {

/// The request of a member and the answer; one word operation each.
struct split_request {
  std::int32_t colour;
  std::int32_t key;
  std::uint64_t record;
};
struct split_answer {
  std::uint32_t begin;  ///< where its team begins in the table
  std::uint32_t size;
  std::uint32_t rank;
};

/// Memory of rank 0 while a split is made.
struct split_room {
  global_ptr<split_request> requests;
  global_ptr<split_answer> answers;
  global_ptr<std::uint64_t> table;  ///< [1 + members]
  global_ptr<std::uint32_t> order;  ///< room to sort in
};

void free_room(split_room const& room) {
  deallocate(room.requests);
  deallocate(room.answers);
  deallocate(room.order);
}

split_room make_room(unsigned size) {
  split_room room;
  try {
    room.requests = allocate<split_request>(size);
    room.answers = allocate<split_answer>(size);
    room.order = allocate<std::uint32_t>(size);
    room.table = allocate<std::uint64_t>(1 + std::size_t{size});
  } catch (std::bad_alloc const&) {
    free_room(room);
    return {};
  }
  return room;
}

/// Returns the number of teams.
std::uint64_t sort_members(split_room const& room, unsigned size) {
  split_request const* const requests = room.requests.local();
  std::size_t members = 0;
  for (unsigned r = 0; r < size; ++r)
    if (requests[r].colour != team::no_colour) room.order.local()[members++] = r;
  std::span const order(room.order.local(), members);
  std::ranges::sort(order, {}, [&](std::uint32_t r) { return std::tuple(requests[r].colour, requests[r].key, r); });
  std::uint64_t* const table = room.table.local();
  table[0] = 0;
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    ++table[0];
    for (end = begin; end < order.size() && requests[order[end]].colour == requests[order[begin]].colour; ++end)
      table[1 + end] = requests[order[end]].record;
    for (std::size_t i = begin; i < end; ++i)
      room.answers.local()[order[i]] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin),
                                        static_cast<std::uint32_t>(i - begin)};
  }
  return table[0];
}

/// The state within the record whose address the table holds.
task<std::uint64_t> state_of(team_record const& r, unsigned rank) {
  auto const members = global_ptr<std::uint64_t>::from_bits(r.members);
  co_return co_await get(members + static_cast<std::ptrdiff_t>(rank)) + offsetof(team_record, state);
}

task<void> find_peers(team_record& r, split_answer const& mine, global_ptr<std::uint64_t> table) {
  r.rank = mine.rank;
  r.size = mine.size;
  r.table = table.bits();
  r.members = (table + 1 + static_cast<std::ptrdiff_t>(mine.begin)).bits();
  for (unsigned k = 0; (1U << k) < r.size; ++k)
    r.next[k] = co_await state_of(r, static_cast<unsigned>((r.rank + (std::uint64_t{1} << k)) % r.size));
  r.parent = co_await state_of(r, r.rank & (r.rank - 1));
  for (unsigned i = 0; r.size <= direct_places && i < r.size; ++i) r.all[i] = co_await state_of(r, i);
}

/// A record in the caller's segment, or null if there is no room.
global_ptr<team_record> make_record() {
  try {
    auto const address = global_ptr<team_record>::from_bits(segment_allocate(sizeof(team_record)));
    new (address.local()) team_record;
    return address;
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

}  // namespace
}  // namespace detail

bool team::member() const noexcept {
  return name_ == detail::world_team ||
         (name_ != detail::no_team && global_ptr<detail::team_record>::from_bits(name_).place() == here());
}

task<place_id> team::place_of(unsigned rank) const {
  unsigned const size_now = size();
  if (rank >= size_now)
    throw error("team::place_of", "rank " + std::to_string(rank), "a rank below " + std::to_string(size_now));
  if (name_ == detail::world_team) co_return static_cast<place_id>(rank);
  auto const& record = *global_ptr<detail::team_record>::from_bits(name_).local();
  co_return global_ptr<std::byte>::from_bits(co_await detail::state_of(record, rank)).place();
}

task<team> team::split(int colour, int key) const {
  using namespace detail;
  if (colour < no_colour)
    throw error("team::split", "colour " + std::to_string(colour), "0 or more, or team::no_colour");
  bool const root = rank() == 0;
  split_room room = root ? make_room(size()) : split_room{};
  global_ptr<team_record> record = colour == no_colour ? nullptr : make_record();
  bool const short_of_memory = (root && !room.table) || (colour != no_colour && !record);
  // The place without memory + 1; 0: none.
  unsigned const failed =
      co_await all_reduce(short_of_memory ? here() + 1U : 0U, [](unsigned a, unsigned b) { return std::max(a, b); });
  room = co_await broadcast(room);
  std::uint64_t teams = 0;
  if (failed == 0) {
    co_await put(room.requests + rank(), split_request{colour, key, record.bits()});
    co_await barrier();
    if (root) teams = sort_members(room, size());
    co_await barrier();
    if (record) {
      split_answer const mine = co_await get(room.answers + rank());
      co_await find_peers(*record.local(), mine, room.table);
    }
    co_await barrier();
  }
  if (root) {
    free_room(room);
    // Otherwise the table belongs to its teams.
    if (teams == 0) deallocate(room.table);
  }
  if (failed != 0) {
    deallocate(record.as<std::byte>());
    throw out_of_memory(static_cast<place_id>(failed - 1), sizeof(team_record), 0);
  }
  co_return team(record.bits());
}

task<void> team::release() const {
  using namespace detail;
  if (name_ == no_team || name_ == world_team) co_return;
  co_await barrier();
  // Others may still look at this member's step of that barrier.
  co_await team_barrier(name_, barrier_way::notified);
  auto const record = global_ptr<team_record>::from_bits(name_);
  auto const table = global_ptr<std::uint64_t>::from_bits(record.local()->table);
  bool const last_team = rank() == 0 && co_await fetch_sub(table, 1) == 1;
  // Values of a reduction that was given up may still arrive: its record stays.
  if (!record.local()->state.sweep_given_up) {
    for (staging_ring const& ring : record.local()->state.staging)
      deallocate(global_ptr<std::byte>::from_bits(ring.memory));
    deallocate(record.as<std::byte>());
  }
  if (last_team) co_await at(table.place(), [](global_ptr<std::uint64_t> t) { deallocate(t); }, table);
}

}  // namespace tess
