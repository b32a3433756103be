// assembler: the few forms of x86-64 instructions that a translator of blocks needs, as bytes.
//
//   Every form has a REX prefix, needed or not, so that each register has its low byte. Jumps have 32-bit distances: a
//   jump forward is made first and bound to its target later.
//
// Units     bytes from the begin of the code.
// Errors    what does not fit into the buffer is dropped, and is_full() says so.
// Threads   none.
// Source    Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

namespace tess::machine {

enum class host_register : std::uint8_t {
  rax,
  rcx,
  rdx,
  rbx,
  rsp,
  rbp,
  rsi,
  rdi,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15
};

enum class condition : std::uint8_t {
  below = 2,
  not_below = 3,
  equal = 4,
  not_equal = 5,
  less = 12,
  not_less = 13,
  not_greater = 14,
  greater = 15,
};
[[nodiscard]] constexpr condition opposite(condition c) noexcept {
  return static_cast<condition>(static_cast<unsigned>(c) ^ 1U);
}

// By the number of each in its opcode.
enum class arithmetic : std::uint8_t { add = 0, or_ = 1, and_ = 4, sub = 5, xor_ = 6, cmp = 7 };
enum class shift : std::uint8_t { rotate_right = 1, left = 4, right = 5, right_signed = 7 };
enum class one_operand : std::uint8_t { negate = 3, multiply = 4, multiply_signed = 5, divide = 6, divide_signed = 7 };

class assembler {
 public:
  using reg = host_register;
  enum class width : std::uint8_t { w32, w64 };
  static constexpr width w32 = width::w32;
  static constexpr width w64 = width::w64;
  // [base + index * 2^scale + distance]; rsp as index is none.
  struct memory {
    reg base;
    std::int32_t distance = 0;
    reg index = reg::rsp;
    std::uint8_t scale = 0;
  };

  explicit assembler(std::span<std::byte> buffer) : buffer_(buffer) {}

  [[nodiscard]] std::size_t here() const noexcept { return used_; }
  [[nodiscard]] bool is_full() const noexcept { return full_; }

  void move(reg to, reg from) {
    if (to != from) form(w64, {0x8b}, to, from);
  }
  void move(reg to, std::uint64_t value) {
    auto const narrow = static_cast<std::int32_t>(value);
    if (value == 0) {
      form(w32, {0x31}, to, to);
    } else if (value == static_cast<std::uint64_t>(std::int64_t{narrow})) {
      form(w64, {0xc7}, 0, to);
      put(narrow);
    } else {
      put(static_cast<std::uint8_t>(0x48U | high(to)));
      put(static_cast<std::uint8_t>(0xb8U | low(to)));
      put(value);
    }
  }
  void sign_extend(reg to, reg from) { form(w64, {0x63}, to, from); }        // of 32 bits
  void zero_extend(reg to, reg from) { form(w32, {0x0f, 0xb6}, to, from); }  // of 8
  void address(reg to, memory from, width w = w64) { form(w, {0x8d}, to, from); }

  void load(reg to, memory from) { form(w64, {0x8b}, to, from); }
  void load(reg to, memory from, unsigned bytes, bool with_sign) {
    if (bytes == 8) return form(w64, {0x8b}, to, from);
    if (bytes == 4) return with_sign ? form(w64, {0x63}, to, from) : form(w32, {0x8b}, to, from);
    auto const opcode = static_cast<std::uint8_t>((with_sign ? 0xbeU : 0xb6U) | (bytes == 2 ? 1U : 0U));
    form(w64, {0x0f, opcode}, to, from);
  }
  void store(memory to, reg from, unsigned bytes = 8) {
    if (bytes == 2) put(std::uint8_t{0x66});
    form(bytes == 8 ? w64 : w32, {static_cast<std::uint8_t>(bytes == 1 ? 0x88 : 0x89)}, from, to);
  }

  void calculate(arithmetic what, reg to, reg from, width w = w64) {
    form(w, {static_cast<std::uint8_t>(static_cast<unsigned>(what) << 3U | 3U)}, to, from);
  }
  void calculate(arithmetic what, reg to, memory from) {
    form(w64, {static_cast<std::uint8_t>(static_cast<unsigned>(what) << 3U | 3U)}, to, from);
  }
  void calculate(arithmetic what, reg to, std::int32_t value, width w = w64) {
    form(w, {0x81}, static_cast<std::uint8_t>(what), to);
    put(value);
  }
  void calculate(arithmetic what, memory to, std::int32_t value) {
    form(w64, {0x81}, static_cast<reg>(what), to);
    put(value);
  }
  void test(reg a, reg b) { form(w64, {0x85}, a, b); }
  void test_byte(memory at, std::uint8_t bits) {
    form(w32, {0xf6}, reg{}, at);
    put(bits);
  }
  // By a number of bits, or by that in rcx.
  void move_bits(shift how, reg to, std::uint8_t bits, width w = w64) {
    form(w, {0xc1}, static_cast<std::uint8_t>(how), to);
    put(bits);
  }
  void move_bits(shift how, reg to, width w = w64) { form(w, {0xd3}, static_cast<std::uint8_t>(how), to); }
  void multiply(reg to, reg from, width w = w64) { form(w, {0x0f, 0xaf}, to, from); }
  // rdx:rax by a register, or a register itself.
  void calculate(one_operand what, reg with, width w = w64) { form(w, {0xf7}, static_cast<std::uint8_t>(what), with); }
  void sign_into_rdx(width w) {
    put(static_cast<std::uint8_t>(w == w64 ? 0x48 : 0x40));
    put(std::uint8_t{0x99});
  }
  void set(condition c, reg to) {
    form(w32, {0x0f, static_cast<std::uint8_t>(0x90U | static_cast<unsigned>(c))}, 0, to);
  }

  // Jumps; what they return is to be bound.
  [[nodiscard]] std::size_t jump(condition c) {
    put(std::uint8_t{0x0f});
    put(static_cast<std::uint8_t>(0x80U | static_cast<unsigned>(c)));
    return distance();
  }
  [[nodiscard]] std::size_t jump() {
    put(std::uint8_t{0xe9});
    return distance();
  }
  void call(reg target) { form(w32, {0xff}, 2, target); }
  void push(reg from) { form(w32, {0xff}, 6, from); }
  void pop(reg to) { form(w32, {0x8f}, 0, to); }
  void jump_to(reg target) { form(w32, {0xff}, 4, target); }
  void jump_to(memory target) { form(w32, {0xff}, reg{4}, target); }
  void bind(std::size_t jump) { bind(jump, used_); }
  // The target may be before the buffer.
  void bind(std::size_t jump, std::size_t target) {
    if (full_) return;
    auto const distance = static_cast<std::int32_t>(target - jump - 4);
    std::memcpy(&buffer_[jump], &distance, sizeof distance);
  }

 private:
  static unsigned low(reg r) noexcept { return static_cast<unsigned>(r) & 7U; }
  static unsigned high(reg r) noexcept { return static_cast<unsigned>(r) >> 3U; }

  template <class T>
  void put(T value) {
    if (buffer_.size() - used_ < sizeof value) {
      full_ = true;
      return;
    }
    std::memcpy(&buffer_[used_], &value, sizeof value);
    used_ += sizeof value;
  }
  void begin(width w, std::initializer_list<std::uint8_t> opcode, unsigned field, reg index, reg base) {
    put(static_cast<std::uint8_t>(0x40U | (w == w64 ? 8U : 0U) | field >> 3U << 2U | high(index) << 1U | high(base)));
    for (std::uint8_t const one : opcode) put(one);
  }
  void form(width w, std::initializer_list<std::uint8_t> opcode, std::uint8_t field, reg r) {
    begin(w, opcode, field, reg{}, r);
    put(static_cast<std::uint8_t>(0xc0U | (field & 7U) << 3U | low(r)));
  }
  void form(width w, std::initializer_list<std::uint8_t> opcode, reg field, reg r) {
    form(w, opcode, static_cast<std::uint8_t>(field), r);
  }
  void form(width w, std::initializer_list<std::uint8_t> opcode, reg field, memory m) {
    begin(w, opcode, static_cast<unsigned>(field), m.index, m.base);
    bool const narrow = m.distance == static_cast<std::int8_t>(m.distance);
    // With a third byte always: every base can be there.
    put(static_cast<std::uint8_t>((narrow ? 0x44U : 0x84U) | low(field) << 3U));
    put(static_cast<std::uint8_t>(unsigned{m.scale} << 6U | low(m.index) << 3U | low(m.base)));
    if (narrow) return put(static_cast<std::int8_t>(m.distance));
    put(m.distance);
  }
  std::size_t distance() {
    put(std::int32_t{0});
    return used_ - sizeof(std::int32_t);
  }

  std::span<std::byte> buffer_;
  std::size_t used_ = 0;
  bool full_ = false;
};

}  // namespace tess::machine
