// elf: headers copied from checked offsets, segments, symbols.
#include "machine/linux/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/elf_processor.hpp"
#include "machine/hart/hart.hpp"
#include "machine/profile/function_table.hpp"

namespace tess::machine {
namespace {

constexpr std::uint16_t flag_rvc_and_double = 0x0001 | 0x0004;
constexpr std::uint64_t lowest_address = 4096;  // page 0 stays unmapped, for null pointers
constexpr std::size_t segments_max = 64;
constexpr std::size_t functions_max = 4'000'000;

class elf_reader {
 public:
  elf_reader(std::span<std::byte const> file, std::string_view name, std::uint64_t memory_bytes)
      : file_(file), name_(name), memory_bytes_(memory_bytes) {}

  elf_image read() {
    auto const header = at<Elf64_Ehdr>(0, "the ELF header");
    check(header);
    image_.moves = header.e_type == ET_DYN;
    image_.entry = header.e_entry;
    image_.headers_count = header.e_phnum;
    image_.header_bytes = header.e_phentsize;
    for (std::uint64_t k = 0; k < header.e_phnum; ++k)
      add_segment(header.e_phoff + k * sizeof(Elf64_Phdr), header.e_phoff);
    finish_segments();
    read_sections(header);
    if (!image_.moves) return std::move(image_);
    if (relocations_bytes_ == 0)
      refuse("byte 16: position-independent, but without relocations; link it with -static -no-pie");
    own_contents();
    // Static programs that may be loaded anywhere (-static-pie) do their relocations themselves, when they begin.
    image_.moves = image_.spreads;
    if (image_.spreads) relocate();
    return moved(std::move(image_), lowest_address);
  }

 private:
  [[noreturn]] void refuse(std::string const& what) const { throw elf_error{fmt::format("{}: {}", name_, what)}; }

  [[nodiscard]] bool inside(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= file_.size() && bytes <= file_.size() - offset;
  }

  template <class T>
  [[nodiscard]] T at(std::uint64_t offset, std::string_view what) const {
    if (!inside(offset, sizeof(T)))
      refuse(fmt::format("byte {}: {} does not fit into the file of {} bytes; is it complete?", offset, what,
                         file_.size()));
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }

  void check(Elf64_Ehdr const& header) const {
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
      refuse("byte 0: this is no ELF file; build it with `tess c++ --machine`");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      refuse("byte 4: not 64 bits and little-endian; the machine runs RV64 programs");
    if (header.e_machine != EM_RISCV)
      refuse(
          fmt::format("byte 18: built for {}, not for RISC-V; compile it by `tess c++ --machine`, or for "
                      "riscv64-linux-gnu",
                      elf_processor(header.e_machine)));
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
      refuse(fmt::format("byte 16: type {} is no executable", header.e_type));
    if ((header.e_flags & 0x0006U) > flag_rvc_and_double)
      refuse(fmt::format("byte 48: flags {:#x} name an ABI that is not lp64d", header.e_flags));
    if (header.e_phentsize != sizeof(Elf64_Phdr))
      refuse(fmt::format("byte 54: program headers of {} bytes, not {}", header.e_phentsize, sizeof(Elf64_Phdr)));
    if (header.e_phnum == 0 || header.e_phnum > segments_max)
      refuse(fmt::format("byte 56: {} program headers; give 1 to {}", header.e_phnum, segments_max));
  }

  void add_segment(std::uint64_t offset, std::uint64_t headers_offset) {
    auto const header = at<Elf64_Phdr>(offset, "a program header");
    if (header.p_type == PT_INTERP || (header.p_type == PT_DYNAMIC && !image_.moves))
      refuse(fmt::format("byte {}: dynamically linked; link it with -static", offset));
    if (header.p_type == PT_DYNAMIC) read_dynamic(header);
    if (header.p_type == PT_NOTE) read_notes(header);
    if (header.p_type == PT_GNU_STACK) image_.executes_stack = (header.p_flags & PF_X) != 0;
    if (header.p_type != PT_LOAD || header.p_memsz == 0) return;
    if (!inside(header.p_offset, header.p_filesz) || header.p_filesz > header.p_memsz)
      refuse(fmt::format("byte {}: the segment's {} bytes at {} are not all in the file", offset, header.p_filesz,
                         header.p_offset));
    if (header.p_vaddr < lowest_address && !image_.moves)
      refuse(fmt::format("byte {}: the segment at {:#x} begins below {:#x}, the first address of programs", offset,
                         header.p_vaddr, lowest_address));
    std::uint64_t const behind = image_.moves ? lowest_address : 0;
    std::uint64_t const most = memory_bytes_ < behind ? 0 : memory_bytes_ - behind;
    if (header.p_vaddr >= most || header.p_memsz > most - header.p_vaddr)
      refuse(
          fmt::format("byte {}: no room: the segment of {} bytes at {:#x} does not end below {:#x}, where a "
                      "program's memory ends on this machine",
                      offset, header.p_memsz, header.p_vaddr, most));
    std::uint8_t rights = 0;
    if ((header.p_flags & PF_R) != 0) rights |= right_read;
    if ((header.p_flags & PF_W) != 0) rights |= right_write;
    if ((header.p_flags & PF_X) != 0) rights |= right_execute | right_read;
    image_.segments.push_back(
        {header.p_vaddr, header.p_memsz, file_.subspan(header.p_offset, header.p_filesz), rights});
    std::uint64_t const headers_bytes = std::uint64_t{image_.headers_count} * image_.header_bytes;
    if (header.p_offset <= headers_offset && headers_offset - header.p_offset + headers_bytes <= header.p_filesz)
      image_.headers_address = header.p_vaddr + (headers_offset - header.p_offset);
  }

  // Where the relocations are, of a program that may be loaded anywhere.
  void read_dynamic(Elf64_Phdr const& header) {
    for (std::uint64_t done = 0; done + sizeof(Elf64_Dyn) <= header.p_filesz; done += sizeof(Elf64_Dyn)) {
      auto const entry = at<Elf64_Dyn>(header.p_offset + done, "a dynamic entry");
      if (entry.d_tag == DT_NULL) return;
      if (entry.d_tag == DT_NEEDED) refuse("it wants shared libraries; link it with -static");
      if (entry.d_tag == DT_RELA) relocations_address_ = entry.d_un.d_ptr;
      if (entry.d_tag == DT_RELASZ) relocations_bytes_ = entry.d_un.d_val;
    }
  }

  // The bytes of the image from an address on; nothing: they are not all in the file.
  std::byte* contents_at(std::uint64_t address, std::uint64_t bytes) {
    for (std::size_t k = 0; k < image_.segments.size(); ++k) {
      elf_segment const& segment = image_.segments[k];
      if (address < segment.address) continue;
      std::uint64_t const distance = address - segment.address;
      if (distance <= segment.contents.size() && bytes <= segment.contents.size() - distance)
        return image_.moved_contents[k]->data() + distance;
    }
    return nullptr;
  }

  void own_contents() {
    for (elf_segment const& segment : image_.segments)
      image_.moved_contents.push_back(
          std::make_shared<std::vector<std::byte>>(segment.contents.begin(), segment.contents.end()));
  }

  // A program for several places in a tile: every relocation is a word that holds an address of the image.
  void relocate() {
    for (std::uint64_t done = 0; done < relocations_bytes_; done += sizeof(Elf64_Rela)) {
      std::byte const* const from = contents_at(relocations_address_ + done, sizeof(Elf64_Rela));
      if (from == nullptr) refuse(fmt::format("its relocations at {:#x} are not in the file", relocations_address_));
      Elf64_Rela relocation;
      std::memcpy(&relocation, from, sizeof relocation);
      std::byte* const word = contents_at(relocation.r_offset, sizeof(std::uint64_t));
      if (ELF64_R_TYPE(relocation.r_info) != R_RISCV_RELATIVE || word == nullptr)
        refuse(fmt::format("the relocation at {:#x} cannot be done here; link it with -static -no-pie",
                           relocations_address_ + done));
      std::memcpy(word, &relocation.r_addend, sizeof relocation.r_addend);
      image_.address_words.push_back(relocation.r_offset);
    }
    // Programs find their own headers in memory.
    for (std::uint64_t k = 0; k < image_.headers_count && image_.headers_address != 0; ++k) {
      std::uint64_t const header = image_.headers_address + k * sizeof(Elf64_Phdr);
      auto const* const type = contents_at(header, sizeof(Elf64_Phdr));
      std::uint32_t kind = 0;
      if (type != nullptr) std::memcpy(&kind, type, sizeof kind);
      if (type != nullptr && kind != PT_GNU_STACK)
        image_.address_words.push_back(header + offsetof(Elf64_Phdr, p_vaddr));
    }
  }

  // Malformed notes are ignored.
  void read_notes(Elf64_Phdr const& header) {
    if (!inside(header.p_offset, header.p_filesz)) return;
    std::uint64_t const end = header.p_offset + header.p_filesz;
    auto const padded = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
    for (std::uint64_t offset = header.p_offset; offset + sizeof(Elf64_Nhdr) <= end;) {
      auto const note = at<Elf64_Nhdr>(offset, "a note");
      std::uint64_t const name = offset + sizeof note;
      std::uint64_t const next = name + padded(note.n_namesz) + padded(note.n_descsz);
      if (next > end) return;
      auto const* const text = reinterpret_cast<char const*>(file_.data() + name);  // NOLINT
      bool const ours = std::string_view(text, note.n_namesz) == std::string_view("Tessera", 8);
      if (ours && note.n_type == 1) image_.needs_time = true;
      if (ours && note.n_type == 2) image_.spreads = true;
      offset = next;
    }
  }

  void finish_segments() {
    auto& segments = image_.segments;
    if (segments.empty()) refuse("it has nothing to load; is it an executable?");
    std::ranges::sort(segments, {}, &elf_segment::address);
    for (std::size_t k = 1; k < segments.size(); ++k)
      if (segments[k - 1].address + segments[k - 1].memory_bytes > segments[k].address)
        refuse(fmt::format("the segments at {:#x} and {:#x} overlap", segments[k - 1].address, segments[k].address));
    image_.end = segments.back().address + segments.back().memory_bytes;
    bool const runs = std::ranges::any_of(segments, [&](elf_segment const& s) {
      return (s.rights & right_execute) != 0 && image_.entry >= s.address && image_.entry - s.address < s.memory_bytes;
    });
    if (!runs || image_.entry % 2 != 0)
      refuse(fmt::format("byte 24: the entry {:#x} is not in executable memory", image_.entry));
  }

  // The rest is for messages only: malformed parts are left out.
  void read_sections(Elf64_Ehdr const& header) {
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff == 0) return;
    if (!inside(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) return;
    auto const section = [&](std::uint64_t k) {
      return at<Elf64_Shdr>(header.e_shoff + k * sizeof(Elf64_Shdr), "a section header");
    };
    for (std::uint64_t k = 0; k < header.e_shnum; ++k) {
      auto const s = section(k);
      if (s.sh_type == SHT_SYMTAB && s.sh_link < header.e_shnum) read_symbols(s, section(s.sh_link));
      if (header.e_shstrndx >= header.e_shnum) continue;
      std::string_view const name = string_at(section(header.e_shstrndx), s.sh_name);
      if (name == ".eh_frame") {
        image_.eh_frame_address = s.sh_addr;
        image_.eh_frame_bytes = s.sh_size;
      }
      if (name == "tess_types") {
        image_.types_address = s.sh_addr;
        image_.types_bytes = s.sh_size;
      }
      if (name == "tess_tlm") {
        image_.tlm_address = s.sh_addr;
        image_.tlm_bytes = s.sh_size;
      }
    }
    std::ranges::sort(image_.functions, {}, [](elf_symbol const& s) { return std::pair{s.address, s.name}; });
  }

  [[nodiscard]] std::string_view string_at(Elf64_Shdr const& strings, std::uint64_t index) const {
    if (!inside(strings.sh_offset, strings.sh_size) || index >= strings.sh_size) return {};
    auto const* const text = reinterpret_cast<char const*>(file_.data() + strings.sh_offset + index);  // NOLINT
    std::size_t const most = strings.sh_size - index;
    return {text, ::strnlen(text, most)};
  }

  void read_symbols(Elf64_Shdr const& table, Elf64_Shdr const& strings) {
    if (!inside(table.sh_offset, table.sh_size)) return;
    std::uint64_t const count = std::min<std::uint64_t>(table.sh_size / sizeof(Elf64_Sym), functions_max);
    for (std::uint64_t k = 0; k < count; ++k) {
      auto const symbol = at<Elf64_Sym>(table.sh_offset + k * sizeof(Elf64_Sym), "a symbol");
      auto const type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
        continue;
      std::string_view const name = string_at(strings, symbol.st_name);
      if (!name.empty() && !name.starts_with('.') && !name.starts_with('$'))
        image_.functions.push_back({symbol.st_value, symbol.st_size, name});
    }
  }

  std::span<std::byte const> file_;
  std::string_view name_;
  std::uint64_t memory_bytes_;
  std::uint64_t relocations_address_ = 0;
  std::uint64_t relocations_bytes_ = 0;
  elf_image image_;
};

}  // namespace

elf_image read_elf(std::span<std::byte const> file, std::string_view name, std::uint64_t memory_bytes) {
  return elf_reader{file, name, memory_bytes}.read();
}

elf_image moved(elf_image image, std::uint64_t bytes) {
  for (auto& contents : image.moved_contents) contents = std::make_shared<std::vector<std::byte>>(*contents);
  for (std::uint64_t& at : image.address_words) {
    for (std::size_t k = 0; k < image.segments.size(); ++k) {
      elf_segment const& segment = image.segments[k];
      if (at < segment.address || at - segment.address >= segment.contents.size()) continue;
      std::byte* const word = image.moved_contents[k]->data() + (at - segment.address);
      std::uint64_t address;
      std::memcpy(&address, word, sizeof address);
      address += bytes;
      std::memcpy(word, &address, sizeof address);
      break;
    }
    at += bytes;
  }
  image.entry += bytes;
  image.end += bytes;
  for (std::uint64_t* const address :
       {&image.headers_address, &image.eh_frame_address, &image.types_address, &image.tlm_address})
    if (*address != 0) *address += bytes;
  for (std::size_t k = 0; k < image.segments.size(); ++k) {
    image.segments[k].address += bytes;
    image.segments[k].contents = *image.moved_contents[k];
  }
  for (elf_symbol& function : image.functions) function.address += bytes;
  return image;
}

std::string symbol_of(elf_image const& image, std::uint64_t address, bool behind_call) {
  std::uint64_t const inside = address - (behind_call ? 1 : 0);
  auto const after = std::ranges::upper_bound(image.functions, inside, {}, &elf_symbol::address);
  if (after == image.functions.begin() || address >= image.end) return "?";
  elf_symbol const& symbol = *std::prev(after);
  return fmt::format("{}+{:#x}", readable_name(symbol.name), address - symbol.address);
}

}  // namespace tess::machine
