// isa_test: each instruction of RV64IMA and Zicsr gives the results of the manual, at the edges of its operands.
// Method: one instruction runs on a bare hart with two registers set; results are written by hand from the manual.
#include <gtest/gtest.h>

#include "bare_hart.hpp"
#include "instruction_words.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t min64 = 0x8000000000000000, max64 = 0x7fffffffffffffff, ones = ~std::uint64_t{0};
constexpr std::uint64_t min32 = 0xffffffff80000000, max32 = 0x7fffffff;

struct two_registers {
  operation op;
  std::uint64_t a, b, result;
};
struct one_register {
  operation op;
  std::uint64_t a;
  std::int32_t imm;
  std::uint64_t result;
};

using enum operation;

constexpr two_registers integer_cases[] = {{add, max64, 1, min64},
                                           {add, ones, 1, 0},
                                           {sub, 0, 1, ones},
                                           {sub, min64, 1, max64},
                                           {sll, 1, 63, min64},
                                           {sll, 1, 64, 1},
                                           {sll, 3, ones, min64},
                                           {slt, min64, max64, 1},
                                           {slt, 1, ones, 0},
                                           {slt, 5, 5, 0},
                                           {sltu, 1, ones, 1},
                                           {sltu, ones, 1, 0},
                                           {sltu, 0, 0, 0},
                                           {xor_, 0xff00, 0x0ff0, 0xf0f0},
                                           {or_, 0xff00, 0x0ff0, 0xfff0},
                                           {and_, 0xff00, 0x0ff0, 0x0f00},
                                           {srl, min64, 63, 1},
                                           {srl, ones, 65, max64},
                                           {sra, min64, 63, ones},
                                           {sra, max64, 62, 1},
                                           {addw, max32, 1, min32},
                                           {addw, 0x1ffffffff, 1, 0},
                                           {subw, min32, 1, max32},
                                           {subw, 0, 1, ones},
                                           {sllw, 1, 31, min32},
                                           {sllw, 0xffffffff00000001, 32, 1},
                                           {srlw, 0xffffffff80000000, 31, 1},
                                           {srlw, 0x80000000, 0, min32},
                                           {sraw, 0x80000000, 31, ones},
                                           {sraw, 0x7fffffff, 33, 0x3fffffff}};

constexpr one_register immediate_cases[] = {{addi, max64, 1, min64},
                                            {addi, 5, -2048, static_cast<std::uint64_t>(-2043)},
                                            {slti, min64, -1, 1},
                                            {slti, 0, 0, 0},
                                            {sltiu, 0, -1, 1},
                                            {sltiu, ones, -1, 0},
                                            {sltiu, 0, 1, 1},
                                            {xori, 0x0f, -1, ~std::uint64_t{0x0f}},
                                            {ori, 0xf0, -256, static_cast<std::uint64_t>(-16)},
                                            {andi, 0xfff, -256, 0xf00},
                                            {slli, 3, 63, min64},
                                            {srli, ones, 63, 1},
                                            {srai, min64, 63, ones},
                                            {srai, min64, 1, 0xc000000000000000},
                                            {addiw, max32, 1, min32},
                                            {addiw, 0x123456789, 0, 0x23456789},
                                            {slliw, 0xffffffff, 31, min32},
                                            {srliw, 0xffffffff80000000, 31, 1},
                                            {srliw, 0x80000000, 0, min32},
                                            {sraiw, 0x80000000, 31, ones}};

constexpr two_registers multiply_cases[] = {{mul, ones, ones, 1},
                                            {mul, min64, ones, min64},
                                            {mul, 0x123456789abcdef, 0x10, 0x123456789abcdef0},
                                            {mulh, ones, ones, 0},
                                            {mulh, min64, min64, 0x4000000000000000},
                                            {mulh, min64, 1, ones},
                                            {mulhu, ones, ones, ones - 1},
                                            {mulhu, min64, 2, 1},
                                            {mulhsu, ones, ones, ones},
                                            {mulhsu, min64, ones, min64},
                                            {mulhsu, max64, ones, max64 - 1},
                                            {div, 7, static_cast<std::uint64_t>(-2), static_cast<std::uint64_t>(-3)},
                                            {div, 5, 0, ones},
                                            {div, min64, ones, min64},
                                            {divu, 5, 0, ones},
                                            {divu, ones, 2, max64},
                                            {divu, min64, ones, 0},
                                            {rem, static_cast<std::uint64_t>(-7), 2, ones},
                                            {rem, 7, static_cast<std::uint64_t>(-2), 1},
                                            {rem, 5, 0, 5},
                                            {rem, min64, ones, 0},
                                            {remu, 5, 0, 5},
                                            {remu, ones, 10, 5},
                                            {mulw, 0x80000000, 2, 0},
                                            {mulw, 0xffffffff, 1, ones},
                                            {divw, 0x80000000, ones, min32},
                                            {divw, 0x100000007, 2, 3},
                                            {divw, 1, 0, ones},
                                            {divuw, 0xffffffff, 1, ones},
                                            {divuw, 0x80000000, 2, 0x40000000},
                                            {divuw, 1, 0x100000000, ones},
                                            {remw, 0x80000000, ones, 0},
                                            {remw, 0xffffffff80000001, 0, min32 + 1},
                                            {remuw, 0xffffffff, 0, ones},
                                            {remuw, 0x80000001, 2, 1}};

// The hart after one instruction, then ecall; x6 = a, x7 = b, the result in x5.
class one_instruction {
 public:
  one_instruction(std::uint32_t word, std::uint64_t a, std::uint64_t b, std::uint64_t memory_word = 0)
      : bare_(file(word, memory_word)) {
    bare_.h.x[6] = a;
    bare_.h.x[7] = b;
    stopped = bare_.run_to_stop();
  }
  [[nodiscard]] hart const& after() const { return bare_.h; }
  [[nodiscard]] std::uint64_t result() const { return bare_.h.x[5]; }
  [[nodiscard]] std::uint64_t memory_word() const {
    std::uint64_t value = 0;
    std::memcpy(&value, bare_.memory.at(data_address), sizeof value);
    return value;
  }
  stop stopped;

 private:
  static std::vector<std::byte> file(std::uint32_t word, std::uint64_t memory_word) {
    code_buffer text;
    text.put(word);
    text.put(code::ecall);
    std::vector<std::byte> data(4096);
    std::memcpy(data.data(), &memory_word, sizeof memory_word);
    return make_executable(text.bytes(), data);
  }
  bare_hart bare_;
};

void expect(std::span<two_registers const> cases) {
  for (auto const& [op, a, b, wanted] : cases) {
    one_instruction const done{word_r(match_of(op), 5, 6, 7), a, b};
    EXPECT_EQ(done.stopped, stop::ecall);
    EXPECT_EQ(done.result(), wanted) << name_of(op) << std::hex << ' ' << a << ' ' << b;
  }
}

TEST(rv64i, computes) {
  expect(integer_cases);
}
TEST(rv64m, multiplies_and_divides) {
  expect(multiply_cases);
}

TEST(rv64i, computes_with_immediates) {
  for (auto const& [op, a, imm, wanted] : immediate_cases) {
    bool const shift = op == slli || op == srli || op == srai || op == slliw || op == srliw || op == sraiw;
    EXPECT_EQ(one_instruction(word_i(match_of(op), 5, 6, shift ? imm & 63 : imm), a, 0).result(), wanted)
        << name_of(op);
  }
  EXPECT_EQ(one_instruction(word_u(code::lui, 5, -0x80000), 0, 0).result(), min32);
  EXPECT_EQ(one_instruction(word_u(code::auipc, 5, 1), 0, 0).result(), code_address + 4096);
}

TEST(rv64i, loads_widen_and_stores_cut) {
  constexpr std::uint64_t word = 0x8899aabbccddeeff;
  struct {
    operation op;
    std::int32_t offset;
    std::uint64_t result;
  } const loads[] = {{lb, 0, ones},
                     {lb, 7, 0xffffffffffffff88},
                     {lbu, 7, 0x88},
                     {lh, 6, 0xffffffffffff8899},
                     {lhu, 6, 0x8899},
                     {lw, 4, 0xffffffff8899aabb},
                     {lwu, 4, 0x8899aabb},
                     {ld, 0, word},
                     {lw, 1, 0xffffffffbbccddee}};
  for (auto const& [op, offset, wanted] : loads)
    EXPECT_EQ(one_instruction(word_i(match_of(op), 5, 6, offset), data_address, 0, word).result(), wanted)
        << name_of(op);
  EXPECT_EQ(one_instruction(word_s(match_of(sb), 6, 7, 1), data_address, 0x3412, word).memory_word(),
            0x8899aabbccdd12ffU);
  EXPECT_EQ(one_instruction(word_s(match_of(sh), 6, 7, 1), data_address, 0x553412, word).memory_word(),
            0x8899aabbcc3412ffU);
  EXPECT_EQ(one_instruction(word_s(match_of(sw), 6, 7, 4), data_address, 0x9912345678, word).memory_word(),
            0x12345678ccddeeffU);
  EXPECT_EQ(one_instruction(word_s(match_of(sd), 6, 7, 0), data_address, 0x123, word).memory_word(), 0x123U);
}

TEST(rv64i, branches_compare) {
  struct {
    operation op;
    std::uint64_t a, b;
    bool taken;
  } const branches[] = {{beq, 1, 1, true},     {beq, 1, 2, false},     {bne, 1, 2, true},     {bne, 3, 3, false},
                        {blt, ones, 0, true},  {blt, 0, ones, false},  {blt, 4, 4, false},    {bge, 0, ones, true},
                        {bge, 4, 4, true},     {bge, ones, 0, false},  {bltu, 0, ones, true}, {bltu, ones, 0, false},
                        {bgeu, ones, 0, true}, {bgeu, 0, ones, false}, {bgeu, 7, 7, true}};
  for (auto const& [op, a, b, taken] : branches) {
    code_buffer text;
    text.put(word_b(match_of(op), 6, 7, 8));
    text.put(code::ecall);
    text.put(code::ebreak);
    bare_hart bare{make_executable(text.bytes(), {})};
    bare.h.x[6] = a;
    bare.h.x[7] = b;
    EXPECT_EQ(bare.run_to_stop() == stop::ebreak, taken) << name_of(op) << ' ' << a << ' ' << b;
  }
}

TEST(rv64i, jumps_link) {
  one_instruction const forward{word_j(code::jal, 5, 4), 0, 0};
  EXPECT_EQ(forward.result(), code_address + 4);
  // The lowest bit of the target is dropped, and rd may be rs1.
  one_instruction const through{word_i(code::jalr, 6, 6, 1), code_address + 4, 0};
  EXPECT_EQ(through.stopped, stop::ecall);
  EXPECT_EQ(through.after().x[6], code_address + 4);
}

TEST(rv64i, x0_stays_zero) {
  one_instruction const done{word_r(code::add, 0, 6, 7), 3, 4};
  EXPECT_EQ(done.after().x[0], 0U);
}

TEST(rv64a, operations_give_the_old_word_and_store_the_new) {
  struct {
    operation op;
    std::uint64_t old, operand, stored;
  } const cases[] = {{amoswap_d, 5, 9, 9},
                     {amoadd_d, ones, 2, 1},
                     {amoxor_d, 6, 3, 5},
                     {amoand_d, 6, 3, 2},
                     {amoor_d, 6, 3, 7},
                     {amomin_d, ones, 1, ones},
                     {amomax_d, ones, 1, 1},
                     {amominu_d, ones, 1, 1},
                     {amomaxu_d, ones, 1, ones},
                     {amoswap_w, 0x1122334455667788, 9, 0x1122334400000009},
                     {amoadd_w, 0x11223344ffffffff, 2, 0x1122334400000001},
                     {amomin_w, 0x1122334480000000, 1, 0x1122334480000000},
                     {amomax_w, 0x1122334480000000, 1, 0x1122334400000001},
                     {amominu_w, 0x1122334480000000, 1, 0x1122334400000001},
                     {amomaxu_w, 0x1122334480000000, 1, 0x1122334480000000},
                     {amoxor_w, 0x1122334400000006, 3, 0x1122334400000005},
                     {amoand_w, 0x1122334400000006, 3, 0x1122334400000002},
                     {amoor_w, 0x1122334400000006, 3, 0x1122334400000007}};
  for (auto const& [op, old, operand, stored] : cases) {
    one_instruction const done{word_r(match_of(op), 5, 6, 7), data_address, operand, old};
    bool const narrow = (match_of(op) >> 12U & 7U) == 2;
    EXPECT_EQ(done.result(), narrow ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(old)}) : old)
        << name_of(op);
    EXPECT_EQ(done.memory_word(), stored) << name_of(op);
  }
}

TEST(rv64a, misaligned_words_are_refused) {
  one_instruction const done{word_r(match_of(amoadd_d), 5, 6, 7), data_address + 4, 1};
  EXPECT_EQ(done.stopped, stop::access);
}

std::uint64_t conditional_store(std::vector<std::uint32_t> const& between, operation reserve, operation conditional) {
  code_buffer text;
  text.put(word_r(match_of(reserve), 8, 6, 0));
  for (std::uint32_t const word : between) text.put(word);
  text.put(word_r(match_of(conditional), 5, 6, 7));
  text.put(code::ecall);
  bare_hart bare{make_executable(text.bytes(), std::vector<std::byte>(64))};
  bare.h.x[6] = data_address;
  bare.h.x[7] = 77;
  bare.run_to_stop();
  return bare.h.x[5];
}

TEST(rv64a, sc_succeeds_only_on_what_lr_reserved) {
  EXPECT_EQ(conditional_store({}, lr_d, sc_d), 0U);
  EXPECT_EQ(conditional_store({}, lr_w, sc_w), 0U);
  EXPECT_EQ(conditional_store({word_s(code::sd, 6, 7, 0)}, lr_d, sc_d), 1U) << "the word has changed";
  EXPECT_EQ(conditional_store({word_i(code::addi, 6, 6, 8)}, lr_d, sc_d), 1U) << "another word";
  EXPECT_EQ(conditional_store({word_r(match_of(sc_d), 9, 6, 7)}, lr_d, sc_d), 1U) << "used up";
}

TEST(zicsr, reads_and_writes_fcsr) {
  EXPECT_EQ(one_instruction(word_i(code::csrrw, 5, 6, 3), 0xe5, 0).after().fp.frm, 7U);
  EXPECT_EQ(one_instruction(word_i(code::csrrw, 5, 6, 3), 0xe5, 0).after().fp.flags, 5U);
  EXPECT_EQ(one_instruction(word_i(code::csrrs, 5, 6, 0x300), 0, 0).stopped, stop::illegal) << "mstatus is not ours";
  EXPECT_EQ(one_instruction(0x30200073, 0, 0).stopped, stop::illegal) << "mret";
  EXPECT_EQ(one_instruction(0x10500073, 0, 0).stopped, stop::illegal) << "wfi";
  EXPECT_EQ(one_instruction(word_i(code::csrrs, 5, 0, 0xc00), 0, 0).stopped, stop::counter);
  EXPECT_EQ(one_instruction(word_i(code::csrrw, 5, 0, 0xc00), 0, 0).stopped, stop::illegal) << "counters are read-only";
  EXPECT_EQ(one_instruction(word_i(code::csrrs, 5, 0, 0xc03), 0, 0).stopped, stop::illegal);
}

TEST(traps, are_precise) {
  one_instruction const null{word_i(code::ld, 5, 6, 8), 0, 0};
  EXPECT_EQ(null.stopped, stop::access);
  EXPECT_EQ(null.after().request.address, 8U);
  EXPECT_EQ(null.after().request.right, right_read);
  EXPECT_EQ(null.after().pc, code_address);
  one_instruction const text{word_s(code::sd, 6, 7, 0), code_address, 0};
  EXPECT_EQ(text.stopped, stop::access);
  EXPECT_EQ(text.after().request.right, right_write);
  one_instruction const wild{word_i(code::jalr, 5, 6, 0), data_address, 0};
  EXPECT_EQ(wild.stopped, stop::access);
  EXPECT_EQ(wild.after().request.right, right_execute);
  EXPECT_EQ(wild.after().pc, data_address);
  EXPECT_EQ(one_instruction(0xffffffff, 0, 0).stopped, stop::illegal);
  EXPECT_EQ(one_instruction(word_i(code::ld, 5, 6, 0), ones - 3, 0).stopped, stop::access) << "wraps around";
  EXPECT_EQ(one_instruction(word_i(code::ld, 5, 6, 0), data_address + 4092, 0).stopped, stop::access)
      << "crosses the end";
}

TEST(fence_i, shows_new_instructions) {
  code_buffer text;
  text.put(word_s(code::sw, 6, 7, 12));  // over the ebreak
  text.put(code::fence_i);
  text.put(word_i(code::addi, 5, 0, 1));
  text.put(code::ebreak);
  text.put(code::ebreak);
  bare_hart bare{make_executable(text.bytes(), {})};
  bare.memory.set_rights(code_address, code_address + 4096, right_read | right_write | right_execute);
  bare.h.x[6] = code_address;
  bare.h.x[7] = code::ecall;
  ASSERT_EQ(bare.run_to_stop(), stop::fence_i);
  bare.code.clear();
  bare.h.advance();
  EXPECT_EQ(bare.run_to_stop(), stop::ecall);
}

}  // namespace
}  // namespace tess::machine
