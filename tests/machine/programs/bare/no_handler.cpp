// no_handler: traps while its handler's address has no memory.
#include "bare.hpp"

extern "C" void handle(bare::frame*) {}

extern "C" void run(std::uint64_t) {
  bare::csr::mtvec::write(std::uint64_t{0x90} << 40U);
  asm volatile("ecall");
}
