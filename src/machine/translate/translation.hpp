// translation: makes instructions of the host of one decoded block of RV64 instructions.
//
//   The code is a handler like any other: it is entered and left with hart, slot and memory where a handler has them.
//   So what it does not translate, and every access that is misaligned or forbidden, it leaves to the slot's own
//   handler, which goes on in the block's slots, or stops the hart there, as if there were no translation. Integer
//   instructions, loads, stores, branches and jumps are translated; behind each of the others there is another entry,
//   which becomes the handler of the next slot.
//
//   Counts are those of the slots, so a hart stops where it would without translation. Blocks are left through the
//   slots of their jumps, which code_cache links: no code is ever changed. A branch to the begin of its own block
//   stays in it, with all registers.
//
// Errors    empty: the code does not fit into the buffer.
// Threads   none.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "machine/flat/flat_memory.hpp"
#include "machine/hart/code_cache.hpp"
#include "machine/hart/inst.hpp"
#include "machine/isa/decode.hpp"
#include "machine/translate/guest_registers.hpp"
#include "machine/translate/translator.hpp"

namespace tess::machine {

// What the code of blocks refers to.
struct code_surroundings {
  std::byte const* begin;          // of the code
  std::byte const* expire;         // code: the time is over; the slot is that of the next block
  std::byte const* go_to_pc;       // code: an indirect jump to the hart's pc, which is counted
  jump_entry const* jumps;         // the table of indirect jumps
  followed_lines const* followed;  // null: no caches are followed
};

struct block_entry_point {
  std::size_t slot;    // whose handler this becomes
  std::size_t offset;  // in the code
};

struct block_code {
  std::size_t bytes;
  std::vector<block_entry_point> entries;
};

class translation {
 public:
  // `first` is the block's first slot, `kinds` the operations of its slots from there to its link.
  translation(std::span<std::byte> buffer, inst const* first, std::span<operation const> kinds,
              code_surroundings const& around)
      : code_(buffer),
        first_(first),
        kinds_(kinds),
        around_(around),
        loops_(is_loop()),
        x_(code_, uses(), written(), loops_,
           around.followed == nullptr ? host::homes.size() : host::homes_beside_slot) {
    if (loops_) code_.load(host::left, left_of_hart());
    head_ = code_.here();
  }

  [[nodiscard]] std::optional<block_code> make() {
    entries_.push_back({0, 0});
    for (slot_ = 0; slot_ < kinds_.size(); ++slot_) put(kinds_[slot_]);
    for (way_out const& one : ways_out_) put(one);
    if (code_.is_full()) return std::nullopt;
    return block_code{code_.here(), std::move(entries_)};
  }

 private:
  using reg = host_register;
  using width = assembler::width;
  static constexpr width w32 = assembler::w32;
  static constexpr width w64 = assembler::w64;

  static constexpr assembler::memory of_hart(std::size_t offset) noexcept {
    return {.base = host::hart, .distance = static_cast<std::int32_t>(offset)};
  }
  static std::uint64_t address_of(void const* of) noexcept {
    return reinterpret_cast<std::uintptr_t>(of);  // NOLINT
  }

  static bool is_load(operation op) noexcept {
    return (op >= operation::lb && op <= operation::lwu) || op == operation::flw || op == operation::fld;
  }
  static bool is_store(operation op) noexcept {
    return (op >= operation::sb && op <= operation::sd) || op == operation::fsw || op == operation::fsd;
  }
  static bool of_floats(operation op) noexcept {
    return op == operation::flw || op == operation::fld || op == operation::fsw || op == operation::fsd;
  }
  // How much a load or a store moves.
  static unsigned bytes_of(operation op) noexcept {
    switch (op) {
      case operation::lb:
      case operation::lbu:
      case operation::sb:
        return 1;
      case operation::lh:
      case operation::lhu:
      case operation::sh:
        return 2;
      case operation::lw:
      case operation::lwu:
      case operation::sw:
      case operation::flw:
      case operation::fsw:
        return 4;
      default:
        return 8;
    }
  }
  static condition condition_of(operation branch) noexcept {
    constexpr condition in_order[] = {condition::equal,    condition::not_equal, condition::less,
                                      condition::not_less, condition::below,     condition::not_below};
    return in_order[static_cast<unsigned>(branch) - static_cast<unsigned>(operation::beq)];
  }

  // Is it left to its handler?
  [[nodiscard]] bool is_foreign(operation op) const noexcept {
    return op == operation::fetch_line ? around_.followed == nullptr : needs_handler(op);
  }
  static bool needs_handler(operation op) noexcept {
    if (is_load(op) || is_store(op) || is_branch(op)) return false;
    if (op >= operation::addi && op <= operation::and_) return false;
    if (op >= operation::addiw && op <= operation::sraw) return false;
    if (op >= operation::mul && op <= operation::remuw) return false;
    switch (op) {
      case operation::lui:
      case operation::auipc:
      case operation::li:
      case operation::mv:
      case operation::jal:
      case operation::jalr:
      case operation::ret:
      case operation::jump_to:
      case operation::fence:
      case operation::enter_block:
        return false;
      default:
        return true;
    }
  }

  static constexpr assembler::memory left_of_hart() noexcept { return of_hart(offsetof(hart, left)); }

  enum class leaving : std::uint8_t {
    to_handler,  // the slot's own handler does it all
    to_target,   // a jump
    expired,     // the same, after it was counted and the time was over
    to_pc,       // an indirect jump to the address in `scratch`, not found in the table
    to_caches,   // they are told of the address in `scratch`, and the block goes on
  };
  struct way_out {
    leaving how;
    std::size_t slot;
    guest_registers::set changed;
    std::array<std::size_t, 2> jumps;  // that lead here
    std::size_t count;
    // For the caches:
    guest_registers::set loaded = 0;
    std::size_t back = 0;
    followed_lines::told* told = nullptr;
    bool fetches = false;  // the address is that of the slot
  };

  [[nodiscard]] inst const& at() const noexcept { return first_[slot_]; }

  [[nodiscard]] bool leads_to_begin(std::size_t slot) const noexcept {
    return first_[slot].target()->pc() == first_->pc();
  }
  [[nodiscard]] bool is_loop() const noexcept {
    bool found = false;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (is_foreign(kinds_[k])) return false;  // it would load and store them all
      if (is_branch(kinds_[k]) || kinds_[k] == operation::jump_to) found = found || leads_to_begin(k);
    }
    return found;
  }

  [[nodiscard]] guest_registers::counts uses() const noexcept {
    guest_registers::counts found{};
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (is_foreign(kinds_[k])) continue;
      for (unsigned const one : {reads_first(k), reads_second(k), writes(k)})
        if (one < found.size()) ++found[one];
    }
    return found;
  }
  [[nodiscard]] guest_registers::set written() const noexcept {
    guest_registers::set found = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (writes(k) < no_register) found |= guest_registers::set{1} << writes(k);
    return found;
  }
  // The registers that a slot names, or no_register.
  [[nodiscard]] unsigned reads_first(std::size_t k) const noexcept {
    switch (kinds_[k]) {
      case operation::lui:
      case operation::auipc:
      case operation::li:
      case operation::jal:
      case operation::jump_to:
      case operation::fence:
      case operation::enter_block:
      case operation::fetch_line:
        return no_register;
      default:
        return first_[k].rs1;
    }
  }
  [[nodiscard]] unsigned reads_second(std::size_t k) const noexcept {
    operation const op = kinds_[k];
    bool const reads = is_branch(op) || (op >= operation::add && op <= operation::and_) ||
                       (op >= operation::addw && op <= operation::sraw) ||
                       (op >= operation::mul && op <= operation::remuw) || (is_store(op) && !of_floats(op));
    return reads ? first_[k].rs2 : no_register;
  }
  [[nodiscard]] unsigned writes(std::size_t k) const noexcept {
    operation const op = kinds_[k];
    bool const none = is_branch(op) || is_store(op) || of_floats(op) || op == operation::fence ||
                      op == operation::enter_block || op == operation::fetch_line || op == operation::jump_to ||
                      op == operation::ret;
    return none ? no_register : first_[k].rd;
  }

  void put(operation op) {
    if (is_foreign(op)) return put_foreign(op);
    if (is_load(op)) return put_load(op);
    if (is_store(op)) return put_store(op);
    if (is_branch(op)) return put_branch(op);
    switch (op) {
      case operation::jal:
      case operation::jump_to:
        if (op == operation::jal) put_constant(at().next_pc());
        return put_jump();
      case operation::jalr:
      case operation::ret:
        return put_indirect_jump(op);
      case operation::fetch_line:
        return put_fetch();
      case operation::fence:
      case operation::enter_block:
        return;
      default:
        if (at().rd != no_register) put_integer(op);
    }
  }

  // Its handler does it; then the next slot's handler, which is this code again, is called by it.
  void put_foreign(operation op) {
    leave(x_.changed());
    code_.move(host::slot, address_of(&at()));
    code_.move(host::scratch, address_of(reinterpret_cast<void const*>(at().run)));  // NOLINT
    code_.jump_to(host::scratch);
    x_.forget();
    if (!ends_block(op)) entries_.push_back({slot_ + 1, code_.here()});
  }

  void put_constant(std::uint64_t value) {
    reg const to = x_.target(at().rd);
    code_.move(to, value);
    x_.write(at().rd, to);
  }

  // The address in `scratch`, if the access is aligned and allowed; as flat_memory does it.
  void put_address(unsigned bytes, access_right wanted) {
    auto const log2 = static_cast<std::uint8_t>(std::countr_zero(bytes));
    reg const from = x_.read(at().rs1, host::scratch);
    if (at().imm == 0)
      code_.move(host::scratch, from);
    else
      code_.address(host::scratch, {.base = from, .distance = static_cast<std::int32_t>(at().imm)});
    code_.move(host::second, host::scratch);
    if (log2 != 0) code_.move_bits(shift::rotate_right, host::second, log2);
    code_.move_bits(shift::right, host::second, static_cast<std::uint8_t>(flat_memory::page_shift - log2));
    code_.calculate(arithmetic::cmp, host::second, std::int32_t{flat_memory::pages_max});
    std::size_t const outside = code_.jump(condition::not_below);
    code_.test_byte({.base = host::memory, .distance = -std::int32_t{flat_memory::pages_max}, .index = host::second},
                    wanted);
    std::size_t const refused = code_.jump(condition::equal);
    ways_out_.push_back({leaving::to_handler, slot_, x_.changed(), {outside, refused}, 2});
  }
  // The caches are told of the address in `scratch` if the entry was another one.
  void put_other(followed_lines::table const& in) {
    std::size_t const other = code_.jump(condition::not_equal);
    if constexpr (host::calls_functions)
      ways_out_.push_back({leaving::to_caches, slot_, x_.changed(), {other}, 1, x_.loaded(), code_.here(), in.other});
    else
      ways_out_.push_back({leaving::to_handler, slot_, x_.changed(), {other}, 1});
  }
  // Is the entry of the address in `scratch` its line, or with `is_pair` twice the line and one?
  void put_followed(followed_lines::table const& in, bool is_pair) {
    code_.move(host::slot, host::scratch);
    code_.move_bits(shift::right, host::slot, static_cast<std::uint8_t>(in.line_bits));
    code_.move(host::second, host::slot);
    code_.calculate(arithmetic::and_, host::second, static_cast<std::int32_t>(in.mask), w32);
    if (is_pair) code_.address(host::slot, {.base = host::slot, .distance = 1, .index = host::slot});
    code_.move(host::kept, address_of(in.entries));
    code_.calculate(arithmetic::cmp, host::slot, {.base = host::kept, .index = host::second, .scale = 3});
    put_other(in);
  }
  // The same of a line that is known now.
  void put_fetch() {
    followed_lines::table const& in = around_.followed->fetches;
    std::uint64_t const line = static_cast<std::uint64_t>(at().imm) >> in.line_bits;
    code_.move(host::slot, address_of(&in.entries[line & in.mask]));
    if (line <= INT32_MAX) {
      code_.calculate(arithmetic::cmp, assembler::memory{.base = host::slot}, static_cast<std::int32_t>(line));
    } else {
      code_.move(host::second, line);
      code_.calculate(arithmetic::cmp, host::second, assembler::memory{.base = host::slot});
    }
    put_other(in);
    ways_out_.back().fetches = true;
  }
  void put_followed_store() {
    followed_lines const& in = *around_.followed;
    if (in.stored_beside == 0) return put_followed(in.stores, true);
    code_.calculate(arithmetic::cmp, host::scratch,
                    static_cast<std::int32_t>(std::min<std::uint64_t>(in.stored_beside, INT32_MAX)));
    std::size_t const beside = code_.jump(condition::below);
    put_followed(in.stores, true);
    code_.bind(beside);
  }
  static constexpr assembler::memory accessed{.base = host::memory, .index = host::scratch};

  void put_load(operation op) {
    unsigned const bytes = bytes_of(op);
    put_address(bytes, right_read);
    if (around_.followed != nullptr) put_followed(around_.followed->loads, false);
    if (of_floats(op)) {
      code_.load(host::scratch, accessed, bytes, false);
      if (bytes == 4) {
        code_.move(host::second, 0xffffffff00000000U);
        code_.calculate(arithmetic::or_, host::scratch, host::second);
      }
      return code_.store(of_hart(offsetof(hart, f) + sizeof(std::uint64_t) * at().rd), host::scratch);
    }
    if (at().rd == no_register) return;
    bool const with_sign = op >= operation::lb && op <= operation::ld;
    reg const to = x_.target(at().rd);
    code_.load(to, accessed, bytes, with_sign);
    x_.write(at().rd, to);
  }
  void put_store(operation op) {
    unsigned const bytes = bytes_of(op);
    put_address(bytes, right_write);
    if (around_.followed != nullptr) put_followed_store();
    reg value = host::second;
    if (of_floats(op))
      code_.load(value, of_hart(offsetof(hart, f) + sizeof(std::uint64_t) * at().rs2));
    else
      value = x_.read(at().rs2, value);
    code_.store(accessed, value, bytes);
  }

  void put_comparison(unsigned a, unsigned b) {
    reg const second = b == 0 ? reg{} : x_.read(b, host::second);
    reg const first = x_.read(a, host::scratch);
    if (b == 0)
      code_.test(first, first);
    else
      code_.calculate(arithmetic::cmp, first, second);
  }

  void put_branch(operation op) {
    put_comparison(at().rs1, at().rs2);
    if (!loops_ || !leads_to_begin(slot_)) {
      std::size_t const taken = code_.jump(condition_of(op));
      ways_out_.push_back({leaving::to_target, slot_, x_.changed(), {taken}, 1});
      return;
    }
    std::size_t const behind = code_.jump(opposite(condition_of(op)));
    put_again();
    code_.bind(behind);
  }
  void put_jump() {
    if (loops_ && leads_to_begin(slot_)) return put_again();
    put_way(leaving::to_target, slot_, x_.changed());
  }
  // To the begin of the block.
  void put_again() {
    code_.calculate(arithmetic::sub, host::left, std::int32_t{at().cycles});
    code_.bind(code_.jump(condition::greater), head_);
    std::size_t const over = code_.jump();
    ways_out_.push_back({leaving::expired, slot_, x_.changed(), {over}, 1});
  }

  void put_indirect_jump(operation op) {
    reg const from = x_.read(at().rs1, host::scratch);
    code_.address(host::scratch, {.base = from, .distance = static_cast<std::int32_t>(at().imm)});
    code_.calculate(arithmetic::and_, host::scratch, -2);
    if (op == operation::jalr) {
      code_.move(host::second, at().next_pc());
      x_.write(at().rd, host::second);
    }
    store_all(x_.changed());
    put_count(at().cycles);
    std::size_t const over = code_.jump(condition::not_greater);
    // jump_entry is 16 bytes, and a pc even: bits of it are the index already.
    static_assert(sizeof(jump_entry) == 16 && offsetof(jump_entry, pc) == 0 && offsetof(jump_entry, first) == 8);
    code_.move(host::second, host::scratch);
    code_.calculate(arithmetic::and_, host::second, static_cast<std::int32_t>(2 * (jump_entry::count - 1)), w32);
    code_.move(host::slot, address_of(around_.jumps));
    code_.calculate(arithmetic::cmp, host::scratch, {.base = host::slot, .index = host::second, .scale = 3});
    std::size_t const unknown = code_.jump(condition::not_equal);
    code_.load(host::slot, {.base = host::slot, .distance = 8, .index = host::second, .scale = 3});
    code_.jump_to(assembler::memory{.base = host::slot});
    ways_out_.push_back({leaving::to_pc, slot_, 0, {over, unknown}, 2});
  }

  void put(way_out const& one) {
    for (std::size_t k = 0; k < one.count; ++k) code_.bind(one.jumps[k]);
    if (one.how == leaving::to_caches) return put_telling(one);
    put_way(one.how, one.slot, one.changed);
  }
  void put_telling(way_out const& one) {
    x_.store(one.changed);
    if (one.fetches) code_.move(host::scratch, static_cast<std::uint64_t>(first_[one.slot].imm));
    code_.push(host::scratch);  // and the stack is aligned as a function wants it
    code_.move(reg::rsi, host::scratch);
    code_.move(reg::rdi, address_of(around_.followed->whom));
    code_.move(host::scratch, address_of(reinterpret_cast<void const*>(one.told)));  // NOLINT
    code_.call(host::scratch);
    code_.pop(host::scratch);
    x_.load(one.loaded);
    code_.bind(code_.jump(), one.back);
  }
  void put_way(leaving how, std::size_t slot, guest_registers::set changed) {
    inst const& from = first_[slot];
    switch (how) {
      case leaving::to_handler:
        leave(changed);
        code_.move(host::slot, address_of(&from));
        code_.move(host::scratch, address_of(reinterpret_cast<void const*>(from.run)));  // NOLINT
        return code_.jump_to(host::scratch);
      case leaving::to_target:
        store_all(changed);
        code_.move(host::slot, address_of(&from));
        code_.load(host::slot, {.base = host::slot, .distance = offsetof(inst, imm)});
        put_count(from.cycles);
        bind_outside(code_.jump(condition::not_greater), around_.expire);
        return code_.jump_to(assembler::memory{.base = host::slot, .distance = offsetof(inst, run)});
      case leaving::expired:
        leave(changed);
        code_.move(host::slot, address_of(&from));
        code_.load(host::slot, {.base = host::slot, .distance = offsetof(inst, imm)});
        return bind_outside(code_.jump(), around_.expire);
      case leaving::to_caches:
        return;
      case leaving::to_pc:
        code_.store(of_hart(offsetof(hart, pc)), host::scratch);
        return bind_outside(code_.jump(), around_.go_to_pc);
    }
  }
  void bind_outside(std::size_t jump, std::byte const* target) {
    code_.bind(jump, static_cast<std::size_t>(target - around_.begin));
  }

  void store_all(guest_registers::set changed) { x_.store(changed); }
  // The hart has all that it has without translation.
  void leave(guest_registers::set changed) {
    x_.store(changed);
    if (loops_) code_.store(left_of_hart(), host::left);
  }
  // The end of the block, or a jump out of it; the flags say what is left.
  void put_count(std::int32_t cycles) {
    if (!loops_) return code_.calculate(arithmetic::sub, left_of_hart(), cycles);
    code_.calculate(arithmetic::sub, host::left, cycles);
    code_.store(left_of_hart(), host::left);
  }

  void put_integer(operation op);
  void put_sum(width w);
  void put_binary(arithmetic what, width w);
  void put_immediate(arithmetic what);
  void put_set(condition c, bool with_immediate);
  void put_shift(shift how, width w, bool with_immediate);
  void put_product(operation op);
  void put_quotient(operation op);
  // A result of 32 bits is extended.
  void finish(reg at, width w);

  assembler code_;
  inst const* first_;
  std::span<operation const> kinds_;
  code_surroundings const& around_;
  bool loops_;
  guest_registers x_;
  std::size_t head_ = 0;
  std::size_t slot_ = 0;
  std::vector<way_out> ways_out_;
  std::vector<block_entry_point> entries_;
};

}  // namespace tess::machine
