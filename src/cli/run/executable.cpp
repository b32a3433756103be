// executable: reads ELF sections; the libraries that a program needs, and the names that it has, are texts in them.
#include "cli/run/executable.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tess::cli {
namespace {

/// A file in memory, read only; empty if it cannot be.
class mapped_file {
 public:
  explicit mapped_file(std::filesystem::path const& name) {
    int const descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (descriptor < 0) return;
    if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      auto const size = static_cast<std::size_t>(status.st_size);
      void* const seen = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (seen != MAP_FAILED) bytes_ = {static_cast<char const*>(seen), size};
    }
    ::close(descriptor);
  }
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

 private:
  std::string_view bytes_;
};

template <class T>
T const* part_of(std::string_view bytes, std::uint64_t at, std::uint64_t items = 1) {
  if (at > bytes.size() || items > (bytes.size() - at) / sizeof(T) || at % alignof(T) != 0) return nullptr;
  return reinterpret_cast<T const*>(bytes.data() + at);
}

bool contains_any(std::filesystem::path const& program, std::initializer_list<std::string_view> texts) {
  mapped_file const file(program);
  std::string_view const bytes = file.bytes();
  auto const* const header = part_of<Elf64_Ehdr>(bytes, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_X86_64)
    return false;
  auto const* const sections = part_of<Elf64_Shdr>(bytes, header->e_shoff, header->e_shnum);
  if (sections == nullptr) return false;
  for (Elf64_Shdr const& section : std::span(sections, header->e_shnum)) {
    if (section.sh_type != SHT_STRTAB && section.sh_type != SHT_NOTE) continue;
    char const* const text = part_of<char>(bytes, section.sh_offset, section.sh_size);
    if (text == nullptr) continue;
    std::string_view const names(text, section.sh_size);
    for (std::string_view const wanted : texts)
      if (names.contains(wanted)) return true;
  }
  return false;
}

}  // namespace

bool is_openshmem_program(std::filesystem::path const& program) {
  return contains_any(program, {{"\0libshmem.so", 12}, {"Tessera\0\3SHMEM", 14}});
}

bool has_runtime(std::filesystem::path const& program) {
  return contains_any(program, {{"Tessera\0\4RUNTIME", 16}});
}

bool is_mpi_program(std::filesystem::path const& program) {
  return contains_any(program, {{"\0libmpi.so", 10}});
}

}  // namespace tess::cli
