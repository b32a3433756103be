// tile: words, blocks and segments of places on tiles of a simulated machine.
// Method: every tile does to the next one what the one before does to it. Several cases look for stale data in caches:
// each fails if one write-back is omitted.
#include "fabric/tile/tile.hpp"

#include <array>
#include <set>

#include "fabric/tile/registers.hpp"
#include "fabric/tile_contract.hpp"
#include "tess/detail/words/word_apply.hpp"

namespace tess::test {
namespace {

TEST_F(tiles, words_of_all_add_up_at_each) {
  unsigned const additions = many(100);
  std::vector<std::set<std::uint64_t>> seen(places_);
  for (unsigned i = 0; i < additions * places_; ++i) {
    auto const at = static_cast<place_id>(i % places_);
    EXPECT_TRUE(seen[at].insert(apply(word_op::fetch_add, at, word_at, 1)).second);
  }
  // The owner's cache has the word, and all see the same value.
  meet();
  EXPECT_EQ(my_word(word_at), additions * places_);
}

TEST_F(tiles, compare_and_swap_of_remote_words_loses_nothing) {
  if (words_of_run() == word_path::messages) GTEST_SKIP() << "there is no address";
  unsigned const additions = many(30);
  auto* const far = fabric_->window(next_).atomic + word_at;
  auto* const narrow = far + 12;
  for (unsigned i = 0; i < additions; ++i) {
    std::uint64_t old = 0;
    while (!compare_swap_word<std::uint64_t>(far, old, old + 3, std::memory_order_seq_cst)) {
    }
    std::int32_t below = 0;
    while (!compare_swap_word<std::int32_t>(narrow, below, below - 1, std::memory_order_seq_cst)) {
    }
    // The owner uses other instructions: LR and SC.
    std::uint64_t mine_was = 0;
    while (!compare_swap_word<std::uint64_t>(mine(word_at), mine_was, mine_was + 5, std::memory_order_seq_cst)) {
    }
  }
  meet();
  EXPECT_EQ(my_word(word_at), 8 * additions);
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(mine(word_at + 12)), -static_cast<std::int32_t>(additions));
}

TEST_F(tiles, every_operation_on_a_remote_word_is_what_it_is_on_an_own_word) {
  for (word_op const op : {word_op::fetch_add, word_op::fetch_and, word_op::fetch_or, word_op::fetch_xor,
                           word_op::fetch_min, word_op::fetch_max, word_op::exchange, word_op::compare_swap})
    for (word_type const type : {word_type::i32, word_type::u32, word_type::i64, word_type::u64}) {
      std::uint8_t const bytes = type == word_type::i32 || type == word_type::u32 ? 4 : 8;
      for (std::uint64_t const operand : {7ULL, ~6ULL}) {
        std::uint64_t results[2][2];
        std::uint64_t after[2];
        for (int far = 0; far < 2; ++far) {
          place_id const at = far != 0 ? next_ : me_;
          // Each place has two words, for itself and for the place before.
          std::uint64_t const where = address(at, word_at + (far != 0 ? 8 : 16));
          auto const perform = [&](word_request const& r, std::uint64_t(&result)[2]) {
            completion done(1);
            fabric_->word(me_, r, result, done);
            settle(done);
          };
          std::uint64_t none[2], found[2];
          perform({word_op::put, word_type::u64, 8, 8, where, {5, 0}}, none);
          perform({op, type, bytes, bytes, where, {operand, 9}}, results[far]);
          perform({op, type, bytes, bytes, where, {5, 9}}, none);
          perform({word_op::get, word_type::u64, 8, 8, where, {}}, found);
          after[far] = found[0];
        }
        EXPECT_EQ(results[0][0], results[1][0]) << static_cast<int>(op) << ' ' << static_cast<int>(type);
        EXPECT_EQ(after[0], after[1]) << static_cast<int>(op) << ' ' << static_cast<int>(type);
      }
    }
}

TEST_F(tiles, blocks_of_any_size_and_place_come_back_and_touch_no_neighbour) {
  unsigned shift = 0;
  for (std::size_t const bytes : {1UZ, 7UZ, 64UZ, 65UZ, 95UZ, 128UZ, 4096UZ, 4300UZ, 20000UZ}) {
    shift = shift * 5 + 3;
    std::uint64_t const at = block_at + shift % 64;
    std::memset(mine(at - 1), 0xcc, bytes + 2);
    meet();
    auto const sent = pattern(bytes, bytes + me_);
    put(sent, at);
    meet();
    place_id const before = static_cast<place_id>((me_ + places_ - 1) % places_);
    auto const expected = pattern(bytes, bytes + before);
    EXPECT_EQ(std::memcmp(mine(at), expected.data(), bytes), 0) << bytes << " bytes";
    EXPECT_EQ(mine(at - 1)[0], std::byte{0xcc});
    EXPECT_EQ(mine(at + bytes)[0], std::byte{0xcc});
    EXPECT_EQ(get(next_, at, bytes), sent) << bytes << " bytes back";
    completion done(1);
    fabric_->copy(me_, address(next_, at), address(me_, copy_at + shift % 32), bytes, &done);
    settle(done);
    EXPECT_EQ(std::memcmp(mine(copy_at + shift % 32), sent.data(), bytes), 0) << bytes << " bytes copied here";
    meet();
    // Between two others, or from the other to itself.
    auto const third = static_cast<place_id>((me_ + 2) % places_);
    std::uint64_t const to = copy_at + (64 << 10);
    done.expect(1);
    fabric_->copy(me_, address(next_, at), address(third, to), bytes, &done);
    settle(done);
    EXPECT_EQ(get(third, to, bytes), sent) << bytes << " bytes copied there";
    meet();
  }
}

TEST_F(tiles, operations_without_a_completion_are_performed) {
  for (std::size_t const bytes : {8UZ, 20000UZ}) {
    auto const sent = pattern(bytes, bytes + me_);
    auto const expected = pattern(bytes, bytes + (me_ + places_ - 1U) % places_);
    auto const arrives = [&](std::uint64_t at) {
      poll_until([&] { return std::memcmp(mine(at), expected.data(), bytes) == 0; });
      return std::memcmp(mine(at), expected.data(), bytes) == 0;
    };
    fabric_->put(me_, sent, address(next_, block_at), nullptr, 0);
    ASSERT_TRUE(arrives(block_at)) << bytes << " bytes put";
    meet();
    std::vector<std::byte> target(bytes);
    fabric_->get(me_, address(next_, block_at), target, nullptr);
    poll_until([&] { return target == sent; });
    EXPECT_EQ(target, sent) << bytes << " bytes got";
    // What the place before this one put is copied: within the next place, then to a third one.
    fabric_->copy(me_, address(next_, block_at), address(next_, copy_at), bytes, nullptr);
    ASSERT_TRUE(arrives(copy_at)) << bytes << " bytes copied within another place";
    meet();
    auto const third = static_cast<place_id>((me_ + 2) % places_);
    std::uint64_t const to = copy_at + (64 << 10);
    fabric_->copy(me_, address(next_, block_at), address(third, to), bytes, nullptr);
    poll_until([&] { return get(third, to, bytes) == sent; });
    EXPECT_EQ(get(third, to, bytes), sent) << bytes << " bytes copied between others";
    meet();
  }
}

/// Accelerators and the shared clock are also there behind `delayed`.
TEST_F(tiles, capabilities_are_those_of_the_machine) {
  namespace registers = machine::registers;
  fabric_capabilities& offered = fabric_->capabilities();
  EXPECT_EQ(offered.graphs() != nullptr, tile_registers::has_unit(registers::unit::nma));
  EXPECT_TRUE(offered.wakes_surely());
  auto const within_reach = [&](std::uint64_t ns) { return offered.now_ns() - ns < 1'000'000'000; };
  static_cast<void>(apply(word_op::exchange, next_, word_at, offered.now_ns()));
  meet();
  EXPECT_TRUE(within_reach(my_word(word_at))) << "the places have different clocks";
}

TEST_F(tiles, what_the_owner_has_just_written_is_what_others_get) {
  // In the owner's L2, and not in memory: a DMA before the write-back would read the bytes of the round before.
  constexpr std::size_t bytes = 3000;
  for (unsigned round = 1; round <= 4; ++round) {
    auto const written = pattern(bytes, round * 11 + me_);
    std::memcpy(mine(block_at + 8), written.data(), bytes);
    meet();
    EXPECT_EQ(get(next_, block_at + 8, bytes), pattern(bytes, round * 11 + next_)) << "stale in round " << round;
    meet();
  }
}

TEST_F(tiles, what_was_just_written_is_what_is_put_from_wherever_it_lies) {
  // The same for a source in the heap, in the segment, and in the tile-local memory.
  static std::array<std::byte, 3000> in_tlm;
  std::vector<std::byte> in_heap(in_tlm.size());
  std::byte* const in_segment = mine(copy_at);
  for (unsigned round = 1; round <= 3; ++round)
    for (std::byte* const source : {in_tlm.data(), in_heap.data(), in_segment}) {
      auto const written = pattern(in_tlm.size(), round * 13 + static_cast<unsigned>(source - in_segment));
      std::memcpy(source, written.data(), written.size());
      put({source, written.size()}, block_at);
      EXPECT_EQ(get(next_, block_at, written.size()), written) << "stale in round " << round;
    }
}

TEST_F(tiles, what_is_put_is_seen_by_an_owner_whose_caches_had_the_range) {
  constexpr std::size_t bytes = 2000;
  place_id const before = static_cast<place_id>((me_ + places_ - 1) % places_);
  for (unsigned round = 1; round <= 4; ++round) {
    // Read and written: clean in the L1, dirty in the L2.
    unsigned sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) sum += static_cast<unsigned>(mine(block_at)[i] = std::byte{0x11});
    EXPECT_EQ(sum, bytes * 0x11);
    meet();
    put(pattern(bytes, round + me_), block_at);
    meet();
    auto const expected = pattern(bytes, round + before);
    EXPECT_EQ(std::memcmp(mine(block_at), expected.data(), bytes), 0) << "stale in round " << round;
    meet();
  }
}

/// The owner executes nothing but loads of one word until all operations on its memory have ended.
TEST_F(tiles, blocks_need_no_instruction_of_the_other_tile_where_it_has_a_network_interface) {
  if (fabric_->capabilities().event_lines() == nullptr) GTEST_SKIP() << "a machine without";
  if (words_of_run() == word_path::messages) GTEST_SKIP() << "its words need its hart";
  std::vector<std::byte> const bytes = pattern(20000, 5);
  std::memcpy(mine(copy_at), bytes.data(), bytes.size());
  for (place_id acts = 0; acts < places_; ++acts) {
    meet();
    if (me_ != acts) {
      while (my_word(word_at) != acts + 1U) {
      }
    } else {
      for (place_id p = 0; p < places_; ++p) {
        if (p == me_) continue;
        completion put_done(1), copied(1);
        fabric_->put(me_, bytes, address(p, block_at + 3), &put_done, 0);
        settle(put_done);
        EXPECT_EQ(get(p, block_at + 3, bytes.size()), bytes);
        fabric_->copy(me_, address(p, copy_at), address(next_ == p ? p : next_, block_at + 40000), 5000, &copied);
        settle(copied);
      }
      for (place_id p = 0; p < places_; ++p) static_cast<void>(apply(word_op::exchange, p, word_at, acts + 1U));
    }
  }
  EXPECT_EQ(std::memcmp(mine(block_at + 3), bytes.data(), bytes.size()), 0);
}

TEST_F(tiles, segments_grow_in_both_halves_within_their_limits) {
  place_segment const s = fabric_->segment(me_);
  ASSERT_GE(s.bytes, std::uint64_t{4} << 20);
  EXPECT_TRUE(fabric_->extend_segment(me_, s.bytes / 2, 1 << 16));
  EXPECT_FALSE(fabric_->extend_segment(me_, 0, s.bytes + 1));
  EXPECT_FALSE(fabric_->extend_segment(me_, s.bytes, 4096));
  EXPECT_FALSE(fabric_->extend_segment(me_, s.bytes / 2 - 4096, 8192)) << "the halves grow on their own";
  EXPECT_FALSE(fabric_->extend_segment(me_, 4096, ~std::uint64_t{0} - 100)) << "offset + bytes wraps";
  std::memset(s.base + s.bytes / 2, 1, 1 << 16);
  EXPECT_LT(fabric_->room(me_).left_bytes, s.bytes);
}

TEST_F(tiles, a_segment_is_zero_at_first_also_that_of_a_second_job) {
  // The job before wrote to it.
  place_segment const s = fabric_->segment(me_);
  for (std::uint64_t at = s.bytes / 2; at < s.bytes / 2 + (1 << 16); at += 512)
    ASSERT_EQ(s.base[at], std::byte{0}) << "offset " << at;
}

}  // namespace
}  // namespace tess::test

int main(int argc, char** argv) {
  // One copy reports progress; the others report failures only.
  if (tess::detail::make_tile_wireup()->place() != 0) GTEST_FLAG_SET(brief, true);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
