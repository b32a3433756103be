// random_permutation: throwing, counting, and moving the darts together.
#include "kernels/random_permutation.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/random_word.hpp"

namespace kernels {

namespace {

// A dart in flight or in its slot: throws so far in the upper half, number in the lower. The smaller one stays.
using dart = std::uint64_t;
constexpr dart no_dart = ~dart{0};
constexpr dart one_throw = dart{1} << 32;

constexpr std::uint64_t slots_per_dart = 2;
constexpr unsigned in_flight = 32;
constexpr std::uint64_t darts_per_task = 1024;

std::uint64_t slot_of(dart d, std::uint64_t slots, std::uint64_t seed) noexcept {
  return scaled(random_word(seed, d), slots);
}

struct board_part {
  std::uint64_t* slots = nullptr;  // of this place
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// One at every place, so that a message names it by 8 bytes.
struct board {
  tess::global_array<dart> slots;
  tess::place_local<board_part> parts;
  std::uint64_t seed = 0;
};

// Throws d at its slot at this place, then each dart that is displaced; the first one with a slot at another place is
// sent there.
void land(tess::place_local<board> here, dart d) {
  board const& b = *here;
  board_part const& mine = *b.parts;
  for (;;) {
    std::uint64_t const slot = slot_of(d, b.slots.size(), b.seed);
    if (slot - mine.first >= mine.count) break;
    std::atomic_ref<dart> const held(mine.slots[slot - mine.first]);
    // Relaxed: the finish of the phase orders the slots before their readers.
    dart before = held.load(std::memory_order_relaxed);
    while (d < before && !held.compare_exchange_weak(before, d, std::memory_order_relaxed)) {
    }
    if (before == no_dart) return;
    d = std::max(before, d) + one_throw;
  }
  tess::place_id const next = b.slots.owner(slot_of(d, b.slots.size(), b.seed));
  tess::at_async(next, [](tess::place_local<board> there, dart flying) { land(there, flying); }, here, d);
}

tess::task<void> throw_by_messages(tess::place_local<board> b, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) land(b, i);
  co_return;
}

tess::task<void> throw_by_words(tess::place_local<board> here, std::uint64_t begin, std::uint64_t end) {
  board const b = *here;
  std::vector<dart> flying;
  for (std::uint64_t i = begin; i < end; ++i) flying.push_back(i);
  std::vector<dart> again;
  while (!flying.empty()) {
    co_await tess::overlap<in_flight>(
        0, flying.size(),
        [&b, darts = flying.data()](std::uint64_t k) {
          return tess::fetch_min(b.slots[slot_of(darts[k], b.slots.size(), b.seed)], darts[k]);
        },
        [&again, darts = flying.data()](std::uint64_t k, dart before) {
          if (before != no_dart) again.push_back(std::max(before, darts[k]) + one_throw);
        });
    flying.swap(again);
    again.clear();
  }
}

tess::task<void> throw_all(tess::place_local<board> b, permutation result, form how) {
  std::uint64_t const first = result.begin_at(tess::here());
  co_await tess::forall_chunks(
      first, result.end_at(tess::here()), darts_per_task, [=](std::uint64_t begin, std::uint64_t end) {
        return how == form::words ? throw_by_words(b, begin, end) : throw_by_messages(b, begin, end);
      });
}

// Sends this place's darts, in the order of their slots, to their final positions, after those of lower places.
tess::task<void> collect(tess::place_local<board> b, permutation result) {
  board_part const& mine = *b->parts;
  std::vector<std::uint32_t> darts;
  for (dart const d : std::span(mine.slots, mine.count))
    if (d != no_dart) darts.push_back(static_cast<std::uint32_t>(d));
  std::uint64_t to = co_await tess::prefix_sum(std::uint64_t{darts.size()});
  tess::counter done;
  for (std::span<std::uint32_t const> rest(darts); !rest.empty();) {
    std::uint64_t const here = std::min(result.end_at(result.owner(to)) - to, std::uint64_t{rest.size()});
    tess::put(rest.first(here), result[to], done);
    rest = rest.subspan(here);
    to += here;
  }
  co_await done;
}

tess::task<tess::place_local<board>> make_board(std::uint64_t n, std::uint64_t seed) {
  auto const slots = co_await tess::global_array<dart>::make(n * slots_per_dart);
  auto const parts = co_await tess::place_local<board_part>::make();
  auto const made = co_await tess::place_local<board>::make();
  co_await tess::on_all_places(
      [](tess::place_local<board> b, board whole) {
        std::span<dart> const local = whole.slots.local();
        std::ranges::fill(local, no_dart);
        *whole.parts = {local.data(), whole.slots.begin_at(tess::here()), local.size()};
        *b = whole;
      },
      made, board{slots, parts, seed});
  co_return made;
}

}  // namespace

tess::task<permutation> random_permutation(std::uint64_t n, std::uint64_t seed, form how) {
  permutation const result = co_await permutation::make(n, 64);
  auto const b = co_await make_board(n, seed);
  co_await tess::on_all_places(
      [](tess::place_local<board> local, permutation p, form f) -> tess::task<void> { return throw_all(local, p, f); },
      b, result, how);
  co_await tess::on_all_places(
      [](tess::place_local<board> local, permutation p) -> tess::task<void> { return collect(local, p); }, b, result);
  board const whole = *b;
  co_await tess::place_local<board>::release(b);
  co_await tess::place_local<board_part>::release(whole.parts);
  co_await tess::global_array<dart>::release(whole.slots);
  co_return result;
}

tess::task<std::vector<std::uint32_t>> gather(permutation p) {
  std::vector<std::uint32_t> all(p.size());
  tess::counter done;
  for (unsigned q = 0; q < tess::places(); ++q) {
    auto const place = static_cast<tess::place_id>(q);
    std::uint64_t const begin = p.begin_at(place);
    std::uint64_t const end = p.end_at(place);
    if (begin != end) tess::get(p[begin], std::span(all).subspan(begin, end - begin), done);
  }
  co_await done;
  co_return all;
}

bool is_permutation(std::vector<std::uint32_t> const& numbers) {
  std::vector<char> seen(numbers.size());
  for (std::uint32_t const k : numbers) {
    if (k >= numbers.size() || seen[k]) return false;
    seen[k] = 1;
  }
  return true;
}

std::vector<std::uint32_t> random_permutation_alone(std::uint64_t n, std::uint64_t seed) {
  std::vector<dart> slots(n * slots_per_dart, no_dart);
  for (std::uint64_t i = n; i-- > 0;) {
    for (dart d = i; d != no_dart;) {
      dart& held = slots[slot_of(d, slots.size(), seed)];
      if (d < held) std::swap(d, held);
      if (d != no_dart) d += one_throw;
    }
  }
  std::vector<std::uint32_t> order;
  for (dart const d : slots)
    if (d != no_dart) order.push_back(static_cast<std::uint32_t>(d));
  return order;
}

}  // namespace kernels
