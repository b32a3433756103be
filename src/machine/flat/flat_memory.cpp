// flat_memory: reservation of address space, rights, and the slow path.
#include "machine/flat/flat_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tess::machine {

flat_memory::flat_memory(std::uint64_t size_bytes)
    : size_bytes_((std::min(size_bytes, size_bytes_max) + page_bytes - 1) / page_bytes * page_bytes) {
  void* const mapped = ::mmap(nullptr, pages_max + size_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "memory of the machine"};
  reserved_ = static_cast<std::byte*>(mapped);
  base_ = reserved_ + pages_max;
}

flat_memory::~flat_memory() {
  ::munmap(reserved_, pages_max + size_bytes_);
}

void flat_memory::set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) noexcept {
  if (begin < end) std::memset(&rights_of(base_, begin >> page_shift), rights, (end - begin) >> page_shift);
}

bool flat_memory::have_code(std::uint64_t begin, std::uint64_t end) const noexcept {
  for (std::uint64_t page = begin >> page_shift; page < end >> page_shift; ++page)
    if ((rights_of(base_, page) & right_execute) != 0) return true;
  return false;
}

std::uint8_t flat_memory::rights(std::uint64_t address) const noexcept {
  return address < size_bytes_ ? rights_of(base_, address >> page_shift) : std::uint8_t{0};
}

void flat_memory::give(std::uint64_t begin, std::uint64_t bytes, std::byte* into) {
  if (bytes == 0) return;
  if (::mremap(base_ + begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, into) == MAP_FAILED)
    throw std::system_error{errno, std::generic_category(), "memory of the machine"};
}

void flat_memory::discard(std::uint64_t begin, std::uint64_t end) noexcept {
  if (begin < end) ::madvise(base_ + begin, end - begin, MADV_DONTNEED);
}

std::span<std::byte> flat_memory::bytes(std::uint64_t address, std::uint64_t size, std::uint8_t wanted) const noexcept {
  if (size == 0 || address >= size_bytes_ || size > size_bytes_ - address) return {};
  for (std::uint64_t page = address >> page_shift; page <= (address + size - 1) >> page_shift; ++page)
    if ((rights_of(base_, page) & wanted) != wanted) return {};
  return {base_ + address, size};
}

bool flat_memory::halfword(std::uint64_t pc, std::uint16_t& into) const {
  if (!allowed<2>(base_, pc, right_execute)) return false;
  std::memcpy(&into, base_ + pc, sizeof into);
  return true;
}

bool flat_memory::allowed_everywhere(hart& h, std::byte* base, std::uint64_t address, std::uint64_t bytes,
                                     access_right wanted) noexcept {
  bool const inside = allowed<1>(base, address, wanted) && allowed<1>(base, address + bytes - 1, wanted);
  return inside || refuse(h, wanted);
}

bool flat_memory::refuse(hart& h, access_right wanted) noexcept {
  h.request.right = wanted;
  h.stopped = stop::access;
  return false;
}

}  // namespace tess::machine
