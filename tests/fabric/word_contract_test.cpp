// word_contract: every word operation, type and width changes only its word and returns the old value.
// Method: all pairs of edge values against a separate implementation in 64-bit unsigned arithmetic.
#include <algorithm>
#include <bit>
#include <limits>

#include "fabric/fabric_contract.hpp"

namespace tess::test {
namespace {

class word_contract : public fabric_contract {
 protected:
  static constexpr std::uint64_t offset = 8192;

  std::array<std::uint64_t, 2> perform(word_request const& r) {
    std::uint64_t result[2] = {0xdead, 0xbeef};
    completion done;
    done.expect(1);
    fabric_->word(0, r, result, done);
    settle(done);
    return {result[0], result[1]};
  }
};

template <class T>
T expected_value(word_op op, T old, T a, T b) {
  using u = std::make_unsigned_t<T>;
  switch (op) {
    case word_op::get:
      return old;
    case word_op::put:
    case word_op::exchange:
      return a;
    case word_op::fetch_add:
      return static_cast<T>(static_cast<u>(static_cast<u>(old) + static_cast<u>(a)));
    case word_op::fetch_and:
      return old & a;
    case word_op::fetch_or:
      return old | a;
    case word_op::fetch_xor:
      return old ^ a;
    case word_op::fetch_min:
      return std::min(old, a);
    case word_op::fetch_max:
      return std::max(old, a);
    case word_op::compare_swap:
      return old == a ? b : old;
  }
  return old;
}

constexpr word_op all_ops[] = {word_op::get,      word_op::put,         word_op::fetch_add, word_op::fetch_and,
                               word_op::fetch_or, word_op::fetch_xor,   word_op::fetch_min, word_op::fetch_max,
                               word_op::exchange, word_op::compare_swap};

TEST_P(word_contract, integers_wrap_compare_by_type_and_leave_their_neighbours) {
  auto const check = [&]<class T>(T) {
    using limits = std::numeric_limits<T>;
    T const values[] = {0, 1, static_cast<T>(-1), limits::min(), limits::max(), static_cast<T>(0x5a5a5a5a)};
    for (word_op const op : all_ops)
      for (T const old : values)
        for (T const a : values) {
          T const b = 77;
          for (place_id const target : {place_id{0}, place_id{2}}) {
            std::byte* const word = memory(target, offset);
            std::memset(word - 8, 0xcc, 24);
            std::memcpy(word, &old, sizeof old);
            word_request r{op, word_type_of<T>(), sizeof(T), sizeof(T), address(target, offset), {0, 0}};
            std::memcpy(&r.operands[0], &a, sizeof a);
            std::memcpy(&r.operands[1], &b, sizeof b);
            auto const result = perform(r);
            T now, before;
            std::memcpy(&now, word, sizeof now);
            std::memcpy(&before, &result[0], sizeof before);
            EXPECT_EQ(now, expected_value(op, old, a, b)) << "op " << int(op) << " old " << old << " a " << a;
            if (op != word_op::put) EXPECT_EQ(before, old) << "op " << int(op) << " a " << a;
            for (std::size_t i = 0; i < 8; ++i) {
              EXPECT_EQ(word[-1 - static_cast<std::ptrdiff_t>(i)], std::byte{0xcc});
              EXPECT_EQ(word[sizeof(T) + i], std::byte{0xcc});
            }
          }
        }
  };
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

template <class T>
T expected_number(word_op op, T old, T a) {
  if (op == word_op::fetch_add) return old + a;
  if (op == word_op::fetch_min) return a < old ? a : old;
  if (op == word_op::fetch_max) return old < a ? a : old;
  return op == word_op::get ? old : a;
}

TEST_P(word_contract, floating_point_adds_compares_and_leaves_its_neighbours) {
  auto const check = [&]<class T>(T) {
    using limits = std::numeric_limits<T>;
    using bits = word_of<sizeof(T)>;
    T const values[] = {T(0), T(-0.0), T(1.5), T(-2.25), limits::max(), -limits::infinity(), limits::quiet_NaN()};
    for (word_op const op :
         {word_op::get, word_op::put, word_op::exchange, word_op::fetch_add, word_op::fetch_min, word_op::fetch_max})
      for (T const old : values)
        for (T const a : values) {
          std::byte* const word = memory(2, offset);
          std::memset(word - 8, 0xcc, 24);
          std::memcpy(word, &old, sizeof old);
          auto const result =
              perform({op, word_type_of<T>(), sizeof(T), sizeof(T), address(2, offset), {std::bit_cast<bits>(a), 0}});
          T now;
          std::memcpy(&now, word, sizeof now);
          T const expected = expected_number(op, old, a);
          if (expected != expected)
            EXPECT_NE(now, now) << "op " << int(op) << " old " << old << " a " << a;
          else
            EXPECT_EQ(std::bit_cast<bits>(now), std::bit_cast<bits>(expected)) << int(op) << ' ' << old << ' ' << a;
          if (op != word_op::put) EXPECT_EQ(result[0], std::bit_cast<bits>(old)) << int(op);
          EXPECT_EQ(word[-1], std::byte{0xcc});
          EXPECT_EQ(word[sizeof(T)], std::byte{0xcc});
        }
  };
  check(float{});
  check(double{});
}

TEST_P(word_contract, raw_get_and_put_move_1_to_16_bytes_of_every_alignment) {
  struct shape {
    std::uint8_t bytes, alignment;
  };
  for (shape const s : {shape{1, 1}, shape{2, 1}, shape{2, 2}, shape{3, 1}, shape{4, 4}, shape{6, 2}, shape{8, 8},
                        shape{12, 4}, shape{15, 1}, shape{16, 8}, shape{16, 1}}) {
    std::byte* const word = memory(1, offset);
    std::memset(word - 16, 0xcc, 64);
    auto const bytes = pattern(s.bytes, 3);
    word_request put{word_op::put, word_type::raw, s.bytes, s.alignment, address(1, offset), {0, 0}};
    std::memcpy(put.operands, bytes.data(), bytes.size());
    static_cast<void>(perform(put));
    EXPECT_EQ(std::memcmp(word, bytes.data(), bytes.size()), 0) << int(s.bytes);
    EXPECT_EQ(word[-1], std::byte{0xcc});
    EXPECT_EQ(word[s.bytes], std::byte{0xcc});
    auto const got = perform({word_op::get, word_type::raw, s.bytes, s.alignment, address(1, offset), {0, 0}});
    EXPECT_EQ(std::memcmp(got.data(), bytes.data(), bytes.size()), 0) << int(s.bytes);
  }
}

TEST_P(word_contract, one_word_is_linearizable_between_threads) {
  constexpr unsigned each = 2000;
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint64_t>> tickets(places);
  for (place_id p = 0; p < places; ++p)
    threads.emplace_back([&, p] {
      collecting_sink sink;
      for (unsigned i = 0; i < each; ++i) {
        std::uint64_t result[2];
        completion done;
        done.expect(1);
        fabric_->word(p, {word_op::fetch_add, word_type::u64, 8, 8, address(0, offset), {1, 0}}, result, done);
        while (!done.idle()) static_cast<void>(fabric_->poll(p, 1, sink));
        tickets[p].push_back(result[0]);
      }
    });
  for (std::thread& t : threads) t.join();
  std::vector<std::uint64_t> all;
  for (auto const& t : tickets) {
    EXPECT_TRUE(std::ranges::is_sorted(t));
    all.insert(all.end(), t.begin(), t.end());
  }
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
}

INSTANTIATE_TEST_SUITE_P(fabrics, word_contract, testing::ValuesIn(all_fabrics()), name_of);

}  // namespace
}  // namespace tess::test
