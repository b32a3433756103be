// decode: the rows of instructions.def, sorted by major opcode at compile time.
#include "machine/isa/decode.hpp"

#include <array>
#include <utility>

namespace tess::machine {
namespace {

// Operand positions: the formats of chapter 2.2 and those of F, D, Zicsr, shifts and xBGAS. e_i and e_r do not write an
// integer register; a raw store has its data first, its address second and its extension in rd. r_order has the bit rl.
enum class form : std::uint8_t {
  none,
  u,
  u_pc,
  j,
  i,
  b,
  s,
  shift6,
  shift5,
  r,
  csr,
  f_load,
  r4,
  f,
  f_to_x,
  e_i,
  e_r,
  e_store,
  r_order
};

struct row {
  std::uint32_t mask;
  std::uint32_t match;
  operation op;
  form operands;
  cost_class cost;
  std::string_view name;
};

constexpr std::array rows{
#define X(extension, name, mask, match, operands, cost) \
  row{mask, match, operation::name, form::operands, cost_class::cost, #name},
#include "machine/isa/instructions.def"
#undef X
};

// Rows by bits 6 to 2 of the word, in the table's order.
struct opcode_index {
  std::array<std::uint8_t, rows.size()> sorted{};
  std::array<std::uint8_t, 33> begin{};
};

constexpr opcode_index make_index() {
  opcode_index index;
  std::uint8_t used = 0;
  for (std::size_t opcode = 0; opcode < 32; ++opcode) {
    index.begin[opcode] = used;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k].mask != 0 && (rows[k].match >> 2U) % 32U == opcode)
        index.sorted[used++] = static_cast<std::uint8_t>(k);
  }
  index.begin[32] = used;
  return index;
}
constexpr opcode_index by_opcode = make_index();

constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1U << bits) - 1);
}
constexpr std::int64_t signed_field(std::uint32_t word, unsigned low, unsigned bits) {
  return static_cast<std::int32_t>(word << (32 - low - bits)) >> (32 - bits);
}

std::int64_t immediate_b(std::uint32_t word) {
  return (signed_field(word, 31, 1) * 4096) | field(word, 7, 1) << 11U | field(word, 25, 6) << 5U |
         field(word, 8, 4) << 1U;
}
std::int64_t immediate_j(std::uint32_t word) {
  return (signed_field(word, 31, 1) * 1048576) | field(word, 12, 8) << 12U | field(word, 20, 1) << 11U |
         field(word, 21, 10) << 1U;
}
std::int64_t immediate_s(std::uint32_t word) {
  return (signed_field(word, 25, 7) * 32) | field(word, 7, 5);
}

std::int64_t immediate_of(form operands, std::uint32_t word) {
  switch (operands) {
    case form::u:
    case form::u_pc:
      return signed_field(word, 12, 20) * 4096;
    case form::j:
      return immediate_j(word);
    case form::f_load:
    case form::i:
    case form::e_i:
      return signed_field(word, 20, 12);
    case form::b:
      return immediate_b(word);
    case form::s:
      return immediate_s(word);
    case form::shift6:
      return field(word, 20, 6);
    case form::shift5:
      return field(word, 20, 5);
    case form::csr:
      return field(word, 20, 12);
    case form::f:
    case form::f_to_x:
      return field(word, 12, 3);
    case form::r4:
      return field(word, 12, 3) | field(word, 27, 5) << 8U;
    case form::r_order:
      return field(word, 25, 1);
    case form::none:
    case form::r:
    case form::e_r:
    case form::e_store:
      return 0;
  }
  return 0;
}

bool writes_integer(form operands) {
  switch (operands) {
    case form::none:
    case form::b:
    case form::s:
    case form::f_load:
    case form::f:
    case form::r4:
    case form::e_i:
    case form::e_r:
    case form::e_store:
      return false;
    default:
      return true;
  }
}

// Source registers by file: bit 0 rs1, bit 1 rs2, bit 2 rs3.
struct sources {
  unsigned integer = 0;
  unsigned floating = 0;
};

bool converts_integer(operation op) {
  switch (op) {
    case operation::fcvt_s_w:
    case operation::fcvt_s_wu:
    case operation::fcvt_s_l:
    case operation::fcvt_s_lu:
    case operation::fcvt_d_w:
    case operation::fcvt_d_wu:
    case operation::fcvt_d_l:
    case operation::fcvt_d_lu:
    case operation::fmv_w_x:
    case operation::fmv_d_x:
      return true;
    default:
      return false;
  }
}

sources sources_of(operation op) {
  switch (rows[static_cast<std::size_t>(op)].operands) {
    case form::i:
    case form::shift6:
    case form::shift5:
    case form::f_load:
    case form::e_i:
    case form::r_order:
      return {.integer = 1};
    case form::csr:
      return {.integer = op == operation::csrrw || op == operation::csrrs || op == operation::csrrc ? 1U : 0U};
    case form::s:
      if (op == operation::fsw || op == operation::fsd) return {.integer = 1, .floating = 2};
      return {.integer = 3};
    case form::b:
    case form::r:
    case form::e_r:
    case form::e_store:
      return {.integer = 3};
    case form::r4:
      return {.floating = 7};
    case form::f:
      if (converts_integer(op)) return {.integer = 1};
      return {.floating = 3};
    case form::f_to_x:
      return {.floating = 3};
    case form::none:
    case form::u:
    case form::u_pc:
    case form::j:
      return {};
  }
  return {};
}

// The bits of a second operand belong to the operation.
bool has_one_operand(form operands, operation op) {
  switch (op) {
    case operation::feq_s:
    case operation::flt_s:
    case operation::fle_s:
    case operation::feq_d:
    case operation::flt_d:
    case operation::fle_d:
      return false;
    case operation::fsqrt_s:
    case operation::fsqrt_d:
    case operation::fcvt_s_d:
    case operation::fcvt_d_s:
      return true;
    default:
      return operands == form::f_to_x;
  }
}

}  // namespace

bool uses_loaded(decoded const& load, decoded const& next) noexcept {
  bool const integer = load.op >= operation::lb && load.op <= operation::lwu;
  bool const floating = load.op == operation::flw || load.op == operation::fld;
  if (!integer && !floating) return false;
  sources const from = sources_of(next.op);
  unsigned const read = integer ? from.integer : from.floating;
  auto const rs3 = static_cast<std::uint8_t>(next.imm >> 8U & 31);
  return ((read & 1U) != 0 && next.rs1 == load.rd) || ((read & 2U) != 0 && next.rs2 == load.rd) ||
         ((read & 4U) != 0 && rs3 == load.rd);
}

register_use registers_of(decoded const& word) noexcept {
  register_use used;
  sources from = sources_of(word.op);
  form const operands = rows[static_cast<std::size_t>(word.op)].operands;
  if (from.floating == 3 && has_one_operand(operands, word.op)) from.floating = 1;
  auto const name = [&](unsigned bit, std::uint8_t number) {
    if ((from.integer & bit) != 0) return number;
    return (from.floating & bit) != 0 ? static_cast<std::uint8_t>(32 + number) : register_use::no_source;
  };
  used.first = name(1, word.rs1);
  used.second = name(2, word.rs2);
  used.third = name(4, static_cast<std::uint8_t>(word.imm >> 8U & 31));
  if (writes_integer(operands)) {
    if (word.rd < 32) used.destination = word.rd;
  } else if (operands == form::f_load || operands == form::r4 || operands == form::f) {
    used.destination = static_cast<std::uint8_t>(32 + word.rd);
  }
  return used;
}

decoded decode(std::uint32_t word) noexcept {
  std::size_t const opcode = word >> 2U & 31U;
  for (std::size_t k = by_opcode.begin[opcode]; k < by_opcode.begin[opcode + 1]; ++k) {
    row const& tried = rows[by_opcode.sorted[k]];
    if ((word & tried.mask) != tried.match) continue;
    decoded result{tried.op, static_cast<std::uint8_t>(field(word, 7, 5)),
                   static_cast<std::uint8_t>(field(word, 15, 5)), static_cast<std::uint8_t>(field(word, 20, 5)),
                   immediate_of(tried.operands, word)};
    if (writes_integer(tried.operands) && result.rd == 0) result.rd = 32;
    if (tried.operands == form::e_store) std::swap(result.rs1, result.rs2);
    return result;
  }
  return {operation::illegal, 0, 0, 0, word};
}

std::string_view name_of(operation op) noexcept {
  return rows[static_cast<std::size_t>(op)].name;
}
cost_class cost_of(operation op) noexcept {
  return rows[static_cast<std::size_t>(op)].cost;
}

}  // namespace tess::machine
