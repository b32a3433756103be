// strided: checks shapes and lists once, then transfers blocks, adjacent ones together.
#include "tess/strided.hpp"

#include "tess/word.hpp"

namespace tess::detail {

namespace {

std::uint64_t offset_by(std::uint64_t address, std::size_t bytes) noexcept {
  return (global_ptr<std::byte>::from_bits(address) + static_cast<std::ptrdiff_t>(bytes)).bits();
}

/// A shape in bytes.
struct byte_shape {
  std::size_t count, length, local_stride, remote_stride;
  std::size_t local_extent, remote_extent;
};

[[noreturn]] void throw_too_large(std::source_location at, char const* what) {
  throw error(to_text(at), std::string(what) + " overflows", "less than 2^48 bytes");
}

/// Bytes from the first to behind the last row.
std::size_t extent(std::size_t count, std::size_t length, std::size_t stride, std::source_location at) {
  std::size_t bytes;
  if (count == 0 || length == 0) return 0;
  if (__builtin_mul_overflow(count - 1, stride, &bytes) || __builtin_add_overflow(bytes, length, &bytes) ||
      bytes > detail::offset_mask)
    throw_too_large(at, "the shape of a strided transfer");
  return bytes;
}

byte_shape in_bytes(strided_shape const& s, std::size_t element, std::size_t local_bytes, std::uint64_t remote,
                    std::source_location at) {
  byte_shape b{s.count, 0, 0, 0, 0, 0};
  if (__builtin_mul_overflow(s.length, element, &b.length) ||
      __builtin_mul_overflow(s.local_stride, element, &b.local_stride) ||
      __builtin_mul_overflow(s.remote_stride, element, &b.remote_stride))
    throw_too_large(at, "the length or a stride of a strided transfer");
  b.local_extent = extent(b.count, b.length, b.local_stride, at);
  b.remote_extent = extent(b.count, b.length, b.remote_stride, at);
  if (b.local_extent > local_bytes)
    throw error(to_text(at), "rows reach " + std::to_string(b.local_extent / element) + " elements far",
                "at most the span's " + std::to_string(local_bytes / element));
  if (b.remote_extent != 0) check_access(remote, b.remote_extent, 1, at);
  // Without gaps on both sides it is one row.
  if (b.count > 1 && b.local_stride == b.length && b.remote_stride == b.length) {
    b.length *= b.count;
    b.count = 1;
  }
  return b;
}

/// Calls block(first byte, bytes, address) for each run of pieces that are adjacent on both sides.
template <class Block>
void by_runs(std::span<std::uint64_t const> addresses, std::size_t piece, Block block) {
  for (std::size_t k = 0; k < addresses.size();) {
    std::size_t const first = k++;
    while (k < addresses.size() && addresses[k] == offset_by(addresses[first], (k - first) * piece)) ++k;
    block(first * piece, (k - first) * piece, addresses[first]);
  }
}

void check_list(std::span<std::uint64_t const> addresses, std::size_t piece, std::size_t local_bytes,
                std::source_location at) {
  if (addresses.size() != (piece == 0 ? 0 : local_bytes / piece) || addresses.size() * piece != local_bytes)
    throw error(to_text(at),
                std::to_string(addresses.size()) + " pointers for " + std::to_string(local_bytes) + " bytes",
                "one for each piece of " + std::to_string(piece) + " bytes");
  for (std::uint64_t const a : addresses) check_access(a, piece, 1, at);
}

}  // namespace

void strided_put(std::span<std::byte const> source, std::uint64_t target, strided_shape const& shape,
                 std::size_t element_bytes, completion& done, std::source_location at) {
  byte_shape const b = in_bytes(shape, element_bytes, source.size(), target, at);
  if (b.length == 0) return;
  for (std::size_t i = 0; i < b.count; ++i)
    block_put(source.subspan(i * b.local_stride, b.length), offset_by(target, i * b.remote_stride), &done, 0, at);
}

void strided_get(std::uint64_t source, std::span<std::byte> target, strided_shape const& shape,
                 std::size_t element_bytes, completion& done, std::source_location at) {
  byte_shape const b = in_bytes(shape, element_bytes, target.size(), source, at);
  if (b.length == 0) return;
  for (std::size_t i = 0; i < b.count; ++i)
    block_get(offset_by(source, i * b.remote_stride), target.subspan(i * b.local_stride, b.length), &done, at);
}

std::size_t piece_size(std::size_t length, std::size_t element_bytes, std::source_location at) {
  std::size_t bytes;
  if (__builtin_mul_overflow(length, element_bytes, &bytes)) throw_too_large(at, "the length of an indexed transfer");
  return bytes;
}

void indexed_put(std::span<std::byte const> source, std::span<std::uint64_t const> targets, std::size_t piece_bytes,
                 completion& done, std::source_location at) {
  check_list(targets, piece_bytes, source.size(), at);
  by_runs(targets, piece_bytes, [&](std::size_t first, std::size_t bytes, std::uint64_t target) {
    block_put(source.subspan(first, bytes), target, &done, 0, at);
  });
}

void indexed_get(std::span<std::uint64_t const> sources, std::span<std::byte> target, std::size_t piece_bytes,
                 completion& done, std::source_location at) {
  check_list(sources, piece_bytes, target.size(), at);
  by_runs(sources, piece_bytes, [&](std::size_t first, std::size_t bytes, std::uint64_t source) {
    block_get(source, target.subspan(first, bytes), &done, at);
  });
}

}  // namespace tess::detail
