// instants: when interrupts are taken: timer interrupts into code of all kinds, whose cycle and pc are logged.
//
//   Results: for each interrupt the cycle in which its handler began, how long after the time it was set for, and the
//   pc to which it returned; then the cycles from a store to the software interrupt until the handler and back.
#include "bare.hpp"

using namespace bare;

namespace {

namespace lines = registers::interrupts;
constexpr auto unit = registers::unit::interrupts;
constexpr std::uint64_t samples = 64;

std::uint64_t own;
std::uint64_t taken;
std::uint64_t due;
std::uint64_t entered;
std::uint64_t clock_ps;
std::uint64_t volatile data[512];

std::uint64_t at(std::uint64_t offset) {
  return window(unit, own) + offset;
}

// Divisions, loads and stores that hit and miss, atomics, branches.
std::uint64_t work(std::uint64_t seed) {
  for (int k = 0; k < 20; ++k) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    std::uint64_t const index = seed >> 40U & 511U;
    data[index] = data[(index * 7) & 511U] + seed / (1 + (seed & 15U));
    if ((seed >> 33U & 1U) != 0) asm volatile("amoadd.d zero, %0, (%1)" ::"r"(seed), "r"(&data[index]) : "memory");
  }
  return seed;
}

}  // namespace

extern "C" void handle(frame*) {
  entered = csr::mcycle::read();
  if (csr::mcause::read() == (cause_interrupt | cause_software)) {
    word(at(lines::software)) = 0;
    return;
  }
  result(entered);
  result(entered - due * 100000 / clock_ps);
  result(csr::mepc::read());
  word(at(lines::compare)) = ~std::uint64_t{0};
  ++taken;
}

extern "C" void run(std::uint64_t hart) {
  own = hart;
  clock_ps = word(unit_address(registers::unit::information) + registers::information::clock_ps);
  csr::mie::write(1U << cause_timer | 1U << cause_software);
  csr::mstatus::set(status_mie);
  std::uint64_t seed = 1;
  for (std::uint64_t k = 0; k < samples; ++k) {
    due = word(unit_address(unit) + lines::time) + 2 + (k * 7) % 11;
    word(at(lines::compare)) = due;
    while (taken == k) {
      seed = work(seed);
      asm volatile("" ::: "memory");
    }
  }
  for (int k = 0; k < 2; ++k) {
    std::uint64_t const before = csr::mcycle::read();
    word(at(lines::software)) = 1;
    std::uint64_t const back = csr::mcycle::read();
    result(entered - before);
    result(back - entered);
  }
  end();
}
