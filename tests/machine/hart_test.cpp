// hart_test: a hart that stops at every access has the same results and counts as one that never stops.
// Method: random programs on flat_memory and on refusing_memory, whose accesses the test does by hand; whole states are
// compared. Quanta, fetch lines and block lengths vary.
#include <gtest/gtest.h>

#include "bare_hart.hpp"
#include "machine/isa/atomic.hpp"
#include "random_program.hpp"
#include "refusing_memory.hpp"

namespace tess::machine {
namespace {

// Performs the access of a stopped hart on flat memory; false if the program ends here.
class server {
 public:
  explicit server(bare_hart& b) : b_(b) {}

  bool serve() {
    hart& h = b_.h;
    access_request const& r = h.request;
    switch (h.stopped) {
      case stop::quantum:
        return true;
      case stop::fetch:
        lines_ = {r.address, lines_[0]};
        ++fetches;
        return true;
      case stop::load:
        h.complete(word());
        return ++accesses;
      case stop::store:
        put(r.operand);
        h.advance();
        return ++accesses;
      case stop::load_reserved:
        h.reserved = {r.address, word(), r.bytes};
        h.complete(word());
        return true;
      case stop::store_conditional:
        return conditional();
      case stop::atomic:
        return atomic();
      case stop::fence:
      case stop::pause:
        h.advance();
        return true;
      case stop::fence_i:
        h.advance();
        b_.code.clear();
        return true;
      default:
        return false;
    }
  }
  std::byte* fast() { return reinterpret_cast<std::byte*>(&lines_); }  // NOLINT

  std::uint64_t accesses = 0;
  std::uint64_t fetches = 0;

 private:
  std::uint64_t word() {
    std::uint64_t value = 0;
    std::memcpy(&value, b_.memory.at(b_.h.request.address), b_.h.request.bytes);
    return value;
  }
  void put(std::uint64_t value) { std::memcpy(b_.memory.at(b_.h.request.address), &value, b_.h.request.bytes); }
  bool conditional() {
    access_request const r = b_.h.request;
    reservation const& had = b_.h.reserved;
    bool const kept = had.bytes == r.bytes && had.address == r.address && had.value == word();
    if (kept) put(r.operand);
    b_.h.reserved = {};
    b_.h.complete(kept ? 0 : 1);
    return true;
  }
  bool atomic() {
    access_request const r = b_.h.request;
    std::uint64_t const old = word();
    put(r.bytes == 8 ? combined(r.operation, old, r.operand)
                     : combined(r.operation, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(r.operand)));
    b_.h.complete(old);
    return true;
  }

  bare_hart& b_;
  refusing_memory::lines lines_{1, 1};
};

struct shape {
  std::uint32_t line_bytes;
  std::uint32_t block_instructions;
  std::uint64_t quantum;
};

class stopping_hart : public testing::TestWithParam<shape> {};

TEST_P(stopping_hart, does_what_one_does_that_never_stops) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    random_program const program = make_random_program(seed, 400, 5);
    bare_hart free{program.file};
    while (free.run_to_stop() != stop::ecall) {
      ASSERT_TRUE(free.h.stopped == stop::fence_i || free.h.stopped == stop::pause) << int(free.h.stopped);
      free.h.advance();
      free.code.clear();
    }
    bare_hart stopping{
        program.file, engine<refusing_memory>::handlers(), {GetParam().line_bytes, GetParam().block_instructions, {}}};
    server serves{stopping};
    do {
      engine<refusing_memory>::run(stopping.h, serves.fast(), stopping.h.now() + GetParam().quantum);
    } while (serves.serve());
    ASSERT_EQ(stopping.h.stopped, stop::ecall);
    EXPECT_EQ(stopping.h.x, free.h.x) << "seed " << seed;
    EXPECT_EQ(stopping.h.f, free.h.f) << "seed " << seed;
    EXPECT_EQ(stopping.h.fp.flags, free.h.fp.flags) << "seed " << seed;
    EXPECT_EQ(stopping.h.pc, free.h.pc) << "seed " << seed;
    EXPECT_EQ(stopping.h.retired, free.h.retired) << "seed " << seed;
    EXPECT_EQ(stopping.h.now(), stopping.h.retired) << "one cycle each, seed " << seed;
    EXPECT_EQ(std::memcmp(stopping.memory.at(data_address), free.memory.at(data_address), random_program_output_bytes),
              0)
        << "seed " << seed;
    EXPECT_GT(serves.accesses, 500U);
    EXPECT_EQ(serves.fetches > 100, GetParam().line_bytes != 0);
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, stopping_hart,
                         testing::Values(shape{32, 64, 1 << 20}, shape{32, 1, 1}, shape{64, 64, 16}, shape{16, 7, 256},
                                         shape{0, 64, 3}),
                         [](auto const& p) {
                           return "line_" + std::to_string(p.param.line_bytes) + "_block_" +
                                  std::to_string(p.param.block_instructions) + "_quantum_" +
                                  std::to_string(p.param.quantum);
                         });

TEST(hart_time, counts_the_costs_of_the_machine_file) {
  code_buffer text;
  text.put(word_r(0x02000033, 5, 6, 7));              // mul: 1 + 4
  text.put(word_r(0x02004033, 5, 6, 7));              // div: 1 + 30
  text.put(word_b(code::beq, 0, 0, 8));               // taken: 1 + 2
  text.put(code::ebreak);                             // jumped over
  text.put(word_b(code::bne, 0, 0, 8));               // not taken: 1
  text.put(word_j(code::jal, 1, 4));                  // 1 + 2
  text.put(word_r(0x02000053, 1, 2, 3) | 7U << 12U);  // fadd.d: 1 + 3
  text.put(code::ecall);                              // 1
  auto const file = make_executable(text.bytes(), {});
  instruction_costs const costs{.multiply = 4, .divide = 30, .float_add = 3, .branch_taken = 2};
  bare_hart b{file, engine<refusing_memory>::handlers(), {0, 64, costs}};
  refusing_memory::lines lines{};
  ASSERT_EQ(engine<refusing_memory>::run(b.h, reinterpret_cast<std::byte*>(&lines), 1000), stop::ecall);
  EXPECT_EQ(b.h.retired, 7U);
  EXPECT_EQ(b.h.now(), 5U + 31U + 3U + 1U + 3U + 4U + 1U);
}

TEST(hart_time, includes_the_use_of_a_loaded_register_by_the_next_instruction) {
  code_buffer text;
  text.put(word_i(code::ld, 5, 0, 0));
  text.put(word_r(0x00000033, 6, 5, 5));  // 1 + 2
  text.put(word_i(code::ld, 7, 0, 8));
  text.put(word_r(0x00000033, 6, 5, 5));  // 1
  text.put(word_r(0x00000033, 6, 7, 5));  // 1: not the next one
  text.put(word_i(code::ld, 0, 0, 0));
  text.put(word_r(0x00000033, 6, 0, 0));  // 1: x0 is not loaded
  text.put(word_i(code::ld, 5, 0, 0));
  text.put(word_b(code::beq, 5, 0, 8));  // 1 + 2
  text.put(code::ecall);
  auto const file = make_executable(text.bytes(), {});
  for (std::uint32_t const most : {64U, 1U}) {  // also at the end of a block
    instruction_costs const costs{.load_use = 2};
    bare_hart b{file, engine<refusing_memory>::handlers(), {0, most, costs}};
    refusing_memory::lines lines{};
    auto* const fast = reinterpret_cast<std::byte*>(&lines);
    stop why = stop::none;
    while ((why = engine<refusing_memory>::run(b.h, fast, 1000)) == stop::load) b.h.complete(1);
    ASSERT_EQ(why, stop::ecall);
    EXPECT_EQ(b.h.retired, 10U);
    EXPECT_EQ(b.h.now(), 10U + 2U + 2U) << most;
  }
}

TEST(hart_time, passes_while_it_waits) {
  code_buffer text;
  text.put(word_i(code::ld, 5, 0, 0));
  text.put(code::ecall);
  auto const file = make_executable(text.bytes(), {});
  bare_hart b{file, engine<refusing_memory>::handlers(), {}};
  refusing_memory::lines lines{};
  auto* const fast = reinterpret_cast<std::byte*>(&lines);
  ASSERT_EQ(engine<refusing_memory>::run(b.h, fast, 50), stop::load);
  EXPECT_EQ(b.h.now(), 1U);
  b.h.wait_until(90);
  b.h.complete(0x1234);
  EXPECT_EQ(engine<refusing_memory>::run(b.h, fast, 80), stop::ecall) << "a block that was begun is ended";
  EXPECT_EQ(b.h.now(), 91U);
  EXPECT_EQ(b.h.x[5], 0x1234U);
}

TEST(code_caches, share_blocks_until_one_drops_them) {
  code_buffer text;
  text.put(word_i(code::addi, 5, 0, 7));
  text.put(code::ecall);
  auto const file = make_executable(text.bytes(), {});
  bare_hart a{file, engine<refusing_memory>::handlers(), {}};
  bare_hart b{file, engine<refusing_memory>::handlers(), {}};
  block_rules alone;
  alone.instructions_max = 1;
  bare_hart other{file, engine<refusing_memory>::handlers(), alone};
  b.code.share(a.code);
  other.code.share(a.code);
  inst const* const first = a.code.block_at(a.h.pc);
  EXPECT_EQ(b.code.find(b.h.pc), first);
  EXPECT_EQ(other.code.find(other.h.pc), nullptr) << "it decodes otherwise";
  b.code.clear();
  EXPECT_EQ(b.code.find(b.h.pc), nullptr);
  EXPECT_EQ(a.code.find(a.h.pc), first) << "the other one keeps them";
  EXPECT_NE(b.code.block_at(b.h.pc), first);
}

}  // namespace
}  // namespace tess::machine
