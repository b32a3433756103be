// tile_words: edges by halves of words, and the adapter's command.
#include "fabric/tile_words.hpp"

#include <cstdint>
#include <cstring>

#include "fabric/tile_registers.hpp"
#include "tess/assert.hpp"
#include "tess/detail/word_apply.hpp"

namespace tess::detail {

namespace hw = tile_registers;

std::uint64_t compare_swap_far(std::byte* address, std::size_t bytes, std::uint64_t expected,
                               std::uint64_t desired) noexcept {
  namespace adapter = machine::registers::adapter;
  std::uint64_t const window = hw::own_window(machine::registers::unit::adapter);
  hw::store(window + adapter::operation, adapter::compare_swap);
  hw::store(window + adapter::address, reinterpret_cast<std::uint64_t>(address));
  hw::store(window + adapter::bytes, bytes);
  hw::store(window + adapter::operand, desired);
  hw::store(window + adapter::expected, expected);
  hw::store(window + adapter::counter, 0);
  hw::ring(window);
  // A round trip, as that of an AMO, for which the hart would wait by itself.
  while (hw::is_busy(window)) {
  }
  TESS_ASSERT(hw::load(window + adapter::doorbell) ==
              static_cast<std::uint64_t>(machine::registers::command_status::idle));
  std::uint64_t const before = hw::load(window + adapter::result);
  return bytes == 8 ? before : before & 0xffff'ffffU;
}

namespace {

/// Calls move<T>() for one word after the other, the largest that the far address and what is left allow.
template <class Move>
void each_word(std::uint64_t far, std::size_t bytes, Move move) noexcept {
  for (std::size_t done = 0; done < bytes;) {
    std::uint64_t const at = far + done;
    std::size_t const left = bytes - done;
    if (at % 8 == 0 && left >= 8)
      done += move.template operator()<std::uint64_t>(done);
    else if (at % 4 == 0 && left >= 4)
      done += move.template operator()<std::uint32_t>(done);
    else if (at % 2 == 0 && left >= 2)
      done += move.template operator()<std::uint16_t>(done);
    else
      done += move.template operator()<std::uint8_t>(done);
  }
}

}  // namespace

void store_words(std::byte* far_target, std::byte const* source, std::size_t bytes) noexcept {
  each_word(reinterpret_cast<std::uint64_t>(far_target), bytes, [&]<class T>(std::size_t at) {
    T value;
    std::memcpy(&value, source + at, sizeof value);
    *reinterpret_cast<T volatile*>(far_target + at) = value;
    return sizeof value;
  });
}

void load_words(std::byte* target, std::byte const* far_source, std::size_t bytes) noexcept {
  each_word(reinterpret_cast<std::uint64_t>(far_source), bytes, [&]<class T>(std::size_t at) {
    T const value = *reinterpret_cast<T const volatile*>(far_source + at);
    std::memcpy(target + at, &value, sizeof value);
    return sizeof value;
  });
}

}  // namespace tess::detail
