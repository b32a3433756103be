// dram: queueing, choice of the next command, and refresh.
#include "machine/dram/dram.hpp"

#include <algorithm>
#include <utility>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

dram::dram(kernel& k, dram_parameters const& parameters)
    : kernel_(k), parameters_(parameters), rules_(parameters, rules_of(parameters)), ranks_(parameters.ranks) {
  MACHINE_ASSERT(parameters.ranks * parameters.banks <= 64);
  for (std::uint32_t r = 0; r < parameters.ranks; ++r) {
    ranks_[r].open_rows.assign(parameters.banks, closed);
    // Refreshes of the ranks are staggered, so that not all are closed at once.
    std::uint64_t const interval = parameters.timing.refi;
    ranks_[r].refresh_due = interval == 0 ? never : interval + interval * r / parameters.ranks;
  }
  first_refresh_ = first_refresh();
}

std::uint64_t dram::first_refresh() const noexcept {
  return std::ranges::min(ranks_, {}, &rank_state::refresh_due).refresh_due;
}

std::uint64_t dram::cycle_at_or_after(picoseconds time) const noexcept {
  picoseconds const clock = parameters_.timing.clock_ps;
  return (time + clock - 1) / clock;
}

bool dram::try_access(std::uint64_t address, bool write, event& done) {
  std::uint64_t const line = address / parameters_.access_bytes;
  if (turn_over_ && kernel_.now() > next_command_ * parameters_.timing.clock_ps) take_turn();
  if (reads_.empty() && writes_.empty()) catch_up(cycle_at_or_after(kernel_.now()));
  if (write) {
    if (writes_.size() >= parameters_.queue_entries) return false;
    ++counted_.writes;
    bool const merged = std::ranges::find(writes_, line, &request::line) != writes_.end();
    if (!merged) {
      writes_.push_back({locate(parameters_, address), line, nullptr, kernel_.now()});
      ahead_.cycle = never;
    }
    kernel_.after(0, done);
  } else {
    if (reads_.size() >= parameters_.queue_entries) return false;
    ++counted_.reads;
    if (std::ranges::find(writes_, line, &request::line) != writes_.end()) {
      counted_.latency_ps += parameters_.timing.clock_ps;
      kernel_.after(parameters_.timing.clock_ps, done);
      return true;
    }
    reads_.push_back({locate(parameters_, address), line, &done, kernel_.now()});
    ahead_.cycle = never;
  }
  if (!reads_.empty() || !writes_.empty()) plan(std::max(cycle_at_or_after(kernel_.now()), next_command_));
  return true;
}

void dram::plan(std::uint64_t cycle) {
  if (cycle >= planned_) return;  // the tick that is already scheduled does it
  planned_ = cycle;
  if (spare_ticks_.empty()) spare_ticks_.push_back(&ticks_.emplace_back(*this));
  tick& next = *spare_ticks_.back();
  spare_ticks_.pop_back();
  kernel_.at(cycle * parameters_.timing.clock_ps, next);
}

void dram::tick::fire() {
  owner.spare_ticks_.push_back(this);
  // A tick that was superseded by an earlier one finds another time in planned_.
  if (owner.planned_ * owner.parameters_.timing.clock_ps == owner.kernel_.now()) owner.planned_ = never;
  owner.work();
}

void dram::work() {
  std::uint64_t const cycle = cycle_at_or_after(kernel_.now());
  if (reads_.empty() && writes_.empty()) return;  // catch_up() does the refreshes of an idle time
  if (cycle < next_command_) return plan(next_command_);
  bool issued = false;
  std::uint64_t next = refresh(cycle, issued);
  if (!issued) {
    take_turn();
    bool const drain = drains(draining_);
    std::vector<request>& queue = drain ? writes_ : reads_;
    choice const chosen = ahead_.cycle == cycle ? ahead_ : choose(queue, drain, cycle);
    ahead_.cycle = never;
    if (chosen.cycle <= cycle) {
      issue(queue, chosen, cycle);
      issued = true;
    } else if (chosen.cycle < first_refresh_) {
      ahead_ = chosen;
    }
    next = std::min(next, chosen.cycle);
  }
  if (issued) {
    next_command_ = next = cycle + 1;
    turn_over_ = next < first_refresh_ && !(reads_.empty() && writes_.empty());
    if (turn_over_) next = next_chance();
  }
  if ((!reads_.empty() || !writes_.empty()) && next != never) plan(std::max(next, cycle + 1));
}

bool dram::turned() const noexcept {
  if (writes_.size() * 4 <= parameters_.queue_entries && !reads_.empty()) return false;
  return draining_ || writes_.size() * 2 >= parameters_.queue_entries;
}

void dram::take_turn() noexcept {
  draining_ = turned();
  turn_over_ = false;
}

std::uint64_t dram::next_chance() {
  bool const drain = drains(turned());
  choice const chosen = choose(drain ? writes_ : reads_, drain, next_command_);
  if (chosen.cycle >= first_refresh_) return first_refresh_;
  ahead_ = chosen;
  ahead_.cycle = std::max(chosen.cycle, next_command_);
  return chosen.cycle;
}

void dram::issue_refresh(dram_command command, std::uint32_t rank, std::uint64_t cycle) {
  rules_.issue(command, {.rank = rank}, cycle);
  if (command == dram_command::refresh) {
    ++counted_.refreshes;
    ranks_[rank].refresh_due += parameters_.timing.refi;
    first_refresh_ = first_refresh();
  } else {
    count_open(ranks_[rank], cycle);
    std::ranges::fill(ranks_[rank].open_rows, closed);
    ranks_[rank].open = 0;
  }
}

dram_activity dram::activity() const noexcept {
  std::uint64_t const now = kernel_.now() / parameters_.timing.clock_ps;
  dram_activity did{.activates = counted_.activates,
                    .reads = counted_.column_commands - counted_.write_commands,
                    .writes = counted_.write_commands,
                    .refreshes = counted_.refreshes,
                    .open_cycles = open_cycles_,
                    .rank_cycles = now * ranks_.size()};
  for (rank_state const& rank : ranks_) {
    // What catch_up() has not done yet: the first refresh that is due closes the rows.
    if (now >= rank.refresh_due) did.refreshes += (now - rank.refresh_due) / parameters_.timing.refi + 1;
    std::uint64_t const end = std::min(now, rank.refresh_due);
    if (rank.open > 0 && end > rank.open_from) did.open_cycles += end - rank.open_from;
  }
  return did;
}

void dram::catch_up(std::uint64_t cycle) {
  if (cycle < first_refresh_) return;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    if (!refreshing(r, cycle)) continue;
    // Only the last of several can still be in progress.
    std::uint64_t const missed = (cycle - ranks_[r].refresh_due) / parameters_.timing.refi;
    if (missed != 0 && ranks_[r].open > 0) {  // the first of them has closed the rows
      count_open(ranks_[r], ranks_[r].refresh_due);
      ranks_[r].open_from = ~std::uint64_t{0};
    }
    ranks_[r].refresh_due += missed * parameters_.timing.refi;
    counted_.refreshes += missed;
    std::uint64_t const due = ranks_[r].refresh_due;
    for (dram_command const command : {dram_command::precharge_all, dram_command::refresh}) {
      if (command == dram_command::precharge_all && ranks_[r].open == 0) continue;
      issue_refresh(command, r, std::max(due, rules_.earliest(command, {.rank = r})));
    }
  }
}

std::uint64_t dram::refresh(std::uint64_t cycle, bool& issued) {
  if (cycle < first_refresh_) return first_refresh_;
  std::uint64_t next = never;
  for (std::uint32_t r = 0; r < ranks_.size() && !issued; ++r) {
    rank_state& rank = ranks_[r];
    if (!refreshing(r, cycle)) {
      next = std::min(next, rank.refresh_due);
      continue;
    }
    dram_address const at{.rank = r};
    dram_command const command = rank.open > 0 ? dram_command::precharge_all : dram_command::refresh;
    std::uint64_t const earliest = rules_.earliest(command, at);
    if (earliest > cycle) {
      next = std::min(next, earliest);
      continue;
    }
    issue_refresh(command, r, cycle);
    issued = true;
  }
  return next;
}

dram::choice dram::choose(std::vector<request> const& queue, bool writes, std::uint64_t cycle) const {
  choice hit;
  std::uint64_t wanted = 0;  // banks with a queued row hit
  dram_command const column = writes ? dram_command::write : dram_command::read;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    dram_address const& at = queue[i].at;
    if (ranks_[at.rank].open_rows[at.bank] != at.row || refreshing(at.rank, cycle)) continue;
    wanted |= bank_bit(at);
    std::uint64_t const earliest = rules_.earliest(column, at);
    if (earliest <= cycle) return {earliest, i, column};
    if (earliest < hit.cycle) hit = {earliest, i, column};
  }
  choice other;
  std::uint64_t looked = wanted;  // only the oldest request of a bank may close its row, and only if no request hits it
  for (std::size_t i = 0; i < queue.size(); ++i) {
    dram_address const& at = queue[i].at;
    if ((looked & bank_bit(at)) != 0 || refreshing(at.rank, cycle)) continue;
    looked |= bank_bit(at);
    bool const open = ranks_[at.rank].open_rows[at.bank] != closed;
    dram_command const command = open ? dram_command::precharge : dram_command::activate;
    std::uint64_t const earliest = rules_.earliest(command, at);
    if (earliest <= cycle) return {earliest, i, command};
    if (earliest < other.cycle) other = {earliest, i, command};
  }
  return other.cycle < hit.cycle ? other : hit;
}

void dram::issue(std::vector<request>& queue, choice const& chosen, std::uint64_t cycle) {
  request const served = queue[chosen.index];
  rank_state& rank = ranks_[served.at.rank];
  std::uint32_t& open = rank.open_rows[served.at.bank];
  rules_.issue(chosen.command, served.at, cycle);
  if (chosen.command == dram_command::activate) {
    ++counted_.activates;
    open = served.at.row;
    if (rank.open++ == 0) rank.open_from = cycle;
    return;
  }
  if (chosen.command == dram_command::precharge) {
    ++counted_.row_conflicts;
    open = closed;
    if (--rank.open == 0) count_open(rank, cycle);
    return;
  }
  ++counted_.column_commands;
  counted_.busy_cycles += parameters_.timing.burst;
  if (chosen.command == dram_command::write) ++counted_.write_commands;
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(chosen.index));
  if (served.done != nullptr) {
    picoseconds const there = (cycle + parameters_.timing.cl + parameters_.timing.burst) * parameters_.timing.clock_ps;
    counted_.latency_ps += there - served.came;
    kernel_.at(there, *served.done);
  }
  for (event* const vacancy : std::exchange(vacancies_, {})) kernel_.after(0, *vacancy);
}

}  // namespace tess::machine
