// raw_words: a loop for each of the three operations, and the thread that steals the lines.
#include "limits/raw_words.hpp"

#include <numeric>
#include <utility>

#include "harness/clock.hpp"
#include "harness/pin.hpp"
#include "harness/splitmix.hpp"

namespace bench {
namespace {

using word = std::atomic_ref<std::uint64_t>;

/// The order of std::atomic's `=`. A put of the runtime is visible everywhere when its await ends; a relaxed store,
/// which may wait in the store buffer, guarantees less and would not be a fair limit.
constexpr std::memory_order put_order = std::memory_order_seq_cst;

/// Follows the chain from `at`; the operation is a template argument, so that the loop holds nothing else.
template <word_op Op>
std::size_t follow_chain(std::uint64_t* words, std::size_t at, std::uint64_t operations) noexcept {
  for (std::uint64_t i = 0; i < operations; ++i) {
    word const here(words[at]);
    std::uint64_t found = 0;
    if constexpr (Op == word_op::fetch_add) {
      found = here.fetch_add(chain_step, std::memory_order_relaxed);
    } else {
      found = here.load(std::memory_order_relaxed);
    }
    if constexpr (Op == word_op::put) here.store(found + chain_step, put_order);
    if constexpr (Op == word_op::put_relaxed) here.store(found + chain_step, std::memory_order_relaxed);
    at = next_word(found);
  }
  return at;
}

std::size_t follow_chain(word_op op, std::uint64_t* words, std::size_t at, std::uint64_t operations) noexcept {
  switch (op) {
    case word_op::get:
      return follow_chain<word_op::get>(words, at, operations);
    case word_op::put:
      return follow_chain<word_op::put>(words, at, operations);
    case word_op::put_relaxed:
      return follow_chain<word_op::put_relaxed>(words, at, operations);
    case word_op::fetch_add:
      return follow_chain<word_op::fetch_add>(words, at, operations);
  }
  std::unreachable();
}

template <word_op Op>
void touch_in_turn(std::uint64_t* words, std::uint32_t lines, std::uint64_t operations) noexcept {
  for (std::uint64_t i = 0; i < operations; ++i) {
    word const here(words[(i & (lines - 1)) * words_per_line]);
    if constexpr (Op == word_op::get) {
      std::uint64_t const found = here.load(std::memory_order_relaxed);
      do_not_optimize(found);
    } else if constexpr (Op == word_op::put) {
      here.store(i, put_order);
    } else if constexpr (Op == word_op::put_relaxed) {
      here.store(i, std::memory_order_relaxed);
    } else {
      std::uint64_t const found = here.fetch_add(1, std::memory_order_relaxed);
      do_not_optimize(found);
    }
  }
}

void touch_in_turn(word_op op, std::uint64_t* words, std::uint32_t lines, std::uint64_t operations) noexcept {
  switch (op) {
    case word_op::get:
      return touch_in_turn<word_op::get>(words, lines, operations);
    case word_op::put:
      return touch_in_turn<word_op::put>(words, lines, operations);
    case word_op::put_relaxed:
      return touch_in_turn<word_op::put_relaxed>(words, lines, operations);
    case word_op::fetch_add:
      return touch_in_turn<word_op::fetch_add>(words, lines, operations);
  }
  std::unreachable();
}

}  // namespace

std::vector<std::uint32_t> random_cycle(std::uint32_t lines, std::uint64_t seed) {
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0U);
  // Sattolo's shuffle: exchanging only with earlier elements, never with itself, leaves a single cycle.
  for (std::uint32_t i = lines - 1; i > 0; --i) {
    auto const other = static_cast<std::uint32_t>(splitmix(seed, i) % i);
    std::swap(next[i], next[other]);
  }
  return next;
}

void write_chain(std::uint64_t* words, std::vector<std::uint32_t> const& cycle) noexcept {
  for (std::size_t line = 0; line < cycle.size(); ++line) {
    word(words[line * words_per_line]).store(cycle[line], std::memory_order_relaxed);
  }
}

double raw_word_hot(word_op op, std::uint64_t* words, std::uint32_t lines, std::uint64_t operations) {
  return on_cpu(0, [&] {
    touch_in_turn(op, words, lines, lines);
    double const seconds = seconds_of([&] { touch_in_turn(op, words, lines, operations); });
    return seconds * ns_per_second / static_cast<double>(operations);
  });
}

double raw_word_random(word_op op, std::uint64_t* words, std::uint64_t operations) {
  return on_cpu(0, [&] {
    double const seconds = seconds_of([&] {
      std::size_t const end = follow_chain(op, words, 0, operations);
      do_not_optimize(end);
    });
    return seconds * ns_per_second / static_cast<double>(operations);
  });
}

double raw_word_stolen(word_op op, std::uint64_t* words, std::uint32_t lines, std::uint32_t batches) {
  return on_cpu(0, [&] {
    line_owner owner(words, lines, 1);
    double seconds = 0;
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      owner.write();
      seconds += seconds_of([&] {
        std::size_t const end = follow_chain(op, words, 0, lines);
        do_not_optimize(end);
      });
    }
    return seconds * ns_per_second / (static_cast<double>(batches) * lines);
  });
}

line_owner::line_owner(std::uint64_t* words, std::uint32_t lines, int cpu_rank) {
  thread_ = std::jthread([this, words, cpu_rank, cycle = random_cycle(lines, 1)] {
    pin_this_thread(cpu_rank);
    serve(words, cycle);
  });
}

line_owner::~line_owner() {
  asked_.store(stop, std::memory_order_release);
}

void line_owner::write() {
  std::uint32_t const batch = done_.load(std::memory_order_relaxed) + 1;
  asked_.store(batch, std::memory_order_release);  // The caller's accesses happen before the lines are rewritten.
  while (done_.load(std::memory_order_acquire) != batch) spin_pause();
}

void line_owner::serve(std::uint64_t* words, std::vector<std::uint32_t> const& cycle) {
  for (std::uint32_t served = 0;;) {
    std::uint32_t const asked = asked_.load(std::memory_order_acquire);
    if (asked == stop) return;
    if (asked == served) {
      spin_pause();
      continue;
    }
    write_chain(words, cycle);
    served = asked;
    // Pairs with write(): a thread that sees the batch done sees its lines written.
    done_.store(served, std::memory_order_release);
  }
}

}  // namespace bench
