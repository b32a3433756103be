// decode_test: every instruction is recognised, every compressed one expanded, and no instruction word does harm.
// Method: encodings from LLVM's assembler (xBGAS: assembled field by field), with operands at their limits; then all
// 2^16 halfwords and a sample of the words are executed.
#include "machine/isa/decode.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "bare_hart.hpp"
#include "machine/isa/disassemble.hpp"

namespace tess::machine {
namespace {

struct word {
  std::uint32_t bits;
  operation op;
  std::string_view text;
};
struct pair {
  std::uint16_t half;
  std::uint32_t bits;
  std::string_view text;
};

constexpr word words[] = {
    word{0xfedcbfb7, operation::lui, "lui t6, 0xfedcb"},
    word{0xfedcbf97, operation::auipc, "auipc t6, 0xfedcb"},
    word{0x80000fef, operation::jal, "jal t6, -1048576"},
    word{0x80050fe7, operation::jalr, "jalr t6, -2048(a0)"},
    word{0x80af8063, operation::beq, "beq t6, a0, -4096"},
    word{0x80af9063, operation::bne, "bne t6, a0, -4096"},
    word{0x80afc063, operation::blt, "blt t6, a0, -4096"},
    word{0x80afd063, operation::bge, "bge t6, a0, -4096"},
    word{0x80afe063, operation::bltu, "bltu t6, a0, -4096"},
    word{0x80aff063, operation::bgeu, "bgeu t6, a0, -4096"},
    word{0x80050f83, operation::lb, "lb t6, -2048(a0)"},
    word{0x80051f83, operation::lh, "lh t6, -2048(a0)"},
    word{0x80052f83, operation::lw, "lw t6, -2048(a0)"},
    word{0x80053f83, operation::ld, "ld t6, -2048(a0)"},
    word{0x80054f83, operation::lbu, "lbu t6, -2048(a0)"},
    word{0x80055f83, operation::lhu, "lhu t6, -2048(a0)"},
    word{0x80056f83, operation::lwu, "lwu t6, -2048(a0)"},
    word{0xfff50fa3, operation::sb, "sb t6, -1(a0)"},
    word{0xfff51fa3, operation::sh, "sh t6, -1(a0)"},
    word{0xfff52fa3, operation::sw, "sw t6, -1(a0)"},
    word{0xfff53fa3, operation::sd, "sd t6, -1(a0)"},
    word{0xaab50f93, operation::addi, "addi t6, a0, -1365"},
    word{0xaab52f93, operation::slti, "slti t6, a0, -1365"},
    word{0xaab53f93, operation::sltiu, "sltiu t6, a0, -1365"},
    word{0xaab54f93, operation::xori, "xori t6, a0, -1365"},
    word{0xaab56f93, operation::ori, "ori t6, a0, -1365"},
    word{0xaab57f93, operation::andi, "andi t6, a0, -1365"},
    word{0x03f51f93, operation::slli, "slli t6, a0, 63"},
    word{0x03f55f93, operation::srli, "srli t6, a0, 63"},
    word{0x43f55f93, operation::srai, "srai t6, a0, 63"},
    word{0x01750fb3, operation::add, "add t6, a0, s7"},
    word{0x41750fb3, operation::sub, "sub t6, a0, s7"},
    word{0x01751fb3, operation::sll, "sll t6, a0, s7"},
    word{0x01752fb3, operation::slt, "slt t6, a0, s7"},
    word{0x01753fb3, operation::sltu, "sltu t6, a0, s7"},
    word{0x01754fb3, operation::xor_, "xor t6, a0, s7"},
    word{0x01755fb3, operation::srl, "srl t6, a0, s7"},
    word{0x41755fb3, operation::sra, "sra t6, a0, s7"},
    word{0x01756fb3, operation::or_, "or t6, a0, s7"},
    word{0x01757fb3, operation::and_, "and t6, a0, s7"},
    word{0x0100000f, operation::pause, "pause"},
    word{0x0310000f, operation::fence, "fence rw, w"},
    word{0x00000073, operation::ecall, "ecall"},
    word{0x00100073, operation::ebreak, "ebreak"},
    word{0x30200073, operation::mret, "mret"},
    word{0x10500073, operation::wfi, "wfi"},
    word{0xaab50f9b, operation::addiw, "addiw t6, a0, -1365"},
    word{0x01f51f9b, operation::slliw, "slliw t6, a0, 31"},
    word{0x01f55f9b, operation::srliw, "srliw t6, a0, 31"},
    word{0x41f55f9b, operation::sraiw, "sraiw t6, a0, 31"},
    word{0x01750fbb, operation::addw, "addw t6, a0, s7"},
    word{0x41750fbb, operation::subw, "subw t6, a0, s7"},
    word{0x01751fbb, operation::sllw, "sllw t6, a0, s7"},
    word{0x01755fbb, operation::srlw, "srlw t6, a0, s7"},
    word{0x41755fbb, operation::sraw, "sraw t6, a0, s7"},
    word{0x0000100f, operation::fence_i, "fence.i"},
    word{0xc0151ff3, operation::csrrw, "csrrw t6, 0xc01, a0"},
    word{0xc0152ff3, operation::csrrs, "csrrs t6, 0xc01, a0"},
    word{0xc0153ff3, operation::csrrc, "csrrc t6, 0xc01, a0"},
    word{0xc01adff3, operation::csrrwi, "csrrwi t6, 0xc01, 21"},
    word{0xc01aeff3, operation::csrrsi, "csrrsi t6, 0xc01, 21"},
    word{0xc01afff3, operation::csrrci, "csrrci t6, 0xc01, 21"},
    word{0x03750fb3, operation::mul, "mul t6, a0, s7"},
    word{0x03751fb3, operation::mulh, "mulh t6, a0, s7"},
    word{0x03752fb3, operation::mulhsu, "mulhsu t6, a0, s7"},
    word{0x03753fb3, operation::mulhu, "mulhu t6, a0, s7"},
    word{0x03754fb3, operation::div, "div t6, a0, s7"},
    word{0x03755fb3, operation::divu, "divu t6, a0, s7"},
    word{0x03756fb3, operation::rem, "rem t6, a0, s7"},
    word{0x03757fb3, operation::remu, "remu t6, a0, s7"},
    word{0x03750fbb, operation::mulw, "mulw t6, a0, s7"},
    word{0x03754fbb, operation::divw, "divw t6, a0, s7"},
    word{0x03755fbb, operation::divuw, "divuw t6, a0, s7"},
    word{0x03756fbb, operation::remw, "remw t6, a0, s7"},
    word{0x03757fbb, operation::remuw, "remuw t6, a0, s7"},
    word{0x100fa52f, operation::lr_w, "lr.w a0, (t6)"},
    word{0x1f7fa52f, operation::sc_w, "sc.w.aqrl a0, s7, (t6)"},
    word{0x0f7fa52f, operation::amoswap_w, "amoswap.w.aqrl a0, s7, (t6)"},
    word{0x077fa52f, operation::amoadd_w, "amoadd.w.aqrl a0, s7, (t6)"},
    word{0x277fa52f, operation::amoxor_w, "amoxor.w.aqrl a0, s7, (t6)"},
    word{0x677fa52f, operation::amoand_w, "amoand.w.aqrl a0, s7, (t6)"},
    word{0x477fa52f, operation::amoor_w, "amoor.w.aqrl a0, s7, (t6)"},
    word{0x877fa52f, operation::amomin_w, "amomin.w.aqrl a0, s7, (t6)"},
    word{0xa77fa52f, operation::amomax_w, "amomax.w.aqrl a0, s7, (t6)"},
    word{0xc77fa52f, operation::amominu_w, "amominu.w.aqrl a0, s7, (t6)"},
    word{0xe77fa52f, operation::amomaxu_w, "amomaxu.w.aqrl a0, s7, (t6)"},
    word{0x100fb52f, operation::lr_d, "lr.d a0, (t6)"},
    word{0x1f7fb52f, operation::sc_d, "sc.d.aqrl a0, s7, (t6)"},
    word{0x0f7fb52f, operation::amoswap_d, "amoswap.d.aqrl a0, s7, (t6)"},
    word{0x077fb52f, operation::amoadd_d, "amoadd.d.aqrl a0, s7, (t6)"},
    word{0x277fb52f, operation::amoxor_d, "amoxor.d.aqrl a0, s7, (t6)"},
    word{0x677fb52f, operation::amoand_d, "amoand.d.aqrl a0, s7, (t6)"},
    word{0x477fb52f, operation::amoor_d, "amoor.d.aqrl a0, s7, (t6)"},
    word{0x877fb52f, operation::amomin_d, "amomin.d.aqrl a0, s7, (t6)"},
    word{0xa77fb52f, operation::amomax_d, "amomax.d.aqrl a0, s7, (t6)"},
    word{0xc77fb52f, operation::amominu_d, "amominu.d.aqrl a0, s7, (t6)"},
    word{0xe77fb52f, operation::amomaxu_d, "amomaxu.d.aqrl a0, s7, (t6)"},
    word{0x00d00073, operation::wrs_nto, "wrs.nto"},
    word{0x01d00073, operation::wrs_sto, "wrs.sto"},
    word{0x7ff52f87, operation::flw, "flw ft11, 2047(a0)"},
    word{0xfe652fa7, operation::fsw, "fsw ft6, -1(a0)"},
    word{0x19753fc3, operation::fmadd_s, "fmadd.s ft11, fa0, fs7, ft3, rup"},
    word{0x19753fc7, operation::fmsub_s, "fmsub.s ft11, fa0, fs7, ft3, rup"},
    word{0x19753fcb, operation::fnmsub_s, "fnmsub.s ft11, fa0, fs7, ft3, rup"},
    word{0x19753fcf, operation::fnmadd_s, "fnmadd.s ft11, fa0, fs7, ft3, rup"},
    word{0x01751fd3, operation::fadd_s, "fadd.s ft11, fa0, fs7, rtz"},
    word{0x09751fd3, operation::fsub_s, "fsub.s ft11, fa0, fs7, rtz"},
    word{0x11751fd3, operation::fmul_s, "fmul.s ft11, fa0, fs7, rtz"},
    word{0x19751fd3, operation::fdiv_s, "fdiv.s ft11, fa0, fs7, rtz"},
    word{0x58051fd3, operation::fsqrt_s, "fsqrt.s ft11, fa0, rtz"},
    word{0x21750fd3, operation::fsgnj_s, "fsgnj.s ft11, fa0, fs7"},
    word{0x21751fd3, operation::fsgnjn_s, "fsgnjn.s ft11, fa0, fs7"},
    word{0x21752fd3, operation::fsgnjx_s, "fsgnjx.s ft11, fa0, fs7"},
    word{0x29750fd3, operation::fmin_s, "fmin.s ft11, fa0, fs7"},
    word{0x29751fd3, operation::fmax_s, "fmax.s ft11, fa0, fs7"},
    word{0xc0051fd3, operation::fcvt_w_s, "fcvt.w.s t6, fa0, rtz"},
    word{0xc0151fd3, operation::fcvt_wu_s, "fcvt.wu.s t6, fa0, rtz"},
    word{0xe0050fd3, operation::fmv_x_w, "fmv.x.w t6, fa0"},
    word{0xa1752fd3, operation::feq_s, "feq.s t6, fa0, fs7"},
    word{0xa1751fd3, operation::flt_s, "flt.s t6, fa0, fs7"},
    word{0xa1750fd3, operation::fle_s, "fle.s t6, fa0, fs7"},
    word{0xe0051fd3, operation::fclass_s, "fclass.s t6, fa0"},
    word{0xd0051fd3, operation::fcvt_s_w, "fcvt.s.w ft11, a0, rtz"},
    word{0xd0151fd3, operation::fcvt_s_wu, "fcvt.s.wu ft11, a0, rtz"},
    word{0xf0050fd3, operation::fmv_w_x, "fmv.w.x ft11, a0"},
    word{0xc0251fd3, operation::fcvt_l_s, "fcvt.l.s t6, fa0, rtz"},
    word{0xc0351fd3, operation::fcvt_lu_s, "fcvt.lu.s t6, fa0, rtz"},
    word{0xd0251fd3, operation::fcvt_s_l, "fcvt.s.l ft11, a0, rtz"},
    word{0xd0351fd3, operation::fcvt_s_lu, "fcvt.s.lu ft11, a0, rtz"},
    word{0x7ff53f87, operation::fld, "fld ft11, 2047(a0)"},
    word{0xfe653fa7, operation::fsd, "fsd ft6, -1(a0)"},
    word{0x1b753fc3, operation::fmadd_d, "fmadd.d ft11, fa0, fs7, ft3, rup"},
    word{0x1b753fc7, operation::fmsub_d, "fmsub.d ft11, fa0, fs7, ft3, rup"},
    word{0x1b753fcb, operation::fnmsub_d, "fnmsub.d ft11, fa0, fs7, ft3, rup"},
    word{0x1b753fcf, operation::fnmadd_d, "fnmadd.d ft11, fa0, fs7, ft3, rup"},
    word{0x03751fd3, operation::fadd_d, "fadd.d ft11, fa0, fs7, rtz"},
    word{0x0b751fd3, operation::fsub_d, "fsub.d ft11, fa0, fs7, rtz"},
    word{0x13751fd3, operation::fmul_d, "fmul.d ft11, fa0, fs7, rtz"},
    word{0x1b751fd3, operation::fdiv_d, "fdiv.d ft11, fa0, fs7, rtz"},
    word{0x5a051fd3, operation::fsqrt_d, "fsqrt.d ft11, fa0, rtz"},
    word{0x23750fd3, operation::fsgnj_d, "fsgnj.d ft11, fa0, fs7"},
    word{0x23751fd3, operation::fsgnjn_d, "fsgnjn.d ft11, fa0, fs7"},
    word{0x23752fd3, operation::fsgnjx_d, "fsgnjx.d ft11, fa0, fs7"},
    word{0x2b750fd3, operation::fmin_d, "fmin.d ft11, fa0, fs7"},
    word{0x2b751fd3, operation::fmax_d, "fmax.d ft11, fa0, fs7"},
    word{0x40151fd3, operation::fcvt_s_d, "fcvt.s.d ft11, fa0, rtz"},
    word{0x42050fd3, operation::fcvt_d_s, "fcvt.d.s ft11, fa0"},
    word{0xa3752fd3, operation::feq_d, "feq.d t6, fa0, fs7"},
    word{0xa3751fd3, operation::flt_d, "flt.d t6, fa0, fs7"},
    word{0xa3750fd3, operation::fle_d, "fle.d t6, fa0, fs7"},
    word{0xe2051fd3, operation::fclass_d, "fclass.d t6, fa0"},
    word{0xc2051fd3, operation::fcvt_w_d, "fcvt.w.d t6, fa0, rtz"},
    word{0xc2151fd3, operation::fcvt_wu_d, "fcvt.wu.d t6, fa0, rtz"},
    word{0xd2050fd3, operation::fcvt_d_w, "fcvt.d.w ft11, a0"},
    word{0xd2150fd3, operation::fcvt_d_wu, "fcvt.d.wu ft11, a0"},
    word{0xc2251fd3, operation::fcvt_l_d, "fcvt.l.d t6, fa0, rtz"},
    word{0xc2351fd3, operation::fcvt_lu_d, "fcvt.lu.d t6, fa0, rtz"},
    word{0xe2050fd3, operation::fmv_x_d, "fmv.x.d t6, fa0"},
    word{0xd2251fd3, operation::fcvt_d_l, "fcvt.d.l ft11, a0, rtz"},
    word{0xd2351fd3, operation::fcvt_d_lu, "fcvt.d.lu ft11, a0, rtz"},
    word{0xf2050fd3, operation::fmv_d_x, "fmv.d.x ft11, a0"},
#include "extended_words.def"
};

constexpr pair compressed[] = {
    pair{0x1fe8, 0x3fc10513, "c.addi4spn a0, sp, 1020"},
    pair{0x0044, 0x00410493, "c.addi4spn s1, sp, 4"},
    pair{0x3fe8, 0x0f87b507, "c.fld fa0, 248(a5)"},
    pair{0x5c68, 0x07c42503, "c.lw a0, 124(s0)"},
    pair{0x43bc, 0x0407a783, "c.lw a5, 64(a5)"},
    pair{0x7d64, 0x0f853483, "c.ld s1, 248(a0)"},
    pair{0x6128, 0x04053503, "c.ld a0, 64(a0)"},
    pair{0xa584, 0x0095b427, "c.fsd fs1, 8(a1)"},
    pair{0xc2d0, 0x00c6a223, "c.sw a2, 4(a3)"},
    pair{0xe3f8, 0x0ce7b023, "c.sd a4, 192(a5)"},
    pair{0x0001, 0x00000013, "c.nop"},
    pair{0x1f81, 0xfe0f8f93, "c.addi t6, -32"},
    pair{0x057d, 0x01f50513, "c.addi a0, 31"},
    pair{0x357d, 0xfff5051b, "c.addiw a0, -1"},
    pair{0x2101, 0x0001011b, "c.addiw sp, 0"},
    pair{0x5081, 0xfe000093, "c.li ra, -32"},
    pair{0x4ffd, 0x01f00f93, "c.li t6, 31"},
    pair{0x7101, 0xe0010113, "c.addi16sp sp, -512"},
    pair{0x617d, 0x1f010113, "c.addi16sp sp, 496"},
    pair{0x6141, 0x01010113, "c.addi16sp sp, 16"},
    pair{0x6505, 0x00001537, "c.lui a0, 1"},
    pair{0x7f81, 0xfffe0fb7, "c.lui t6, 0xfffe0"},
    pair{0x917d, 0x03f55513, "c.srli a0, 63"},
    pair{0x8005, 0x00145413, "c.srli s0, 1"},
    pair{0x9781, 0x4207d793, "c.srai a5, 32"},
    pair{0x9a81, 0xfe06f693, "c.andi a3, -32"},
    pair{0x8afd, 0x01f6f693, "c.andi a3, 31"},
    pair{0x8d0d, 0x40b50533, "c.sub a0, a1"},
    pair{0x8e35, 0x00d64633, "c.xor a2, a3"},
    pair{0x8f5d, 0x00f76733, "c.or a4, a5"},
    pair{0x8c65, 0x00947433, "c.and s0, s1"},
    pair{0x9d1d, 0x40f5053b, "c.subw a0, a5"},
    pair{0x9cb1, 0x00c484bb, "c.addw s1, a2"},
    pair{0xb001, 0x801ff06f, "c.j -2048"},
    pair{0xaffd, 0x7fe0006f, "c.j 2046"},
    pair{0xa801, 0x0100006f, "c.j 16"},
    pair{0xa005, 0x0200006f, "c.j 32"},
    pair{0xa041, 0x0800006f, "c.j 128"},
    pair{0xa201, 0x1000006f, "c.j 256"},
    pair{0xa101, 0x4000006f, "c.j 1024"},
    pair{0xd101, 0xf00500e3, "c.beqz a0, -256"},
    pair{0xccfd, 0x0e048f63, "c.beqz s1, 254"},
    pair{0xc481, 0x00048463, "c.beqz s1, 8"},
    pair{0xc085, 0x02048063, "c.beqz s1, 32"},
    pair{0xc0a1, 0x04048063, "c.beqz s1, 64"},
    pair{0xe3c1, 0x08079063, "c.bnez a5, 128"},
    pair{0xfffd, 0xfe079fe3, "c.bnez a5, -2"},
    pair{0x1ffe, 0x03ff9f93, "c.slli t6, 63"},
    pair{0x1082, 0x02009093, "c.slli ra, 32"},
    pair{0x307e, 0x1f813007, "c.fldsp ft0, 504(sp)"},
    pair{0x2f86, 0x04013f87, "c.fldsp ft11, 64(sp)"},
    pair{0x50fe, 0x0fc12083, "c.lwsp ra, 252(sp)"},
    pair{0x4f86, 0x04012f83, "c.lwsp t6, 64(sp)"},
    pair{0x70fe, 0x1f813083, "c.ldsp ra, 504(sp)"},
    pair{0x6f86, 0x04013f83, "c.ldsp t6, 64(sp)"},
    pair{0x8082, 0x00008067, "c.jr ra"},
    pair{0x8f82, 0x000f8067, "c.jr t6"},
    pair{0x857e, 0x01f00533, "c.mv a0, t6"},
    pair{0x8f86, 0x00100fb3, "c.mv t6, ra"},
    pair{0x9002, 0x00100073, "c.ebreak"},
    pair{0x9082, 0x000080e7, "c.jalr ra"},
    pair{0x9f82, 0x000f80e7, "c.jalr t6"},
    pair{0x957e, 0x01f50533, "c.add a0, t6"},
    pair{0x9f86, 0x001f8fb3, "c.add t6, ra"},
    pair{0xbffe, 0x1ff13c27, "c.fsdsp ft11, 504(sp)"},
    pair{0xa082, 0x04013027, "c.fsdsp ft0, 64(sp)"},
    pair{0xdffe, 0x0ff12e23, "c.swsp t6, 252(sp)"},
    pair{0xc086, 0x04112023, "c.swsp ra, 64(sp)"},
    pair{0xfffe, 0x1ff13c23, "c.sdsp t6, 504(sp)"},
    pair{0xe086, 0x04113023, "c.sdsp ra, 64(sp)"},
};

TEST(decode, knows_every_instruction) {
  std::set<operation> seen;
  for (auto const& [bits, op, text] : words) {
    EXPECT_EQ(name_of(decode(bits).op), name_of(op)) << text;
    seen.insert(op);
  }
  for (auto op = operation::lui; op < operation::illegal; op = static_cast<operation>(static_cast<int>(op) + 1))
    EXPECT_TRUE(seen.contains(op)) << name_of(op);
}

TEST(disassemble, shows_extended_instructions_as_an_assembler_has_them) {
  for (auto const& [bits, op, text] : words) {
    if (op < operation::elb || op > operation::eaget) {
      EXPECT_EQ(disassemble_extended(bits), "") << text;
      continue;
    }
    std::string wanted(text.substr(0, text.find(", as published")));
    if (auto const bits_of_order = wanted.find(".aqrl"); bits_of_order != std::string::npos)
      wanted.erase(bits_of_order, 5);  // not shown
    EXPECT_EQ(disassemble_extended(bits), wanted);
  }
}

TEST(decode, finds_operands_at_their_limits) {
  EXPECT_EQ(decode(0x80000fef).imm, -1048576);  // jal t6
  EXPECT_EQ(decode(0xfedcbfb7).imm, std::int64_t{-0x1235000});
  decoded const branch = decode(word_b(code::beq, 31, 10, -4096));
  EXPECT_EQ(branch.imm, -4096);
  EXPECT_EQ(branch.rs1, 31);
  EXPECT_EQ(branch.rs2, 10);
  EXPECT_EQ(decode(word_b(code::beq, 0, 0, 4094)).imm, 4094);
  EXPECT_EQ(decode(word_s(code::sd, 1, 2, -2048)).imm, -2048);
  EXPECT_EQ(decode(word_s(code::sd, 1, 2, 2047)).imm, 2047);
  EXPECT_EQ(decode(0x0375556b).imm, 1) << "rl";
  EXPECT_EQ(decode(0x0575556b).imm, 0) << "aq alone";
  EXPECT_EQ(decode(0x0075506b).rd, 32) << "posted";
  EXPECT_EQ(decode(word_i(code::addi, 0, 1, 5)).rd, 32) << "x0 cannot be written";
  decoded const raw = decode(0x44a5b533);  // ersd a1, a0, e10: as a store has them, and the extension
  EXPECT_EQ(raw.rs1, 10);
  EXPECT_EQ(raw.rs2, 11);
  EXPECT_EQ(raw.rd, 10);
  EXPECT_EQ(decode(0x0005d07b).rd, 0) << "e0 can be written";
}

TEST(decode, expands_every_compressed_instruction) {
  for (auto const& [half, bits, text] : compressed) EXPECT_EQ(expand(half), bits) << text;
}

TEST(decode, refuses_reserved_compressed_words) {
  // 0, c.addi4spn 0, c.addiw x0, c.addi16sp 0, c.lui 0, c.lwsp x0, c.ldsp x0, c.jr x0, reserved funct3 4 and CA forms.
  for (int const half : {0x0000, 0x0004, 0x2005, 0x6101, 0x6081, 0x4002, 0x6002, 0x8002, 0x8000, 0x9c41, 0x9c61})
    EXPECT_EQ(expand(static_cast<std::uint16_t>(half)), 0U) << std::hex << half;
}

// Runs one word with registers that point to various places; it must stop with a reason.
void survive(bare_hart& b, std::uint32_t bits, std::mt19937_64& random) {
  std::memcpy(b.memory.at(code_address), &bits, sizeof bits);
  b.code.clear();
  for (std::size_t k = 1; k < 32; ++k) b.h.x[k] = k % 3 == 0 ? random() : data_address + random() % 4096;
  b.h.fp.frm = random() % 8;
  b.h.jump(code_address);
  stop const why = b.run_to_stop(64);
  ASSERT_NE(why, stop::none);
  ASSERT_NE(why, stop::lookup);
  ASSERT_EQ(b.h.x[0], 0U) << std::hex << bits;
}

class any_word : public testing::Test {
 protected:
  static std::vector<std::byte> file() {
    code_buffer text;
    for (int k = 0; k < 16; ++k) text.put(code::ebreak);
    return make_executable(text.bytes(), std::vector<std::byte>(8192));
  }
  bare_hart b_{file()};
  std::mt19937_64 random_{1};
};

TEST_F(any_word, of_16_bits_runs_or_traps) {
  for (std::uint32_t half = 0; half < 0x10000; ++half)
    if (is_compressed(static_cast<std::uint16_t>(half))) survive(b_, half | 0x90020000U, random_);
}

TEST_F(any_word, of_32_bits_runs_or_traps) {
  for (int k = 0; k < 60'000; ++k) survive(b_, static_cast<std::uint32_t>(random_()) | 3U, random_);
  for (auto const& known : words)  // near what is known
    for (unsigned bit = 2; bit < 32; ++bit) survive(b_, known.bits ^ 1U << bit, random_);
}

TEST_F(any_word, slow_of_32_bits_there_is_is_an_instruction_or_illegal) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "2^30 words: set TESS_SLOW";
  constexpr std::uint32_t executed_each = 61;
  for (std::uint64_t k = 0; k < std::uint64_t{1} << 30U; ++k) {
    std::uint32_t const bits = static_cast<std::uint32_t>(k << 2U | 3U);
    decoded const found = decode(bits);
    bool const sound = found.op <= operation::illegal && found.rd <= 32 && found.rs1 < 32 && found.rs2 < 32;
    ASSERT_TRUE(sound) << std::hex << bits;
    if (k % executed_each == 0) survive(b_, bits, random_);
  }
}

}  // namespace
}  // namespace tess::machine
