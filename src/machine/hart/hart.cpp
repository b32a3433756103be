// hart: state changes between two runs.
#include "machine/hart/hart.hpp"

#include "machine/commit/commit_log.hpp"

namespace tess::machine {

void hart::set_result(std::uint64_t raw) noexcept {
  std::uint8_t const rd = request.rd;
  int const unused = 64 - 8 * request.bytes;
  auto const widened = static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
  switch (request.to) {
    case destination::x_signed:
      x[rd] = widened;
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
    case destination::ticket:
      if (rd == no_register) break;
      x[rd] = tickets.take();
      tickets.answer(x[rd], widened, false);
      break;
  }
}

void hart::complete(std::uint64_t raw) noexcept {
  set_result(raw);
  advance();
}

void hart::refuse_ticket() noexcept {
  x[request.rd] = ~std::uint64_t{0};
  advance();
}

void hart::advance() noexcept {
  pc = next_pc;
  resume = at == nullptr ? nullptr : at + 1;
}

void hart::jump(std::uint64_t target) noexcept {
  if (commits != nullptr) commits->jumped(*this);
  pc = target;
  resume = at = nullptr;
  charged = counted = 0;
}

}  // namespace tess::machine
