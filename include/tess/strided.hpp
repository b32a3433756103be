// strided: blocks in pieces: rows and columns of a matrix, and lists of scattered elements, to and from other places.
//
//   Adjacent pieces travel together, so a shape without gaps costs one transfer. Otherwise every piece is a transfer
//   of its own: for elements of one word each, overlap() over word operations, or messages, are faster. The pieces of
//   one call are unordered: where pieces of a target overlap, any of the values written may remain.
//
// Shapes   local memory [count][local_stride], of which the first `length` elements of each row are used; remote
//          memory [count][remote_stride], likewise. Indexed: element k of the local memory, or row k of `length`.
// Units    elements of T, strides too.
// Errors   in every build, once per call and before any data moves: tess::error if rows exceed the span or the
//          segment, if their size overflows, or if the numbers of rows and pointers differ.
// Cost     one block operation for each piece that is not adjacent to the next one.
// Source   strided and irregular puts and gets of UPC++ (specification, "Non-contiguous one-sided communication").
#pragma once

#include "tess/block.hpp"
#include "tess/detail/access.hpp"

namespace tess {

/// Which elements of local and remote memory correspond: element (i, j) of [count][length] lies at
/// i * stride + j in both.
struct strided_shape {
  std::size_t count;
  std::size_t length;
  std::size_t local_stride;
  std::size_t remote_stride;
};

namespace detail {
void strided_put(std::span<std::byte const> source, std::uint64_t target, strided_shape const& shape,
                 std::size_t element_bytes, completion& done, std::source_location at);
void strided_get(std::uint64_t source, std::span<std::byte> target, strided_shape const& shape,
                 std::size_t element_bytes, completion& done, std::source_location at);

/// Piece k, of `piece_bytes`, goes to address k of the list: the bits of global_ptrs, read during the call.
void indexed_put(std::span<std::byte const> source, std::span<std::uint64_t const> targets, std::size_t piece_bytes,
                 completion& done, std::source_location at);
void indexed_get(std::span<std::uint64_t const> sources, std::span<std::byte> target, std::size_t piece_bytes,
                 completion& done, std::source_location at);
[[nodiscard]] std::size_t piece_size(std::size_t length, std::size_t element_bytes, std::source_location at);

/// Converts global_ptrs to their bits.
template <class P>
concept pointer_list =
    std::ranges::contiguous_range<P> && std::ranges::sized_range<P> && is_word_pointer<std::ranges::range_value_t<P>>;
template <class P>
using pointee = std::remove_const_t<typename std::ranges::range_value_t<P>::element_type>;
template <class P>
std::span<std::uint64_t const> bits_of(P& pointers) {
  return {reinterpret_cast<std::uint64_t const*>(std::ranges::data(pointers)), std::ranges::size(pointers)};
}
}  // namespace detail

/// Writes the elements of `source` that `shape` selects to `target`.
template <detail::block_source R>
  requires std::ranges::borrowed_range<R>
void put_strided(R&& source, global_ptr<std::ranges::range_value_t<R>> target, strided_shape shape, counter& done,
                 std::source_location at = std::source_location::current()) {
  detail::strided_put(detail::bytes_of(source), target.bits(), shape, sizeof(std::ranges::range_value_t<R>),
                      detail::access::cell(done), at);
}
template <detail::block_source R>
auto put_strided(R&& source, global_ptr<std::ranges::range_value_t<R>> target, strided_shape shape,
                 std::source_location at = std::source_location::current()) {
  return detail::block_call([&](detail::completion& c) {
    detail::strided_put(detail::bytes_of(source), target.bits(), shape, sizeof(std::ranges::range_value_t<R>), c, at);
  });
}

/// Reads the elements that `shape` selects from `source` into `target`; the other elements are unchanged.
template <detail::block_target R>
void get_strided(global_ptr<std::ranges::range_value_t<R> const> source, R&& target, strided_shape shape, counter& done,
                 std::source_location at = std::source_location::current()) {
  detail::strided_get(source.bits(), detail::writable_bytes_of(target), shape, sizeof(std::ranges::range_value_t<R>),
                      detail::access::cell(done), at);
}
template <detail::block_target R>
auto get_strided(global_ptr<std::ranges::range_value_t<R> const> source, R&& target, strided_shape shape,
                 std::source_location at = std::source_location::current()) {
  return detail::block_call([&](detail::completion& c) {
    detail::strided_get(source.bits(), detail::writable_bytes_of(target), shape, sizeof(std::ranges::range_value_t<R>),
                        c, at);
  });
}

/// Writes row k of `source`, of `length` elements, to targets[k]; these may lie at different places. The list of
/// pointers is read during the call.
template <detail::block_source R, detail::pointer_list P>
  requires std::ranges::borrowed_range<R> && std::same_as<std::ranges::range_value_t<R>, detail::pointee<P>>
void put_indexed(R&& source, P const& targets, std::size_t length, counter& done,
                 std::source_location at = std::source_location::current()) {
  detail::indexed_put(detail::bytes_of(source), detail::bits_of(targets),
                      detail::piece_size(length, sizeof(detail::pointee<P>), at), detail::access::cell(done), at);
}
template <detail::block_source R, detail::pointer_list P>
  requires std::same_as<std::ranges::range_value_t<R>, detail::pointee<P>>
auto put_indexed(R&& source, P const& targets, std::size_t length = 1,
                 std::source_location at = std::source_location::current()) {
  return detail::block_call([&](detail::completion& c) {
    detail::indexed_put(detail::bytes_of(source), detail::bits_of(targets),
                        detail::piece_size(length, sizeof(detail::pointee<P>), at), c, at);
  });
}

/// Reads `length` elements from sources[k] into row k of `target`.
template <detail::pointer_list P, detail::block_target R>
  requires std::same_as<std::ranges::range_value_t<R>, detail::pointee<P>>
void get_indexed(P const& sources, R&& target, std::size_t length, counter& done,
                 std::source_location at = std::source_location::current()) {
  detail::indexed_get(detail::bits_of(sources), detail::writable_bytes_of(target),
                      detail::piece_size(length, sizeof(detail::pointee<P>), at), detail::access::cell(done), at);
}
template <detail::pointer_list P, detail::block_target R>
  requires std::same_as<std::ranges::range_value_t<R>, detail::pointee<P>>
auto get_indexed(P const& sources, R&& target, std::size_t length = 1,
                 std::source_location at = std::source_location::current()) {
  return detail::block_call([&](detail::completion& c) {
    detail::indexed_get(detail::bits_of(sources), detail::writable_bytes_of(target),
                        detail::piece_size(length, sizeof(detail::pointee<P>), at), c, at);
  });
}

}  // namespace tess
