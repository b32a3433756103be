// effect: what an instruction can change, by its operation: the file of its destination, and its access to memory.
#pragma once

#include <cstdint>

#include "machine/isa/decode.hpp"

namespace tess::machine {

struct effect {
  enum class file : std::uint8_t { none, x, f, e };
  enum class kind : std::uint8_t { none, load, store, reserve, conditional, atomic, compare_swap, begun };
  enum class object : std::uint8_t { none, of_rs1, of_rs2, of_rd };  ///< The field of an extended address's register.

  file to = file::none;
  kind access = kind::none;
  object in = object::none;
  std::uint8_t bytes = 0;       ///< The access's.
  bool adds_immediate = false;  ///< To rs1, for the address.
  bool stores_f = false;
  bool stores_e = false;
  bool raises_flags = false;  ///< Those of floating point.
  bool is_csr = false;
};

[[nodiscard]] effect const& effect_of(operation op) noexcept;

}  // namespace tess::machine
