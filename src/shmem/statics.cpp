// statics: finds the data segment of the program and maps it anew.
#include "shmem/statics.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/job.hpp"

namespace tess::shmem {

namespace {

constexpr std::uintptr_t page = 4096;
constexpr std::uintptr_t page_of(std::uintptr_t address) {
  return address / page * page;
}
constexpr std::uintptr_t page_after(std::uintptr_t address) {
  return page_of(address + page - 1);
}

/// Writable memory that the program's file describes; what is loaded from the file ends before the zeros.
struct segment {
  std::uintptr_t begin, loaded_end, end;
};

struct program_parts {
  std::vector<segment> writable;
  std::uintptr_t relro_end = 0;
  std::uint64_t hash[2] = {0xcbf29ce484222325, 0x9e3779b97f4a7c15};
};

void add_to_hash(program_parts& parts, void const* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    auto const byte = static_cast<unsigned char const*>(bytes)[i];
    parts.hash[0] = (parts.hash[0] ^ byte) * 0x100000001b3;
    parts.hash[1] = (parts.hash[1] + byte) * 0xff51afd7ed558ccd;
  }
}

/// The first object that is listed is the program.
int look_at_program(dl_phdr_info* info, std::size_t, void* into) {
  auto& parts = *static_cast<program_parts*>(into);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    ElfW(Phdr) const& part = info->dlpi_phdr[i];
    std::uintptr_t const begin = info->dlpi_addr + part.p_vaddr;
    add_to_hash(parts, &part, sizeof part);
    if (part.p_type == PT_NOTE) add_to_hash(parts, reinterpret_cast<void const*>(begin), part.p_memsz);
    if (part.p_type == PT_GNU_RELRO) parts.relro_end = std::max(parts.relro_end, begin + part.p_memsz);
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    parts.writable.push_back({page_of(begin), page_after(begin + part.p_filesz), page_after(begin + part.p_memsz)});
  }
  // Some linkers give RELRO a segment of its own, and leave pages free after it.
  for (segment& one : parts.writable) one.begin = std::max(one.begin, page_after(parts.relro_end));
  std::erase_if(parts.writable, [](segment const& one) { return one.begin >= one.end; });
  return 1;
}

program_parts const& parts_of_program() {
  static program_parts const found = [] {
    program_parts parts;
    dl_iterate_phdr(look_at_program, &parts);
    return parts;
  }();
  return found;
}

/// Which pages were written or loaded so far: .bss may be large, and most of it untouched.
std::vector<bool> present_pages(std::uintptr_t begin, std::uintptr_t end) {
  std::size_t const count = (end - begin) / page;
  std::vector<std::uint64_t> entries(count, UINT64_MAX);
  int const map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map >= 0) {
    // An entry that cannot be read counts as present.
    [[maybe_unused]] ssize_t const got = pread(map, entries.data(), count * sizeof(std::uint64_t),
                                               static_cast<off_t>(begin / page * sizeof(std::uint64_t)));
    close(map);
  }
  constexpr std::uint64_t present = std::uint64_t{1} << 63U;
  constexpr std::uint64_t swapped = std::uint64_t{1} << 62U;
  constexpr std::uint64_t of_a_file = std::uint64_t{1} << 61U;
  std::vector<bool> found(count);
  for (std::size_t i = 0; i < count; ++i) found[i] = (entries[i] & (present | swapped | of_a_file)) != 0;
  return found;
}

/// Not by memcpy: a program compiled with -fsanitize=address has its own, which refuses the gaps between statics.
void copy_page(std::byte* target, std::uintptr_t from) {
#if defined(__x86_64__)
  std::size_t words = page / 8;
  asm volatile("rep movsq" : "+D"(target), "+S"(from), "+c"(words)::"memory");
#else
  for (std::size_t at = 0; at < page; at += 8)
    *reinterpret_cast<std::uint64_t volatile*>(target + at) = *reinterpret_cast<std::uint64_t volatile*>(from + at);
#endif
}

void copy_pages(std::byte* target, segment const& from) {
  auto present = present_pages(from.begin, from.end);
  // At a second start they are shared memory, whose pages may have been written by others.
  if (own.data != nullptr) present.assign(present.size(), true);
  for (std::size_t i = 0; i < present.size(); ++i) {
    std::uintptr_t const at = from.begin + i * page;
    // Pages of the program's file that were not read yet have contents, too.
    if (present[i] || at < from.loaded_end) copy_page(target + i * page, at);
  }
}

}  // namespace

std::span<std::byte> statics() {
  program_parts const& parts = parts_of_program();
  if (parts.writable.empty()) return {};
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (segment const& one : parts.writable) {
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end);
  }
  return {reinterpret_cast<std::byte*>(begin), end - begin};
}

void share_statics(std::byte* target, std::size_t most, std::function<bool(void*, std::size_t)> const& map) {
  auto const data = statics();
  if (data.empty()) return;
  if (data.size() > most)
    fail("the program's statics are larger than the slot of a PE", "fewer PEs, or data from shmem_malloc");
  auto const begin = reinterpret_cast<std::uintptr_t>(data.data());
  // Signal handlers must not write what was copied already.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  for (segment const& one : parts_of_program().writable) copy_pages(target + (one.begin - begin), one);
  bool const mapped = map(data.data(), data.size());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!mapped) fail(std::string("statics: ") + std::strerror(errno), "memory for them");
  own.data = data.data();
  own.data_bytes = data.size();
}

std::pair<std::uint64_t, std::uint64_t> program_identity() {
  program_parts const& parts = parts_of_program();
  return {parts.hash[0], parts.hash[1]};
}

}  // namespace tess::shmem
