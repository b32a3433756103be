// hart: a RISC-V hart that can stop at any instruction that others might see, and go on later.
//
//   run() (engine.hpp) executes from pc until the clock says `until`, or until something must be done at kernel time.
//   Why it stopped is `stopped`; what is wanted is `request`. The caller does it, at whatever time, and says so by
//   complete(), advance() or nothing; then it calls run() again. A hart holds no stack of its own while it is stopped.
//
//     stop                         pc is            the caller does, then
//     quantum                      the next         nothing; run() again
//     fetch                        the next         brings the L1-I line of request.address; run() again
//     load, atomic kinds           this one         complete(raw value), or a trap
//     store                        this one         advance(), or a trap
//     fence, fence_i, pause, wait  this one         advance(); after fence_i also code_cache::clear()
//     extended kinds               this one         the access at the node of request.object; complete() or advance()
//     extended_begin               this one         begins request.begun; advance() or refuse_ticket(). Object 0:
//                                                   with time and in_order, or all tickets are taken
//     ticket_test, ticket_get      this one         complete(); request.address is a ticket that has no answer yet
//     counter                      this one         complete(value); request.address is the number of the CSR
//     ecall                        this one         registers, memory, advance(); or never runs again
//     illegal, ebreak, access      this one         a trap: the program ends. request.address: the word, or the address
//
// Units     cycles of this hart's clock; the kernel's picoseconds are the caller's matter.
// Threads   none: all harts of a machine run on the kernel's thread.
// Source    RISC-V Unprivileged ISA 20191213 (registers, fcsr, LR/SC); Zawrs 1.0.
#pragma once

#include <array>
#include <cstdint>

#include "machine/hart/float_state.hpp"
#include "machine/hart/inst.hpp"
#include "machine/hart/tickets.hpp"

namespace tess::machine {

class code_cache;

enum class stop : std::uint8_t {
  none,
  lookup,  // inside run() only: pc has no block yet
  quantum,
  fetch,
  load,
  store,
  load_reserved,
  store_conditional,
  atomic,
  compare_swap,
  extended_load,
  extended_store,
  extended_atomic,
  extended_compare_swap,
  extended_begin,
  ticket_test,
  ticket_get,
  fence,
  fence_i,
  counter,
  pause,
  wait,
  ecall,
  ebreak,
  illegal,
  access,  // an address that is not there, or not for this use
};

enum class atomic_operation : std::uint8_t { swap, add, exclusive_or, conjunction, disjunction, min, max, minu, maxu };

// Where a value goes and how it is widened.
enum class destination : std::uint8_t { x_signed, x_unsigned, f_boxed, extension, ticket };

// Access rights, and what an access wants of them.
enum access_right : std::uint8_t { right_read = 1, right_write = 2, right_execute = 4 };

// What is wrong with an extended access (xBGAS).
enum class extended_fault : std::uint8_t {
  none,
  reserved_register,  // e0 to e9 name no object in an address
  no_object,          // the look-aside buffer does not know it
  misaligned,
  outside,  // the node has no such address
  ticket,   // the hart has no such ticket
};

// Where x0 is written.
inline constexpr std::uint8_t no_register = 32;

struct access_request {
  std::uint64_t address = 0;
  std::uint64_t operand = 0;   // what is stored or combined
  std::uint64_t expected = 0;  // of a compare-and-swap
  std::uint64_t object = 0;    // of an extended access: never 0, which is the hart's own node
  std::uint8_t bytes = 0;      // 1, 2, 4, 8
  std::uint8_t rd = no_register;
  destination to = destination::x_signed;
  atomic_operation operation = atomic_operation::swap;
  access_right right = right_read;              // of stop::access: what was missing
  extended_fault fault = extended_fault::none;  // of stop::access: why
  stop begun = stop::none;                      // of stop::extended_begin: load, atomic or compare_swap; of
                                                // stop::access extended_begin: it was posted before
  bool in_order = false;                        // of the same: all before it must be done
};

struct reservation {
  std::uint64_t address = 0;
  std::uint64_t value = 0;  // what LR read
  std::uint8_t bytes = 0;   // 0: none
};

struct hart {
  std::array<std::uint64_t, 33> x{};  // x[32] takes what is written to x0
  std::array<std::uint64_t, 32> f{};  // single values are NaN-boxed
  std::int64_t left = 0;              // cycles until run() returns, not counting the block under way
  std::uint64_t retired = 0;          // instructions
  code_cache* code = nullptr;         // decoded blocks of the program that it runs
  void* memory = nullptr;             // the policy's own; its fast path has more in a register
  float_state fp;

  std::uint64_t pc = 0;
  std::uint64_t until = 0;  // of the last run(), in cycles
  access_request request;
  reservation reserved;
  stop stopped = stop::none;
  std::uint32_t number = 0;  // within the machine

  // Cycles since the start of the machine. Only while stopped; inside a block use now(i).
  [[nodiscard]] std::uint64_t now() const noexcept { return until - static_cast<std::uint64_t>(left); }
  // The same in the middle of a block: the time at which instruction i ends.
  [[nodiscard]] std::uint64_t now(inst const* i) const noexcept { return now() + i->cycles; }

  // Time that passes while it is stopped: a miss, a full write buffer, a system call.
  void wait_until(std::uint64_t cycle) noexcept {
    if (cycle > now()) left = static_cast<std::int64_t>(until - cycle);
  }

  // Writes the result of request; a ticket has its answer.
  void set_result(std::uint64_t raw) noexcept;
  // The same, and goes on behind the instruction.
  void complete(std::uint64_t raw) noexcept;
  // There is no free ticket, and the operation has not begun.
  void refuse_ticket() noexcept;
  // Goes on behind the instruction.
  void advance() noexcept;
  // Goes on elsewhere: another program counter, as for a new thread.
  void jump(std::uint64_t target) noexcept;

  // The rest is the engine's.
  inst const* at = nullptr;      // the instruction that stopped it, or null
  inst const* resume = nullptr;  // where to go on, or null: look up pc
  std::uint64_t generation = 0;  // of the code cache when resume was set
  std::uint64_t next_pc = 0;     // behind the instruction that stopped it
  std::uint32_t charged = 0;     // cycles of its block that were counted when it stopped in the middle of it,
  std::uint32_t counted = 0;     // and instructions; the block counts both again at its end

  std::array<std::uint64_t, 32> e{};  // the extension registers of xBGAS
  ticket_table tickets;               // what it has begun
};

}  // namespace tess::machine
