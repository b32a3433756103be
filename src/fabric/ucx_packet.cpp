// ucx_packet: reading what came as a header.
#include "fabric/ucx_packet.hpp"

#include <algorithm>
#include <cstring>

#include "tess/detail/word_apply.hpp"

namespace tess::detail {

namespace {

/// A word operation that exists, on an address that it can have.
bool is_word(packet const& p) noexcept {
  auto const op = static_cast<word_op>(p.word_op);
  if (op > word_op::compare_swap || p.word_alignment == 0 || (p.word_alignment & (p.word_alignment - 1)) != 0 ||
      p.word_alignment > 8 || p.address % p.word_alignment != 0)
    return false;
  bool const moves = op == word_op::get || op == word_op::put;
  switch (static_cast<word_type>(p.word_type)) {
    case word_type::raw:
      return moves && p.word_bytes >= 1 && p.word_bytes <= 16 && p.word_bytes % p.word_alignment == 0;
    case word_type::i32:
    case word_type::u32:
      return p.word_bytes == 4 && p.word_alignment >= 4;
    case word_type::i64:
    case word_type::u64:
      return p.word_bytes == 8 && p.word_alignment == 8;
    case word_type::f32:
    case word_type::f64: {
      bool const known = moves || op == word_op::exchange || op == word_op::fetch_add || op == word_op::fetch_min ||
                         op == word_op::fetch_max;
      bool const single = static_cast<word_type>(p.word_type) == word_type::f32;
      return known && p.word_bytes == (single ? 4 : 8) && p.word_alignment >= p.word_bytes;
    }
  }
  return false;
}

}  // namespace

char const* read_packet(std::span<std::byte const> header, place_id places, packet& p) noexcept {
  std::memset(&p, 0, sizeof p);
  if (header.empty()) return "no header";
  std::memcpy(&p, header.data(), std::min(header.size(), sizeof p));
  if (static_cast<std::uint8_t>(p.kind) >= packet_kinds) return "no packet of this program";
  if (header.size() != packet_bytes(p.kind)) return "a header of the wrong size";
  if (p.source >= places) return "from no place of the job";
  if (p.kind == packet_kind::word && !is_word(p)) return "a word operation of an unknown sort";
  return nullptr;
}

}  // namespace tess::detail
