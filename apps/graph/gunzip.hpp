// gunzip: decompresses a gzip stream.
//
//   Several gzip members in a row are one stream, as for gzip(1). Nothing else may follow a member.
//
// Errors    Truncated and corrupt data are input_errors, thrown at the damage: the data before it is delivered, but for
//           up to 258 bytes.
// Cost      Memory is constant (some 200 KiB), whatever the data expands to.
// Source    RFC 1952, by ISA-L (igzip). Built without it (cross-compiled), opening compressed data is an input_error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/byte_stream.hpp"

namespace graph {

inline constexpr std::string_view gzip_mark = "\x1f\x8b";
// Whether data with this start is gzip (two bytes are enough).
[[nodiscard]] constexpr bool starts_like_gzip(std::string_view head) noexcept {
  return head.starts_with(gzip_mark);
}

// `file` is the name for messages.
[[nodiscard]] std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream> compressed, std::string file);
// The same for deflated data without a wrapper, as in zip files.
[[nodiscard]] std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream> compressed, std::string file);

}  // namespace graph
