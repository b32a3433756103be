// balanced: work that makes more work (a tree search, a branch and bound), kept in balance between the places.
//
//   A bag holds items of work. `balanced` gives every place a bag and a task that processes it. A place whose bag is
//   empty asks a few places at random for a part of theirs, then its lifelines: its neighbours in a hypercube, which
//   remember that and share what they get later. Meanwhile it does nothing. The end is that of a finish: no place has
//   work, and no part of a bag is on its way.
//
//     struct bag {                       // travels as an argument of `at`, so it is an aggregate of containers
//       std::vector<node> nodes;
//       std::uint64_t count = 0;
//       bool empty() const { return nodes.empty(); }
//       void process(unsigned items);    // at most so many; what they make goes into the bag
//       bag split();                     // takes away about half; an empty bag if there is too little
//       void merge(bag part);            // adds the items of a bag that split() made
//       std::uint64_t result() const { return count; }
//     };
//     std::vector<std::uint64_t> const counts = co_await tess::balanced(bag{{root}});   // by place
//
// Threads   one task calls it. At each place one task at a time calls the members of its bag; with several workers a
//           bag is still processed by one of them, so places are what scales.
// Errors    exceptions of a bag's members are thrown by `balanced`, after the other places have finished their work.
// Cost      messages are answered between two calls of process(), so `items` should take some tens of microseconds. A
//           place that is idle takes no time of others: it sends log2(places) messages each time it runs out of work.
// Source    V. A. Saraswat et al., "Lifeline-based Global Load Balancing" (PPoPP 2011); its name in X10 is GLB.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tess/at.hpp"
#include "tess/detail/tasks/short_lock.hpp"
#include "tess/finish.hpp"
#include "tess/place_local.hpp"

namespace tess {

template <class B>
concept work_bag = std::default_initializable<B> && std::movable<B> && requires(B bag, B const known, unsigned items) {
  { known.empty() } -> std::convertible_to<bool>;
  bag.process(items);
  { bag.split() } -> std::same_as<B>;
  bag.merge(std::move(bag));
  known.result();
};

/// How often a place looks at its messages, and how it looks for work.
struct balance_options {
  unsigned items = 64;    ///< that a place processes before it looks at its messages
  unsigned attempts = 2;  ///< to steal at random, before a place waits for its lifelines
};

namespace detail {

/// A place's bag, and what came for it.
template <class B>
class balance_part {
 public:
  /// Processes items; false if there were none.
  bool process(unsigned items) {
    std::scoped_lock const hold(bag_lock_);
    if (bag_.empty()) return false;
    bag_.process(items);
    return true;
  }
  /// A part for a thief, or nothing if this place has too little or is busy with its bag.
  std::optional<B> try_split() {
    std::unique_lock const hold(bag_lock_, std::try_to_lock);
    if (!hold || bag_.empty()) return std::nullopt;
    B part = bag_.split();
    if (part.empty()) return std::nullopt;
    return part;
  }
  void merge(B part) {
    std::scoped_lock const hold(bag_lock_);
    bag_.merge(std::move(part));
  }
  /// Takes over what others gave.
  void take_gifts() {
    std::vector<B> gifts;
    {
      std::scoped_lock const hold(gifts_lock_);
      gifts.swap(gifts_);
    }
    for (B& gift : gifts) merge(std::move(gift));
  }
  /// Keeps a gift; true if this place has no task that would take it over, so that the caller must become one.
  bool receive(B gift) {
    std::scoped_lock const hold(gifts_lock_);
    gifts_.push_back(std::move(gift));
    return !std::exchange(active_, true);
  }
  /// Ends this place's task, unless a gift has come.
  bool rest() {
    std::scoped_lock const hold(gifts_lock_);
    if (gifts_.empty()) active_ = false;
    return !active_;
  }
  /// The neighbour in this dimension waits for work.
  void ask(unsigned dimension) noexcept { waiting_.fetch_or(1U << dimension, std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t take_waiting() noexcept {
    return waiting_.load(std::memory_order_relaxed) == 0 ? 0 : waiting_.exchange(0, std::memory_order_relaxed);
  }
  [[nodiscard]] auto result() const { return bag_.result(); }
  /// Another place than this one, at random (xorshift64*; S. Vigna, 2016).
  [[nodiscard]] place_id victim() noexcept {
    random_ ^= random_ >> 12U;
    random_ ^= random_ << 25U;
    random_ ^= random_ >> 27U;
    auto const other = static_cast<unsigned>((random_ * 0x2545f4914f6cdd1dU >> 32U) % (places() - 1U));
    return static_cast<place_id>(other + (other >= here() ? 1 : 0));
  }

 private:
  short_lock bag_lock_;
  short_lock gifts_lock_;
  B bag_{};
  std::vector<B> gifts_;
  bool active_ = true;  ///< a task of this place processes the bag; guarded by gifts_lock_
  std::atomic<std::uint32_t> waiting_{0};
  std::uint64_t random_ = 0x9e3779b97f4a7c15U * (here() + 1U);
};

template <class B>
task<void> balance_place(place_local<balance_part<B>> parts, balance_options options);

/// Shares with those who wait, as far as there is enough.
template <class B>
void share_bag(place_local<balance_part<B>> parts, balance_options options) {
  std::uint32_t waiting = parts->take_waiting();
  for (unsigned d = 0; waiting != 0; ++d, waiting >>= 1U) {
    if ((waiting & 1U) == 0) continue;
    auto part = parts->try_split();
    if (!part) {
      parts->ask(d);
      continue;
    }
    at_async(
        static_cast<place_id>(here() ^ 1U << d),
        [](place_local<balance_part<B>> p, balance_options o, B gift) -> task<void> {
          if (p->receive(std::move(gift))) co_await balance_place(p, o);
        },
        parts, options, *std::move(part));
  }
}

template <class B>
task<void> balance_place(place_local<balance_part<B>> parts, balance_options options) {
  do {
    parts->take_gifts();
    while (parts->process(options.items)) {
      parts->take_gifts();
      share_bag(parts, options);
      co_await yield();
    }
    std::optional<B> part;
    for (unsigned i = 0; places() > 1 && i < options.attempts && !part; ++i)
      part = co_await at(parts->victim(), [](place_local<balance_part<B>> p) { return p->try_split(); }, parts);
    if (part) {
      static_cast<void>(parts->receive(*std::move(part)));
      continue;
    }
    for (unsigned d = 0; 1U << d < places(); ++d)
      if (unsigned const other = here() ^ 1U << d; other < places())
        at_async(
            static_cast<place_id>(other), [](place_local<balance_part<B>> p, unsigned by) { p->ask(by); }, parts, d);
  } while (!parts->rest());
}

}  // namespace detail

/// Processes `first` and all that comes of it, at all places; the results of the places' bags, by place.
template <work_bag B>
auto balanced(B first, balance_options options = {})
    -> task<std::vector<std::remove_cvref_t<decltype(std::as_const(first).result())>>> {
  auto const parts = co_await place_local<detail::balance_part<B>>::make();
  parts->merge(std::move(first));
  std::vector<std::remove_cvref_t<decltype(std::as_const(first).result())>> results;
  std::exception_ptr failed;
  try {
    co_await on_all_places([](place_local<detail::balance_part<B>> p,
                              balance_options o) -> task<void> { return detail::balance_place(p, o); },
                           parts, options);
    for (unsigned p = 0; p < places(); ++p)
      results.push_back(co_await at(
          static_cast<place_id>(p), [](place_local<detail::balance_part<B>> q) { return q->result(); }, parts));
  } catch (...) {
    failed = std::current_exception();
  }
  co_await place_local<detail::balance_part<B>>::release(parts);
  if (failed) std::rethrow_exception(failed);
  co_return results;
}

}  // namespace tess
