// stress_test: caches under a directory return the last value written under every reordering, and none waits for ever.
//
// Method: 2 to 16 caches of a few lines, which replace each other, on a toy machine with random message delays. Each
// has two clients that load, store, add, write back and flush words of few lines; a transfer engine reads and writes
// behind the caches. Every operation takes effect at one instant, so one map of words is the reference. At every
// operation there is one writer or any number of readers; a blocking directory has recorded all of them. Both kinds of
// directory run the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "coherence/forwarding_toy.hpp"
#include "coherence/toy_machine.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

constexpr std::uint64_t line_bytes = toy_machine::line_bytes;
constexpr std::uint64_t words_of_line = 4;  // that are used; the last is the transfer engine's

struct stress {
  std::uint32_t caches = 2;
  std::uint32_t ways = 1;
  std::uint64_t lines = 3;
  std::uint64_t slowest = 10;
  unsigned seed = 1;
};
void PrintTo(stress const& s, std::ostream* out) {
  *out << s.caches << " caches, " << s.ways << " ways, " << s.lines << " lines, messages of " << s.slowest
       << " ns, seed " << s.seed;
}

template <class Machine>
class under_stress : public testing::TestWithParam<stress> {
 protected:
  using directory_kind = decltype(Machine::home);
  static constexpr bool blocks = std::is_same_v<directory_kind, blocking_directory>;

  under_stress()
      : truth_(this->GetParam().lines * words_of_line),
        m_(this->GetParam().caches, {.way_bytes = line_bytes, .ways = this->GetParam().ways, .line_bytes = line_bytes},
           this->GetParam().slowest, this->GetParam().seed) {}

  static std::uint64_t address_of(std::uint64_t word) {
    return toy_machine::base + word / words_of_line * line_bytes + word % words_of_line * 8;
  }
  static bool is_of_engine(std::uint64_t word) { return word % words_of_line == words_of_line - 1; }

  /// Waits until a byte of the L2 may be loaded or stored; requests its line as often as necessary.
  struct access : event {
    access(l2_private& cache_, std::uint64_t address_, bool for_store_)
        : event([](event& self) { static_cast<access&>(self).retry(); }),
          cache(cache_),
          address(address_),
          for_store(for_store_) {}
    [[nodiscard]] bool await_ready() { return (at = cache.look_up(address, for_store)) != nullptr; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiting = handle;
      cache.bring(address, *this, for_store);
    }
    [[nodiscard]] std::byte* await_resume() const { return at; }
    void retry() {
      at = cache.look_up(address, for_store);
      if (at == nullptr) return cache.bring(address, *this, for_store);
      waiting.resume();
    }
    l2_private& cache;
    std::uint64_t address;
    bool for_store;
    std::byte* at = nullptr;
    std::coroutine_handle<> waiting;
  };

  void check_books() {
    for (std::uint64_t line = 0; line < this->GetParam().lines; ++line) {
      std::uint64_t const address = toy_machine::base + line * line_bytes;
      int writers = 0;
      int readers = 0;
      for (auto const& one : m_.tiles) {
        auto const state = one->l2.probe(address).line_state;
        if (state == l2_private::invalid) continue;
        bool const writes = state != l2_private::shared;
        (writes ? writers : readers) += 1;
        // A forwarding directory notes the new owner while the old one still has the line.
        if constexpr (blocks) {
          auto const& books = m_.home.of(address);
          bool const known = books.owner == one->number || (!writes && std::ranges::count(books.sharers, one->number));
          ASSERT_TRUE(known) << "cache " << one->number << " has line " << line << " and is not in the books";
          ASSERT_TRUE(books.owner == directory::nobody || books.sharers.empty());
        }
      }
      ASSERT_TRUE(writers == 0 || (writers == 1 && readers == 0)) << writers << " may write, " << readers << " read";
    }
  }

  process client(std::uint32_t number, unsigned which, int operations) {
    l2_private& l2 = m_.tiles[number]->l2;
    std::mt19937_64 draw(this->GetParam().seed * 1000 + 100 * which + number);
    for (int i = 0; i < operations && !this->HasFatalFailure(); ++i) {
      std::uint64_t const word = draw() % truth_.size();
      std::uint64_t const address = address_of(word);
      std::uint64_t value = 0;
      switch (draw() % 8) {
        case 0:
          co_await l2.write_back(address, 8, 0);
          break;
        case 1:
          co_await l2.flush(address, 8, 0);
          break;
        case 2:
          co_await l2.invalidate(address, line_bytes, 0);  // nothing is lost
          break;
        case 3:
        case 4:
        case 5:
          std::memcpy(&value, co_await access(l2, address, false), 8);
          see(word, value);
          break;
        default:
          if (is_of_engine(word)) break;
          std::byte* const at = co_await access(l2, address, true);
          std::memcpy(&value, at, 8);
          see(word, value);
          std::memcpy(at, &++truth_[word], 8);
      }
      check_books();
      if (draw() % 4 == 0) co_await m_.clock.delay(draw() % (this->GetParam().slowest * 2000));
    }
    ++ended_;
  }

  void see(std::uint64_t word, std::uint64_t value) {
    if (is_of_engine(word)) {
      ASSERT_GE(value, written_[word / words_of_line]) << "word " << word;
      ASSERT_LE(value, truth_[word]) << "word " << word;
    } else {
      ASSERT_EQ(value, truth_[word]) << "word " << word << " at " << m_.clock.now();
    }
  }

  /// Reads and writes parts of lines, as DMA does.
  process engine(int operations) {
    struct served : event {
      served() : event([](event& self) { static_cast<served&>(self).waiting.resume(); }) {}
      std::coroutine_handle<> waiting;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) { waiting = handle, begin(); }
      void await_resume() const noexcept {}
      std::function<void()> begin;
    };
    std::mt19937_64 draw(this->GetParam().seed);
    for (int i = 0; i < operations && !this->HasFatalFailure(); ++i) {
      co_await m_.clock.delay(1000 + draw() % (this->GetParam().slowest * 5000));
      transaction carried;
      std::uint64_t const line = draw() % this->GetParam().lines;
      std::uint64_t const last = (line + 1) * words_of_line - 1;
      carried.source = static_cast<std::uint32_t>(draw() % this->GetParam().caches);
      bool const writes = draw() % 2 == 0;
      carried.what = writes ? remote_operation::write : remote_operation::read;
      carried.part = dma_packet{};
      carried.address = writes ? address_of(last) : toy_machine::base + line * line_bytes;
      carried.bytes = writes ? 8 : line_bytes;
      std::vector<std::uint64_t> const before(truth_);
      if (writes) std::memcpy(carried.data.data(), &++truth_[last], 8);
      served done;
      done.begin = [&] {
        if constexpr (blocks) {
          m_.home.serve(carried, carried.address - toy_machine::base, done);
        } else {
          m_.serve(carried, done);
        }
      };
      co_await done;
      if (writes) written_[line] = truth_[last];
      for (std::uint64_t i_word = 0; i_word < words_of_line && !writes; ++i_word) {
        std::uint64_t value = 0;
        std::memcpy(&value, carried.data.data() + 8 * i_word, 8);
        std::uint64_t const word = line * words_of_line + i_word;
        EXPECT_GE(value, before[word]);
        EXPECT_LE(value, truth_[word]);
      }
    }
    ++ended_;
  }

  std::vector<std::uint64_t> truth_;
  std::vector<std::uint64_t> written_ =
      std::vector<std::uint64_t>(this->GetParam().lines);  ///< By the engine, for sure.
  std::uint32_t ended_ = 0;
  Machine m_;

  void every_word_has_the_last_value_written_and_no_cache_waits_for_ever() {
    for (std::uint32_t i = 0; i < 2 * this->GetParam().caches; ++i) m_.clock.start(client(i / 2, i % 2, 300));
    m_.clock.start(engine(200));
    m_.clock.run();
    ASSERT_EQ(ended_, 2 * this->GetParam().caches + 1) << "the others wait";
    for (std::uint64_t word = 0; word < truth_.size() && !this->HasFatalFailure(); ++word) {
      std::uint64_t value = 0;
      std::uint32_t const owner = m_.home.owner_of(address_of(word));
      auto const here = owner == directory::nobody ? l2_private::probed{} : m_.tiles[owner]->l2.probe(address_of(word));
      std::byte const* const at = here.line_state == l2_private::invalid
                                      ? m_.memory.bytes().at(address_of(word) - toy_machine::base)
                                      : &here.data[address_of(word) % line_bytes];
      std::memcpy(&value, at, 8);
      EXPECT_EQ(value, truth_[word]) << "word " << word << " in the end";
    }
    directory::statistics const& counted = m_.home.counted();
    EXPECT_GT(counted.waited, 0U);
    EXPECT_GT(counted.supplied, 0U);
    EXPECT_GT(counted.stale, 0U) << "no write-back met a request for its line";
  }
};

using blocking_home = under_stress<toy_machine>;
TEST_P(blocking_home, keeps_caches_coherent_under_every_reordering) {
  every_word_has_the_last_value_written_and_no_cache_waits_for_ever();
}
using forwarding_home = under_stress<forwarding_toy>;
TEST_P(forwarding_home, keeps_caches_coherent_under_every_reordering) {
  every_word_has_the_last_value_written_and_no_cache_waits_for_ever();
  for (auto const& one : m_.tiles) EXPECT_TRUE(one->client.idle()) << "requests are over";
}

std::vector<stress> all_of_them() {
  std::vector<stress> all;
  unsigned seed = 1;
  for (std::uint32_t const caches : {2U, 3U, 5U, 16U})
    for (std::uint32_t const ways : {1U, 2U})
      for (std::uint64_t const slowest : {1U, 7U, 60U})
        for (int i = 0; i < 4; ++i)
          all.push_back({.caches = caches, .ways = ways, .lines = ways + 1, .slowest = slowest, .seed = seed++});
  return all;
}
INSTANTIATE_TEST_SUITE_P(all, blocking_home, testing::ValuesIn(all_of_them()));
INSTANTIATE_TEST_SUITE_P(all, forwarding_home, testing::ValuesIn(all_of_them()));

}  // namespace
