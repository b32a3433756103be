// gunzip: decompresses a gzip stream.
//
//   Several gzip members in a row are one stream, as for gzip(1). Nothing else may follow a member.
//
// Errors    Truncated and corrupt data are input_errors, thrown at the damage: all data before it is delivered.
// Cost      Memory is constant (a 64 KiB buffer and zlib's window), whatever the data expands to.
// Source    RFC 1952, by zlib. Built without zlib (cross-compiled), opening compressed data is an input_error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/byte_stream.hpp"

namespace graph {

// Whether data with this start is gzip (two bytes are enough).
[[nodiscard]] constexpr bool starts_like_gzip(std::string_view head) noexcept {
  return head.starts_with("\x1f\x8b");
}

// `file` is the name for messages.
[[nodiscard]] std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream> compressed, std::string file);
// The same for deflated data without a wrapper, as in zip files.
[[nodiscard]] std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream> compressed, std::string file);

}  // namespace graph
