// byte_stream: bytes in order, from a file, from memory or (gunzip.hpp) out of another stream.
//
// Errors    input_error with the file's name; the line is not known here. A file that changes between two reads is an
//           error, too, and so is one that was replaced since a version of it was recorded.
// Threads   A stream belongs to one thread. Several streams may read one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace graph {

class byte_stream {
 public:
  byte_stream() = default;
  byte_stream(byte_stream const&) = delete;
  byte_stream& operator=(byte_stream const&) = delete;
  virtual ~byte_stream() = default;

  // Fills a part of `to` and returns how many bytes; 0 means the end, for a `to` that is not empty.
  [[nodiscard]] virtual std::size_t read(std::span<char> to) = 0;
};

// What changes when a file is written to or replaced. A value: it may travel to other places.
struct file_version {
  std::uint64_t host = 0;  // device numbers mean something on one host only
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  // The same bytes, as far as that can be known without reading: of copies on two hosts, only the sizes are compared.
  [[nodiscard]] bool matches(file_version const& other) const noexcept {
    bool const comparable = host == other.host && device == other.device;
    return comparable ? *this == other : size_bytes == other.size_bytes;
  }
  bool operator==(file_version const&) const = default;
};

// A regular file from byte `offset` on.
class file_stream final : public byte_stream {
 public:
  explicit file_stream(std::string path, std::uint64_t offset = 0);
  // Refuses another version of the file than `expected`.
  file_stream(std::string path, std::uint64_t offset, file_version const& expected);
  ~file_stream() override;

  [[nodiscard]] std::size_t read(std::span<char> to) override;
  [[nodiscard]] file_version const& version() const noexcept { return version_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t offset_;
  file_version version_;
};

// Bytes that the caller keeps alive.
class memory_stream final : public byte_stream {
 public:
  explicit memory_stream(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t read(std::span<char> to) override;

 private:
  std::string_view rest_;
};

[[noreturn]] void throw_changed(std::string_view path);

// Reads until `to` is full or the stream ends; returns how many bytes.
[[nodiscard]] std::size_t read_fully(byte_stream& from, std::span<char> to);

}  // namespace graph
