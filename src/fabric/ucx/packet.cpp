// packet: checks of headers and word operations that arrive.
#include "fabric/ucx/packet.hpp"

#include <algorithm>
#include <cstring>

#include "tess/detail/words/word_apply.hpp"

namespace tess::detail {

bool is_word(word_entry const& p) noexcept {
  auto const op = static_cast<word_op>(p.op);
  if (op > word_op::compare_swap || p.alignment == 0 || (p.alignment & (p.alignment - 1)) != 0 || p.alignment > 8 ||
      p.address % p.alignment != 0)
    return false;
  bool const moves = op == word_op::get || op == word_op::put;
  switch (static_cast<word_type>(p.type)) {
    case word_type::raw:
      return moves && p.bytes >= 1 && p.bytes <= 16 && p.bytes % p.alignment == 0;
    case word_type::i32:
    case word_type::u32:
      return p.bytes == 4 && p.alignment >= 4;
    case word_type::i64:
    case word_type::u64:
      return p.bytes == 8 && p.alignment == 8;
    case word_type::f32:
    case word_type::f64: {
      bool const known = moves || op == word_op::exchange || op == word_op::fetch_add || op == word_op::fetch_min ||
                         op == word_op::fetch_max;
      bool const single = static_cast<word_type>(p.type) == word_type::f32;
      return known && p.bytes == (single ? 4 : 8) && p.alignment >= p.bytes;
    }
  }
  return false;
}

char const* read_packet(std::span<std::byte const> header, place_id places, packet& p) noexcept {
  std::memset(&p, 0, sizeof p);
  if (header.empty()) return "no header";
  std::memcpy(&p, header.data(), std::min(header.size(), sizeof p));
  if (static_cast<std::uint8_t>(p.kind) >= packet_kinds) return "no packet of this program";
  if (header.size() != packet_bytes(p.kind)) return "a header of the wrong size";
  if (p.source >= places) return "from no place of the job";
  return nullptr;
}

}  // namespace tess::detail
