// text_source: a file's text in chunks of whole lines, in bounded memory, decompressed if necessary.
//
//   A source is a whole file, or the lines that *begin* in a byte range of an uncompressed file: ranges that tile the
//   file deliver each of its lines exactly once, wherever they cut. A line ends in "\n"; the last one may lack it.
//
// Units     offset: bytes from the file's begin, after gunzipping. Lines count from 1; 0 is "not counted".
// Threads   A source belongs to one thread; several may read one file.
// Errors    input_error: see byte_stream, gunzip; and a line of more than line_bytes_max bytes.
// Cost      Memory: chunk_bytes + line_bytes_max. A range finds its line numbers only when asked (line_at).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/byte_stream.hpp"

namespace graph {

// Some programs write it at the begin of UTF-8; it is no part of the first word.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline constexpr std::size_t line_bytes_max = 1 << 16;
inline constexpr std::size_t chunk_bytes_default = 1 << 20;

struct text_chunk {
  std::string_view text;         // whole lines, with their ends; valid until the source moves on
  std::uint64_t offset = 0;      // of text.front()
  std::uint64_t first_line = 0;  // its number, or 0 in a range
};

struct byte_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class text_source {
 public:
  // Any stream; `name` is for messages.
  text_source(std::unique_ptr<byte_stream> bytes, std::string name, std::size_t chunk_bytes = chunk_bytes_default);

  // The whole file, gunzipped when its content says so; if `expected` is given, only that version.
  explicit text_source(std::string const& path, std::size_t chunk_bytes = chunk_bytes_default);
  text_source(std::string const& path, file_version const& expected, std::size_t chunk_bytes = chunk_bytes_default);

  // The lines that begin in `range` of a file that is not compressed.
  text_source(std::string const& path, byte_range range, std::size_t chunk_bytes = chunk_bytes_default);
  text_source(std::string const& path, byte_range range, file_version const& expected,
              std::size_t chunk_bytes = chunk_bytes_default);

  // The next lines, at least one; none at the end.
  [[nodiscard]] std::optional<text_chunk> next();

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  text_source(std::unique_ptr<file_stream> file, std::string const& path, byte_range range, std::size_t chunk_bytes);
  void skip_to_line_begin();
  void drop_delivered();
  bool fill();
  [[nodiscard]] std::size_t cut() const;
  [[nodiscard]] text_chunk delivered() const;

  std::unique_ptr<byte_stream> bytes_;
  std::string name_;
  std::size_t chunk_bytes_;
  std::uint64_t end_;         // no line that begins here or later is ours
  std::uint64_t offset_;      // of buffer_[0]
  std::uint64_t line_;        // number of the line at buffer_[0], or 0
  std::vector<char> buffer_;  // delivered_ bytes that the caller has, then the begin of what follows
  std::size_t filled_ = 0;
  std::size_t delivered_ = 0;
};

struct text_line {
  std::string_view text;  // without its end, "\n" or "\r\n"
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::uint64_t next_offset = 0;
};

// Line by line, for headers and names; edges are parsed from chunks.
class line_reader {
 public:
  explicit line_reader(text_source& source) : source_(source) {}

  // Valid until the next call.
  [[nodiscard]] std::optional<text_line> next();

  // The number of lines that next() has returned.
  [[nodiscard]] std::uint64_t lines_count() const noexcept { return lines_count_; }

 private:
  text_source& source_;
  text_chunk rest_;
  std::uint64_t lines_count_ = 0;
};

// The version and kind of a file on disk.
struct file_status {
  file_version version;
  bool compressed = false;
};

[[nodiscard]] file_status status_of(std::string const& path);

// The number of the line with byte `offset` of an uncompressed file; reads all bytes before it.
[[nodiscard]] std::uint64_t line_at(std::string const& path, std::uint64_t offset);

[[noreturn]] void throw_line_too_long(std::string_view file, std::uint64_t line);

}  // namespace graph
