// hart: a RISC-V hart that can stop at any instruction with an effect outside of it, and continue later.
//
//   run() (engine.hpp) executes from pc until the clock reaches `until`, or until something must be done at kernel
//   time. `stopped` is the reason and `request` the operation. The caller performs it, at whatever time, then calls
//   complete(), advance() or neither, and then run() again. A stopped hart holds no stack.
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
//     control                      this one         a register of machine mode: request.address is its number, operand
//                                                   the operand, expected 0 or csr_action + 1; complete(), or a trap
//     trap_return                  this one         jump(privileged->leave())
//     wait_for_interrupt           this one         advance(), when an interrupt is pending
//     illegal, ebreak, access      this one         a trap: the program ends, or its handler runs. request.address:
//                                                   the word, or the address
//
// Units     cycles of this hart's clock; the caller converts to the kernel's picoseconds.
// Threads   none: all harts of a machine run on the kernel's thread.
// Source    RISC-V Unprivileged ISA 20191213 (registers, fcsr, LR/SC); Zawrs 1.0.
#pragma once

#include <array>
#include <cstdint>

#include "machine/hart/float_state.hpp"
#include "machine/hart/inst.hpp"
#include "machine/hart/tickets.hpp"
#include "machine/isa/atomic.hpp"

namespace tess::machine {

class call_profile;
class code_cache;
class commit_log;
class hart_regions;
class instruction_observer;
class pipeline;
class privileged_state;

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
  control,
  trap_return,
  wait_for_interrupt,
  uncertain,  // a hart that may be taken back does what cannot be
  ebreak,
  illegal,
  access,  // no such address, or not accessible in this way
};

// The destination of a value, and how it is extended.
enum class destination : std::uint8_t { x_signed, x_unsigned, f_boxed, extension, ticket };

// Access rights of pages, and the right that an access needs.
enum access_right : std::uint8_t { right_read = 1, right_write = 2, right_execute = 4 };

// Faults of an extended access (xBGAS).
enum class extended_fault : std::uint8_t {
  none,
  reserved_register,  // e0 to e9 cannot name an object in an address
  no_object,          // it is not in the look-aside buffer
  misaligned,
  outside,  // the node has no such address
  ticket,   // the hart has no such ticket
};

// The register index for writes to x0.
inline constexpr std::uint8_t no_register = 32;

struct access_request {
  std::uint64_t address = 0;
  std::uint64_t operand = 0;   // the value to store or combine
  std::uint64_t expected = 0;  // of a compare-and-swap
  std::uint64_t object = 0;    // of an extended access: never 0, which is the hart's own node
  std::uint8_t bytes = 0;      // 1, 2, 4, 8
  std::uint8_t rd = no_register;
  destination to = destination::x_signed;
  atomic_operation operation = atomic_operation::swap;
  access_right right = right_read;              // of stop::access: the missing right
  extended_fault fault = extended_fault::none;  // of stop::access: the reason
  stop begun = stop::none;                      // of stop::extended_begin: load, atomic or compare_swap; of
                                                // stop::access extended_begin: it was posted before
  bool in_order = false;                        // of the same: everything before it must be complete
};

struct reservation {
  std::uint64_t address = 0;
  std::uint64_t value = 0;  // the value that LR read
  std::uint8_t bytes = 0;   // 0: none
};

struct hart {
  std::array<std::uint64_t, 33> x{};  // x[32] receives writes to x0
  std::array<std::uint64_t, 32> f{};  // single values are NaN-boxed
  std::int64_t left = 0;              // cycles until run() returns, without the current block
  std::uint64_t retired = 0;          // instructions
  code_cache* code = nullptr;         // decoded blocks of its program
  void* memory = nullptr;             // the policy's object; its fast path gets another pointer in a register
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

  // It stopped behind an instruction of a block, whose end has not been executed.
  [[nodiscard]] bool is_inside_block() const noexcept { return resume != nullptr && counted != 0; }

  // Time that passes while it is stopped: a miss, a full write buffer, a system call.
  void wait_until(std::uint64_t cycle) noexcept {
    if (cycle > now()) left = static_cast<std::int64_t>(until - cycle);
  }

  // In the middle of a block: run() returns at its end. No time passes by this.
  void end_turn() noexcept {
    if (left <= 0) return;
    until -= static_cast<std::uint64_t>(left);
    left = 0;
  }

  // Writes the result of the request; for a ticket it is the answer.
  void set_result(std::uint64_t raw) noexcept;
  // The same, and advances behind the instruction.
  void complete(std::uint64_t raw) noexcept;
  // There is no free ticket, and the operation has not begun.
  void refuse_ticket() noexcept;
  // Advances behind the instruction.
  void advance() noexcept;
  // Continues at another pc, as for a new thread.
  void jump(std::uint64_t target) noexcept;

  // For the engine only.
  inst const* at = nullptr;      // the instruction that stopped it, or null
  inst const* resume = nullptr;  // where to continue, or null: look up pc
  std::uint64_t generation = 0;  // of the code cache when resume was set
  std::uint64_t next_pc = 0;     // behind the instruction at which it stopped
  std::uint32_t charged = 0;     // cycles of its block that were counted when it stopped inside of it,
  std::uint32_t counted = 0;     // and instructions; the end of the block counts both again

  std::array<std::uint64_t, 32> e{};         // the extension registers of xBGAS
  ticket_table tickets;                      // operations that were begun
  privileged_state* privileged = nullptr;    // machine mode, if the hart has it
  call_profile* profile = nullptr;           // of its cycles, if somebody asked for one
  commit_log* commits = nullptr;             // of its instructions, the same
  bool is_observed = false;                  // it has any of these
  bool is_tentative = false;                 // it may be taken back to an earlier moment
  pipeline* pipe = nullptr;                  // if its instructions have issue slots
  hart_regions* regions = nullptr;           // that the program names
  instruction_observer* observer = nullptr;  // of all instructions, if somebody asked for one
};

// All that run() changes of a hart, as it was once: the hart can be taken back to there.
class hart_moment {
 public:
  void keep(hart const& of) noexcept { copy(of, *this); }
  void restore(hart& into) const noexcept { copy(*this, into); }

 private:
  template <class From, class To>
  static void copy(From const& from, To& to) noexcept {
    to.x = from.x;
    to.f = from.f;
    to.e = from.e;
    to.left = from.left;
    to.retired = from.retired;
    to.fp = from.fp;
    to.pc = from.pc;
    to.until = from.until;
    to.request = from.request;
    to.stopped = from.stopped;
    to.at = from.at;
    to.resume = from.resume;
    to.generation = from.generation;
    to.next_pc = from.next_pc;
    to.charged = from.charged;
    to.counted = from.counted;
  }
  decltype(hart::x) x{};
  decltype(hart::f) f{};
  decltype(hart::e) e{};
  std::int64_t left = 0;
  std::uint64_t retired = 0;
  float_state fp;
  std::uint64_t pc = 0;
  std::uint64_t until = 0;
  access_request request;
  stop stopped = stop::none;
  inst const* at = nullptr;
  inst const* resume = nullptr;
  std::uint64_t generation = 0;
  std::uint64_t next_pc = 0;
  std::uint32_t charged = 0;
  std::uint32_t counted = 0;
};

}  // namespace tess::machine
