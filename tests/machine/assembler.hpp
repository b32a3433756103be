// assembler: instruction words by format, and an executable file around them; for tests that build programs.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tess::machine {

constexpr std::uint32_t word_i(std::uint32_t match, unsigned rd, unsigned rs1, std::int32_t imm) {
  return match | rd << 7U | rs1 << 15U | static_cast<std::uint32_t>(imm) << 20U;
}
constexpr std::uint32_t word_r(std::uint32_t match, unsigned rd, unsigned rs1, unsigned rs2) {
  return match | rd << 7U | rs1 << 15U | rs2 << 20U;
}
constexpr std::uint32_t word_s(std::uint32_t match, unsigned rs1, unsigned rs2, std::int32_t imm) {
  auto const bits = static_cast<std::uint32_t>(imm);
  return match | (bits & 31U) << 7U | rs1 << 15U | rs2 << 20U | (bits >> 5U & 127U) << 25U;
}
constexpr std::uint32_t word_u(std::uint32_t match, unsigned rd, std::int32_t imm20) {
  return match | rd << 7U | static_cast<std::uint32_t>(imm20) << 12U;
}
constexpr std::uint32_t word_b(std::uint32_t match, unsigned rs1, unsigned rs2, std::int32_t offset) {
  auto const o = static_cast<std::uint32_t>(offset);
  return match | rs1 << 15U | rs2 << 20U | (o >> 11U & 1U) << 7U | (o >> 1U & 15U) << 8U | (o >> 5U & 63U) << 25U |
         (o >> 12U & 1U) << 31U;
}
constexpr std::uint32_t word_j(std::uint32_t match, unsigned rd, std::int32_t offset) {
  auto const o = static_cast<std::uint32_t>(offset);
  return match | rd << 7U | (o >> 12U & 255U) << 12U | (o >> 11U & 1U) << 20U | (o >> 1U & 1023U) << 21U |
         (o >> 20U & 1U) << 31U;
}

// The opcodes that tests write by hand.
namespace code {
inline constexpr std::uint32_t lui = 0x37, auipc = 0x17, jal = 0x6f, jalr = 0x67, beq = 0x63, bne = 0x1063, ld = 0x3003,
                               sd = 0x3023, lw = 0x2003, sw = 0x2023, addi = 0x13, addiw = 0x1b, slli = 0x1013,
                               srli = 0x5013, add = 0x33, xor_ = 0x4033, or_ = 0x6033, ecall = 0x73, ebreak = 0x100073,
                               csrrw = 0x1073, csrrs = 0x2073, csrrwi = 0x5073, flw = 0x2007, fld = 0x3007,
                               fence_i = 0x100f, fmv_x_d = 0xe2000053;
}  // namespace code

inline constexpr std::uint64_t code_address = 0x10000;
inline constexpr std::uint64_t data_address = 0x400000;

class code_buffer {
 public:
  void put(std::uint32_t word) { append(&word, sizeof word); }
  void put_short(std::uint16_t half) { append(&half, sizeof half); }
  [[nodiscard]] std::uint64_t here() const { return code_address + bytes_.size(); }
  void patch(std::uint64_t address, std::uint32_t word) {
    std::memcpy(bytes_.data() + (address - code_address), &word, 4);
  }
  [[nodiscard]] std::span<std::byte const> bytes() const { return bytes_; }

  // A 32-bit constant, sign-extended.
  void load_constant(unsigned rd, std::int32_t value) {
    put(word_u(code::lui, rd, static_cast<std::int32_t>((static_cast<std::uint32_t>(value) + 0x800U) >> 12U)));
    put(word_i(code::addiw, rd, rd, static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 20U) >> 20));
  }

 private:
  void append(void const* from, std::size_t count) {
    auto const* const begin = static_cast<std::byte const*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  std::vector<std::byte> bytes_;
};

// Code at code_address, which is the entry, and writable data at data_address.
inline std::vector<std::byte> make_executable(std::span<std::byte const> text, std::span<std::byte const> data) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_version = EV_CURRENT;
  header.e_entry = code_address;
  header.e_phoff = sizeof header;
  header.e_flags = 5;  // RVC, double
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  constexpr std::uint64_t text_offset = 4096;
  std::uint64_t const data_offset = (text_offset + text.size() + 4095) / 4096 * 4096;
  Elf64_Phdr const segments[2] = {
      {PT_LOAD, PF_R | PF_X, text_offset, code_address, code_address, text.size(), text.size(), 4096},
      {PT_LOAD, PF_R | PF_W, data_offset, data_address, data_address, data.size(), data.size(), 4096},
  };
  std::vector<std::byte> file(data_offset + data.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, segments, sizeof segments);
  std::memcpy(file.data() + text_offset, text.data(), text.size());
  if (!data.empty()) std::memcpy(file.data() + data_offset, data.data(), data.size());
  return file;
}

}  // namespace tess::machine
