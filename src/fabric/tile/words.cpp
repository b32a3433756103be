// words: the three ways to perform an operation.
#include "fabric/tile/words.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/pieces.hpp"
#include "fabric/tile/registers.hpp"
#include "tess/assert.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/machine/xbgas.hpp"

namespace tess::detail {

namespace hw = tile_registers;

namespace {

/// The first word of a request, beside the packet's kind, by bits: 0-3 operation, 4-6 type, 7-11 bytes, 12-13 log2 of
/// the alignment, 14-55 offset.
constexpr unsigned type_bit = 4, bytes_bit = 7, alignment_bit = 12, offset_bit = 14;
constexpr std::uint64_t field(std::uint64_t packed, unsigned from, unsigned to) noexcept {
  return packed >> from & ((std::uint64_t{1} << (to - from)) - 1);
}
std::uint64_t packed(word_request const& r) noexcept {
  return static_cast<std::uint64_t>(r.op) | static_cast<std::uint64_t>(r.type) << type_bit |
         std::uint64_t{r.bytes} << bytes_bit |
         static_cast<std::uint64_t>(std::countr_zero(r.alignment)) << alignment_bit |
         offset_of(r.address) << offset_bit;
}
word_request unpacked(std::uint64_t from, std::uint64_t a, std::uint64_t b) noexcept {
  return {static_cast<word_op>(field(from, 0, type_bit)),
          static_cast<word_type>(field(from, type_bit, bytes_bit)),
          static_cast<std::uint8_t>(field(from, bytes_bit, alignment_bit)),
          static_cast<std::uint8_t>(1U << field(from, alignment_bit, offset_bit)),
          from >> offset_bit,
          {a, b}};
}

bool has_instructions() noexcept {
  return hw::has_unit(machine::registers::unit::extended);
}

}  // namespace

tile_words::tile_words(tile_places const& places, tile_post& post, word_path wanted)
    : places_(places), post_(post), path_(wanted) {
  if (path_ == word_path::automatic) path_ = has_instructions() ? word_path::instructions : word_path::addresses;
  if (path_ == word_path::instructions && !has_instructions())
    throw error("TESS_WORDS", "`instructions`, but the machine has no xBGAS", "addresses or messages");
  if (path_ == word_path::messages) return;
  bool high = places_.places() >= extended_address::flat;
  for (place_id p = 0; p < places_.places(); ++p)
    high |= places_.of(p).uncached + places_.segment_bytes() > extended_address::address_mask;
  if (high)
    throw error("TESS_WORDS", "the machine has partitions above 2^47, or more than 8190 tiles",
                "a machine with lower addresses, or messages");
  if (path_ == word_path::addresses) return;
  for (place_id p = 0; p < places_.places(); ++p) machine::xbgas::fill(p + 1U, places_.of(p).tile);
}

std::byte* tile_words::window(place_id of) const noexcept {
  if (of == places_.own()) return object_at<std::byte>(places_.of(of).partition);
  if (by_messages()) return nullptr;
  std::uint64_t const object = path_ == word_path::instructions ? of + 1U : extended_address::flat;
  return object_at<std::byte>(places_.of(of).uncached | object << extended_address::address_bits);
}

void tile_words::begin(word_request const& request, std::uint64_t (&result)[2], completion& done) const {
  place_id const owner = place_of(request.address);
  std::uint64_t const offset = offset_of(request.address);
  if (std::byte* const direct = window(owner); direct != nullptr) {
    apply_request(direct + offset, request, result);
    done.acknowledge(1);
    return;
  }
  if (offset + request.bytes > places_.segment_bytes() || offset % request.alignment != 0)
    throw error("a word operation",
                std::to_string(request.bytes) + " bytes at place " + std::to_string(owner) + " offset " +
                    std::to_string(offset),
                "a multiple of " + std::to_string(request.alignment) + " inside its segment of " +
                    std::to_string(places_.segment_bytes()) + " bytes");
  post_.send(owner, tile_packet(tile_packet_kind::word, packed(request), request.operands[0], request.operands[1],
                                address_of(result), address_of(&done)));
}

void tile_words::take(tile_post::received const& r) const {
  auto const& [kind_and_what, a, b, to, done] = r.packet.words;
  if (r.packet.kind() == tile_packet_kind::word_done) {
    object_at<std::uint64_t>(to)[0] = a;
    object_at<std::uint64_t>(to)[1] = b;
    object_at<completion>(done)->acknowledge(1);
    return;
  }
  word_request const request = unpacked(r.packet.bytes(), a, b);
  std::uint64_t result[2];
  apply_request(window(places_.own()) + request.address, request, result);
  post_.send(r.source, tile_packet(tile_packet_kind::word_done, 0, result[0], result[1], to, done));
}

void store_words(std::byte* remote_target, std::byte const* source, std::size_t bytes) noexcept {
  each_word(reinterpret_cast<std::uint64_t>(remote_target), bytes, [&]<class T>(std::size_t at) {
    T value;
    std::memcpy(&value, source + at, sizeof value);
    *reinterpret_cast<T volatile*>(remote_target + at) = value;
    return sizeof value;
  });
}

void load_words(std::byte* target, std::byte const* remote_source, std::size_t bytes) noexcept {
  each_word(reinterpret_cast<std::uint64_t>(remote_source), bytes, [&]<class T>(std::size_t at) {
    T const value = *reinterpret_cast<T const volatile*>(remote_source + at);
    std::memcpy(target + at, &value, sizeof value);
    return sizeof value;
  });
}

}  // namespace tess::detail
