// zip: the members of a zip file, as numpy writes them: stored or deflated, also beyond 4 GiB.
//
// Errors    input_error: truncated, damaged (the checksum of a member is compared), encrypted, or of another method.
// Cost      a member in memory; a size that a directory states is not trusted with memory before its bytes come.
// Source    APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3 and 4.5.3.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/byte_stream.hpp"

namespace graph {

struct zip_member {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_offset = 0;
};

class zip_reader {
 public:
  using opener = std::function<std::unique_ptr<byte_stream>(std::uint64_t offset)>;

  // `open` reads the file from any offset.
  zip_reader(std::string name, std::uint64_t size_bytes, opener open);

  [[nodiscard]] std::vector<zip_member> const& members() const noexcept { return members_; }
  [[nodiscard]] zip_member const* find(std::string_view member) const noexcept;
  [[nodiscard]] std::string read(zip_member const& member) const;

 private:
  [[nodiscard]] std::string bytes_at(std::uint64_t offset, std::uint64_t count) const;
  void read_directory();
  void add_member(std::string_view entry, std::string_view name, std::string_view extra);

  std::string name_;
  std::uint64_t size_bytes_;
  opener open_;
  std::vector<zip_member> members_;
};

// The checksum of zip and gzip, continued from that of the bytes before.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0) noexcept;
// That of two pieces together, the second of which has so many bytes.
[[nodiscard]] std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second,
                                         std::uint64_t second_bytes) noexcept;

// A member to be written without compression.
struct zip_entry {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
};

// What goes before the bytes of a member, and what goes after the last one. Members follow each other without gaps.
[[nodiscard]] std::string zip_member_begin(zip_entry const& entry);
[[nodiscard]] std::string zip_end(std::vector<zip_entry> const& entries);

}  // namespace graph
