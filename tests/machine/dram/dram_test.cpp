// dram_test: latency and bandwidth agree with DRAMsim3 and Ramulator 2.1; no access is lost; refreshes take their time.
//
// Method: reference/dram_ddr3_1600.csv holds the output of both for DDR3-1600 11-11-11, a closed loop of K outstanding
// reads of 64 bytes over 1 GiB. Both channel configurations (one rank as in Ramulator, two as in DRAMsim3) must be
// within their span or within 10% of it. Single accesses, writes and a full queue have hand-computed values.
#include "machine/dram/dram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

namespace {

using tess::machine::dram;
using tess::machine::dram_field;
using tess::machine::dram_parameters;
using tess::machine::event;
using tess::machine::kernel;

struct measured {
  double latency_ns;
  double gb_per_s;
};

/// One of K clients: one read at a time, the next one a cycle after the last.
struct client : event {
  client(kernel& k_, dram& memory_, bool random_, std::uint64_t& position_, std::mt19937_64& draw_)
      : event([](event& self) { static_cast<client&>(self).happened(); }),
        k(k_),
        memory(memory_),
        random(random_),
        position(position_),
        draw(draw_) {}
  void happened() {
    constexpr std::uint64_t lines = (std::uint64_t{1} << 30U) / 64;
    if (waiting) {
      ++reads;
      latency_ps += k.now() - start;
      waiting = false;
      k.after(1250, *this);
      return;
    }
    start = k.now();
    waiting = true;
    std::uint64_t const line = random ? draw() % lines : position++ % lines;
    ASSERT_TRUE(memory.try_access(line * 64, false, *this));
  }
  kernel& k;
  dram& memory;
  bool random;
  std::uint64_t& position;
  std::mt19937_64& draw;
  bool waiting = false;
  std::uint64_t start = 0;
  std::uint64_t reads = 0;
  std::uint64_t latency_ps = 0;
};

measured closed_loop(std::uint32_t ranks, bool random, int outstanding) {
  dram_parameters made;
  made.ranks = ranks;
  if (ranks == 2) made.mapping = {dram_field::column, dram_field::bank, dram_field::rank, dram_field::row};
  kernel k(made.timing.clock_ps);
  dram memory(k, made);
  std::uint64_t position = 0;
  std::mt19937_64 draw(1);
  std::deque<client> clients;
  for (int i = 0; i < outstanding; ++i) k.after(0, clients.emplace_back(k, memory, random, position, draw));
  constexpr std::uint64_t duration_ps = 1'000'000'000;
  k.run_until(duration_ps);
  std::uint64_t reads = 0;
  std::uint64_t latency_ps = 0;
  for (client const& one : clients) {
    reads += one.reads;
    latency_ps += one.latency_ps;
  }
  auto const count = static_cast<double>(reads);
  return {static_cast<double>(latency_ps) / count * 1e-3, count * 64 / (duration_ps * 1e-12) * 1e-9};
}

void expect_in_span(double value, double one, double other) {
  EXPECT_GE(value, 0.9 * std::min(one, other));
  EXPECT_LE(value, 1.1 * std::max(one, other));
}

TEST(a_closed_loop_of_reads, has_latency_and_bandwidth_of_the_two_references) {
  std::ifstream file(TESS_DRAM_REFERENCE);
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string pattern;
    std::getline(cells, pattern, ',');
    std::array<double, 5> numbers{};
    for (double& number : numbers) {
      std::string cell;
      std::getline(cells, cell, ',');
      std::from_chars(cell.data(), cell.data() + cell.size(), number);
    }
    for (std::uint32_t const ranks : {1U, 2U}) {
      SCOPED_TRACE(testing::Message() << pattern << ", " << numbers[0] << " outstanding, " << ranks << " ranks");
      measured const ours = closed_loop(ranks, pattern == "random", static_cast<int>(numbers[0]));
      expect_in_span(ours.latency_ns, numbers[1], numbers[3]);
      expect_in_span(ours.gb_per_s, numbers[2], numbers[4]);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 6);
}

struct moment : event {
  explicit moment(kernel& owner)
      : event([](event& self) { static_cast<moment&>(self).at_ps = static_cast<moment&>(self).k.now(); }), k(owner) {}
  kernel& k;
  std::uint64_t at_ps = 0;
};

struct single_accesses : testing::Test {
  dram_parameters made;
  kernel k{1250};
  std::uint64_t read_ps(dram& memory, std::uint64_t address) {
    moment done(k);
    std::uint64_t const start = k.now();
    EXPECT_TRUE(memory.try_access(address, false, done));
    k.run();
    return done.at_ps - start;
  }
};

TEST_F(single_accesses, take_what_their_row_needs) {
  made.timing.refi = 0;
  dram memory(k, made);
  std::uint64_t const bank_stride = made.row_bytes;
  std::uint64_t const row_stride = made.row_bytes * made.banks;
  EXPECT_EQ(read_ps(memory, 0), (11 + 11 + 4) * 1250U);  // closed
  k.run_until(k.now() + 100'000);
  EXPECT_EQ(read_ps(memory, 64), (11 + 4) * 1250U);  // hit
  k.run_until(k.now() + 100'000);
  EXPECT_EQ(read_ps(memory, row_stride), (11 + 11 + 11 + 4) * 1250U);  // conflict
  k.run_until(k.now() + 100'000);
  EXPECT_EQ(read_ps(memory, bank_stride), (11 + 11 + 4) * 1250U);  // another bank
  EXPECT_EQ(memory.counted().activates, 3U);
  EXPECT_EQ(memory.counted().row_conflicts, 1U);
}

TEST_F(single_accesses, wait_for_a_refresh_that_is_due) {
  dram memory(k, made);
  k.run_until(std::uint64_t{made.timing.refi} * 1250);
  EXPECT_EQ(read_ps(memory, 0), (280 + 11 + 11 + 4) * 1250U);
  EXPECT_EQ(memory.counted().refreshes, 1U);
}

TEST_F(single_accesses, do_not_wait_for_refreshes_of_an_idle_time) {
  dram memory(k, made);
  k.run_until(std::uint64_t{made.timing.refi} * 1250 * 10 - 1'000'000);
  EXPECT_EQ(read_ps(memory, 0), (11 + 11 + 4) * 1250U);
  EXPECT_EQ(memory.counted().refreshes, 9U);
  k.run_until(std::uint64_t{made.timing.refi} * 1250 * 10 + 100'000);
  // This one started 80 cycles ago and has closed the row; its precharge and its 280 cycles are not over.
  EXPECT_EQ(read_ps(memory, 64), (11 + 280 - 80 + 11 + 11 + 4) * 1250U);
}

TEST_F(single_accesses, read_what_waits_to_be_written_from_the_queue) {
  made.timing.refi = 0;
  dram memory(k, made);
  moment written(k);
  ASSERT_TRUE(memory.try_access(4096, true, written));
  EXPECT_EQ(read_ps(memory, 4096), 1250U);
}

TEST_F(single_accesses, are_refused_when_the_queue_is_full_and_told_of_room) {
  dram memory(k, made);
  std::deque<moment> done;
  for (std::uint32_t i = 0; i < made.queue_entries; ++i) {
    ASSERT_TRUE(memory.try_access(std::uint64_t{i} * made.row_bytes * made.banks, false, done.emplace_back(k)));
  }
  moment refused(k);
  EXPECT_FALSE(memory.try_access(0, false, refused));
  moment room(k);
  memory.tell_of_room(room);
  k.run();
  EXPECT_GT(room.at_ps, 0U);
  EXPECT_LT(room.at_ps, done.back().at_ps);
  EXPECT_EQ(refused.at_ps, 0U);
  for (moment const& one : done) EXPECT_GT(one.at_ps, 0U);
}

TEST_F(single_accesses, writes_and_reads_all_end_under_a_random_mix) {
  dram memory(k, made);
  std::mt19937_64 draw(7);
  std::deque<moment> done;
  k.run_until(1250);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (memory.try_access(draw() % (1U << 26U), draw() % 3 == 0, done.emplace_back(k))) {
      ++accepted;
    } else {
      done.pop_back();
    }
    k.run_until(k.now() + draw() % 20'000);
  }
  k.run();
  EXPECT_GT(accepted, 15'000);
  EXPECT_TRUE(std::ranges::all_of(done, [](moment const& one) { return one.at_ps > 0; }));
  EXPECT_EQ(memory.counted().reads + memory.counted().writes, static_cast<std::uint64_t>(accepted));
}

}  // namespace
