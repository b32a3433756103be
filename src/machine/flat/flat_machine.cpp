// flat_machine: turns of the harts, and what is done when a hart stops.
#include "machine/flat/flat_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/commit/commit_log.hpp"
#include "machine/flat/warming_memory.hpp"
#include "machine/hart/engine.hpp"
#include "machine/isa/zicsr.hpp"
#include "machine/linux/trap_report.hpp"
#include "machine/linux/user_memory.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

using flat_engine = engine<flat_memory>;
using warming_engine = engine<warming_memory>;

namespace {

/// Where a program stores that its measured part begins or ends; tiles have a register there.
constexpr std::uint64_t measured_register =
    registers::own_devices + static_cast<std::uint64_t>(registers::unit::information) * registers::unit_bytes +
    registers::information::measured;

block_rules rules_of(machine_description const& warmed) {
  block_rules rules;
  rules.fetch_line_bytes = warmed.l1_instruction.line_bytes;
  rules.learns = warmed.branches.has_value() && warmed.pipeline.has_value();
  return rules;
}

}  // namespace

flat_machine::flat_machine(elf_image const& image, flat_options options, program_options of_program,
                           std::optional<tile_to_warm> const& warmed)
    : image_(image),
      options_(options),
      memory_(options.memory_bytes),
      translator_(options.translates ? make_translator(flat_engine::handlers()) : nullptr),
      code_(memory_, flat_engine::handlers(), {}),
      harts_(options.harts),
      program_(*this, memory_.size_bytes(), *this, image, std::move(of_program)) {
  if (translator_) code_.translate(*translator_);
  for (std::uint32_t k = 0; k < harts_.size(); ++k) {
    harts_[k].context.number = k;
    harts_[k].context.code = &code_;
    harts_[k].context.memory = &memory_;
  }
  if (warmed) {
    warm_.emplace(warmed->description, warmed->window, options.harts);
    block_rules rules = rules_of(warmed->description);
    followed_code_.emplace(memory_, warming_engine::handlers(), rules);
    if (options.translates)
      lines_translator_ = make_translator(warming_engine::handlers(), warm_->of_hart(0).known_lines());
    rules.learns = false;
    lines_code_.emplace(memory_, warming_engine::handlers(), rules);
    if (lines_translator_) lines_code_->translate(*lines_translator_);
    follow(followed::all);
  }
  program_.start(harts_.front().context);
}

void flat_machine::follow(followed what) {
  if (!warm_ || what == follows_) return;
  follows_ = what;
  choose_blocks();
}

void flat_machine::choose_blocks() {
  bool const on = follows_ != followed::nothing;
  bool const learns = follows_ == followed::all || !is_alone_;
  for (std::uint32_t k = 0; k < harts_.size(); ++k) {
    hart& h = harts_[k].context;
    code_cache& warming = learns ? *followed_code_ : *lines_code_;
    h.code = on ? &warming : &code_;
    h.memory = on ? static_cast<void*>(&warm_->of_hart(k)) : &memory_;
    h.pipe = on && learns ? warm_->of_hart(k).issue() : nullptr;
    h.generation = 0;  // of no cache: it goes on by its pc
  }
}

void flat_machine::code_changed() {
  code_.clear();
  if (followed_code_) followed_code_->clear();
  if (lines_code_) lines_code_->clear();
}

followed_counts flat_machine::counted_measured() const noexcept {
  followed_counts made = ended_at_ ? counted_at_end_ : counted();
  for (std::size_t k = 0; k < made.size(); ++k) made[k] -= counted_at_begin_[k];
  return made;
}

std::uint64_t flat_machine::now_ns() const {
  return running_ == nullptr ? turn_end_ : running_->now();
}

hart* flat_machine::free_hart() {
  auto const free = std::ranges::find(harts_, state::idle, &flat_hart::is);
  return free == harts_.end() ? nullptr : &free->context;
}

void flat_machine::start(hart& h) {
  if (h.regions != nullptr) h.regions->begin_thread();
  h.wait_until(now_ns());
  harts_[h.number].is = state::runnable;
  if (!is_alone_ || h.number == 0) return;
  is_alone_ = false;
  if (!warm_) return;
  warm_->share();
  choose_blocks();
}
void flat_machine::release(hart& h) {
  harts_[h.number].is = state::idle;
}
void flat_machine::wake(hart& h) {
  h.wait_until(now_ns());
  harts_[h.number].is = state::runnable;
}

void flat_machine::interrupt(hart& h, std::uint64_t cycles) {
  flat_hart& s = harts_[h.number];
  s.attends_at = std::min(s.attends_at, now_ns() + cycles);
}

void flat_machine::end_by_signal(hart const& h) {
  end(program_.exit_code(), signal_report(*program_.killed_by(), h, *this, image_));
}

bool flat_machine::read(std::uint64_t address, std::span<std::byte> into) {
  auto const from = memory_.bytes(address, into.size(), right_read);
  if (from.size() != into.size()) return false;
  if (!into.empty()) std::memcpy(into.data(), from.data(), into.size());
  return true;
}

bool flat_machine::write(std::uint64_t address, std::span<std::byte const> from) {
  auto const into = memory_.bytes(address, from.size(), right_write);
  if (into.size() != from.size()) return false;
  if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
  return true;
}

void flat_machine::place(std::uint64_t address, std::span<std::byte const> from) {
  if (!from.empty()) std::memcpy(memory_.at(address), from.data(), from.size());
}
void flat_machine::set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
  bool const had_code = memory_.have_code(begin, end);
  memory_.set_rights(begin, end, rights);
  if (had_code || (rights & right_execute) != 0) code_changed();
}
void flat_machine::clear(std::uint64_t begin, std::uint64_t end) {
  memory_.discard(begin, end);
}

void flat_machine::end(int exit_code, std::string trouble) {
  program_.leave_files();
  outcome_.exit_code = exit_code;
  outcome_.trouble = std::move(trouble);
  ended_ = true;
}

std::uint64_t flat_machine::instructions() const {
  std::uint64_t sum = 0;
  for (auto const& s : harts_) sum += s.context.retired;
  return sum;
}

void flat_machine::end_at_limit(std::string reason) {
  for (auto const& s : harts_)
    if (s.is != state::idle) reason += place_report(s.context, image_);
  end(run_limit::exit_code(), std::move(reason));
}

std::string flat_machine::text_at(std::uint64_t address) {
  return text_in(*this, address, hart_regions::name_max);
}

void flat_machine::set_regions(region_log& log) {
  log_ = &log;
  for (auto& s : harts_) {
    auto const text = [this](std::uint64_t address) { return text_at(address); };
    s.context.regions =
        &regions_.emplace_back(log, hart_regions::place{.of = &s.context, .parked = &parked_regions_, .text = text});
  }
}

void flat_machine::set_commits(std::span<commit_log> logs) {
  for (auto& s : harts_) s.context.commits = &logs[s.context.number];
  code_.tell_commits();
}

std::uint64_t flat_machine::last_cycle() const {
  std::uint64_t last = turn_end_;
  for (auto const& s : harts_)
    if (s.is != state::idle) last = std::max(last, s.context.now());
  return last;
}

std::uint64_t flat_machine::busy_harts() const {
  return std::max<std::uint64_t>(
      static_cast<std::uint64_t>(std::ranges::count(harts_, state::runnable, &flat_hart::is)), 1);
}

machine_outcome flat_machine::run(run_limit const& limit) {
  static_cast<void>(run_to({}, limit));
  return outcome_;
}

bool flat_machine::run_to(flat_pause const& pause, run_limit const& limit) {
  paused_ = false;
  awaited_ = pause.at;
  if (!pause.region.empty()) log_->wait_for(pause.region);
  while (!ended_ && !paused_) {
    std::uint64_t const done = instructions();
    if (done >= pause.instructions) break;
    std::uint64_t turn = options_.turn_cycles;
    if (pause.instructions != run_limit::never)
      turn = std::min(turn, std::max<std::uint64_t>((pause.instructions - done) / busy_harts(), 1));
    turn_end_ += std::min(turn, limit.cycles_left(turn_end_, done, harts_.size()));
    bool ran = false;
    for (auto& s : harts_) {
      if (s.is == state::reserved && (turn_end_ > s.attends_at || reservation_lost(s.context))) wake(s.context);
      if (s.is != state::runnable || ended_ || paused_) continue;
      take_turn(s);
      ran = true;
    }
    if (paused_) break;
    if (!ended_ && !program_.pass_time(turn_end_)) end_by_signal(harts_.front().context);
    if (ended_) break;
    if (std::string reason = limit.reason(turn_end_, instructions()); !reason.empty()) {
      end_at_limit(std::move(reason));
    } else if (!ran) {
      pass_idle_time(limit);
    }
  }
  if (!ended_) return true;
  for (auto& s : harts_)
    if (s.context.commits != nullptr) s.context.commits->finish(s.context);
  outcome_.instructions = instructions();
  outcome_.simulated_ns = now_ns();
  return false;
}

std::string flat_machine::hint_of(hart const& h) {
  if (h.stopped != stop::access || h.request.address < registers::own_devices) return {};
  return "machine: registers, and addresses of other tiles, are there with time only; give --timing on\n";
}

void flat_machine::take_turn(flat_hart& s) {
  running_ = &s.context;
  if (turn_end_ > s.attends_at) {
    s.attends_at = threads::never;
    if (!program_.attend(s.context)) return end_by_signal(s.context);
  }
  do {
    if (follows_ != followed::nothing)
      warming_engine::run(s.context, memory_.fast(), turn_end_);
    else
      flat_engine::run(s.context, memory_.fast(), turn_end_);
    if (s.context.commits != nullptr) s.context.commits->settle(s.context);
    if (log_ != nullptr && log_->take_come()) paused_ = true;
  } while (serve(s) && !paused_);
  running_ = nullptr;
}

bool flat_machine::serve(flat_hart& s) {
  hart& h = s.context;
  switch (h.stopped) {
    case stop::quantum:
      return false;
    case stop::pause:
      h.advance();
      return false;  // the other harts first
    case stop::wait:
      h.advance();
      if (h.reserved.bytes != 0 && !reservation_lost(h)) s.is = state::reserved;
      return s.is == state::runnable;
    case stop::fence_i:
      h.advance();
      code_changed();
      return true;
    case stop::counter:
      serve_counter(h);
      return true;
    case stop::ecall:
      return serve_call(s);
    case stop::access:
      if (marking const made = serve_mark(h); made != marking::none) return made == marking::marked;
      return serve_trap(h);
    case stop::extended_begin:
      if (h.request.object == 0) {
        h.refuse_ticket();
        return true;
      }
      [[fallthrough]];
    case stop::extended_load:
    case stop::extended_store:
    case stop::extended_atomic:
    case stop::extended_compare_swap:
      h.request.fault = extended_fault::no_object;
      h.stopped = stop::access;
      return serve_trap(h);
    default:
      return serve_trap(h);
  }
}

bool flat_machine::serve_trap(hart& h) {
  // It takes time, so that a program that traps for ever comes to its limits.
  h.wait_until(h.now() + 1);
  if (program_.handle_trap(h)) return true;
  end(1, trap_report(h, *this, image_) + program_.stack_hint(h) + hint_of(h));
  return false;
}

flat_machine::marking flat_machine::serve_mark(hart& h) {
  if (h.request.address != measured_register || h.request.right != right_write || h.request.bytes != 8)
    return marking::none;
  bool const begins = h.request.operand != 0;
  if (awaited_ == (begins ? flat_pause::mark::begin : flat_pause::mark::end)) {
    paused_ = true;
    return marking::paused;
  }
  std::uint64_t const now = instructions();
  if (begins) {
    if (!begun_at_) counted_at_begin_ = counted();
    if (!begun_at_) begun_at_ = now;
  } else {
    ended_at_ = now;
    counted_at_end_ = counted();
  }
  h.advance();
  return marking::marked;
}

bool flat_machine::serve_call(flat_hart& s) {
  switch (program_.system_call(s.context)) {
    case program::after_call::goes_on:
      return caught_signal() == 0;  // it may have ended a call early
    case program::after_call::sleeps:
      s.is = state::sleeping;
      return false;
    case program::after_call::thread_ended:
      return false;
    case program::after_call::program_ended:
      break;
  }
  if (program_.killed_by()) {
    end_by_signal(s.context);
  } else {
    end(program_.exit_code(), {});
  }
  return false;
}

void flat_machine::serve_counter(hart& h) const {
  constexpr std::uint64_t ns_per_tick = 100;  // of the CSR time: 10 MHz, as on real boards
  std::uint64_t value = h.now();
  if (h.request.address == csr_time) value = h.now() / ns_per_tick;
  if (h.request.address == csr_instret) value = h.retired - 1;
  h.complete(value);
}

bool flat_machine::reservation_lost(hart const& h) const {
  std::uint64_t word = 0;
  std::memcpy(&word, memory_.at(h.reserved.address), h.reserved.bytes);
  return word != h.reserved.value;
}

void flat_machine::pass_idle_time(run_limit const& limit) {
  // The thread of a hart that waits for a word gives way to one that could run.
  if (std::ranges::any_of(harts_,
                          [](flat_hart const& s) { return s.is == state::reserved && s.attends_at != threads::never; }))
    return;
  std::uint64_t const next = program_.next_deadline_ns();
  if (next == threads::never) {
    std::string report = "machine: every thread waits, and none can wake another\n";
    for (auto const& line : program_.tasks().waiting()) report += "  " + line + "\n";
    for (auto const& s : harts_)
      if (s.is == state::reserved)
        report += fmt::format("  hart {}: waits for the word at {:#x} to change\n", s.context.number,
                              s.context.reserved.address);
    return end(1, report);
  }
  std::uint64_t const then = std::max(turn_end_, std::min(next, limit.cycles));
  idle_cycles_ += then - turn_end_;
  turn_end_ = then;
  if (!program_.pass_time(turn_end_)) end_by_signal(harts_.front().context);
}

}  // namespace tess::machine
