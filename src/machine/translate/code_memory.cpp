// code_memory: a private mapping, whose pages change between writable and executable.
#include "machine/translate/code_memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "machine/kernel/assert.hpp"

namespace tess::machine {
namespace {

constexpr std::size_t host_page = 4096;
constexpr std::size_t code_alignment = 16;

}  // namespace

code_memory::code_memory(std::size_t bytes) : size_(bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
  if (base_ == nullptr) size_ = 0;
}

code_memory::~code_memory() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

std::byte const* code_memory::add(std::span<std::byte const> code) {
  if (code.size() > left()) return nullptr;
  std::byte* const at = base_ + used_;
  std::byte* const first_page = base_ + used_ / host_page * host_page;
  std::size_t const bytes =
      (static_cast<std::size_t>(at + code.size() - first_page) + host_page - 1) / host_page * host_page;
  if (::mprotect(first_page, bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memcpy(at, code.data(), code.size());
  if (::mprotect(first_page, bytes, PROT_READ | PROT_EXEC) != 0) {
    MACHINE_ASSERT(used_ == 0);  // what was there before cannot run any more
    return nullptr;
  }
  used_ = (used_ + code.size() + code_alignment - 1) / code_alignment * code_alignment;
  if (used_ > size_) used_ = size_;
  return at;
}

}  // namespace tess::machine
