// elf: reads and checks a statically linked RV64 Linux executable for the loader.
//
//   Every number of the file is checked before it is used; a malformed file is refused.
//
// Errors    elf_error; its text gives the fault, the byte offset in the file, and the expected value.
// Source    System V ABI, chapters 4 and 5; RISC-V ELF psABI 1.0.
// Test      tests/machine/elf_test.cpp; every prefix and random damage of a valid file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tess::machine {

class elf_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct elf_segment {
  std::uint64_t address;
  std::uint64_t memory_bytes;           // at least as many as the file has; the rest is zero
  std::span<std::byte const> contents;  // a part of the file
  std::uint8_t rights;                  // access_right
};

struct elf_symbol {
  std::uint64_t address;
  std::uint64_t size_bytes;
  std::string_view name;  // a part of the file
};

struct elf_image {
  std::uint64_t entry = 0;
  std::uint64_t headers_address = 0;  // of the program headers in memory, 0 if they are not loaded
  std::uint16_t headers_count = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t end = 0;               // behind the last segment
  std::vector<elf_segment> segments;   // by address, without overlaps
  std::vector<elf_symbol> functions;   // by address; empty if the file is stripped
  std::uint64_t eh_frame_address = 0;  // of .eh_frame, for backtraces; 0 if there is none
  std::uint64_t eh_frame_bytes = 0;
  std::uint64_t types_address = 0;  // of tess_types, the records of objects, for accelerators; 0 if there is none
  std::uint64_t types_bytes = 0;
  std::uint64_t tlm_address = 0;  // of tess_tlm, what must be in the tile-local memory; 0 if there is none
  std::uint64_t tlm_bytes = 0;
  bool needs_time = false;  // it has the note of <tess/machine/needs_time.hpp>
  bool spreads = false;     // it has the note of a program with a place on every tile (src/fabric/tile/wireup.cpp)
  bool moves = false;       // it may be loaded anywhere
  bool executes_stack = false;
  // One that moves has contents of its own, by segment, which copies of the image share, and a list of its addresses.
  std::vector<std::shared_ptr<std::vector<std::byte>>> moved_contents;
  std::vector<std::uint64_t> address_words;
};

// The same, loaded so many bytes behind; it must be one that moves.
[[nodiscard]] elf_image moved(elf_image image, std::uint64_t bytes);

// `memory_bytes`: no segment may extend beyond. The image refers to `file`. `name` is for messages.
[[nodiscard]] elf_image read_elf(std::span<std::byte const> file, std::string_view name, std::uint64_t memory_bytes);

// The function that contains this address, as "name+0x12", or "?". For a return address: the function that contains the
// call.
[[nodiscard]] std::string symbol_of(elf_image const& image, std::uint64_t address, bool behind_call = false);

}  // namespace tess::machine
