// guesses: how a timed_hart goes on by hits and posted stores beyond its horizon, and goes back when one of their lines
// is lost.
#include <algorithm>

#include "machine/hart/engine.hpp"
#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

std::uint64_t timed_hart::guess_end() const noexcept {
  return std::min(
      {attends_at_, next_mark_, ends_at_, clock_.count(kernel_.next_due_everywhere()), tile_.stores_meet_l1s_from()});
}

bool timed_hart::guess() {
  hart& h = context;
  // Nothing comes before, or something is written down that cannot be taken back.
  bool const is_final = may_pass(h.now()) || privileged_ || pipeline_ || h.is_observed || memory_.translates();
  if (is_final || h.now() >= guess_end() || !memory_.can_guess(h)) return false;
  if (!h.is_tentative) {
    guessed_.before.keep(h);
    guessed_.counted = memory_.counted();
    h.is_tentative = true;
  }
  memory_.guess(*this, guess_end());
  guessed_.until = h.until;
  pending_ = !memory_.guess_access(h, *this);
  return true;
}

void timed_hart::guess_no_more() noexcept {
  context.is_tentative = false;
  memory_.guess_no_more();
}

void timed_hart::loses_line() {
  std::uint64_t const from = tile_.invalidated_from(rank);
  if (context.now() < from) return;
  MACHINE_ASSERT(memory_.first_guessed_store().value_or(from) >= from);
  kernel_.take_back(*this);
  go_back(from);
  come_back(context.now());
  if (tile_.running() != nullptr) tile_.running()->overtaken(context.now());
}

void timed_hart::go_back(std::uint64_t to_cycle) {
  hart& h = context;
  guessed_.before.restore(h);
  memory_.take_back(guessed_.counted);
  h.is_tentative = false;
  pending_ = true;
  if (h.now() < to_cycle) {
    // What it did before is repeated: nothing that it depends on has changed yet.
    float_state::outer const of_another_run;
    memory_.guess(*this, to_cycle);
    do {
      (void)memory_.guess_access(h, *this);
      engine<hart_memory>::run(h, memory_.fast(), guessed_.until);
      pending_ = h.stopped != stop::quantum;
      // Accesses to two lines stop it, too.
    } while (pending_ && h.now() < to_cycle && memory_.can_guess(h));
  }
  memory_.guess_no_more();
}

void timed_hart::take_back_stores() {
  auto const first = memory_.first_guessed_store();
  if (!first) return;
  kernel_.take_back(*this);
  go_back(*first);
  come_back(context.now());
}

}  // namespace tess::machine
