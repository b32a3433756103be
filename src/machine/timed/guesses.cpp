// guesses: how a timed_hart goes on by hits beyond its horizon, and goes back when one of their lines is lost.
#include <algorithm>

#include "machine/hart/engine.hpp"
#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

std::uint64_t timed_hart::guess_end() const noexcept {
  return std::min({attends_at_, next_mark_, clock_.count(kernel_.next_due_everywhere()), tile_.stores_meet_l1s_from()});
}

bool timed_hart::guess() {
  hart& h = context;
  // Nothing comes before, or something is written down that cannot be taken back.
  bool const is_final = may_pass(h.now()) || privileged_ || pipeline_ || h.is_observed || memory_.translates();
  if (is_final || h.now() >= guess_end() || !memory_.would_hit(h)) return false;
  if (!h.is_tentative) {
    guessed_.before.keep(h);
    guessed_.counted = memory_.counted();
    h.is_tentative = true;
  }
  memory_.guess(*this, guess_end());
  guessed_.until = h.until;
  pending_ = !(h.stopped == stop::fetch ? memory_.serve_fetch(h, *this) : memory_.serve_load(h, *this));
  return true;
}

void timed_hart::guess_no_more() noexcept {
  context.is_tentative = false;
  memory_.guess_no_more();
}

void timed_hart::loses_line() {
  std::uint64_t const from = tile_.invalidated_from(rank);
  if (context.now() < from) return;
  kernel_.take_back(*this);
  go_back(from);
  come_back(context.now());
  if (tile_.running() != nullptr) tile_.running()->overtaken(context.now());
}

void timed_hart::go_back(std::uint64_t to_cycle) {
  hart& h = context;
  guessed_.before.restore(h);
  memory_.restore(guessed_.counted);
  guess_no_more();
  pending_ = true;
  if (h.now() >= to_cycle) return;
  // What it did before is repeated: nothing that it depends on has changed yet.
  float_state::outer const of_another_run;
  memory_.guess(*this, to_cycle);
  do {
    (void)(h.stopped == stop::fetch ? memory_.serve_fetch(h, *this) : memory_.serve_load(h, *this));
    engine<hart_memory>::run(h, memory_.fast(), guessed_.until);
    pending_ = h.stopped != stop::quantum;
    // Accesses to two lines stop it, too.
  } while (pending_ && h.now() < to_cycle && memory_.would_hit(h));
  memory_.guess_no_more();
}

}  // namespace tess::machine
