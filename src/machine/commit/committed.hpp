// committed: what one executed instruction changed: registers, a CSR, memory.
//
// Units     cycles of the hart's clock. Registers are numbered 0 to 31 for x, 32 to 63 for f, 64 to 95 for e (xBGAS).
#pragma once

#include <cstdint>

namespace tess::machine {

struct committed {
  static constexpr std::uint8_t no_register = 255;
  static constexpr std::uint16_t no_csr = 0xffff;
  static constexpr std::uint8_t first_f = 32;
  static constexpr std::uint8_t first_e = 64;
  enum access_bits : std::uint8_t { loads = 1, stores = 2 };

  std::uint64_t cycle = 0;  ///< In which the instruction begins.
  std::uint64_t pc = 0;
  std::uint64_t value = 0;  ///< The register's.
  std::uint64_t address = 0;
  std::uint64_t object = 0;  ///< In an extended address; 0: the hart's own node.
  std::uint64_t stored = 0;
  std::uint64_t csr_value = 0;
  std::uint32_t word = 0;  ///< As it is in memory; a compressed one has 16 bits.
  std::uint32_t core = 0;
  std::uint16_t csr = no_csr;
  std::uint8_t reg = no_register;
  std::uint8_t access = 0;  ///< A set of access_bits.
  std::uint8_t bytes = 0;   ///< The access's.
  std::uint8_t privilege = 0;
  bool by_system = false;  ///< No instruction: the system has set the register, before the instruction at pc.
};

/// Keeps what harts commit.
class commit_sink {
 public:
  virtual ~commit_sink() = default;
  virtual void keep(committed const& one) = 0;
};

}  // namespace tess::machine
