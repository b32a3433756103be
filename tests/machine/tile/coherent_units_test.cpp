// coherent_units_test: what an accelerator and transfers read and write in memory is coherent with all caches, on
// machines with each kind of directory.
//
// Method: the tiles of tessera-2x2 with directories and L2s of a few lines. Words of few lines are loaded by all tiles;
// half of them are stored to by harts (each word by one), half are written by the accelerator's near_memory, which also
// reads all; transfers copy whole lines of these to others. Every word's values only grow. A reader must see at least
// what was complete when it began, and at most what had begun when it ended.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "machine/nma/near_memory.hpp"
#include "machine/tile/cached_byte.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

constexpr std::uint64_t lines = 6;
constexpr std::uint64_t words_of_line = 8;
constexpr std::uint64_t words = lines * words_of_line;
constexpr std::uint32_t memory_tile = 3;

machine_description small_caches(unsigned seed) {
  machine_description made = read_machine(std::string(TESS_MACHINES) + "/tessera-2x2.toml");
  made.l2.way_bytes = std::size_t{2} * made.l2.line_bytes;
  made.l2.ways = 2;
  made.coherence = {.protocol = coherence_protocol::forwarding, .homes = line_homes::partition};
  made.coherence->interleave_bytes = made.l2.line_bytes;
  if (seed % 4 == 1) made.coherence->homes = line_homes::interleaved;
  if (seed % 4 == 2) made.coherence->homes = line_homes::memory;
  if (seed % 4 == 3) made.coherence = {.protocol = coherence_protocol::blocking, .homes = line_homes::memory};
  return made;
}

struct truth {
  std::uint64_t begun = 0;
  std::uint64_t complete = 0;
};

class units_of_coherent_tiles : public testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] region const& partition() const { return *g_.map.of(region_kind::partition, 1); }
  [[nodiscard]] std::uint64_t address_of(std::uint64_t word) const { return partition().base + word * 8; }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t word) const { return partition().memory_offset + word * 8; }
  /// Copies of the words, made by transfers.
  [[nodiscard]] std::uint64_t copy_of(std::uint64_t word) const { return address_of(word) + 0x1000; }

  static void check(std::uint64_t value, std::uint64_t least, truth const& now, char const* who) {
    ASSERT_GE(value, least) << who;
    ASSERT_LE(value, now.begun) << who;
  }

  process hart(std::uint32_t number) {
    tile& at = *g_.tiles[number];
    std::mt19937_64 draw(100 * GetParam() + number);
    for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
      std::uint64_t const word = draw() % words;
      bool const stores = word % 2 == 0 && word / 2 % 3 == number && draw() % 2 == 0;
      if (stores) {
        std::byte* const found = co_await cached_byte(at, address_of(word), true);
        std::uint64_t const value = truth_[word].begun = truth_[word].complete = ++newest_;
        std::memcpy(found, &value, 8);
      } else if (draw() % 3 != 0) {
        std::uint64_t const least = truth_[word].complete;
        std::byte const* const found = co_await cached_byte(at, address_of(word), false);
        std::uint64_t value = 0;
        std::memcpy(&value, found, 8);
        check(value, least, truth_[word], "a hart");
      } else {
        std::uint64_t const least = copied_[word];
        std::byte const* const found = co_await cached_byte(at, copy_of(word), false);
        std::uint64_t value = 0;
        std::memcpy(&value, found, 8);
        check(value, least, truth_[word], "a hart, of a copy");
      }
      if (draw() % 4 == 0) co_await g_.clock.delay(draw() % 200'000);
    }
    --running_;
  }

  process accelerator() {
    std::mt19937_64 draw(GetParam());
    while (running_ > 2 && !HasFatalFailure()) {
      std::uint64_t const first = draw() % words;
      std::uint64_t const count = 1 + draw() % std::min<std::uint64_t>(16, words - first);
      std::array<std::uint64_t, 16> values{};
      happened done;
      if (draw() % 2 == 0) {
        std::array<std::uint64_t, 16> least{};
        for (std::uint64_t i = 0; i < count; ++i) least[i] = truth_[first + i].complete;
        near_.read(offset_of(first), std::as_writable_bytes(std::span(values).first(count)), done);
        co_await done;
        for (std::uint64_t i = 0; i < count; ++i) check(values[i], least[i], truth_[first + i], "the accelerator");
      } else if (first % 2 == 1) {
        values[0] = truth_[first].begun = ++newest_;
        near_.write(offset_of(first), std::as_bytes(std::span(values).first(1)), done);
        co_await done;
        truth_[first].complete = values[0];
      }
      if (draw() % 2 == 0) co_await g_.clock.delay(draw() % 300'000);
    }
    --running_;
  }

  process transfers() {
    std::mt19937_64 draw(7 * GetParam());
    while (running_ > 2 && !HasFatalFailure()) {
      std::uint64_t const line = draw() % lines;
      std::uint64_t const count = 1 + draw() % (lines - line);
      std::uint64_t const first = line * words_of_line;
      std::vector<std::uint64_t> least;
      for (std::uint64_t i = 0; i < count * words_of_line; ++i) least.push_back(truth_[first + i].complete);
      transaction request;
      happened done;
      request.what = remote_operation::transfer;
      request.target = memory_tile;
      request.address = address_of(first);
      request.bytes = count * words_of_line * 8;
      request.part = dma_transfer{.destination = copy_of(first), .destination_tile = memory_tile};
      request.done = &done;
      g_.tiles[draw() % 3]->network_adapter().issue(request);
      co_await done;
      [&] { ASSERT_EQ(request.status, remote_outcome::done); }();
      for (std::uint64_t i = 0; i < least.size(); ++i) copied_[first + i] = least[i];
      co_await g_.clock.delay(draw() % 300'000);
    }
    --running_;
  }

  std::vector<truth> truth_ = std::vector<truth>(words);
  std::vector<std::uint64_t> copied_ = std::vector<std::uint64_t>(words);  ///< The least that is in the copies.
  std::uint64_t newest_ = 0;
  std::uint32_t running_ = 5;
  grid g_{small_caches(GetParam())};
  near_memory near_{g_.description, *g_.tiles[memory_tile]};
};

TEST_P(units_of_coherent_tiles, see_what_caches_have_and_change_what_they_have) {
  for (std::uint32_t i = 0; i < 3; ++i) g_.clock.start(hart(i));
  g_.clock.start(accelerator());
  g_.clock.start(transfers());
  g_.clock.run();
  EXPECT_EQ(running_, 0U) << "the others wait";
}
INSTANTIATE_TEST_SUITE_P(seeds, units_of_coherent_tiles, testing::Range(1U, 41U));

}  // namespace
