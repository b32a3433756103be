// pieces: cuts a block of another tile into aligned words, as instructions on its memory want them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::detail {

/// Calls move<T>(bytes done so far) for each word, the largest that the address and the remaining bytes allow.
template <class Move>
void each_word(std::uint64_t address, std::size_t bytes, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    std::uint64_t const at = address + done;
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

}  // namespace tess::detail
