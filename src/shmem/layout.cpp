// layout: looks through the notes of all that is loaded.
#include "shmem/layout.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "shmem/call.hpp"
#include "shmem/shmem.hpp"

namespace tess::shmem {

namespace {

constexpr char owner[8] = "Tessera";
constexpr std::uint32_t layout_note = 4;

std::string hexadecimal(std::uint32_t number) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(number));
  return digits;
}

struct other_layout {
  std::string file;
  std::uint32_t number = TESS_SHMEM_LAYOUT;
};

void look_at_notes(std::byte const* at, std::size_t left, std::size_t alignment, char const* file,
                   other_layout& other) {
  auto const padded = [alignment](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  ElfW(Nhdr) note{};
  while (left >= sizeof note) {
    std::memcpy(&note, at, sizeof note);
    std::size_t const contents = padded(sizeof note + note.n_namesz);
    std::size_t const whole = padded(contents + note.n_descsz);
    if (whole > left) return;
    bool const ours = note.n_type == layout_note && note.n_namesz == sizeof owner && note.n_descsz == 4 &&
                      std::memcmp(at + sizeof note, owner, sizeof owner) == 0;
    std::uint32_t number = TESS_SHMEM_LAYOUT;
    if (ours) std::memcpy(&number, at + contents, sizeof number);
    if (number != TESS_SHMEM_LAYOUT) other = {file, number};
    at += whole;
    left -= whole;
  }
}

int look_at_object(dl_phdr_info* info, std::size_t, void* into) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    ElfW(Phdr) const& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    look_at_notes(reinterpret_cast<std::byte const*>(info->dlpi_addr + part.p_vaddr), part.p_memsz,
                  part.p_align == 8 ? 8 : 4, info->dlpi_name, *static_cast<other_layout*>(into));
  }
  return 0;
}

}  // namespace

void check_layout() {
  other_layout other;
  dl_iterate_phdr(look_at_object, &other);
  if (other.number == TESS_SHMEM_LAYOUT) return;
  fail((other.file.empty() ? "the program" : other.file) +
           " was compiled with a <shmem.h> of another version (layout " + hexadecimal(other.number) + ")",
       "that of this library (layout " + hexadecimal(TESS_SHMEM_LAYOUT) + "): compile it again");
}

}  // namespace tess::shmem
