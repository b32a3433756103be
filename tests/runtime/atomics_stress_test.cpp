// atomics_stress: atomic changes of one word by all places and workers take effect one after the other.
// Method: every operation leaves evidence that only a linear order can explain: tickets, chains, stacks, owned bits.
#include <algorithm>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class atomics : public on_layouts {
 protected:
  static constexpr std::uint64_t each = 400;
};

using word = global_ptr<std::uint64_t>;

/// f(word, number) at `4` tasks per place, all at once, each with a number of its own; then the results, by number.
template <class F>
task<std::vector<std::uint64_t>> change_everywhere(word w, std::uint64_t results_per_task, F f) {
  std::uint64_t const tasks = 4U * places();
  auto const out = allocate<std::uint64_t>(tasks * results_per_task + 1);
  co_await finish([&] {
    for (std::uint64_t t = 0; t < tasks; ++t)
      at_async(
          static_cast<place_id>(t % places()),
          [](word x, word o, std::uint64_t n, F g) -> task<void> { co_await g(x, o, n); }, w,
          out + static_cast<std::ptrdiff_t>(t * results_per_task), t, f);
  });
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < tasks * results_per_task; ++i)
    all.push_back(co_await get(out + static_cast<std::ptrdiff_t>(i)));
  deallocate(out);
  co_return all;
}
task<word> make_word(std::uint64_t value) {
  auto const w = co_await at(static_cast<place_id>(places() - 1), [] { return allocate<std::uint64_t>(); });
  co_await put(w, value);
  co_return w;
}
task<void> free_word(word w) {
  co_await at(w.place(), [](word x) { deallocate(x); }, w);
}

TEST_P(atomics, fetch_add_gives_every_ticket_once) {
  run_here([]() -> task<void> {
    auto const w = co_await make_word(0);
    auto tickets = co_await change_everywhere(w, each, [](word x, word out, std::uint64_t) -> task<void> {
      for (std::uint64_t i = 0; i < each; ++i)
        co_await put(out + static_cast<std::ptrdiff_t>(i), co_await fetch_add(x, 1));
    });
    for (std::size_t i = 1; i < tickets.size(); ++i)
      if (i % each != 0) EXPECT_LT(tickets[i - 1], tickets[i]) << "a task's own tickets must rise";
    std::ranges::sort(tickets);
    for (std::size_t i = 0; i < tickets.size(); ++i) EXPECT_EQ(tickets[i], i);
    co_await free_word(w);
  });
}

TEST_P(atomics, exchange_hands_every_value_on_once) {
  run_here([]() -> task<void> {
    auto const w = co_await make_word(0);
    auto got = co_await change_everywhere(w, each, [](word x, word out, std::uint64_t n) -> task<void> {
      for (std::uint64_t i = 0; i < each; ++i)
        co_await put(out + static_cast<std::ptrdiff_t>(i), co_await exchange(x, 1 + n * each + i));
    });
    got.push_back(co_await get(w));
    std::ranges::sort(got);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i);
    co_await free_word(w);
  });
}

TEST_P(atomics, compare_swap_builds_a_stack_that_loses_nothing) {
  run_here([]() -> task<void> {
    auto const head = co_await make_word(0);
    // Item n's link lies in `out` of its task; the stack links numbers + 1.
    auto const links = co_await change_everywhere(head, each, [](word h, word out, std::uint64_t n) -> task<void> {
      for (std::uint64_t i = 0; i < each; ++i) {
        std::uint64_t expected = co_await get(h);
        for (;;) {
          co_await put(out + static_cast<std::ptrdiff_t>(i), expected);
          std::uint64_t const was = co_await compare_swap(h, expected, n * each + i + 1);
          if (was == expected) break;
          expected = was;
        }
      }
    });
    std::uint64_t length = 0;
    for (std::uint64_t item = co_await get(head); item != 0 && length <= links.size(); item = links[item - 1]) ++length;
    EXPECT_EQ(length, links.size());
    co_await free_word(head);
  });
}

TEST_P(atomics, min_and_max_only_move_one_way) {
  run_here([]() -> task<void> {
    auto const w = co_await make_word(0);
    auto const maxima = co_await change_everywhere(w, each, [](word x, word out, std::uint64_t n) -> task<void> {
      random r(n + 1);
      for (std::uint64_t i = 0; i < each; ++i)
        co_await put(out + static_cast<std::ptrdiff_t>(i), co_await fetch_max(x, r.below(1000000) + i * 100));
    });
    for (std::size_t i = 1; i < maxima.size(); ++i)
      if (i % each != 0) EXPECT_LE(maxima[i - 1], maxima[i]);
    EXPECT_GE(co_await get(w), *std::ranges::max_element(maxima));
    co_await put(w, ~std::uint64_t{0});
    auto const minima = co_await change_everywhere(w, each, [](word x, word out, std::uint64_t n) -> task<void> {
      random r(n + 1);
      for (std::uint64_t i = 0; i < each; ++i)
        co_await put(out + static_cast<std::ptrdiff_t>(i), co_await fetch_min(x, r.below(1000000) + (each - i) * 1000));
    });
    for (std::size_t i = 1; i < minima.size(); ++i)
      if (i % each != 0) EXPECT_GE(minima[i - 1], minima[i]);
    co_await free_word(w);
  });
}

TEST_P(atomics, and_or_xor_change_only_the_bits_of_their_task) {
  run_here([]() -> task<void> {
    auto const w = co_await make_word(0);
    // Task n owns bit n % 64 while it holds at most 64 tasks; no other task may change that bit.
    auto const wrong = co_await change_everywhere(w, 1, [](word x, word out, std::uint64_t n) -> task<void> {
      std::uint64_t const bit = std::uint64_t{1} << n;
      std::uint64_t errors = 0;
      bool set = false;
      random r(n + 1);
      for (std::uint64_t i = 0; i < each; ++i) {
        std::uint64_t before = 0;
        bool next = set;
        switch (r.below(3)) {
          case 0:
            before = co_await fetch_or(x, bit);
            next = true;
            break;
          case 1:
            before = co_await fetch_and(x, ~bit);
            next = false;
            break;
          default:
            before = co_await fetch_xor(x, bit);
            next = !set;
        }
        errors += ((before & bit) != 0) != set;
        set = next;
      }
      if (set) co_await fetch_xor(x, bit);
      co_await put(out, errors);
    });
    for (std::uint64_t const n : wrong) EXPECT_EQ(n, 0U);
    EXPECT_EQ(co_await get(w), 0U);
    co_await free_word(w);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, atomics, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
