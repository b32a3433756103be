// byte_stream: bytes in order, from a file, from memory or (gunzip.hpp) out of another stream.
//
// Errors    input_error with the file's name; the line is not known here.
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

// A regular file from byte `offset` on.
class file_stream final : public byte_stream {
 public:
  explicit file_stream(std::string path, std::uint64_t offset = 0);
  ~file_stream() override;

  [[nodiscard]] std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t offset_;
  std::uint64_t size_bytes_ = 0;
};

// Bytes that the caller keeps alive.
class memory_stream final : public byte_stream {
 public:
  explicit memory_stream(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t read(std::span<char> to) override;

 private:
  std::string_view rest_;
};

// Reads until `to` is full or the stream ends; returns how many bytes.
[[nodiscard]] std::size_t read_fully(byte_stream& from, std::span<char> to);

}  // namespace graph
