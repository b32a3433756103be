// debugger: steps, what stops at one, and going back to one.
#include "machine/debug/debugger.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tess::machine {
namespace {

/// Between looks whether gdb, or the process that began the run, wants something.
constexpr std::uint64_t look_every = 20'000;

bool can_be_read(int descriptor) {
  pollfd on{descriptor, POLLIN, 0};
  return ::poll(&on, 1, 0) > 0;
}

}  // namespace

debugger::debugger(timed_machine& of, std::string program, gdb_connection& gdb, run_link const& link)
    : of_(of), program_(std::move(program)), gdb_(gdb), link_(link) {
  auto const add = [&](timed_hart& hart, program_host* host, tile_program* of_program) {
    hart.set_observer(observers_.emplace_back(*this, harts_.size()));
    harts_.push_back({.hart = &hart, .host = host, .program = of_program});
  };
  for (auto const& one : of.programs()) {
    one->tell_commits();
    for (timed_hart& hart : one->harts()) add(hart, &*one, &*one);
  }
  for (auto const& one : of.systems()) {
    if (one == nullptr) continue;
    one->tell_commits();
    add(one->system_hart(), &*one, nullptr);
  }
}

std::string debugger::bytes_at(watch const& of) const {
  std::string bytes(of.bytes, '\0');
  debugged_hart const& any = harts_.front();
  (void)any.host->look_at(of.address, std::as_writable_bytes(std::span(bytes)), *any.hart);
  return bytes;
}

bool debugger::begin(thread t, hart& h, inst const* i) noexcept {
  if (detached_ && !muted_) return true;
  debugged_hart& here = harts_[t];
  h.pc = here.pc = i->pc();
  here.cycle = h.now(i);
  try {
    begin_step(t);
    if (!detached_) stop_or_go_on(t);
  } catch (...) {
    failure_ = std::current_exception();
  }
  return h.pc == here.pc && !failure_;
}

void debugger::stop_or_go_on(thread t) {
  debugged_hart& here = harts_[t];
  if (task_ == task::search || task_ == task::who_wrote) return search(t);
  if (task_ == task::go_to) {
    if (step_ < until_) return;
    task_ = task::debug;
    return stop_inside(t, std::exchange(reason_, {}));
  }
  if (std::string const reason = reason_to_stop(t); !reason.empty()) stop_inside(t, reason);
  // What it is about to read is seen when it has been read.
  if (std::ranges::any_of(watches_, [](watch const& one) { return one.kind != 2; }))
    here.reads = access_of(here.host->instruction_at(here.pc), *here.hart, *here.host);
}

void debugger::begin_step(thread t) {
  ++step_;
  harts_[t].previous_step = std::exchange(harts_[t].step, step_);
  if (step_ >= next_look_ && !detached_) look_around();
  if (muted_ != (step_ < spoken_until_)) mute();
}

void debugger::mute() {
  muted_ = step_ < spoken_until_;
  for (debugged_hart const& one : harts_)
    if (one.program != nullptr) one.program->open_files().mute(muted_);
}

void debugger::look_around() {
  next_look_ = step_ + look_every;
  if (can_be_read(link_.life)) throw debug_end{"the process that began the run has ended"};
  if (task_ == task::debug && gdb_.has_arrived()) stops_at_once_ = true;
  if (step_ < next_copy_ || task_ == task::search || task_ == task::who_wrote) return;
  // Where a copy was kept before, on another way to here, another one is no use.
  if (auto const last = past_.latest(step_); !last || past_.step_of(*last) != step_) {
    keep_offsets();
    if (auto const woken = past_.keep(step_)) obey(*woken);
  }
  // Twice as far apart whenever the older ones were thinned, so that there are always some in every part of the past.
  if (past_.copies() == past::copies_max) copy_every_ *= 2;
  next_copy_ = step_ + copy_every_;
}

std::string debugger::reason_to_stop(thread t) {
  debugged_hart& here = harts_[t];
  std::string reason = watched(t);
  if (std::exchange(stops_at_once_, false)) reason = step_ == 1 ? "05" : "02";
  bool const in_range = here.pc >= steps_from_ && here.pc < steps_to_;
  if (reason.empty() && steps_ == t && !in_range) reason = "05";
  bool const breaks = breakpoints_.contains(here.pc) || (steps_ && steps_ != t && taken_away_.contains(here.pc));
  if (reason.empty() && breaks) reason = "05";
  return reason;
}

std::string debugger::watched(thread t) {
  std::string reason;
  debugged_hart& here = harts_[t];
  auto const read = std::exchange(here.reads, std::nullopt);
  for (watch& one : watches_) {
    if (one.kind != 2 && read && one.overlaps(*read) && (read->reads || one.kind == 4))
      reason = fmt::format("05{}:{:x};", one.kind == 3 ? "rwatch" : "awatch", one.given);
    if (one.kind == 3) continue;
    std::string bytes = bytes_at(one);
    if (bytes == one.value) continue;
    one.value = std::move(bytes);
    if (reason.empty()) reason = fmt::format("05{}:{:x};", one.kind == 2 ? "watch" : "awatch", one.given);
  }
  return reason;
}

void debugger::stop_inside(thread t, std::string const& reason) {
  // The engine may run with the rounding mode and the flags of the hart.
  harts_[t].hart->context.fp.leave();
  serve(t, reason);
}

void debugger::trapped(thread t) {
  if (detached_ || task_ == task::search || task_ == task::who_wrote) return;
  stop const why = harts_[t].hart->context.stopped;
  serve(t, why == stop::access ? "0b" : why == stop::ebreak ? "05" : "04");
}

void debugger::ended(int exit_code) {
  if (detached_) return;
  if (task_ == task::search || task_ == task::who_wrote) answer_question();
  at_end_ = true;
  exit_code_ = exit_code;
  ++step_;
  spoken_until_ = std::max(spoken_until_, step_);
  serve(stopped_, "05replaylog:end;");
}

// Going back.

std::string debugger::message(std::string_view what, std::uint64_t step, std::string const& reason) const {
  nlohmann::json text{{"what", what},
                      {"step", step},
                      {"reason", reason},
                      {"spoken", std::max(spoken_until_, step_)},
                      {"breakpoints", breakpoints_},
                      {"every", copy_every_},
                      {"shown", shown_}};
  for (watch const& one : watches_) text["watches"].push_back({one.kind, one.given, one.address, one.bytes});
  text["asked"] = {asked_.address, asked_.bytes};
  return text.dump();
}

void debugger::obey(past::message const& woken) {
  auto const text = nlohmann::json::parse(woken.text);
  std::string const what = text.at("what");
  task_ = !woken.is_question ? task::go_to : what == "search" ? task::search : task::who_wrote;
  until_ = text.at("step");
  reason_ = text.at("reason");
  spoken_until_ = text.at("spoken");
  breakpoints_ = text.at("breakpoints").get<std::set<std::uint64_t>>();
  copy_every_ = text.at("every");
  shown_ = text.at("shown");
  steps_.reset();
  stops_at_once_ = false;
  watches_.clear();
  for (auto const& one : text.value("watches", nlohmann::json::array())) {
    watch& added = watches_.emplace_back();
    added.kind = one.at(0).get<char>();
    added.given = one.at(1);
    added.address = one.at(2);
    added.bytes = one.at(3);
    added.value = bytes_at(added);
  }
  asked_ = {.address = text.at("asked").at(0), .bytes = text.at("asked").at(1)};
  if (asked_.bytes != 0) asked_.value = bytes_at(asked_);
  found_step_ = 0;
  greets_ = false;
  restore_offsets();
}

void debugger::keep_offsets() {
  offsets_.assign(1, ::lseek(STDIN_FILENO, 0, SEEK_CUR));
  for (auto const& one : of_.programs())
    one->open_files().each_descriptor([&](int& descriptor) { offsets_.push_back(::lseek(descriptor, 0, SEEK_CUR)); });
}

void debugger::restore_offsets() {
  std::size_t next = 0;
  auto const restore = [&](int descriptor) {
    std::int64_t const offset = offsets_.at(next++);
    if (offset >= 0) (void)::lseek(descriptor, offset, SEEK_SET);
  };
  restore(STDIN_FILENO);
  for (auto const& one : of_.programs())
    one->open_files().each_descriptor([&](int& descriptor) { restore(descriptor); });
}

std::optional<std::string> debugger::ask(std::size_t copy, std::string_view what, std::uint64_t until) {
  std::vector<std::int64_t> const before = offsets_;
  keep_offsets();
  auto answer = past_.ask(copy, message(what, until, ""), gdb_.descriptor());
  restore_offsets();
  offsets_ = before;
  return answer;
}

void debugger::go_to(std::uint64_t step, std::string const& reason) {
  past_.go_back(*past_.latest(step), message("go", step, reason));
}

bool debugger::reverse(bool one_step) {
  if (past_.copies() == 0) {  // nothing is known of what was before a change by gdb
    last_stop_ = stop_text("05replaylog:begin;");
    gdb_.send(last_stop_);
    return false;
  }
  std::uint64_t const first = past_.step_of(0);
  if (goes_to_) go_to(std::clamp(*goes_to_, first, std::max(first, step_ - 1)), "05");
  debugged_hart const& here = harts_[stopped_];
  if (one_step) {
    std::uint64_t const to = at_end_ ? here.step : here.previous_step;
    if (to > first) go_to(to, "05");
    go_to(first, "05replaylog:begin;");
  }
  std::uint64_t until = step_;
  for (std::size_t copy = past_.latest(step_ - 1).value_or(0);; --copy) {
    if (past_.step_of(copy) < until) {
      auto const found = ask(copy, "search", until);
      if (!found) {
        last_stop_ = stop_text("02");
        gdb_.send(last_stop_);
        return false;
      }
      auto const hit = nlohmann::json::parse(*found);
      if (hit.at(0) != 0) go_to(hit.at(0), hit.at(1));
      until = past_.step_of(copy);
    }
    if (copy == 0) go_to(first, "05replaylog:begin;");
  }
}

void debugger::search(thread t) {
  if (step_ >= until_) answer_question();
  if (task_ == task::who_wrote) return note_writer(t);
  if (std::string reason = reason_to_stop(t); !reason.empty()) {
    found_step_ = step_;
    found_reason_ = std::move(reason);
  }
  debugged_hart& here = harts_[t];
  if (std::ranges::any_of(watches_, [](watch const& one) { return one.kind != 2; }))
    here.reads = access_of(here.host->instruction_at(here.pc), *here.hart, *here.host);
}

void debugger::answer_question() {
  nlohmann::json text;
  if (task_ == task::who_wrote)
    text = {last_store_.step, last_store_.text, last_change_.step, last_change_.text};
  else
    text = {found_step_, found_reason_};
  past_.answer(text.dump());
}

void debugger::note_writer(thread t) {
  if (std::string now = bytes_at(asked_); now != asked_.value) {
    asked_.value = std::move(now);
    last_change_ = {step_, fmt::format("{} at step {}", hex_of(std::as_bytes(std::span(asked_.value))), step_)};
  }
  debugged_hart& here = harts_[t];
  auto const access = access_of(here.host->instruction_at(here.pc), *here.hart, *here.host);
  if (access && access->writes && asked_.overlaps(*access)) last_store_ = {step_, where(t)};
}

std::string debugger::where(thread t) const {
  debugged_hart const& one = harts_[t];
  hart const& h = one.hart->context;
  return fmt::format("tile {}, hart {}, pc {:#x} in {}, cycle {}, step {}", one.hart->place().number(), h.number, h.pc,
                     symbol_of(one.host->image(), h.pc), one.cycle, one.step);
}

}  // namespace tess::machine
