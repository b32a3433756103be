// cni_jobs_lockstep: the list's hardware beside its model, with random jobs, turns and ends. A turn of a job that is
// not the oldest that may go is an error.
//
// Usage: lockstep_bench.hpp
#include <algorithm>

#include "lockstep_bench.hpp"
#include "machine/cni/job_machine.hpp"

namespace tess::machine {
namespace {

class toy_interface {
 public:
  struct statistics {
    std::uint64_t turns = 0;
    std::uint64_t passed = 0;   ///< Turns of jobs while an older copy had to stop,
    std::uint64_t dropped = 0;  ///< jobs that ended while they waited,
    std::uint64_t full = 0;     ///< and cycles without a free number.
    bool several = false;

    [[nodiscard]] bool all() const { return turns != 0 && (!several || passed != 0) && dropped != 0 && full != 0; }
    [[nodiscard]] std::string text() const {
      return std::to_string(turns) + " turns, " + std::to_string(passed) + " past copies, " + std::to_string(dropped) +
             " jobs ended before theirs, full in " + std::to_string(full) + " cycles";
    }
  };

  toy_interface(std::uint64_t seed, job_unit::parameters const& made) : choose_(seed), several_(made.jobs > 1) {
    for (auto* const rate : {&put_rate_, &end_rate_, &pick_rate_, &turn_rate_, &stop_rate_}) *rate = choose_.rate();
  }

  static std::string text_of(job_unit::outputs const& out) {
    std::string text;
    auto const add = [&](char const* format, auto... values) {
      char buffer[160];
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(values)...);
      text += buffer;
    };
    add("%llu%llu%llu%llu", out.put_ready, out.copies, out.others, out.quiet);
    if (out.put_ready) add(" free %llu", out.free);
    if (out.turn_valid) add(" turn of %llu, copy %llu", out.turn_number, out.turn_is_copy);
    if (out.turn_valid && out.turn_is_copy)
      add(": %llx to %llx bytes %llu", out.turn.source, out.turn.destination, out.turn.bytes);
    return text;
  }

  void drive(job_unit::inputs& in) {
    in.put_again = !sending_.empty() && choose_.chance(2);
    in.put_valid = choose_.happens(put_rate_);
    if (in.put_again) in.put_number = sending_[choose_.below(sending_.size())].number;
    in.put_is_copy = choose_.chance(2);
    in.put = {.source = choose_.word(),
              .destination = choose_.word(),
              .bytes = 1 + static_cast<std::uint32_t>(choose_.below(65'536))};
    // A job that waits, or one after its turn, but not the one that comes again now.
    // One that waits may have been picked just now.
    auto& of = !picked_ && choose_.chance(4) ? waiting_ : sending_;
    in.end_valid = !of.empty() && choose_.happens(end_rate_);
    if (in.end_valid) in.end_number = of[choose_.below(of.size())].number;
    if (in.put_valid && in.put_again && in.end_number == in.put_number) in.end_valid = false;
    in.pick = choose_.happens(pick_rate_);
    if (choose_.chance(20)) in.copies_stop = choose_.happens(stop_rate_);
    in.turn_ready = choose_.happens(turn_rate_);
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(job_unit::inputs const& in, job_unit::outputs const& out, statistics& reached) {
    if (out.turn_valid && !offered_) {
      if (char const* const wrong = begins(out, reached)) return wrong;
    }
    bool const copies = std::ranges::any_of(waiting_, &job::is_copy);
    bool const others = !std::ranges::all_of(waiting_, &job::is_copy);
    if (out.copies != copies || out.others != others) return "not what waits";
    offered_ = out.turn_valid && !in.turn_ready;
    if (out.turn_valid && in.turn_ready) sending_.push_back(turn_);
    stopped_ = in.copies_stop;
    picked_ = in.pick && !out.turn_valid;
    if (in.end_valid) {
      auto const ends = [&](job const& one) { return one.number == in.end_number; };
      reached.dropped += std::erase_if(waiting_, ends);
      std::erase_if(sending_, ends);
    }
    if (in.put_valid && !in.put_again && !out.put_ready) ++reached.full;
    if (in.put_valid && (in.put_again || out.put_ready)) {
      job came{.number = out.free, .is_copy = in.put_is_copy, .copy = in.put};
      if (in.put_again) {
        auto const again = std::ranges::find(sending_, in.put_number, &job::number);
        came = {.number = in.put_number, .is_copy = again->is_copy, .copy = in.put};
        sending_.erase(again);
      }
      auto const has_it = [&](job const& one) { return one.number == came.number; };
      if (std::ranges::any_of(waiting_, has_it) || std::ranges::any_of(sending_, has_it)) return "a number of two jobs";
      waiting_.push_back(came);
    }
    return nullptr;
  }

 private:
  struct job {
    std::uint32_t number = 0;
    bool is_copy = false;
    piece_unit::entry copy;
  };

  /// A turn must be of the oldest that may go.
  [[nodiscard]] char const* begins(job_unit::outputs const& out, statistics& reached) {
    auto const next = std::ranges::find_if(waiting_, [&](job const& one) { return !one.is_copy || !stopped_; });
    // What came in the cycle in which the list looked is behind it.
    if (next == waiting_.end() || next->number != out.turn_number) return "not the oldest that may go";
    if (next->is_copy != out.turn_is_copy) return "not its kind";
    if (next->is_copy && (next->copy.source != out.turn.source || next->copy.destination != out.turn.destination ||
                          next->copy.bytes != out.turn.bytes))
      return "not its words";
    ++reached.turns;
    reached.several = several_;
    reached.passed += next == waiting_.begin() ? 0 : 1;
    turn_ = *next;
    waiting_.erase(next);
    return nullptr;
  }

  dice choose_;
  bool several_;
  std::deque<job> waiting_;  ///< In order.
  std::deque<job> sending_;  ///< After their turns.
  job turn_;
  bool offered_ = false, stopped_ = false, picked_ = false;
  std::uint64_t put_rate_ = 0, end_rate_ = 0, pick_rate_ = 0, turn_rate_ = 0, stop_rate_ = 0;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  job_unit::parameters made;
  return lockstep_main<lockstep_bench<job_unit, job_machine, toy_interface>>({words, words + count}, made,
                                                                             {{"JOBS", &made.jobs}});
}
