// job_machine: entries come, have their turns and end.
#include "machine/cni/job_machine.hpp"

#include <algorithm>

namespace tess::machine {

bool job_machine::is_dead(std::deque<std::uint32_t> const& queue) const noexcept {
  return !queue.empty() && !places_[queue.front()].waits;
}

void job_machine::look() {
  bool const aside_dead = is_dead(aside_);
  bool const drops = aside_dead || is_dead(list_);
  bool const from_aside = aside_dead || (!drops && !aside_.empty() && !in.copies_stop);
  std::deque<std::uint32_t>& from = from_aside ? aside_ : list_;
  bool const picks = in.pick && !out.turn_valid && !in.end_valid && !from.empty();
  if (!drops && !picks) return;
  std::uint32_t const number = from.front();
  place& head = places_[number];
  from.pop_front();
  if (drops) {
    head.used = false;
  } else if (head.is_copy && in.copies_stop) {
    aside_.push_back(number);
  } else {
    head.waits = false;
    --(head.is_copy ? copies_ : others_);
    turn_valid_ = true;
    turn_number_ = number;
    turn_ = head.copy;
  }
}

void job_machine::step() {
  bool const puts = in.put_valid && (in.put_again || out.put_ready);
  if (turn_valid_ && in.turn_ready) turn_valid_ = false;
  look();
  if (in.end_valid) {
    place& ended = places_[in.end_number];
    if (ended.waits) --(ended.is_copy ? copies_ : others_);
    if (!ended.waits) ended.used = false;
    ended.waits = false;
  }
  if (puts) {
    std::uint32_t const number = in.put_again ? in.put_number : out.free;
    place& came = places_[number];
    if (!in.put_again) came = {.used = true, .waits = true, .is_copy = in.put_is_copy, .copy = {}};
    came.waits = true;
    came.copy = in.put;
    ++(came.is_copy ? copies_ : others_);
    list_.push_back(number);
  }
  refresh();
}

void job_machine::refresh() {
  auto const free = std::ranges::find(places_, false, &place::used);
  out.put_ready = free != places_.end();
  if (out.put_ready) out.free = static_cast<std::uint32_t>(free - places_.begin());
  out.copies = copies_ != 0;
  out.others = others_ != 0;
  out.turn_valid = turn_valid_;
  if (turn_valid_) {
    out.turn_number = turn_number_;
    out.turn_is_copy = places_[turn_number_].is_copy;
    out.turn = turn_;
  }
  out.quiet = !turn_valid_ && !is_dead(aside_) && !is_dead(list_);
}

}  // namespace tess::machine
