// collective: a dissemination barrier, and one sweep for reductions, broadcast and prefix sums.
#include "runtime/events/collective.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "runtime/events/shared_steps.hpp"
#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/block.hpp"
#include "tess/detail/events/event_lines.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

member_view::member_view(team_name team) {
  if (team != world_team) [[unlikely]] {
    use_record(team);
    return;
  }
  state_ = reinterpret_cast<collective_state*>(this_place().memory.base + collective_offset);
  rank_ = here();
  size_ = job.places;
}

void member_view::use_record(team_name team) {
  auto const address = global_ptr<team_record>::from_bits(team);
  if (team == no_team)
    throw error("team", "place " + std::to_string(here()) + " uses a team that it is not in",
                "calls by members only: it gave team::no_colour to split(), or never called it");
  if (address.place() != here())
    throw error("team",
                "place " + std::to_string(here()) + " uses the handle of place " + std::to_string(address.place()),
                "the handle that split() returned here, if this place is a member");
  auto* const record = address.local();
  record_ = record;
  state_ = &record->state;
  rank_ = record->rank;
  size_ = record->size;
}

std::uint64_t member_view::world(unsigned rank) const noexcept {
  return global_ptr<std::byte>(static_cast<place_id>(rank), collective_offset).bits();
}

namespace {
/// Something of a member's state in the state of another, which this member reaches by plain loads and stores.
template <class T>
T& reached(member_view const& team, T* mine, unsigned rank) noexcept {
  return *reinterpret_cast<T*>(through_window(team.any(mine, rank)));
}
}  // namespace

void reach_record::learn(member_view const& team) noexcept {
  if (team.size() > direct_places) return void(knows_ = known::no);
  if (knows_ == known::has_spoken) {
    said least = said::can_fence_too;
    // relaxed: the collective in which they spoke has ended.
    for (unsigned r = 0; r < team.size(); ++r) least = std::min(least, reached_by_[r].load(std::memory_order_relaxed));
    knows_ = least != said::nothing ? known::yes : known::no;
    waiters_fence_ = least == said::can_fence_too;
    return;
  }
  knows_ = known::has_spoken;
  bool reaches_all = the_job->fabric->coherent() && !TESS_RACES && this_worker().may_spin;
  for (unsigned r = 0; r < team.size(); ++r)
    reaches_all = reaches_all && job.atomic_window[place_of(team.any(this, r))] != no_window;
  if (!reaches_all) return;
  said const mine = can_fence_others() ? said::can_fence_too : said::reaches_all;
  for (unsigned r = 0; r < team.size(); ++r)
    reached(team, &reached_by_[team.rank()], r).store(mine, std::memory_order_relaxed);
}

namespace {

constexpr wait_kind barrier_wait{"barrier", &give_up_cell, true};
constexpr wait_kind reduction_wait{"reduction", &give_up_cell, true};

void send(void const* value, std::size_t bytes, std::uint64_t slot, std::uint64_t cell, counter& sent) {
  block_put({static_cast<std::byte const*>(value), bytes}, slot, &access::cell(sent), cell,
            std::source_location::current());
}

/// Polls for a while: the notification from another process is a message.
void poll_for(completion const& cell) {
  if (the_job->local_places == job.places) return;
  constexpr int polls = 64;
  worker_state& w = this_worker();
  for (int i = 0; i < polls && w.may_spin && !cell.idle(); ++i) {
    if (i != 0) spin_pause();
    static_cast<void>(poll(w));
  }
}

/// Every member sends to every other: one step.
task<void> sweep_direct(member_view team, collective_state::episode& e, void const* mine, std::size_t bytes,
                        combine_function combine, void const* op, sweep_result& result) {
  unsigned const me = team.rank();
  counter sent;
  e.direct.expect(team.size() - 1);
  for (unsigned r = 0; r < team.size(); ++r)
    if (r != me) send(mine, bytes, team.any(&e.direct_values[me], r), team.any(&e.direct, r), sent);
  std::memcpy(e.direct_values[me].bytes, mine, bytes);
  poll_for(e.direct);
  co_await cell_awaiter{e.direct, reduction_wait};
  std::memcpy(result.total, e.direct_values[0].bytes, bytes);
  for (unsigned r = 1; r < team.size(); ++r) {
    if (r == me) std::memcpy(result.before, result.total, bytes);
    combine(result.total, e.direct_values[r].bytes, op);
  }
  co_await sent;
}

/// Every member shows its value to every other.
task<void> sweep_shared(shared_steps with, void const* mine, std::size_t bytes, combine_function combine,
                        void const* op, sweep_result& result) {
  std::memcpy(with.next_carried(), mine, bytes);
  with.raise();
  if (!with.there()) co_await with.arrival(reduction_wait);
  std::memcpy(result.total, with.carried(0), bytes);
  for (unsigned r = 1; r < with.size(); ++r) {
    if (r == with.rank()) std::memcpy(result.before, result.total, bytes);
    combine(result.total, with.carried(r), op);
  }
}

/// Up a binomial tree to rank 0 and down again. On the way up rank r holds the sum of [r, r + 2^k) before it takes
/// in the child r + 2^k: just what comes before that child's ranks within r's part.
task<void> sweep_tree(member_view team, collective_state::episode& e, void const* mine, std::size_t bytes,
                      combine_function combine, void const* op, sweep_result& result) {
  unsigned const me = team.rank();
  unsigned const size = team.size();
  counter sent;
  std::byte sum[collective_bytes];
  std::byte before_child[rounds_max][collective_bytes];
  std::memcpy(sum, mine, bytes);
  unsigned k = 0;
  for (; (1U << k) < size && (me & (1U << k)) == 0; ++k) {
    if (me + (1U << k) >= size) continue;
    e.up[k].expect(1);
    poll_for(e.up[k]);
    co_await cell_awaiter{e.up[k], reduction_wait};
    std::memcpy(before_child[k], sum, bytes);
    combine(sum, e.up_values[k].bytes, op);
  }
  if (me != 0) {
    send(sum, bytes, team.parent(&e.up_values[k]), team.parent(&e.up[k]), sent);
    e.down.expect(1);
    poll_for(e.down);
    co_await cell_awaiter{e.down, reduction_wait};
    std::memcpy(result.total, e.down_values.bytes, bytes);
    std::memcpy(result.before, e.down_values.bytes + collective_bytes, bytes);
  } else {
    std::memcpy(result.total, sum, bytes);
  }
  std::byte down[rounds_max][2 * collective_bytes];
  while (k-- > 0) {
    if (me + (1U << k) >= size) continue;
    std::memcpy(down[k], result.total, bytes);
    std::memcpy(down[k] + collective_bytes, before_child[k], bytes);
    if (me != 0) {
      std::memcpy(down[k] + collective_bytes, result.before, bytes);
      combine(down[k] + collective_bytes, before_child[k], op);
    }
    send(down[k], sizeof down[k], team.next(&e.down_values, k), team.next(&e.down, k), sent);
  }
  co_await sent;
}

}  // namespace

void check_not_given_up(collective_state const& s) {
  if (s.sweep_given_up) [[unlikely]]
    throw error("team", "place " + std::to_string(here()) + " gave up a reduction before",
                "no further reductions on this team: what was under way then could be taken for theirs");
}

task<void> sweep(team_name name, void const* mine, std::size_t bytes, combine_function combine, void const* op,
                 sweep_result& result) {
  member_view const team(name);
  collective_state& s = team.state();
  check_not_given_up(s);
  collective_state::episode& e = s.episodes[s.sweeps++ % 2];
  if (team.size() == 1) {
    std::memcpy(result.total, mine, bytes);
    co_return;
  }
  s.sweep_given_up = true;  // for an exception
  s.sweep_reach.begin(team);
  if (s.sweep_reach.all_reach_all() && bytes <= shared_steps::carried_bytes)
    co_await sweep_shared(shared_steps(team, s.sweep_reach.waiters_fence()), mine, bytes, combine, op, result);
  else if (team.size() <= direct_places)
    co_await sweep_direct(team, e, mine, bytes, combine, op, result);
  else
    co_await sweep_tree(team, e, mine, bytes, combine, op, result);
  s.sweep_given_up = false;
}

namespace {

/// This member's step of the barrier under way: the others see it, and those that wait for it are notified.
void raise_barrier(member_view const& team, completion& arrival) {
  collective_state& s = team.state();
  s.barrier_sent = true;
  unsigned const ranks = s.barrier_step.raise(s.barriers + 1, s.barrier_reach.waiters_fence());
  for (unsigned r = 0; ranks >> r != 0; ++r)
    if ((ranks >> r & 1U) != 0)
      block_put({}, team.any(&arrival, r), nullptr, team.any(&arrival, r), std::source_location::current());
}

bool barrier_raised_by_all(collective_state const& s, unsigned size) noexcept {
  for (unsigned r = 0; r < size; ++r)
    if (!s.barrier_steps[r]->raised(s.barriers + 1)) return false;
  return true;
}

/// Those that have not come yet will notify this member; after a wait that was given up they know already.
void wait_for_others(member_view const& team, completion& arrival) noexcept {
  collective_state& s = team.state();
  std::uint8_t const asked_before = s.barrier_asked;
  auto const for_each_other = [&](auto f) {
    for (unsigned r = 0; r < team.size(); ++r)
      if (r != team.rank() && (asked_before >> r & 1U) == 0) f(*s.barrier_steps[r], r);
  };
  bool all_came = true;
  for_each_other([&](step_word& step, unsigned) {
    arrival.expect(1);
    step.ask(s.barriers + 1, team.rank());
    all_came = all_came && step.raised(s.barriers + 1);
  });
  if (!all_came) wait_fence(s.barrier_reach.waiters_fence());
  for_each_other([&](step_word& step, unsigned r) {
    if (step.will_notify(s.barriers + 1, team.rank()))
      s.barrier_asked = static_cast<std::uint8_t>(s.barrier_asked | 1U << r);
    else
      arrival.expect(-1);
  });
}

/// None is under way here.
bool barrier_begins(collective_state const& s) noexcept {
  return s.barrier_round == 0 && !s.barrier_sent;
}
/// One in which all members share memory is under way here: it was given up, or has looked for the others already.
bool barrier_is_raised(collective_state const& s) noexcept {
  return s.barrier_sent && s.barrier_step.raised(s.barriers + 1);
}
/// It has ended at this member.
void end_barrier(collective_state& s) noexcept {
  s.barrier_asked = 0;
  s.barrier_sent = false;
  ++s.barriers;
}

}  // namespace

bool barrier_at_once(team_name name) {
  member_view const team(name);
  collective_state& s = team.state();
  if (team.size() == 1) return true;
  // The first two barriers of a team find out whether it can.
  if (s.barrier_steps[0] == nullptr) return false;
  bool const begins = barrier_begins(s);
  if (!begins && !barrier_is_raised(s)) return false;
  if (begins) raise_barrier(team, s.episodes[s.barriers % 2].barrier[0]);
  unsigned const size = team.size();
  auto const all_came = [&s, size] { return barrier_raised_by_all(s, size); };
  if (begins ? !look_for(all_came) : !all_came()) return false;
  end_barrier(s);
  return true;
}

/// A barrier that its task gave up has begun nevertheless: the next one at this place continues it.
task<void> team_barrier(team_name name, barrier_way way) {
  member_view const team(name);
  collective_state& s = team.state();
  collective_state::episode& e = s.episodes[s.barriers % 2];
  bool const begins = barrier_begins(s);
  if (begins) s.barrier_reach.begin(team);
  if (way == barrier_way::fastest && s.barrier_reach.all_reach_all() && (begins || barrier_is_raised(s))) {
    unsigned const size = team.size();
    if (s.barrier_steps[0] == nullptr)
      for (unsigned r = 0; r < size; ++r) s.barrier_steps[r] = &reached(team, &s.barrier_step, r);
    if (barrier_at_once(name)) co_return;
    wait_for_others(team, e.barrier[0]);
    co_await cell_awaiter{e.barrier[0], barrier_wait};
    // acquire: what the others did before they came, which was before they notified.
    TESS_ASSERT(barrier_raised_by_all(s, size));
    end_barrier(s);
    co_return;
  }
  // With counters in hardware it is one round.
  bool const by_lines = machine_has_lines && name == world_team && event_lines != nullptr;
  unsigned const all_rounds = barrier_rounds(team.size());
  unsigned const rounds = by_lines ? std::min(all_rounds, 1U) : all_rounds;
  for (unsigned k = s.barrier_round; k < rounds; s.barrier_round = ++k) {
    completion& cell = e.barrier[k];
    if (!s.barrier_sent) {
      cell.expect(1);
      if (by_lines)
        event_lines->arrive([](void* of, std::uint64_t) noexcept { static_cast<completion*>(of)->acknowledge(1); },
                            &cell);
      else
        block_put({}, team.next(&cell, k), nullptr, team.next(&cell, k), std::source_location::current());
      s.barrier_sent = true;
    }
    poll_for(cell);
    co_await cell_awaiter{cell, barrier_wait};
    s.barrier_sent = false;
  }
  s.barrier_round = 0;
  ++s.barriers;
}

unsigned team_rank(team_name team) {
  return member_view(team).rank();
}
unsigned team_size(team_name team) {
  return member_view(team).size();
}
void check_root(team_name team, unsigned root) {
  if (unsigned const size = team_size(team); root >= size)
    throw error("team", "root " + std::to_string(root), "a rank below " + std::to_string(size));
}

}  // namespace tess::detail
