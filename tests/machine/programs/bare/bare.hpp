// bare: the start of a program for machine mode, its trap handler, and how it says what it found.
//
//   Results are words from `results` on, which the program beside it (system_watch) prints: the first says that they
//   are complete, the second how many follow.
#pragma once

#include "system/machine_mode.hpp"

namespace bare {

using namespace tess::system;

inline constexpr std::uint64_t results = 0xc000;  // behind the image, below the programs'

/// Registers at a trap, in the order of their numbers; x0 is the handler's.
struct frame {
  std::uint64_t x[32];
};

inline std::uint64_t result_count;

inline void result(std::uint64_t value) {
  word(results + 16 + 8 * result_count++) = value;
}
inline void end() {
  word(results + 8) = result_count;
  fence();
  word(results) = 1;
  for (;;) {
    csr::mie::write(0);
    wait_for_interrupt();
  }
}

}  // namespace bare

extern "C" void run(std::uint64_t hart);
extern "C" void handle(bare::frame* at);
extern "C" void on_trap();

asm(R"(
  .section .text.start, "ax"
  .globl start
start:
  la sp, stack_end
  la t0, on_trap
  csrw mtvec, t0
  call run
1: wfi
  j 1b
  .text
  .globl on_trap
  .p2align 2
on_trap:
  addi sp, sp, -256
  .irp r, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  sd x\r, 8*\r(sp)
  .endr
  mv a0, sp
  call handle
  .irp r, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ld x\r, 8*\r(sp)
  .endr
  addi sp, sp, 256
  mret
)");
