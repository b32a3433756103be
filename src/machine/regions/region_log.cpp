// region_log: what a mark does to the totals.
#include "machine/regions/region_log.hpp"

#include <algorithm>

#include "tess/machine/registers.hpp"

namespace tess::machine {

region_counts& region_counts::operator+=(region_counts const& more) noexcept {
  cycles += more.cycles;
  instructions += more.instructions;
  loads += more.loads;
  load_misses += more.load_misses;
  return *this;
}

region_counts region_counts::since(region_counts const& before) const noexcept {
  return {.cycles = cycles - std::min(cycles, before.cycles),
          .instructions = instructions - std::min(instructions, before.instructions),
          .loads = loads - before.loads,
          .load_misses = load_misses - before.load_misses};
}

std::size_t region_log::number_of(std::string const& name) {
  auto const [at, is_new] = numbers_.try_emplace(name, totals_.size());
  if (is_new) totals_.emplace_back().name = name;
  return at->second;
}

std::vector<std::uint64_t> region_log::cycles_until(std::uint64_t cycle) const {
  std::vector<std::uint64_t> made;
  for (region_total const& one : totals_) made.push_back(one.all.cycles);
  for (hart_regions const* const one : harts_) {
    bool const ended = one->where_.has_ended && one->where_.has_ended();
    std::uint64_t const until = ended ? std::min(cycle, one->where_.of->now()) : cycle;
    for (std::size_t i = 0; i < one->open_.size(); ++i)
      if (one->is_first(i)) made[one->open_[i].number] += until - std::min(until, one->last_.cycles);
  }
  return made;
}

void region_log::finish() {
  for (hart_regions* const one : harts_) one->begin_thread();
}

void hart_regions::advance(std::uint64_t cycle, std::uint64_t retired) {
  // Without time an instruction is a cycle.
  bool const is_timed = where_.loads != nullptr;
  region_counts const now{.cycles = cycle,
                          .instructions = is_timed ? retired : cycle,
                          .loads = where_.loads == nullptr ? 0 : *where_.loads,
                          .load_misses = where_.load_misses == nullptr ? 0 : *where_.load_misses};
  region_counts const passed = now.since(last_);
  last_ = now;
  if (open_.empty()) return;
  log_.totals_[open_.back().number].own += passed;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (is_first(i)) log_.totals_[open_[i].number].all += passed;
}

// A region inside of itself counts once.
bool hart_regions::is_first(std::size_t place) const noexcept {
  return std::none_of(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(place),
                      [&](open_region const& one) { return one.number == open_[place].number; });
}

bool hart_regions::mark(inst const* i, std::uint64_t retired) {
  hart const& h = *where_.of;
  std::uint64_t const cycle = h.now(i);
  advance(cycle, retired);
  if (i->imm == registers::region_mark::begins) {
    begin(where_.text(h.x[i->rs1]), cycle);
    if (!log_.awaited_ || log_.totals_[open_.back().number].name != *log_.awaited_) return false;
    log_.awaited_.reset();
    return log_.has_come_ = true;
  }
  if (!open_.empty()) end(cycle);
  return false;
}

void hart_regions::take_over(hart_regions const& from) {
  advance();
  for (open_region const& one : from.open_) begin(from.log_.totals_[one.number].name, last_.cycles);
}

void hart_regions::begin(std::string const& name, std::uint64_t cycle) {
  std::size_t const number = log_.number_of(name);
  open_.push_back({.number = number, .begin = cycle});
  region_total& total = log_.totals_[number];
  ++total.times;
  total.begin = std::min(total.begin, cycle);
  if (was_here_.size() <= number) was_here_.resize(number + 1);
  if (!was_here_[number]) ++total.harts;
  was_here_[number] = true;
}

void hart_regions::end(std::uint64_t cycle) {
  region_total& total = log_.totals_[open_.back().number];
  total.end = std::max(total.end, cycle);
  if (log_.told_) log_.told_(*where_.of, where_.tile, total.name, open_.back().begin, cycle);
  open_.pop_back();
}

void hart_regions::begin_thread() {
  advance();
  while (!open_.empty()) end(last_.cycles);
}

void hart_regions::switch_thread(std::uint64_t from, std::uint64_t to) {
  advance();
  parked_regions& parked = *where_.parked;
  if (from != 0) parked[from] = std::move(open_);
  auto const comes = parked.find(to);
  open_ = comes == parked.end() ? std::vector<open_region>() : std::move(comes->second);
  if (comes != parked.end()) parked.erase(comes);
}

}  // namespace tess::machine
