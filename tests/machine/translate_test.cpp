// translate_test: a hart whose blocks are translated does exactly what an interpreted one does.
// Method: random programs run by both, in quanta of all sizes; whenever they stop, registers, pc, counts and the reason
// are compared, and memory at the end. Blocks are translated when they are entered the first or the third time.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <random>

#include "bare_hart.hpp"
#include "machine/translate/translator.hpp"
#include "random_program.hpp"

namespace tess::machine {
namespace {

struct translated_hart : bare_hart {
  translated_hart(std::span<std::byte const> file, std::uint32_t after_entries) : bare_hart(file) {
    if (by != nullptr) code.translate(*by, after_entries);
  }
  std::unique_ptr<block_translator> by = make_translator(engine<flat_memory>::handlers());
};

bool translates() {
  return make_translator(engine<flat_memory>::handlers()) != nullptr;
}

void expect_same(hart const& translated, hart const& interpreted) {
  for (unsigned k = 0; k < 32; ++k) EXPECT_EQ(translated.x[k], interpreted.x[k]) << "x" << k;
  EXPECT_EQ(translated.f, interpreted.f);
  EXPECT_EQ(translated.fp.flags, interpreted.fp.flags);
  EXPECT_EQ(translated.pc, interpreted.pc);
  EXPECT_EQ(translated.retired, interpreted.retired);
  EXPECT_EQ(translated.now(), interpreted.now());
  EXPECT_EQ(translated.stopped, interpreted.stopped);
  if (interpreted.stopped == stop::quantum) return;
  EXPECT_EQ(translated.request.address, interpreted.request.address);
  EXPECT_EQ(translated.request.right, interpreted.request.right);
}

// Both run until something else stops them than a quantum, a fence or a pause. `clears`: at FENCE.I blocks are dropped.
void run_both(translated_hart& translated, bare_hart& interpreted, std::uint64_t quantum, bool clears = false) {
  for (;;) {
    translated.run_to_stop(quantum);
    interpreted.run_to_stop(quantum);
    expect_same(translated.h, interpreted.h);
    if (testing::Test::HasFailure()) return;
    switch (interpreted.h.stopped) {
      case stop::quantum:
        continue;
      case stop::fence_i:
      case stop::pause:
        for (bare_hart* const one : {static_cast<bare_hart*>(&translated), &interpreted}) {
          if (clears && one->h.stopped == stop::fence_i) one->code.clear();
          one->h.advance();
        }
        continue;
      default:
        return;
    }
  }
}

bool same_memory(bare_hart const& a, bare_hart const& b, std::uint64_t address, std::uint64_t bytes) {
  return std::memcmp(a.memory.at(address), b.memory.at(address), bytes) == 0;
}

constexpr std::array quanta{std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{16}, std::uint64_t{256},
                            std::uint64_t{1} << 30U};

TEST(translation, does_what_interpretation_does_with_every_instruction) {
  if (!translates()) GTEST_SKIP() << "this host has no translator";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    random_program const program = make_random_program(seed, 400, 6);
    translated_hart translated{program.file, seed % 2 == 0 ? 1U : 3U};
    bare_hart interpreted{program.file};
    run_both(translated, interpreted, quanta[seed % quanta.size()], seed % 5 == 4);
    EXPECT_EQ(interpreted.h.stopped, stop::ecall);
    EXPECT_TRUE(same_memory(translated, interpreted, data_address, random_program_output_bytes));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

constexpr std::uint64_t some_data_bytes = 8192;

// Loops of integer instructions, one after the other, which end where a counter in x31 is zero: short ones, so that all
// registers fit into the host's, and long ones; with forward branches, calls, and accesses around x30, on both sides of
// the border of two pages, and, if `wild`, sometimes outside of all pages.
class loops {
 public:
  explicit loops(std::uint64_t seed, bool wild) : random_(seed), wild_(wild) {}

  std::vector<std::byte> make() {
    std::vector<std::uint64_t> data(some_data_bytes / 8);
    for (auto& word : data) word = value();
    code_.load_constant(30, static_cast<std::int32_t>(data_address + some_data_bytes / 2));
    for (unsigned k = 1; k < 30; ++k) code_.put(word_i(code::ld, k, 30, static_cast<std::int32_t>(8 * k)));
    for (int k = 0; k < 12; ++k) put_loop();
    code_.put(code::ecall);
    return make_executable(code_.bytes(), std::as_bytes(std::span(data)));
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  // Few ones at times, so that they depend on each other.
  unsigned any() { return static_cast<unsigned>(below(few_ ? 6 : 30)); }
  std::uint64_t value() {
    constexpr std::array<std::uint64_t, 10> edges{0,
                                                  1,
                                                  ~std::uint64_t{0},
                                                  std::uint64_t{1} << 63U,
                                                  (std::uint64_t{1} << 63U) - 1,
                                                  0x80000000U,
                                                  0x7fffffffU,
                                                  0xffffffff80000000U,
                                                  63,
                                                  0xfffffffe00000001U};
    return below(2) == 0 ? edges[below(edges.size())] : random_() >> below(64);
  }

  void put_loop() {
    few_ = below(2) == 0;
    code_.put(word_i(code::addi, 31, 0, static_cast<std::int32_t>(3 + below(20))));
    std::uint64_t const begin = code_.here();
    auto const count = 1 + below(below(2) == 0 ? 8 : 50);
    for (std::uint64_t k = 0; k < count; ++k) put_one();
    code_.put(word_i(code::addi, 31, 31, -1));
    auto const back = [&] { return static_cast<std::int32_t>(begin - code_.here()); };
    if (below(2) == 0) return code_.put(word_b(code::bne, 31, 0, back()));
    code_.put(word_b(code::beq, 31, 0, 8));
    code_.put(word_j(code::jal, 0, back()));
  }

  void put_one() {
    constexpr std::array<std::uint32_t, 31> by_registers{
        0x33,       0x40000033, 0x1033,     0x2033,     0x3033,     0x4033,     0x5033,     0x40005033,
        0x6033,     0x7033,     0x3b,       0x4000003b, 0x103b,     0x503b,     0x4000503b, 0x02000033,
        0x02001033, 0x02002033, 0x02003033, 0x02004033, 0x02005033, 0x02006033, 0x02007033, 0x0200003b,
        0x0200403b, 0x0200503b, 0x0200603b, 0x0200703b, 0x33,       0x33,       0x4033};
    constexpr std::array<std::uint32_t, 7> by_immediate{0x13, 0x2013, 0x3013, 0x4013, 0x6013, 0x7013, 0x1b};
    constexpr std::array<std::uint32_t, 7> by_bits{0x1013, 0x5013, 0x40005013, 0x101b, 0x501b, 0x4000501b, 0x1013};
    constexpr std::array<std::uint32_t, 8> loads{0x03, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003, 0x6003, 0x3007};
    constexpr std::array<std::uint32_t, 5> stores{0x23, 0x1023, 0x2023, 0x3023, 0x3027};
    constexpr std::array<std::uint32_t, 6> branches{0x63, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return code_.put(word_r(by_registers[below(by_registers.size())], any(), any(), any()));
      case 4:
      case 5:
        return code_.put(word_i(by_immediate[below(by_immediate.size())], any(), any(), immediate()));
      case 6: {
        std::size_t const which = below(by_bits.size());
        bool const narrow = (by_bits[which] & 8U) != 0;
        return code_.put(word_i(by_bits[which], any(), any(), static_cast<std::int32_t>(below(narrow ? 32 : 64))));
      }
      case 7:
      case 8:
        return code_.put(word_i(loads[below(loads.size())], any(), pointer(), offset()));
      case 9:
        return code_.put(word_s(stores[below(stores.size())], pointer(), any(), offset()));
      case 10: {  // over the next one
        code_.put(word_b(branches[below(branches.size())], any(), any(), 8));
        return code_.put(word_i(code::addi, any(), any(), immediate()));
      }
      default: {  // to a place behind, by a register
        unsigned const by = 1 + static_cast<unsigned>(below(5));
        code_.put(word_u(code::auipc, by, 0));
        code_.put(word_i(code::jalr, below(2) == 0 ? by : 0, by, 12 + static_cast<std::int32_t>(below(2))));
        return code_.put(word_i(code::addi, any(), any(), 1));
      }
    }
  }
  std::int32_t immediate() { return static_cast<std::int32_t>(below(4096)) - 2048; }
  unsigned pointer() { return wild_ && below(40) == 0 ? any() : 30; }
  std::int32_t offset() { return below(4) == 0 ? immediate() : immediate() & ~7; }

  std::mt19937_64 random_;
  bool wild_;
  bool few_ = false;
  code_buffer code_;
};

TEST(translation, does_what_interpretation_does_in_loops) {
  if (!translates()) GTEST_SKIP() << "this host has no translator";
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    auto const file = loops{seed, false}.make();
    translated_hart translated{file, seed % 2 == 0 ? 1U : 3U};
    bare_hart interpreted{file};
    run_both(translated, interpreted, quanta[seed % quanta.size()]);
    EXPECT_EQ(interpreted.h.stopped, stop::ecall);
    EXPECT_TRUE(same_memory(translated, interpreted, data_address, some_data_bytes));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(translation, stops_at_the_same_forbidden_access) {
  if (!translates()) GTEST_SKIP() << "this host has no translator";
  int refused = 0;
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    auto const file = loops{seed, true}.make();
    translated_hart translated{file, static_cast<std::uint32_t>(1 + seed % 5)};
    bare_hart interpreted{file};
    // A handler would go on behind it.
    for (int stops = 0; stops < 100; ++stops) {
      run_both(translated, interpreted, quanta[seed % quanta.size()]);
      if (interpreted.h.stopped != stop::access) break;
      ++refused;
      translated.h.advance();
      interpreted.h.advance();
    }
    EXPECT_TRUE(same_memory(translated, interpreted, data_address, some_data_bytes));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(refused, 1000);
}

// What a block was translated from stays until FENCE.I, as what it was decoded to.
TEST(translation, is_dropped_when_code_changes) {
  if (!translates()) GTEST_SKIP() << "this host has no translator";
  code_buffer text;
  text.put(word_i(code::addi, 5, 0, 40));
  std::uint64_t const loop = text.here();
  text.put(word_i(code::addi, 6, 6, 1));  // becomes addi x6, x6, 256
  text.put(word_i(code::addi, 5, 5, -1));
  text.put(word_b(code::bne, 5, 0, -8));
  text.put(code::fence_i);
  text.put(word_j(code::jal, 0, static_cast<std::int32_t>(code_address - text.here())));
  auto const file = make_executable(text.bytes(), {});
  translated_hart b{file, 2};
  std::uint64_t wanted = 0;
  for (int round = 0; round < 6; ++round) {
    ASSERT_EQ(b.run_to_stop(), stop::fence_i);
    wanted += round < 4 ? 40U : 40U * 256U;
    EXPECT_EQ(b.h.x[6], wanted) << round;
    std::uint32_t const word = word_i(code::addi, 6, 6, 256);
    if (round == 2) std::memcpy(b.memory.at(loop), &word, sizeof word);
    if (round == 3) b.code.clear();
    b.h.advance();
  }
}

// When there is no room for more code, all of it is dropped.
TEST(translation, goes_on_when_its_memory_was_full) {
  if (!translates()) GTEST_SKIP() << "this host has no translator";
  code_buffer text;
  constexpr int functions = 30'000;
  text.put(word_u(code::auipc, 1, 0));
  for (int k = 0; k < functions; ++k) {  // each a block of 60 loads and more
    for (int load = 0; load < 16; ++load) text.put(word_i(code::ld, 5U + static_cast<unsigned>(load), 1, 8 * load));
    text.put(word_j(code::jal, 0, 4));
  }
  text.put(code::ecall);
  auto const file = make_executable(text.bytes(), {});
  translated_hart translated{file, 1};
  bare_hart interpreted{file};
  ASSERT_EQ(translated.run_to_stop(), stop::ecall);
  ASSERT_EQ(interpreted.run_to_stop(), stop::ecall);
  expect_same(translated.h, interpreted.h);
  EXPECT_GT(translated.code.generation(), 2U) << "it was full";
}

// As Linux can be told to: memory that was written never becomes executable.
TEST(translation, is_left_out_where_the_host_refuses_executable_memory) {
  constexpr int deny_write_execute = 65;  // PR_SET_MDWE, since Linux 6.3
  constexpr int unknown = 77;
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::prctl(deny_write_execute, 1, 0, 0, 0) != 0) ::_exit(unknown);
    ::_exit(translates() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == unknown) GTEST_SKIP() << "this host cannot be told to refuse it";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tess::machine
