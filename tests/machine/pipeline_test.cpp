// pipeline_test: an in-order pipeline issues each instruction in the cycle that its rules give, and not before it.
// Method: short programs whose cycles are counted by hand, on a memory that refuses every access, so that the test
// knows each of them; the predictor alone against histories with known outcomes; random programs in pieces of any
// length, whose time, counts and results must be those of the whole.
#include "machine/hart/pipeline.hpp"

#include <gtest/gtest.h>

#include "bare_hart.hpp"
#include "random_program.hpp"
#include "refusing_memory.hpp"

namespace tess::machine {
namespace {

struct counted {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  pipeline::statistics issued;
};

/// Runs to the ecall; loads read what was stored by nobody: zero, at once.
counted run(code_buffer const& text, pipeline_parameters const& parameters, instruction_costs const& costs,
            std::optional<branch_parameters> const& branches = {}, std::uint64_t quantum = 1'000'000) {
  auto const file = make_executable(text.bytes(), {});
  bare_hart b{
      file,
      engine<refusing_memory>::handlers(),
      {.costs = costs, .issues = true, .narrow_load = static_cast<std::uint8_t>(parameters.narrow_load_cycles)}};
  pipeline issues{parameters, branches, costs.branch_taken};
  b.h.pipe = &issues;
  refusing_memory::lines lines{};
  auto* const fast = reinterpret_cast<std::byte*>(&lines);  // NOLINT
  while (true) {
    stop const why = engine<refusing_memory>::run(b.h, fast, b.h.now() + quantum);
    if (why == stop::load) b.h.complete(0);
    if (why == stop::store) b.h.advance();
    if (why != stop::load && why != stop::store && why != stop::quantum) {
      EXPECT_EQ(why, stop::ecall);
      return {b.h.now(), b.h.retired, issues.counted()};
    }
  }
}

/// The words before the ecall, and how many cycles they take.
std::uint64_t cycles_of(std::initializer_list<std::uint32_t> words, pipeline_parameters const& parameters,
                        instruction_costs const& costs) {
  code_buffer text;
  for (std::uint32_t const word : words) text.put(word);
  text.put(code::ecall);
  // The last one issues alone, one cycle after the others.
  return run(text, parameters, costs).cycles - 1;
}

constexpr std::uint32_t add(unsigned rd, unsigned rs1, unsigned rs2) {
  return word_r(0x00000033, rd, rs1, rs2);
}
constexpr std::uint32_t mul(unsigned rd, unsigned rs1, unsigned rs2) {
  return word_r(0x02000033, rd, rs1, rs2);
}
constexpr std::uint32_t divide(unsigned rd, unsigned rs1, unsigned rs2) {
  return word_r(0x02004033, rd, rs1, rs2);
}
std::uint32_t load(unsigned rd, unsigned rs1) {
  return word_i(code::ld, rd, rs1, 0);
}
std::uint32_t load_byte(unsigned rd) {
  return word_i(0x00000003, rd, 0, 0);
}
std::uint32_t store(unsigned data, unsigned base) {
  return word_s(code::sd, base, data, 0);
}

constexpr instruction_costs costs{.multiply = 2, .divide = 9, .float_add = 3, .load_use = 2};
constexpr pipeline_parameters single{};

TEST(operands, are_waited_for_by_those_who_read_them) {
  EXPECT_EQ(cycles_of({add(5, 0, 0), add(6, 5, 5), add(7, 6, 6)}, single, costs), 3U);
  EXPECT_EQ(cycles_of({load(5, 0), add(6, 5, 5)}, single, costs), 4U) << "the load's latency is three cycles";
  EXPECT_EQ(cycles_of({load(5, 0), add(7, 0, 0), add(6, 5, 5)}, single, costs), 4U) << "one of the two is used";
  EXPECT_EQ(cycles_of({load(5, 0), add(7, 0, 0), add(7, 0, 0), add(6, 5, 5)}, single, costs), 4U);
  EXPECT_EQ(cycles_of({load(5, 0), add(7, 0, 0), add(7, 0, 0), add(7, 0, 0), add(6, 5, 5)}, single, costs), 5U);
  EXPECT_EQ(cycles_of({load(0, 0), add(6, 0, 0)}, single, costs), 2U) << "x0 is always ready";
  EXPECT_EQ(cycles_of({mul(5, 0, 0), add(6, 5, 0)}, single, costs), 4U);
  EXPECT_EQ(cycles_of({mul(5, 0, 0), mul(6, 0, 0), mul(7, 0, 0), add(8, 7, 0)}, single, costs), 6U) << "they overlap";
  pipeline_parameters const blocking{.multiplies_overlap = false};
  EXPECT_EQ(cycles_of({mul(5, 0, 0), mul(6, 0, 0), mul(7, 0, 0), add(8, 7, 0)}, blocking, costs), 10U);
  EXPECT_EQ(cycles_of({divide(5, 0, 0), divide(6, 0, 0)}, single, costs), 11U) << "there is one divider";
  EXPECT_EQ(cycles_of({divide(5, 0, 0), add(6, 0, 0), add(7, 0, 0)}, single, costs), 3U);
  pipeline_parameters const narrow{.narrow_load_cycles = 4};
  EXPECT_EQ(cycles_of({load_byte(5), add(6, 5, 5)}, narrow, costs), 8U);
  EXPECT_EQ(cycles_of({load(5, 0), add(6, 5, 5)}, narrow, costs), 4U);
}

TEST(operands, of_floating_point_are_other_registers) {
  std::uint32_t const fadd = word_r(0x02000053, 5, 2, 3) | 7U << 12U;
  EXPECT_EQ(cycles_of({fadd, add(6, 5, 5)}, single, costs), 2U);
  std::uint32_t const uses = word_r(0x02000053, 6, 5, 3) | 7U << 12U;
  EXPECT_EQ(cycles_of({fadd, uses}, single, costs), 5U);
  std::uint32_t const fma = 0x02000043U | 7U << 7U | 2U << 15U | 3U << 20U | 5U << 27U | 7U << 12U;
  EXPECT_EQ(cycles_of({fadd, fma}, single, costs), 5U) << "the third operand";
  std::uint32_t const converts = 0xc2200053U | 6U << 7U | 7U << 12U | 9U << 15U;  // fcvt.l.d x6, f9; bits of rs2: 2
  std::uint32_t const writes_f2 = word_r(0x02000053, 2, 8, 9) | 7U << 12U;
  EXPECT_EQ(cycles_of({writes_f2, converts}, single, costs), 2U) << "these bits are no operand";
}

TEST(late_operands, are_awaited_at_the_last_alu) {
  pipeline_parameters const late{.late_cycles = 2};
  EXPECT_EQ(cycles_of({load(5, 0), add(6, 5, 5)}, late, costs), 2U);
  EXPECT_EQ(cycles_of({load(5, 0), add(6, 5, 5), add(7, 6, 6)}, late, costs), 3U) << "which is late, too";
  EXPECT_EQ(cycles_of({load(5, 0), load(6, 5)}, late, costs), 4U) << "an address may not be late";
  EXPECT_EQ(cycles_of({load(5, 0), mul(6, 5, 5)}, late, costs), 4U) << "nor a factor";
  EXPECT_EQ(cycles_of({load(5, 0), store(5, 0)}, late, costs), 2U) << "the data of a store may";
  EXPECT_EQ(cycles_of({load(5, 0), store(0, 5)}, late, costs), 4U);
  EXPECT_EQ(cycles_of({load(5, 0), add(6, 5, 5), load(7, 6)}, late, costs), 5U)
      << "the sum is done in cycle 3, although it issued in cycle 1";
}

struct two {
  char const* name;
  std::uint32_t first;
  std::uint32_t second;
  bool pair;
};

TEST(pairs, are_one_memory_access_and_one_long_operation_at_most) {
  pipeline_parameters const wide{.issue_width = 2};
  std::uint32_t const not_taken = word_b(code::bne, 0, 0, 8);
  std::uint32_t const fadd = word_r(0x02000053, 5, 2, 3) | 7U << 12U;
  for (two const& one : {two{"alu, alu", add(5, 0, 0), add(6, 0, 0), true},
                         {"read after write", add(5, 0, 0), add(6, 5, 0), false},
                         {"load, alu", load(5, 0), add(6, 0, 0), true},
                         {"alu, load", add(6, 0, 0), load(5, 0), true},
                         {"load, load", load(5, 0), load(6, 0), false},
                         {"load, store", load(5, 0), store(0, 0), false},
                         {"load, branch", load(5, 0), not_taken, true},
                         {"branch, load", not_taken, load(5, 0), true},
                         {"branch, branch", not_taken, not_taken, false},
                         {"multiply, branch", mul(5, 0, 0), not_taken, false},
                         {"multiply, load", mul(5, 0, 0), load(6, 0), true},
                         {"float, multiply", fadd, mul(5, 0, 0), false},
                         {"float, store", fadd, store(0, 0), true},
                         {"divide, alu", divide(5, 0, 0), add(6, 0, 0), true}}) {
    EXPECT_EQ(cycles_of({one.first, one.second}, wide, costs), one.pair ? 1U : 2U) << one.name;
    EXPECT_EQ(cycles_of({one.first, one.second}, single, costs), 2U) << one.name;
  }
  EXPECT_EQ(cycles_of({add(5, 0, 0), add(6, 0, 0), add(7, 0, 0)}, wide, costs), 2U);
  EXPECT_EQ(cycles_of({add(5, 0, 0), add(6, 0, 0), add(7, 0, 0), add(8, 0, 0)}, wide, costs), 2U);
  // A late ALU lets the second of a pair read the first's result.
  pipeline_parameters const late{.issue_width = 2, .late_cycles = 2};
  EXPECT_EQ(cycles_of({add(5, 0, 0), add(6, 5, 0)}, late, costs), 1U);
  EXPECT_EQ(cycles_of({add(5, 0, 0), add(6, 5, 0), load(7, 6)}, late, costs), 3U) << "the sum is done in cycle 1";
}

TEST(pairs, do_not_cross_a_jump_that_is_taken) {
  code_buffer text;
  text.put(add(5, 0, 0));
  text.put(word_b(code::beq, 0, 0, 8));  // beside the addition
  text.put(code::ebreak);
  text.put(add(6, 0, 0));  // not beside the branch
  text.put(add(7, 0, 0));  // beside the one before
  text.put(code::ecall);
  counted const of = run(text, {.issue_width = 2}, {});
  EXPECT_EQ(of.cycles, 3U);
  EXPECT_EQ(of.instructions, 5U);
  EXPECT_EQ(of.issued.pairs, 2U);
  EXPECT_EQ(of.issued.branches, 1U);
}

TEST(jumps, have_a_penalty_if_nothing_is_predicted) {
  code_buffer text;
  text.put(word_b(code::beq, 0, 0, 8));  // taken: 1 + 3
  text.put(code::ebreak);
  text.put(word_b(code::bne, 0, 0, 8));  // 1
  text.put(word_j(code::jal, 1, 4));     // 1 + 3
  text.put(code::ecall);                 // 1
  counted const of = run(text, {}, {.branch_taken = 3});
  EXPECT_EQ(of.cycles, 4U + 1U + 4U + 1U);
  EXPECT_EQ(of.issued.branches, 2U);
  EXPECT_EQ(of.issued.jumps, 1U);
  EXPECT_EQ(of.issued.mispredictions, 0U);
}

// x5 = times; a loop of two instructions.
code_buffer loop(std::uint32_t times) {
  code_buffer text;
  text.put(word_i(code::addi, 5, 0, static_cast<std::int32_t>(times)));
  text.put(word_i(code::addi, 5, 5, -1));
  text.put(word_b(code::bne, 5, 0, -4));
  text.put(code::ecall);
  return text;
}

TEST(branches, cost_what_they_are_mispredicted) {
  branch_parameters fixed{.target_entries = 4, .mispredicted_cycles = 5, .untargeted_cycles = 2};
  // Ten times, nine of them taken: backward is taken, so the last one is wrong; the first one has no target yet.
  counted const of = run(loop(10), {}, {.branch_taken = 1}, fixed);
  EXPECT_EQ(of.issued.mispredictions, 1U);
  EXPECT_EQ(of.cycles, 1U + 20U + 9U * 1U + 2U + 5U + 1U);
  fixed.target_entries = 0;
  EXPECT_EQ(run(loop(10), {}, {.branch_taken = 1}, fixed).cycles, 1U + 20U + 9U * 3U + 5U + 1U);
  // Counters begin weakly not taken: the first one is wrong, too.
  branch_parameters const counters{.direction = branch_direction::bimodal,
                                   .counters = 16,
                                   .target_entries = 4,
                                   .mispredicted_cycles = 5,
                                   .untargeted_cycles = 2};
  counted const by_counters = run(loop(10), {}, {.branch_taken = 1}, counters);
  EXPECT_EQ(by_counters.issued.mispredictions, 2U);
  EXPECT_EQ(by_counters.cycles, 1U + 20U + 8U * 1U + 2U * 5U + 1U);
}

TEST(branches, whose_operands_are_late_are_known_to_be_wrong_later) {
  code_buffer text;
  text.put(load(5, 0));
  text.put(word_b(code::beq, 5, 0, 8));  // forward, taken: wrong, and known two cycles later
  text.put(code::ebreak);
  text.put(code::ecall);
  branch_parameters const fixed{.mispredicted_cycles = 5};
  EXPECT_EQ(run(text, {.late_cycles = 2}, costs, fixed).cycles, 2U + 5U + 2U - 0U + 1U);
}

/// Wrong predictions among the last 100 repetitions of a pattern of outcomes.
unsigned wrong(branch_parameters const& parameters, std::string_view pattern) {
  branch_predictor predictor{parameters};
  unsigned count = 0;
  for (unsigned turn = 0; turn < 200; ++turn)
    for (char const taken : pattern)
      if (!predictor.branch(0x1000, 0x2000, taken == 't').right && turn >= 100) ++count;
  return count;
}

TEST(directions, are_learned_by_counters_and_patterns_by_histories) {
  branch_parameters const fixed{};
  branch_parameters const bimodal{.direction = branch_direction::bimodal, .counters = 64};
  branch_parameters const one_bit{.direction = branch_direction::bimodal, .counters = 64, .counter_bits = 1};
  branch_parameters const gshare{.direction = branch_direction::gshare, .counters = 64, .history_bits = 4};
  EXPECT_EQ(wrong(fixed, "n"), 0U);
  EXPECT_EQ(wrong(fixed, "t"), 100U) << "forward";
  for (branch_parameters const& one : {bimodal, one_bit, gshare}) {
    EXPECT_EQ(wrong(one, "t"), 0U);
    EXPECT_EQ(wrong(one, "n"), 0U);
  }
  // A loop of four: two bits remember that it is usually taken, one bit is wrong at its end and at its begin.
  EXPECT_EQ(wrong(bimodal, "tttn"), 100U);
  EXPECT_EQ(wrong(one_bit, "tttn"), 200U);
  EXPECT_EQ(wrong(gshare, "tttn"), 0U) << "four outcomes tell where in the loop it is";
  EXPECT_EQ(wrong(gshare, "tn"), 0U);
  EXPECT_EQ(wrong(gshare, "tttttttn"), 100U) << "the history is too short";
}

TEST(directions, of_two_branches_meet_in_one_counter_of_few) {
  auto const wrong_of_two = [](std::uint32_t counters) {
    branch_predictor predictor{{.direction = branch_direction::bimodal, .counters = counters}};
    unsigned count = 0;
    for (unsigned turn = 0; turn < 100; ++turn) {
      count += predictor.branch(0x1000, 0x2000, true).right ? 0 : 1;
      count += predictor.branch(0x1002, 0x2000, false).right ? 0 : 1;
      count += predictor.branch(0x1004, 0x2000, false).right ? 0 : 1;
    }
    return count;
  };
  EXPECT_EQ(wrong_of_two(64), 1U) << "the first time";
  EXPECT_EQ(wrong_of_two(2), 200U) << "the first and the third have one counter, and each undoes what the other taught";
}

TEST(targets, are_kept_for_as_many_jumps_as_there_are_entries) {
  branch_predictor predictor{{.target_entries = 2}};
  EXPECT_FALSE(predictor.jump(0x10, 0x100).targeted);
  EXPECT_TRUE(predictor.jump(0x10, 0x100).targeted);
  EXPECT_FALSE(predictor.jump(0x20, 0x100).targeted);
  EXPECT_FALSE(predictor.jump(0x30, 0x100).targeted) << "it takes the place of the first one";
  EXPECT_TRUE(predictor.jump(0x20, 0x100).targeted);
  EXPECT_FALSE(predictor.jump(0x10, 0x100).targeted);
  EXPECT_FALSE(predictor.indirect(0x10, 0x104).right) << "the target was another one";
  EXPECT_TRUE(predictor.indirect(0x10, 0x104).right);
}

TEST(returns, are_known_as_deep_as_the_stack) {
  branch_predictor predictor{{.return_entries = 2}};
  predictor.call(0x10);
  predictor.call(0x20);
  EXPECT_TRUE(predictor.back(0x20).right);
  EXPECT_TRUE(predictor.back(0x10).right);
  EXPECT_FALSE(predictor.back(0x10).right) << "it is empty";
  for (std::uint64_t const at : {0x10U, 0x20U, 0x30U}) predictor.call(at);
  EXPECT_TRUE(predictor.back(0x30).right);
  EXPECT_TRUE(predictor.back(0x20).right);
  EXPECT_FALSE(predictor.back(0x10).right) << "the third call took its place";
}

TEST(returns, follow_calls_of_a_program) {
  code_buffer text;
  text.put(word_j(code::jal, 1, 12));  // call f
  text.put(word_j(code::jal, 1, 8));   // call f
  text.put(code::ecall);
  text.put(word_i(code::jalr, 0, 1, 0));  // f: return
  branch_parameters const stack{.target_entries = 8, .return_entries = 4, .mispredicted_cycles = 7};
  counted const with = run(text, {}, {}, stack);
  EXPECT_EQ(with.issued.jumps, 4U);
  EXPECT_EQ(with.issued.mispredictions, 0U);
  EXPECT_EQ(with.cycles, 5U);
  branch_parameters const none{.target_entries = 8, .mispredicted_cycles = 7};
  EXPECT_EQ(run(text, {}, {}, none).cycles, 5U + 2U * 7U);
}

TEST(a_pipeline, changes_no_result_and_has_the_same_time_in_pieces) {
  branch_parameters const branches{.direction = branch_direction::gshare,
                                   .counters = 64,
                                   .history_bits = 4,
                                   .target_entries = 8,
                                   .return_entries = 4,
                                   .mispredicted_cycles = 4,
                                   .untargeted_cycles = 1};
  pipeline_parameters const wide{.issue_width = 2, .late_cycles = 2, .narrow_load_cycles = 1};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    random_program const program = make_random_program(seed, 400, 5);
    std::uint64_t cycles = 0;
    for (std::uint64_t const quantum : {1'000'000U, 1U, 7U, 64U}) {
      bare_hart plain{program.file};
      bare_hart b{program.file, engine<flat_memory>::handlers(), {.costs = costs, .issues = true}};
      pipeline issues{wide, branches, 0};
      b.h.pipe = &issues;
      stop why = stop::none;
      while ((why = plain.run_to_stop()) != stop::ecall) {
        plain.h.advance();
        plain.code.clear();
      }
      while ((why = engine<flat_memory>::run(b.h, b.memory.fast(), b.h.now() + quantum)) != stop::ecall) {
        if (why == stop::quantum) continue;
        b.h.advance();
        b.code.clear();
      }
      EXPECT_EQ(b.h.x, plain.h.x) << "seed " << seed;
      EXPECT_EQ(b.h.f, plain.h.f) << "seed " << seed;
      if (cycles == 0) cycles = b.h.now();
      EXPECT_EQ(b.h.now(), cycles) << "seed " << seed << ", in pieces of " << quantum;
      EXPECT_GT(issues.counted().pairs, 0U);
    }
  }
}

}  // namespace
}  // namespace tess::machine
