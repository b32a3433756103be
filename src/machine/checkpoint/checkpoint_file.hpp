// checkpoint_file: the bytes of the heap in a file, compressed, behind lines that say what they are.
//
//   The bytes mean something to the same build of the simulator only: they have addresses of its code in them. Its
//   build id is in the file, and the bytes of another one are not read. As the file is as good as code, only files of
//   one's own should be restored; a sum over all bytes tells accidents, not intentions.
//
//   Layout, little-endian: 8 bytes name and version; 4 bytes length of the header, which is JSON, and 4 its CRC-32;
//   then blocks: 8 bytes offset in the heap, 4 its length, 4 the compressed length, the bytes as zlib has them; at the
//   end a block of length 0, whose offset is the number of blocks, and the CRC-32 of all blocks.
//
// Errors    tess::detail::write_error; checkpoint_error for a file that is none, or is damaged.
// Cost      reads all memory that was touched; 100 MB/s to write, 500 to read.
// Threads   none.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace tess::machine {

struct checkpoint_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct checkpoint_header {
  std::string build;  ///< The simulator's build id, in hexadecimal digits.
  std::string machine;
  std::string description;  ///< The machine file with all that it extends.
  std::string program;
  std::uint64_t cycle = 0;
  std::uint64_t bytes = 0;  ///< The size of the heap.
};

/// This simulator's.
[[nodiscard]] std::string build_id();

/// Returns the size of the file.
std::uint64_t write_checkpoint(std::string const& file, checkpoint_header header, std::span<std::byte const> heap);
[[nodiscard]] checkpoint_header read_checkpoint_header(std::string const& file);
/// Fills the heap, which is not in use.
void read_checkpoint(std::string const& file);

}  // namespace tess::machine
