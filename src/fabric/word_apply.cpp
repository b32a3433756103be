// word_apply: a word request without its types, performed by the processor's own atomics.
#include "tess/detail/words/word_apply.hpp"

#include "tess/assert.hpp"

namespace tess::detail {

namespace {

template <class T>
std::uint64_t apply_typed(std::byte* address, word_op op, T a, T b) noexcept {
  auto const widen = [](T v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    return bits;
  };
  switch (op) {
    case word_op::fetch_add:
      return widen(apply_integer<word_op::fetch_add, T>(address, a, b));
    case word_op::fetch_and:
      return widen(apply_integer<word_op::fetch_and, T>(address, a, b));
    case word_op::fetch_or:
      return widen(apply_integer<word_op::fetch_or, T>(address, a, b));
    case word_op::fetch_xor:
      return widen(apply_integer<word_op::fetch_xor, T>(address, a, b));
    case word_op::fetch_min:
      return widen(apply_integer<word_op::fetch_min, T>(address, a, b));
    case word_op::fetch_max:
      return widen(apply_integer<word_op::fetch_max, T>(address, a, b));
    case word_op::exchange:
      return widen(apply_integer<word_op::exchange, T>(address, a, b));
    case word_op::compare_swap:
      return widen(apply_integer<word_op::compare_swap, T>(address, a, b));
    case word_op::get:
      return widen(load_word<T>(address));
    case word_op::put:
      store_word<T>(address, a);
      return 0;
  }
  __builtin_unreachable();
}

template <class T>
std::uint64_t apply_floating(std::byte* address, word_op op, std::uint64_t operand) noexcept {
  using bits = word_of<sizeof(T)>;
  T const a = std::bit_cast<T>(static_cast<bits>(operand));
  switch (op) {
    case word_op::fetch_add:
      return std::bit_cast<bits>(apply_float<word_op::fetch_add, T>(address, a));
    case word_op::fetch_min:
      return std::bit_cast<bits>(apply_float<word_op::fetch_min, T>(address, a));
    case word_op::fetch_max:
      return std::bit_cast<bits>(apply_float<word_op::fetch_max, T>(address, a));
    case word_op::exchange:
    case word_op::get:
    case word_op::put:
      return apply_typed<bits>(address, op, static_cast<bits>(operand), 0);
    default:
      // Floating point has no other operations.
      TESS_ASSERT(op == word_op::fetch_add);
      return 0;
  }
}

template <class Piece>
void move_pieces(std::byte* address, word_request const& r, std::uint64_t (&result)[2]) noexcept {
  auto* const out = reinterpret_cast<std::byte*>(result);
  auto const* const in = reinterpret_cast<std::byte const*>(r.operands);
  for (std::size_t i = 0; i < r.bytes; i += sizeof(Piece)) {
    Piece value;
    if (r.op == word_op::get) {
      value = load_piece<Piece>(address + i);
      std::memcpy(out + i, &value, sizeof value);
    } else {
      std::memcpy(&value, in + i, sizeof value);
      store_piece<Piece>(address + i, value);
    }
  }
}

}  // namespace

void apply_request(std::byte* address, word_request const& r, std::uint64_t (&result)[2]) noexcept {
  std::uint64_t const a = r.operands[0];
  std::uint64_t const b = r.operands[1];
  result[0] = result[1] = 0;
  switch (r.type) {
    case word_type::i32:
      result[0] = apply_typed(address, r.op, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
      return;
    case word_type::u32:
      result[0] = apply_typed(address, r.op, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
      return;
    case word_type::i64:
      result[0] = apply_typed(address, r.op, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
      return;
    case word_type::u64:
      result[0] = apply_typed(address, r.op, a, b);
      return;
    case word_type::f32:
      result[0] = apply_floating<float>(address, r.op, a);
      return;
    case word_type::f64:
      result[0] = apply_floating<double>(address, r.op, a);
      return;
    case word_type::raw:
      TESS_ASSERT(r.op == word_op::get || r.op == word_op::put);
      switch (r.alignment) {
        case 8:
          move_pieces<std::uint64_t>(address, r, result);
          return;
        case 4:
          move_pieces<std::uint32_t>(address, r, result);
          return;
        case 2:
          move_pieces<std::uint16_t>(address, r, result);
          return;
        default:
          move_pieces<std::uint8_t>(address, r, result);
          return;
      }
  }
}

}  // namespace tess::detail
