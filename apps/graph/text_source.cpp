// text_source: splits a byte stream at line ends.
#include "graph/text_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "graph/error.hpp"
#include "graph/gunzip.hpp"

namespace graph {

namespace {

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

std::uint64_t count_newlines(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

std::unique_ptr<byte_stream> open_text(std::string const& path, file_version const& expected, bool compressed) {
  auto file = std::make_unique<file_stream>(path, 0, expected);
  if (!compressed) return file;
  return gunzip(std::move(file), path);
}
std::unique_ptr<byte_stream> open_text(std::string const& path) {
  file_status const status = status_of(path);
  return open_text(path, status.version, status.compressed);
}

// A range also reads the byte before it: only if that byte ends a line does a line begin at the start of the range.
std::uint64_t look_behind(std::uint64_t begin) {
  return begin == 0 ? 0 : begin - 1;
}

}  // namespace

text_source::text_source(std::unique_ptr<byte_stream> bytes, std::string name, std::size_t chunk_bytes)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      chunk_bytes_(chunk_bytes),
      end_(no_end),
      offset_(0),
      line_(1),
      buffer_(chunk_bytes + line_bytes_max) {}

text_source::text_source(std::string const& path, std::size_t chunk_bytes)
    : text_source(open_text(path), path, chunk_bytes) {}

text_source::text_source(std::string const& path, file_version const& expected, std::size_t chunk_bytes)
    : text_source(open_text(path, expected, status_of(path).compressed), path, chunk_bytes) {}

text_source::text_source(std::string const& path, byte_range range, std::size_t chunk_bytes)
    : text_source(std::make_unique<file_stream>(path, look_behind(range.begin)), path, range, chunk_bytes) {}

text_source::text_source(std::string const& path, byte_range range, file_version const& expected,
                         std::size_t chunk_bytes)
    : text_source(std::make_unique<file_stream>(path, look_behind(range.begin), expected), path, range, chunk_bytes) {}

text_source::text_source(std::unique_ptr<file_stream> file, std::string const& path, byte_range range,
                         std::size_t chunk_bytes)
    : text_source(std::move(file), path, chunk_bytes) {
  end_ = range.end;
  offset_ = look_behind(range.begin);
  line_ = 0;
  if (range.begin != 0) skip_to_line_begin();
}

void text_source::skip_to_line_begin() {
  while (fill()) {
    std::size_t const newline = std::string_view(buffer_.data(), filled_).find('\n');
    if (newline != std::string_view::npos) {
      delivered_ = newline + 1;
      return;
    }
    delivered_ = filled_;
    drop_delivered();
  }
}

void text_source::drop_delivered() {
  if (line_ != 0) line_ += count_newlines({buffer_.data(), delivered_});
  std::memmove(buffer_.data(), buffer_.data() + delivered_, filled_ - delivered_);
  filled_ -= delivered_;
  offset_ += delivered_;
  delivered_ = 0;
}

// Reads more; false at the end. It reads only once: the next read may throw, and available data must be delivered
// first.
bool text_source::fill() {
  std::size_t const count = bytes_->read(std::span(buffer_).subspan(filled_, chunk_bytes_));
  filled_ += count;
  return count != 0;
}

// The number of filled bytes that are whole lines of this range.
std::size_t text_source::cut() const {
  std::string_view text(buffer_.data(), filled_);
  // Our last line is the one that holds byte end_ - 1.
  if (end_ - 1 - offset_ < filled_) text = text.substr(0, text.find('\n', end_ - 1 - offset_));
  bool const ends_ours = text.size() < filled_;
  if (ends_ours) return text.size() + 1;
  return text.rfind('\n') + 1;  // npos + 1 is 0: no whole line
}

std::optional<text_chunk> text_source::next() {
  drop_delivered();
  if (offset_ >= end_) return std::nullopt;
  do {
    delivered_ = cut();
    if (delivered_ != 0) return delivered();
    if (filled_ > line_bytes_max) throw_line_too_long(name_, line_ != 0 ? line_ : line_at(name_, offset_));
  } while (fill());
  delivered_ = filled_;  // the last line lacks its end
  return delivered_ != 0 ? std::optional(delivered()) : std::nullopt;
}

text_chunk text_source::delivered() const {
  return {.text = {buffer_.data(), delivered_}, .offset = offset_, .first_line = line_};
}

std::optional<text_line> line_reader::next() {
  if (rest_.text.empty()) {
    auto const chunk = source_.next();
    if (!chunk) return std::nullopt;
    rest_ = *chunk;
  }
  std::size_t const newline = rest_.text.find('\n');
  std::string_view text = rest_.text.substr(0, newline);
  std::size_t const taken = std::min(text.size() + 1, rest_.text.size());
  text_line line{.text = text, .number = ++lines_count_, .offset = rest_.offset, .next_offset = rest_.offset + taken};
  if (text.size() > line_bytes_max) throw_line_too_long(source_.name(), line.number);
  if (text.ends_with('\r')) line.text.remove_suffix(1);
  rest_.text.remove_prefix(taken);
  rest_.offset = line.next_offset;
  return line;
}

file_status status_of(std::string const& path) {
  file_stream file(path);
  std::array<char, 2> head{};
  bool const compressed = starts_like_gzip({head.data(), read_fully(file, head)});
  if (!compressed && path.ends_with(".gz")) {
    throw input_error(path, 0, "not gzip data", "a file that begins with the bytes 1f 8b, or a name without .gz");
  }
  return {.version = file.version(), .compressed = compressed};
}

std::uint64_t line_at(std::string const& path, std::uint64_t offset) {
  file_stream file(path);
  std::vector<char> buffer(chunk_bytes_default);
  std::uint64_t line = 1;
  while (offset != 0) {
    std::size_t const count = file.read(std::span(buffer).first(std::min<std::uint64_t>(offset, buffer.size())));
    if (count == 0) break;
    line += count_newlines({buffer.data(), count});
    offset -= count;
  }
  return line;
}

void throw_line_too_long(std::string_view file, std::uint64_t line) {
  throw input_error(file, line, fmt::format("line of more than {} bytes", line_bytes_max),
                    "a text file of short lines");
}

}  // namespace graph
