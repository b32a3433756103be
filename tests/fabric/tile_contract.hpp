// tile_contract: the fixture of the tests of the fabric between tiles: one place on each tile, which polls for itself.
//
//   `tess-machine` runs a copy of the test on every tile. All run the same cases in the same order, and each does to
//   the next place what the place before does to it. TESS_SLOW=1 does more of everything; TESS_TEST_DELAYED=1 wraps the
//   fabric in `delayed`.
#pragma once

#include <cstdlib>

#include "fabric/fabric_contract.hpp"
#include "fabric/tile/tile.hpp"

namespace tess::test {
/// Offsets in each segment; not 0, which at place 0 is a null address.
constexpr std::uint64_t arrived_at = 256, word_at = 512, round_at = 1024, block_at = 4096, copy_at = 128 << 10;
constexpr std::uint64_t room = 256 << 10;

inline unsigned many(unsigned few) {
  return std::getenv("TESS_SLOW") != nullptr ? few * 20 : few;
}

inline bool delayed() {
  return std::getenv("TESS_TEST_DELAYED") != nullptr;
}

inline word_path words_of_run() {
  return read_tile_options().words;
}

class tiles : public testing::Test {
 protected:
  void SetUp() override {
    std::unique_ptr<wireup> wires = make_tile_wireup();
    places_ = wires->places();
    if (places_ < 2) GTEST_SKIP() << "needs two tiles";
    wires_ = wires.get();
    me_ = wires->place();
    next_ = static_cast<place_id>((me_ + 1) % places_);
    thread_map map{places_, std::vector<std::vector<std::uint32_t>>(places_), 2};
    map.threads_of_place[me_] = {0, 1};
    fabric_ = make_tile_fabric(map, read_tile_options(), std::move(wires));
    if (delayed())
      fabric_ = make_checked_fabric(
          make_delayed_fabric(std::move(fabric_), map, {std::chrono::microseconds(2), std::chrono::microseconds(1)}, 1),
          map);
    ASSERT_TRUE(fabric_->extend_segment(me_, 0, room));
    new (mine(arrived_at)) completion(1);
    ASSERT_TRUE(wires_->meet(limit));
  }
  void TearDown() override {
    if (fabric_ != nullptr) meet();
  }

  static constexpr std::chrono::seconds limit{2};

  std::byte* mine(std::uint64_t offset) { return fabric_->segment(me_).base + offset; }
  std::uint64_t my_word(std::uint64_t offset) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(mine(offset))).load();
  }
  template <class Condition>
  void poll_until(Condition reached) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (unsigned looks = 1; !reached(); ++looks) {
      static_cast<void>(fabric_->poll(me_, 16, sink_));
      if (looks % 16 == 0 && std::chrono::steady_clock::now() > end) break;
    }
  }
  void settle(completion const& c) {
    poll_until([&] { return c.idle(); });
    ASSERT_TRUE(c.idle()) << "place " << me_ << ": an operation never completed";
  }
  std::uint64_t apply(word_op op, place_id at, std::uint64_t offset, std::uint64_t a, std::uint64_t b = 0) {
    std::uint64_t result[2];
    completion done(1);
    fabric_->word(me_, {op, word_type::u64, 8, 8, address(at, offset), {a, b}}, result, done);
    settle(done);
    return result[0];
  }
  /// A barrier, in which all places serve each other.
  void meet() {
    for (place_id p = 0; p < places_; ++p) static_cast<void>(apply(word_op::fetch_add, p, round_at, 1));
    ++rounds_;
    poll_until([&] { return my_word(round_at) >= rounds_ * places_; });
    ASSERT_GE(my_word(round_at), rounds_ * places_) << "place " << me_ << " waits for the others in vain";
  }
  void put(std::span<std::byte const> bytes, std::uint64_t offset, std::uint64_t notified = 0) {
    completion done(1);
    fabric_->put(me_, bytes, address(next_, offset), &done, notified);
    settle(done);
  }
  std::vector<std::byte> get(place_id from, std::uint64_t offset, std::size_t bytes) {
    std::vector<std::byte> back(bytes);
    completion done(1);
    fabric_->get(me_, address(from, offset), back, &done);
    settle(done);
    return back;
  }

  wireup* wires_ = nullptr;
  place_id places_ = 0, me_ = 0, next_ = 0;
  std::uint64_t rounds_ = 0;
  std::unique_ptr<fabric> fabric_;
  collecting_sink sink_;
};

}  // namespace tess::test
