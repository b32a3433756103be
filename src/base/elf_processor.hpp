// elf_processor: the processor that an ELF file is built for, in words for messages.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>

namespace tess {

inline std::string elf_processor(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "64-bit Arm";
    case EM_ARM:
      return "32-bit Arm";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "S/390";
    default:
      return "a processor that ELF numbers " + std::to_string(machine);
  }
}

}  // namespace tess
