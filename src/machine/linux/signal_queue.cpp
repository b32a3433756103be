// signal_queue: a list, and the set of the numbers in it.
#include "machine/linux/signal_queue.hpp"

#include <signal.h>

#include <algorithm>

namespace tess::machine {
namespace {

constexpr std::uint32_t first_of_real_time = 32;

bool is_of_timer(signal_information const& why, std::uint32_t id) {
  return why.code == SI_TIMER && why.timer() == id;
}

}  // namespace

void signal_queue::add(std::uint32_t number, signal_information const& why) {
  auto const same = std::ranges::find_if(
      all_, [&](entry const& one) { return why.code == SI_TIMER && is_of_timer(one.why, why.timer()); });
  if (same != all_.end()) {
    same->why.value += (std::uint64_t{why.overruns()} + 1) << 32U;
    return;
  }
  bool const is_there = (set_ & bit(number)) != 0;
  if (is_there && (number < first_of_real_time || all_.size() >= most)) return;
  set_ |= bit(number);
  all_.push_back({number, why});
}

signal_information signal_queue::take(std::uint32_t number) {
  auto const first = std::ranges::find(all_, number, &entry::number);
  signal_information const why = first->why;
  all_.erase(first);
  count_again();
  return why;
}

void signal_queue::drop(std::uint32_t number) {
  std::erase_if(all_, [&](entry const& one) { return one.number == number; });
  count_again();
}

void signal_queue::drop_timer(std::uint32_t id) {
  std::erase_if(all_, [&](entry const& one) { return is_of_timer(one.why, id); });
  count_again();
}

void signal_queue::count_again() noexcept {
  set_ = 0;
  for (entry const& one : all_) set_ |= bit(one.number);
}

}  // namespace tess::machine
