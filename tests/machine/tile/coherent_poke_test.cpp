// coherent_poke_test: writes of system calls are visible to all tiles at once, wherever the line is at that moment.
//
// Method: the tiles of dir-4 with L2s of two lines, which replace each other; clients on every tile load, store, write
// back and flush words of few lines, so that at any time some lines are in transit to caches, to memory, or in answers
// to the directory. Between network messages one tile writes words, or gives the page back, without time. Every
// operation takes effect at one instant, so one array of words is the reference, and every tile must read it.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "machine/tile/cached_byte.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

constexpr std::uint64_t lines = 4;
constexpr std::uint64_t words_of_line = 8;
constexpr std::uint64_t page_bytes = 4096;

/// A third of the seeds have each kind of directories.
machine_description small_caches(unsigned seed) {
  machine_description made = read_machine(std::string(TESS_MACHINES) + "/dir-4.toml");
  made.l2.way_bytes = std::size_t{2} * made.l2.line_bytes;
  made.l2.ways = 1;
  if (seed % 3 == 0) made.coherence = {.protocol = coherence_protocol::blocking, .homes = line_homes::memory};
  if (seed % 3 == 1) made.coherence->homes = line_homes::interleaved;
  return made;
}

class poking : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::uint32_t clients = 4;

  [[nodiscard]] std::uint64_t address_of(std::uint64_t word) const {
    return g_.map.of(region_kind::partition, 1)->base + word * 8;
  }

  process client(std::uint32_t number) {
    tile& at = *g_.tiles[number];
    std::mt19937_64 draw(100 * GetParam() + number);
    for (int i = 0; i < 400 && !HasFatalFailure(); ++i) {
      std::uint64_t const word = draw() % truth_.size();
      std::uint64_t const kind = draw() % 8;
      if (kind == 0) co_await at.l2().write_back(address_of(word), 8, 0);
      if (kind == 1) co_await at.l2().flush(address_of(word), 8, 0);
      if (kind < 2) continue;
      bool const stores = kind > 4;
      std::byte* const found = co_await cached_byte(at, address_of(word), stores);
      std::uint64_t value = 0;
      std::memcpy(&value, found, 8);
      [&] { ASSERT_EQ(value, truth_[word]) << "word " << word << " in tile " << number << " at " << g_.clock.now(); }();
      if (stores) std::memcpy(found, &(truth_[word] = ++newest_), 8);
      if (draw() % 4 == 0) co_await g_.clock.delay(draw() % 200'000);
    }
    --running_;
  }

  void poke(std::mt19937_64& draw) {
    tile& by = *g_.tiles[draw() % clients];
    if (draw() % 64 == 0) {
      by.discard(address_of(0), page_bytes);
      std::ranges::fill(truth_, 0);
      return;
    }
    std::uint64_t const word = draw() % truth_.size();
    std::uint64_t const words = 1 + draw() % (words_of_line - word % words_of_line);
    for (std::uint64_t i = 0; i < words; ++i) truth_[word + i] = ++newest_;
    by.poke(address_of(word), std::as_bytes(std::span(truth_).subspan(word, words)));
    by.snoop(address_of(word), words * 8, nullptr, g_.clock.now() / g_.description.tile_clock_ps + 1);
  }

  void check() {
    for (auto const& one : g_.tiles) {
      for (std::uint64_t word = 0; word < truth_.size(); ++word) {
        std::uint64_t value = 0;
        std::memcpy(&value, one->peek(address_of(word)), 8);
        ASSERT_EQ(value, truth_[word]) << "word " << word << " from tile " << one->number() << " at " << g_.clock.now();
      }
    }
  }

  process pokes() {
    std::mt19937_64 draw(GetParam());
    while (running_ != 0 && !HasFatalFailure()) {
      co_await g_.clock.delay(1 + draw() % 300'000);
      check();
      poke(draw);
      check();
    }
  }

  std::vector<std::uint64_t> truth_ = std::vector<std::uint64_t>(lines * words_of_line);
  std::uint64_t newest_ = 0;
  std::uint32_t running_ = clients;
  grid g_{small_caches(GetParam())};
};

TEST_P(poking, reaches_every_copy_of_a_line_on_its_way) {
  for (std::uint32_t i = 0; i < clients; ++i) g_.clock.start(client(i));
  g_.clock.start(pokes());
  g_.clock.run();
  EXPECT_EQ(running_, 0U) << "the others wait";
  check();
}
INSTANTIATE_TEST_SUITE_P(seeds, poking, testing::Range(1U, 25U));

}  // namespace
