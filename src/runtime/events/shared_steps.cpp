// shared_steps: lines that are raised, seen and waited for.
#include "runtime/events/shared_steps.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/block.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// A sixteenth of a small segment.
std::uint32_t staging_bytes_of(place_id place) noexcept {
  std::uint64_t const part = std::bit_floor(the_job->fabric->segment(place).bytes / 16);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(part, staging_bytes_min, staging_bytes_max));
}

}  // namespace

task<void> find_sharing(team_name name) {
  member_view const team(name);
  // The memory that it would stage with; 0: it does not share.
  std::uint32_t mine = the_job->fabric->coherent() && !TESS_RACES ? staging_bytes_of(self->place) : 0;
  for (unsigned r = 0; r < team.size(); ++r)
    if (job.atomic_window[place_of(team.any(&team.state(), r))] == no_window) mine = 0;
  collective_state& state = team.state();
  state.process = static_cast<std::int32_t>(getpid());
  state.own_address = reinterpret_cast<std::uint64_t>(&state);
  auto const least = [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); };
  state.staging_bytes = co_await team_all_reduce(name, mine, least);
  if (state.staging_bytes != 0) {
    shared_steps const with(team, false);
    constexpr std::uint32_t reads = 1, fences = 2;
    std::uint32_t can = reads | (this_worker().may_spin && can_fence_others() ? fences : 0);
    for (unsigned r = 0; r < team.size(); ++r)
      if (!with.can_read(r)) can &= ~reads;
    can = co_await team_all_reduce(name, can, [](std::uint32_t a, std::uint32_t b) { return a & b; });
    state.reads_others = (can & reads) != 0;
    state.exchange_waiters_fence = (can & fences) != 0;
  }
  state.sharing = state.staging_bytes != 0 ? memory_sharing::yes : memory_sharing::no;
}

shared_steps::shared_steps(member_view const& team, bool waiters_fence)
    : team_(team), rank_(team.rank()), size_(team.size()), waiters_fence_(waiters_fence), step_(team.state().steps) {
  for (unsigned r = 0; r < size_; ++r)
    of_[r] =
        r == rank_ ? &team.state() : reinterpret_cast<collective_state*>(through_window(team.any(&team.state(), r)));
}

void shared_steps::say(std::uint64_t length, exchange_fault fault, std::size_t staged) {
  collective_state& s = team_.state();
  check_not_given_up(s);
  if (staged != 0) try {
      bool const is_short = staged <= staging_bytes_min / 4;
      staging_ring& ring = s.staging[is_short ? 0 : 1];
      ring_bytes_ = is_short ? staging_bytes_min : s.staging_bytes;
      if (ring.memory == 0) ring.memory = segment_allocate(ring_bytes_ + 64);
      ring_ = &ring;
    } catch (std::bad_alloc const&) {
      fault = exchange_fault::memory;
    }
  step_line& mine = next_line();
  mine.length = length;
  mine.fault = static_cast<std::uint32_t>(fault);
  s.sweep_given_up = true;  // for an exception
}

std::byte* shared_steps::next_staged(std::size_t bytes) noexcept {
  if (next_staged_ != nullptr) return next_staged_;
  bytes = (bytes + 63) / 64 * 64;
  if (ring_->used + bytes > ring_bytes_) ring_->used = 0;
  std::uint64_t const address = (ring_->memory + 63) / 64 * 64 + ring_->used;
  ring_->used += bytes;
  std::memcpy(next_line().bytes, &address, sizeof address);
  next_staged_ = static_cast<std::byte*>(to_local(address));
  return next_staged_;
}

std::byte const* shared_steps::staged(unsigned rank) const noexcept {
  return through_window(read_value<std::uint64_t>(line(rank, step_).bytes));
}

bool shared_steps::read(unsigned rank, std::uint64_t address, std::span<std::byte> into) const noexcept {
  if (of_[rank]->process == team_.state().process) {
    std::memcpy(into.data(), reinterpret_cast<std::byte const*>(address), into.size());
    return true;
  }
  while (!into.empty()) {
    iovec const to{into.data(), into.size()};
    iovec const from{reinterpret_cast<void*>(address), into.size()};
    ssize_t const got = process_vm_readv(of_[rank]->process, &to, 1, &from, 1, 0);
    if (got <= 0) return false;
    address += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

/// Its process may be one of another container, whose number means another process here, or none.
bool shared_steps::can_read(unsigned rank) const noexcept {
  std::uint64_t found = 0;
  collective_state const& state = *of_[rank];
  return read(rank, state.own_address + offsetof(collective_state, own_address),
              std::as_writable_bytes(std::span(&found, 1))) &&
         found == state.own_address;
}

way_record& shared_steps::ways(std::size_t part_bytes) const noexcept {
  // From 64, 256, 1024 … KiB on.
  std::size_t const size = static_cast<std::size_t>(std::bit_width(part_bytes >> 16U) + 1) / 2;
  return team_.state().ways[std::min(size, way_sizes - 1)];
}

part_way shared_steps::way(std::size_t part_bytes) noexcept {
  if (!has_ways(part_bytes)) return part_way::staged;
  next_line().way = ways(part_bytes).proposed;
  return ways(part_bytes).next;
}

void shared_steps::take_way(std::size_t part_bytes) noexcept {
  if (has_ways(part_bytes)) ways(part_bytes).next = line(0, step_).way;
}

void shared_steps::note_way(std::size_t part_bytes, part_way used, float ns) noexcept {
  // The other way gets another chance.
  constexpr std::uint32_t trial_every = 64;
  if (rank_ != 0 || !has_ways(part_bytes)) return;
  way_record& w = ways(part_bytes);
  float& known = w.ns_per_byte[static_cast<std::size_t>(used)];
  float const now = ns / static_cast<float>(part_bytes);
  // Others that come late look like a slow way: an exchange shows how fast it can be, and with others how fast it is.
  known = known == 0 || now < known ? now : known + (now - known) / 4;
  auto const& [staged, read] = w.ns_per_byte;
  bool const reading_wins = read == 0 || (staged != 0 && read < staged);
  bool const trial = ++w.exchanges % trial_every == 0;
  // All learn it with the next exchange, and use it in the one after that.
  w.proposed = reading_wins != trial ? part_way::read : part_way::staged;
}

void shared_steps::raise() noexcept {
  step_word& mine = next_line().word;
  team_.state().steps = ++step_;
  next_staged_ = nullptr;
  if (unsigned const ranks = mine.raise(step_, waiters_fence_)) [[unlikely]]
    notify(ranks);
}

void shared_steps::notify(unsigned ranks) noexcept {
  for (unsigned r = 0; r < size_; ++r) {
    if ((ranks >> r & 1U) == 0) continue;
    std::uint64_t const cell = team_.any(&team_.state().arrival, r);
    block_put({}, cell, nullptr, cell, std::source_location::current());
  }
}

bool shared_steps::all_raised() const noexcept {
  for (unsigned r = 0; r < size_; ++r)
    if (r != rank_ && !raised(r)) return false;
  return true;
}

bool shared_steps::there() noexcept {
  if (!look_for([this] { return all_raised(); })) return false;
  // In a loop of exchanges in which nobody is late, messages are handled, too.
  if (worker_state& w = this_worker(); w.count_event()) serve_others(w);
  return true;
}

task<void> shared_steps::arrival(wait_kind const& kind) {
  completion& arrival = team_.state().arrival;
  for (unsigned r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    arrival.expect(1);
    line(r, step_).word.ask(step_, rank_);
  }
  if (!all_raised()) wait_fence(waiters_fence_);
  for (unsigned r = 0; r < size_; ++r)
    if (r != rank_ && !line(r, step_).word.will_notify(step_, rank_)) arrival.expect(-1);
  co_await cell_awaiter{arrival, kind};
  // acquire: what the members show. They have raised the step before they notified.
  TESS_ASSERT(all_raised());
}

void shared_steps::check(std::uint64_t own_bytes) {
  bool right = true;
  for (unsigned r = 0; r < size_; ++r)
    right = right && line(r, step_).fault == 0 && line(r, step_).length == line(0, step_).length;
  if (right) [[likely]]
    return;
  agreement all;
  for (unsigned r = 0; r < size_; ++r) {
    step_line const& l = line(r, step_);
    agreement const one{static_cast<exchange_fault>(l.fault), place_of(team_.any(&team_.state(), r)), l.length,
                        l.length, 0};
    all = r == 0 ? one : agree(all, one);
  }
  end();
  throw_fault(all, own_bytes);
}

void shared_steps::end() noexcept {
  team_.state().sweep_given_up = false;
}

}  // namespace tess::detail
