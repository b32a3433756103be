// elf_fuzz: no file makes the loader access bytes beyond the file or beyond the program's memory.
//
//   An input is an executable. Loaded segments must lie in the range that was checked, and symbols can be looked up at
//   any address.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "machine/linux/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 22U;

void require(bool promise) {
  if (!promise) std::abort();
}

void check(tess::machine::elf_image const& image, std::span<std::byte const> file) {
  std::uint64_t end = 0;
  unsigned sum = 0;
  for (auto const& one : image.segments) {
    require(one.address >= end);
    end = one.address + one.memory_bytes;
    require(end >= one.address && end <= memory_bytes && one.contents.size() <= one.memory_bytes);
    require(one.contents.empty() || (one.contents.data() >= file.data() &&
                                     one.contents.data() + one.contents.size() <= file.data() + file.size()));
    for (std::byte const each : one.contents) sum += static_cast<unsigned>(each);
    for (std::uint64_t const address : {one.address, one.address - 1, end})
      sum += static_cast<unsigned>(tess::machine::symbol_of(image, address).size());
  }
  require(image.entry < memory_bytes);
  for (auto const& one : image.functions) sum += static_cast<unsigned>(one.name.size());
  // The sanitizer checks that every byte the image names can be read.
  asm volatile("" ::"r"(sum));
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  std::span<std::byte const> const file(reinterpret_cast<std::byte const*>(bytes), size);
  try {
    check(tess::machine::read_elf(file, "program", memory_bytes), file);
  } catch (tess::machine::elf_error const& refused) {
    require(refused.what()[0] != '\0');
  }
  return 0;
}
