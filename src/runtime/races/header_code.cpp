// header_code: the functions of namespace tess and of std::atomic, by the symbol table of the program's file.
#include "runtime/races/header_code.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <vector>

namespace tess::detail::races {

namespace {

enum class owner : std::uint8_t { program, headers, atomics };

struct function_range {
  std::uint64_t begin, end;
  owner of;
};
constinit std::vector<function_range> functions;

/// Answers for return addresses: the address, and from bit 60 on the owner.
constexpr unsigned owner_shift = 60;
constinit std::array<std::atomic<std::uint64_t>, 4096> known_sites{};

/// _ZN4tess…, _ZNK4tess…, _ZZN4tess…; _ZNSt6atomic…, _ZNSt13__atomic_base… (Itanium C++ ABI).
owner owner_of(std::string_view name) noexcept {
  std::size_t const at = name.starts_with("_Z") ? name.find_first_not_of("ZNKROL", 2) : std::string_view::npos;
  if (at == std::string_view::npos) return owner::program;
  name.remove_prefix(at);
  if (name.starts_with("4tess")) return owner::headers;
  if (!name.starts_with("St")) return owner::program;
  name.remove_prefix(std::min(name.find_first_not_of("0123456789_", 2), name.size()));
  return name.starts_with("atomic") ? owner::atomics : owner::program;
}

/// Where the program was loaded, less where its file says.
std::uint64_t load_distance() noexcept {
  std::uint64_t distance = 0;
  // The first object is the program.
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        *static_cast<std::uint64_t*>(to) = object->dlpi_addr;
        return 1;
      },
      &distance);
  return distance;
}

void read_symbols(std::byte const* file, std::size_t bytes) {
  auto const at = [&]<class T>(std::uint64_t offset, std::uint64_t count) -> T const* {
    return offset <= bytes && count <= (bytes - offset) / sizeof(T) ? reinterpret_cast<T const*>(file + offset)
                                                                    : nullptr;
  };
  auto const* const header = at.operator()<Elf64_Ehdr>(0, 1);
  if (header == nullptr) return;
  auto const* const sections = at.operator()<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  std::uint64_t const distance = load_distance();
  for (unsigned s = 0; s < header->e_shnum; ++s) {
    Elf64_Shdr const& table = sections[s];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    std::uint64_t const count = table.sh_size / sizeof(Elf64_Sym);
    auto const* const symbols = at.operator()<Elf64_Sym>(table.sh_offset, count);
    Elf64_Shdr const& names = sections[table.sh_link];
    auto const* const text = at.operator()<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || text == nullptr || names.sh_size == 0 || text[names.sh_size - 1] != '\0') continue;
    for (std::uint64_t i = 0; i < count; ++i) {
      Elf64_Sym const& symbol = symbols[i];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_name >= names.sh_size) continue;
      if (owner const of = owner_of(text + symbol.st_name); of != owner::program)
        functions.push_back({symbol.st_value + distance, symbol.st_value + distance + symbol.st_size, of});
    }
  }
  std::ranges::sort(functions, {}, &function_range::begin);
}

owner look(std::uint64_t code) noexcept {
  auto const after = std::ranges::upper_bound(functions, code, {}, &function_range::begin);
  return after != functions.begin() && code < std::prev(after)->end ? std::prev(after)->of : owner::program;
}

owner owner_at(std::uint64_t code) noexcept {
  std::atomic<std::uint64_t>& answer = known_sites[(code >> 2) % known_sites.size()];
  std::uint64_t const known = answer.load(std::memory_order_relaxed);
  if (((known ^ code) << (64 - owner_shift)) == 0) return static_cast<owner>(known >> owner_shift);
  owner const of = look(code);
  answer.store(code | static_cast<std::uint64_t>(of) << owner_shift, std::memory_order_relaxed);
  return of;
}

}  // namespace

void read_header_code() {
  if (!functions.empty()) return;
  int const file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat info;
  if (fstat(file, &info) == 0) {
    auto const bytes = static_cast<std::size_t>(info.st_size);
    void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) {
      read_symbols(static_cast<std::byte const*>(memory), bytes);
      munmap(memory, bytes);
    }
  }
  close(file);
}

bool is_header_code(std::uint64_t code, std::uint64_t caller) noexcept {
  // A call returns behind itself, which may be the next function.
  owner const of = owner_at(code - 1);
  return of == owner::headers || (of == owner::atomics && owner_at(caller - 1) == owner::headers);
}

}  // namespace tess::detail::races
