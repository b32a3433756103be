// object_types: reads records and masks from the tile's memory.
#include "machine/unit/object_types.hpp"

#include <cstring>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t word_mask = 0xffff'ffff;

}  // namespace

std::optional<std::uint64_t> object_types::word(std::uint64_t address) const {
  auto const name = local_.global(address);
  tile::place const where = name ? tile_.place_of(*name) : tile::place::nowhere;
  if (address % word_bytes != 0 || (where != tile::place::tlm && where != tile::place::l2)) return std::nullopt;
  std::uint64_t value = 0;
  tile_.catch_up();
  std::memcpy(&value, tile_.peek(*name), sizeof value);
  return value;
}

task<> object_types::pass(std::uint64_t bytes) {
  co_await kernel_.until(access(bytes));
}

task<std::optional<object_type>> object_types::read(std::uint32_t index) {
  co_await pass(read_bytes);
  if (index >= count_) co_return std::nullopt;
  std::uint64_t const record = address_ + index * registers::objects::record_bytes;
  auto const size = word(record + registers::objects::record_size);
  auto const kind = word(record + registers::objects::record_kind);
  auto const mask = word(record + registers::objects::record_mask);
  if (!size || !kind || !mask) co_return std::nullopt;
  object_type const type{.bytes = *size & word_mask,
                         .kind = static_cast<registers::objects::kind_code>(*kind & 0xff),
                         .alignment = *kind >> 8U & 0xff,
                         .mask = *mask};
  bool const sound = type.kind <= registers::objects::pointer_array && (type.alignment == 8 || type.alignment == 16) &&
                     (type.is_array() || type.bytes % word_bytes == 0);
  co_return sound ? std::optional(type) : std::nullopt;
}

task<std::optional<std::uint64_t>> object_types::mask_word(object_type const& type, std::uint64_t number) {
  std::uint64_t const address = type.mask + number * word_bytes;
  co_await pass(word_bytes);
  co_return word(address);
}

}  // namespace tess::machine
