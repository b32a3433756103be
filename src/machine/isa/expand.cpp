// expand: the compressed instructions of RV64C, each as its 32-bit equivalent, in the manual's order.
//
// Source    RISC-V Unprivileged ISA 20191213, chapter 16, tables 16.5 to 16.7.
#include "machine/isa/decode.hpp"

namespace tess::machine {
namespace {

constexpr std::uint32_t load = 0x03, load_float = 0x07, op_immediate = 0x13, op_immediate_32 = 0x1b, store = 0x23,
                        store_float = 0x27, op = 0x33, lui = 0x37, op_32 = 0x3b, branch = 0x63, jalr = 0x67, jal = 0x6f;

constexpr std::uint32_t bits(std::uint32_t half, unsigned low, unsigned count, unsigned to) {
  return (half >> low & ((1U << count) - 1)) << to;
}

constexpr std::uint32_t type_i(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t imm) {
  return opcode | rd << 7U | funct3 << 12U | rs1 << 15U | (imm & 0xfffU) << 20U;
}
constexpr std::uint32_t type_r(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t rs2) {
  return opcode | rd << 7U | funct3 << 12U | rs1 << 15U | rs2 << 20U | funct7 << 25U;
}
constexpr std::uint32_t type_s(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                               std::uint32_t imm) {
  return opcode | bits(imm, 0, 5, 7) | funct3 << 12U | rs1 << 15U | rs2 << 20U | bits(imm, 5, 7, 25);
}
constexpr std::uint32_t type_b(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t imm) {
  return branch | bits(imm, 11, 1, 7) | bits(imm, 1, 4, 8) | funct3 << 12U | rs1 << 15U | bits(imm, 5, 6, 25) |
         bits(imm, 12, 1, 31);
}
constexpr std::uint32_t type_j(std::uint32_t rd, std::uint32_t imm) {
  return jal | rd << 7U | bits(imm, 12, 8, 12) | bits(imm, 11, 1, 20) | bits(imm, 1, 10, 21) | bits(imm, 20, 1, 31);
}

// The register fields: x8 to x15 in three bits, any in five.
constexpr std::uint32_t near_rd(std::uint32_t half) {
  return 8 + (half >> 2U & 7U);
}  // also rs2
constexpr std::uint32_t near_rs1(std::uint32_t half) {
  return 8 + (half >> 7U & 7U);
}  // also rd of CB and CA
constexpr std::uint32_t any_rd(std::uint32_t half) {
  return half >> 7U & 31U;
}  // also rs1
constexpr std::uint32_t any_rs2(std::uint32_t half) {
  return half >> 2U & 31U;
}

constexpr std::uint32_t offset_w(std::uint32_t h) {
  return bits(h, 6, 1, 2) | bits(h, 10, 3, 3) | bits(h, 5, 1, 6);
}
constexpr std::uint32_t offset_d(std::uint32_t h) {
  return bits(h, 10, 3, 3) | bits(h, 5, 2, 6);
}
constexpr std::uint32_t signed6(std::uint32_t h) {
  return bits(h, 2, 5, 0) | (0U - bits(h, 12, 1, 5));
}
constexpr std::uint32_t shift_amount(std::uint32_t h) {
  return bits(h, 2, 5, 0) | bits(h, 12, 1, 5);
}
constexpr std::uint32_t offset_j(std::uint32_t h) {
  return bits(h, 3, 3, 1) | bits(h, 11, 1, 4) | bits(h, 2, 1, 5) | bits(h, 7, 1, 6) | bits(h, 6, 1, 7) |
         bits(h, 9, 2, 8) | bits(h, 8, 1, 10) | (0U - bits(h, 12, 1, 11));
}
constexpr std::uint32_t offset_b(std::uint32_t h) {
  return bits(h, 3, 2, 1) | bits(h, 10, 2, 3) | bits(h, 2, 1, 5) | bits(h, 5, 2, 6) | (0U - bits(h, 12, 1, 8));
}

std::uint32_t quadrant0(std::uint32_t h) {
  std::uint32_t const wide = bits(h, 7, 4, 6) | bits(h, 11, 2, 4) | bits(h, 5, 1, 3) | bits(h, 6, 1, 2);
  switch (h >> 13U) {
    case 0:
      return wide != 0 ? type_i(op_immediate, 0, near_rd(h), 2, wide) : 0;  // c.addi4spn
    case 1:
      return type_i(load_float, 3, near_rd(h), near_rs1(h), offset_d(h));  // c.fld
    case 2:
      return type_i(load, 2, near_rd(h), near_rs1(h), offset_w(h));  // c.lw
    case 3:
      return type_i(load, 3, near_rd(h), near_rs1(h), offset_d(h));  // c.ld
    case 5:
      return type_s(store_float, 3, near_rs1(h), near_rd(h), offset_d(h));  // c.fsd
    case 6:
      return type_s(store, 2, near_rs1(h), near_rd(h), offset_w(h));  // c.sw
    case 7:
      return type_s(store, 3, near_rs1(h), near_rd(h), offset_d(h));  // c.sd
    default:
      return 0;
  }
}

std::uint32_t lui_or_addi16sp(std::uint32_t h) {
  std::uint32_t const rd = any_rd(h);
  if (rd == 2) {
    std::uint32_t const imm =
        bits(h, 6, 1, 4) | bits(h, 2, 1, 5) | bits(h, 5, 1, 6) | bits(h, 3, 2, 7) | (0U - bits(h, 12, 1, 9));
    return imm != 0 ? type_i(op_immediate, 0, 2, 2, imm) : 0;
  }
  return signed6(h) != 0 ? lui | rd << 7U | signed6(h) << 12U : 0;
}

std::uint32_t arithmetic(std::uint32_t h) {
  std::uint32_t const rd = near_rs1(h);
  std::uint32_t const rs2 = near_rd(h);
  switch (h >> 10U & 3U) {
    case 0:
      return type_i(op_immediate, 5, rd, rd, shift_amount(h));  // c.srli
    case 1:
      return type_i(op_immediate, 5, rd, rd, shift_amount(h) | 0x400U);  // c.srai
    case 2:
      return type_i(op_immediate, 7, rd, rd, signed6(h));  // c.andi
    default:
      break;
  }
  switch ((h >> 10U & 4U) | (h >> 5U & 3U)) {
    case 0:
      return type_r(op, 0, 0x20, rd, rd, rs2);  // c.sub
    case 1:
      return type_r(op, 4, 0, rd, rd, rs2);  // c.xor
    case 2:
      return type_r(op, 6, 0, rd, rd, rs2);  // c.or
    case 3:
      return type_r(op, 7, 0, rd, rd, rs2);  // c.and
    case 4:
      return type_r(op_32, 0, 0x20, rd, rd, rs2);  // c.subw
    case 5:
      return type_r(op_32, 0, 0, rd, rd, rs2);  // c.addw
    default:
      return 0;
  }
}

std::uint32_t quadrant1(std::uint32_t h) {
  std::uint32_t const rd = any_rd(h);
  switch (h >> 13U) {
    case 0:
      return type_i(op_immediate, 0, rd, rd, signed6(h));  // c.addi, c.nop
    case 1:
      return rd != 0 ? type_i(op_immediate_32, 0, rd, rd, signed6(h)) : 0;  // c.addiw
    case 2:
      return type_i(op_immediate, 0, rd, 0, signed6(h));  // c.li
    case 3:
      return lui_or_addi16sp(h);  // c.lui, c.addi16sp
    case 4:
      return arithmetic(h);
    case 5:
      return type_j(0, offset_j(h));  // c.j
    case 6:
      return type_b(0, near_rs1(h), offset_b(h));  // c.beqz
    default:
      return type_b(1, near_rs1(h), offset_b(h));  // c.bnez
  }
}

std::uint32_t jumps_and_moves(std::uint32_t h) {
  std::uint32_t const rd = any_rd(h);
  std::uint32_t const rs2 = any_rs2(h);
  if ((h >> 12U & 1U) == 0) {
    if (rs2 != 0) return type_r(op, 0, 0, rd, 0, rs2);  // c.mv
    return rd != 0 ? type_i(jalr, 0, 0, rd, 0) : 0;     // c.jr
  }
  if (rs2 != 0) return type_r(op, 0, 0, rd, rd, rs2);        // c.add
  return rd != 0 ? type_i(jalr, 0, 1, rd, 0) : 0x00100073U;  // c.jalr, c.ebreak
}

std::uint32_t quadrant2(std::uint32_t h) {
  std::uint32_t const rd = any_rd(h);
  std::uint32_t const from_w = bits(h, 4, 3, 2) | bits(h, 12, 1, 5) | bits(h, 2, 2, 6);
  std::uint32_t const from_d = bits(h, 5, 2, 3) | bits(h, 12, 1, 5) | bits(h, 2, 3, 6);
  std::uint32_t const to_w = bits(h, 9, 4, 2) | bits(h, 7, 2, 6);
  std::uint32_t const to_d = bits(h, 10, 3, 3) | bits(h, 7, 3, 6);
  switch (h >> 13U) {
    case 0:
      return type_i(op_immediate, 1, rd, rd, shift_amount(h));  // c.slli
    case 1:
      return type_i(load_float, 3, rd, 2, from_d);  // c.fldsp
    case 2:
      return rd != 0 ? type_i(load, 2, rd, 2, from_w) : 0;  // c.lwsp
    case 3:
      return rd != 0 ? type_i(load, 3, rd, 2, from_d) : 0;  // c.ldsp
    case 4:
      return jumps_and_moves(h);
    case 5:
      return type_s(store_float, 3, 2, any_rs2(h), to_d);  // c.fsdsp
    case 6:
      return type_s(store, 2, 2, any_rs2(h), to_w);  // c.swsp
    default:
      return type_s(store, 3, 2, any_rs2(h), to_d);  // c.sdsp
  }
}

}  // namespace

std::uint32_t expand(std::uint16_t half) noexcept {
  switch (half & 3U) {
    case 0:
      return quadrant0(half);
    case 1:
      return quadrant1(half);
    case 2:
      return quadrant2(half);
    default:
      return 0;
  }
}

}  // namespace tess::machine
