// random_program: instructions from the decoder's table with random operands, each kind restricted to harmless effects.
#include "random_program.hpp"

#include <array>
#include <random>
#include <string_view>

#include "assembler.hpp"

namespace tess::machine {
namespace {

struct row {
  operation op;
  std::string_view extension;
  std::string_view form;
  std::uint32_t mask;
  std::uint32_t match;
};
constexpr std::array rows{
#define X(extension, name, mask, match, form, cost) row{operation::name, #extension, #form, mask, match},
#include "machine/isa/instructions.def"
#undef X
};

constexpr unsigned results = 26, temporary0 = 27, temporary1 = 28, base = 29, counter = 30, data = 31,
                   registers_free = 26;
constexpr std::uint64_t scratch_bytes = 8192;
constexpr std::uint64_t sums = 65;  // x0 to x31, f0 to f31, fcsr
constexpr std::uint64_t scratch_offset = 4096;
constexpr std::uint64_t data_bytes = scratch_offset + scratch_bytes;
// x31 points here: sums below, scratch on both sides within reach.
constexpr std::uint64_t middle = scratch_offset + scratch_bytes / 2;

constexpr std::array<std::uint64_t, 24> interesting{
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000000001, 0x0000000000000001,
    0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x41dfffffffc00000, 0xc1e0000000200000,
    0x43e0000000000000, 0xffffffff00000001, 0xffffffff3f800000, 0xffffffff7f800000, 0xffffffff7f800001,
    0xffffffff80000000, 0xffffffff007fffff, 0xffffffff4f000000, 0xffffffffff7fffff};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {
    for (auto const& r : rows)
      if (r.mask != 0 && usable(r)) usable_.push_back(&r);
  }

  random_program make(unsigned instructions, unsigned turns) {
    prologue(turns);
    std::uint64_t const loop = code_.here();
    for (unsigned k = 0; k < instructions; ++k) put_random();
    fold_state();
    code_.put(word_i(code::addi, counter, counter, -1));
    code_.put(word_b(code::beq, counter, 0, 8));
    code_.put(word_j(code::jal, 0, static_cast<std::int32_t>(loop - code_.here())));
    epilogue();
    std::vector<std::byte> const contents = initial_data();
    return {make_executable(code_.bytes(), contents), used_, std::uint64_t{turns} * (instructions + sums * 7)};
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  unsigned any_register() { return static_cast<unsigned>(below(registers_free)); }

  static bool usable(row const& r) {
    return r.op != operation::ecall && r.op != operation::ebreak && r.op != operation::wrs_nto &&
           r.op != operation::wrs_sto && r.op != operation::jal && r.op != operation::jalr && r.extension != "csr" &&
           r.extension != "x";  // which qemu has not
  }

  void put_random() {
    switch (below(32)) {
      case 0:
        return put_jump();
      case 1:
        return put_csr();
      case 2:
        return put_interesting(static_cast<unsigned>(below(32)));
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        return put_compressed();
      default:
        return put_row(*usable_[below(usable_.size())]);
    }
  }

  void put_row(row const& r) {
    used_.insert(r.op);
    std::uint32_t word = r.match | (static_cast<std::uint32_t>(random_()) & ~r.mask);
    auto const set = [&](unsigned low, std::uint32_t value) { word = (word & ~(31U << low)) | value << low; };
    set(7, any_register());
    set(15, any_register());
    if (r.form == "r" || r.form == "f" || r.form == "r4" || r.form == "b" || r.form == "s") {
      if ((r.mask >> 20U & 31U) == 0) set(20, any_register());
    }
    if (r.form == "r4" || r.form == "f" || r.form == "f_to_x") word = with_rounding(r, word);
    if (r.extension == "a") return put_atomic(r, word);
    if (r.form == "b") return put_branch(word);
    bool const floating = r.extension == "f" || r.extension == "d";
    // Without fresh operands every register soon holds a NaN, and unless flags are read they are all soon set.
    if (floating && below(2) == 0) put_load(word >> 15U & 31U);
    if (floating && below(2) == 0) put_load(word >> 20U & 31U);
    bool const load = (word & 127U) == 0x03 || (word & 127U) == 0x07;
    if (load) word = word_i(r.match, word >> 7U & 31U, data, offset());
    if (r.form == "s") word = word_s(r.match, data, word >> 20U & 31U, offset());
    if (r.op == operation::fence_i || r.op == operation::fence || r.op == operation::pause) word = r.match;
    code_.put(word);
    if (r.form != "s" && r.form != "none") fold_result(r, word >> 7U & 31U);
    if (floating && below(2) == 0) fold_flags();
  }

  // results = 33 * results + value, so an earlier value is never lost.
  void fold_temporary() {
    code_.put(word_i(code::slli, base, results, 5));
    code_.put(word_r(code::add, results, results, base));
    code_.put(word_r(code::add, results, results, temporary0));
  }
  void fold_result(row const& r, unsigned rd) {
    if (below(3) != 0) return;
    bool const to_float = r.form == "f" || r.form == "r4" || r.form == "f_load";
    code_.put(to_float ? word_r(code::fmv_x_d, temporary0, rd, 0) : word_i(code::addi, temporary0, rd, 0));
    fold_temporary();
  }
  void fold_flags() {
    code_.put(word_i(code::csrrwi, temporary0, 0, 1));
    fold_temporary();
  }

  // Within the scratch memory, on both sides of a page boundary; seldom misaligned.
  std::int32_t offset() {
    auto const any = static_cast<std::int32_t>(below(4080)) - 2048;
    return below(8) == 0 ? any : any & ~7;
  }

  std::uint32_t with_rounding(row const& r, std::uint32_t word) {
    if ((r.mask & 0x7000U) != 0) return word;
    constexpr std::array<std::uint32_t, 8> modes{0, 1, 2, 3, 4, 7, 7, 7};
    return (word & ~0x7000U) | modes[below(modes.size())] << 12U;
  }

  void put_atomic(row const& r, std::uint32_t word) {
    code_.put(word_i(code::addi, base, data, offset() & ~7));
    word = (word & ~(31U << 15U)) | base << 15U;
    // SC mostly right after an LR of the same word and size.
    bool const conditional = r.op == operation::sc_w || r.op == operation::sc_d;
    if (conditional && below(4) != 0)
      code_.put((r.op == operation::sc_w ? 0x1000202fU : 0x1000302fU) | any_register() << 7U | base << 15U);
    code_.put(word);
  }

  void put_branch(std::uint32_t word) {
    unsigned const skipped = static_cast<unsigned>(below(4));
    std::uint32_t const kind = word & 0x707fU;
    code_.put(word_b(kind, word >> 15U & 31U, word >> 20U & 31U, static_cast<std::int32_t>(4 + 4 * skipped)));
    for (unsigned k = 0; k < skipped; ++k) code_.put(word_i(code::addi, any_register(), any_register(), 1));
  }

  void put_jump() {
    if (below(2) == 0) {
      used_.insert(operation::jal);
      code_.put(word_j(code::jal, any_register(), 8));
      code_.put(word_i(code::addi, any_register(), any_register(), 1));
    } else {
      used_.insert(operation::jalr);
      code_.put(word_u(code::auipc, base, 0));
      code_.put(word_i(code::jalr, any_register(), base, 12 + static_cast<std::int32_t>(below(2))));
      code_.put(word_i(code::addi, any_register(), any_register(), 1));
    }
  }

  void put_csr() {
    auto const which = static_cast<std::int32_t>(1 + below(3));
    std::uint32_t const actions[3] = {code::csrrw, code::csrrs, 0x3073};
    switch (below(4)) {
      case 0:  // a valid rounding mode
        used_.insert(operation::csrrwi);
        return code_.put(word_i(code::csrrwi, any_register(), static_cast<unsigned>(below(5)), 2));
      case 1:  // the flags, by an immediate
        used_.insert({operation::csrrsi, operation::csrrci});
        return code_.put(word_i(below(2) == 0 ? 0x6073 : 0x7073, any_register(), static_cast<unsigned>(below(32)), 1));
      case 2:  // the flags, by a register
        used_.insert({operation::csrrw, operation::csrrs, operation::csrrc});
        return code_.put(word_i(actions[below(3)], any_register(), any_register(), 1));
      default:
        return code_.put(word_i(code::csrrs, any_register(), 0, which));
    }
  }

  void put_interesting(unsigned rd) {
    auto const at = static_cast<std::int32_t>(sums * 8 + 8 * below(interesting.size()));
    code_.put(word_i(code::fld, rd, temporary1, at));
  }
  // A random or interesting double or single.
  void put_load(unsigned rd) {
    if (below(2) == 0) return put_interesting(rd);
    code_.put(word_i(below(2) == 0 ? code::fld : code::flw, rd, data, offset() & ~7));
  }

  // A random compressed word whose registers are free; the decoder says which these are.
  void put_compressed() {
    for (;;) {
      auto const half = static_cast<std::uint16_t>(random_());
      if (!is_compressed(half)) continue;
      std::uint32_t const word = expand(half);
      decoded const d = decode(word);
      bool const arithmetic = (d.op >= operation::addi && d.op <= operation::and_) || d.op == operation::lui ||
                              (d.op >= operation::addiw && d.op <= operation::sraw);
      if (!arithmetic || d.rd == 2) continue;
      if ((d.rd < 32 && d.rd >= registers_free) || d.rs1 >= registers_free) continue;
      if ((word & 127U) == 0x33 && d.rs2 >= registers_free) continue;
      return code_.put_short(half);
    }
  }

  void prologue(unsigned turns) {
    code_.load_constant(data, static_cast<std::int32_t>(data_address));
    for (unsigned k = 0; k < 32; ++k)
      code_.put(word_i(code::fld, k, data, static_cast<std::int32_t>(2048 - 8 - 8 * k)));
    for (unsigned k = 1; k <= results; ++k)
      code_.put(word_i(code::ld, k, data, static_cast<std::int32_t>(1024 + 8 * k)));
    code_.put(word_i(code::addi, temporary1, data, 0));
    code_.load_constant(counter, static_cast<std::int32_t>(turns));
    code_.load_constant(data, static_cast<std::int32_t>(data_address + middle));
  }

  // sum = rotate(sum, 5) ^ value, for each register; temporary1 points to the sums again afterwards.
  void fold_one(std::int32_t slot, auto const& value_into_temporary0) {
    code_.put(word_i(code::ld, base, temporary1, 8 * slot));
    code_.put(word_i(code::srli, temporary0, base, 59));
    code_.put(word_i(code::slli, base, base, 5));
    code_.put(word_r(code::or_, base, base, temporary0));
    value_into_temporary0();
    code_.put(word_r(code::xor_, base, base, temporary0));
    code_.put(word_s(code::sd, temporary1, base, 8 * slot));
  }

  void fold_state() {
    for (unsigned k = 0; k <= results; ++k)
      fold_one(static_cast<std::int32_t>(k), [&] { code_.put(word_i(code::addi, temporary0, k, 0)); });
    for (unsigned k = 0; k < 32; ++k)
      fold_one(static_cast<std::int32_t>(32 + k), [&] { code_.put(word_r(code::fmv_x_d, temporary0, k, 0)); });
    fold_one(64, [&] { code_.put(word_i(code::csrrs, temporary0, 0, 3)); });
  }

  void epilogue() {
    code_.put(word_i(code::addi, 10, 0, 1));
    code_.put(word_i(code::addi, 11, temporary1, 0));
    code_.load_constant(12, data_bytes);
    code_.put(word_i(code::addi, 17, 0, 64));
    code_.put(code::ecall);
    code_.put(word_i(code::addi, 10, 0, 0));
    code_.put(word_i(code::addi, 17, 0, 93));
    code_.put(code::ecall);
  }

  std::vector<std::byte> initial_data() {
    std::vector<std::uint64_t> words(data_bytes / 8);
    for (std::size_t k = sums; k < words.size(); ++k)
      words[k] = below(4) == 0 ? interesting[below(interesting.size())] : random_();
    for (std::size_t k = 0; k < interesting.size(); ++k) words[sums + k] = interesting[k];
    std::vector<std::byte> bytes(data_bytes);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
  }

  std::mt19937_64 random_;
  std::vector<row const*> usable_;
  std::set<operation> used_;
  code_buffer code_;
};

}  // namespace

random_program make_random_program(std::uint64_t seed, unsigned instructions, unsigned turns) {
  return generator{seed}.make(instructions, turns);
}

}  // namespace tess::machine
