// hart: what happens between two runs.
#include "machine/hart/hart.hpp"

namespace tess::machine {

void hart::complete(std::uint64_t raw) noexcept {
  std::uint8_t const rd = request.rd;
  int const unused = 64 - 8 * request.bytes;
  switch (request.to) {
    case destination::x_signed:
      x[rd] = static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
      break;
    case destination::x_unsigned:
      x[rd] = raw << unused >> unused;
      break;
    case destination::f_boxed:
      f[rd] = request.bytes == 8 ? raw : raw | 0xffffffff00000000U;
      break;
    case destination::extension:
      e[rd] = raw;
      break;
  }
  advance();
}

void hart::advance() noexcept {
  pc = next_pc;
  resume = at == nullptr ? nullptr : at + 1;
}

void hart::jump(std::uint64_t target) noexcept {
  pc = target;
  resume = at = nullptr;
  charged = counted = 0;
}

}  // namespace tess::machine
