// data_symbol: looks through the table of symbols of the program's file.
#include "shmem/checking/data_symbol.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <span>

namespace tess::shmem::checking {

namespace {

/// Where the program was loaded: the first object that is listed.
std::uintptr_t load_address() {
  std::uintptr_t found = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<std::uintptr_t*>(into) = info->dlpi_addr;
        return 1;
      },
      &found);
  return found;
}

/// Without what C++ adds to names.
std::string as_written(char const* name) {
  // A name of C may look like the code of a type.
  if (!std::string_view(name).starts_with("_Z")) return name;
  int problem = 0;
  std::unique_ptr<char, decltype(&std::free)> const readable(abi::__cxa_demangle(name, nullptr, nullptr, &problem),
                                                             &std::free);
  return problem == 0 ? readable.get() : name;
}

std::pair<std::string, std::uint64_t> find_symbol(std::byte const* file, std::uint64_t address) {
  auto const& header = *reinterpret_cast<ElfW(Ehdr) const*>(file);
  std::span const sections(reinterpret_cast<ElfW(Shdr) const*>(file + header.e_shoff), header.e_shnum);
  for (auto const& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    char const* const names = reinterpret_cast<char const*>(file + sections[section.sh_link].sh_offset);
    std::span const symbols(reinterpret_cast<ElfW(Sym) const*>(file + section.sh_offset),
                            section.sh_size / sizeof(ElfW(Sym)));
    for (auto const& symbol : symbols)
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && address - symbol.st_value < symbol.st_size)
        return {as_written(names + symbol.st_name), address - symbol.st_value};
  }
  return {};
}

}  // namespace

std::pair<std::string, std::uint64_t> data_symbol_at(void const* address) {
  int const descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  struct stat status{};
  void* seen = MAP_FAILED;
  if (fstat(descriptor, &status) == 0)
    seen = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (seen == MAP_FAILED) return {};
  auto const found =
      find_symbol(static_cast<std::byte const*>(seen), reinterpret_cast<std::uint64_t>(address) - load_address());
  munmap(seen, static_cast<std::size_t>(status.st_size));
  return found;
}

}  // namespace tess::shmem::checking
