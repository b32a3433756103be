// traps: every exception and interrupt of machine mode, and the registers as they are then, against the manual.
//
//   Results: pairs of a check's number and what was wrong; none if all is right; then the number of checks.
#include "bare.hpp"

using namespace bare;

extern "C" char vector_table[];

namespace {

namespace lines = registers::interrupts;
constexpr auto unit = registers::unit::interrupts;

std::uint64_t own;
std::uint64_t checks;
void expect(std::uint64_t number, std::uint64_t is, std::uint64_t must_be) {
  ++checks;
  if (is == must_be) return;
  result(number);
  result(is);
}

// What the last trap was.
struct {
  std::uint64_t count, cause, pc, value, status;
} last;
enum class then { skips, stays, to_machine } after = then::skips;
std::uint64_t continue_at;
std::uint64_t order[8];
std::uint64_t ordered;
std::uint64_t claimed;

std::uint64_t at(std::uint64_t offset) {
  return window(unit, own) + offset;
}

// The instruction of this label traps; it is left out afterwards.
#define TRAPS(number, text, why, what)                                              \
  do {                                                                              \
    std::uint64_t pc;                                                               \
    std::uint64_t const before = last.count;                                        \
    asm volatile(".option push\n.option norvc\nla %0, 1f\n1: " text "\n.option pop" \
                 : "=&r"(pc)::"memory", "t0", "t1");                                \
    expect(number, last.count, before + 1);                                         \
    expect(number + 1, last.cause, why);                                            \
    expect(number + 2, last.pc, pc);                                                \
    expect(number + 3, last.value, what);                                           \
  } while (false)

void exceptions() {
  after = then::skips;
  csr::mstatus::set(status_mie);
  TRAPS(10, "ecall", 11U, 0U);
  expect(14, last.status & status_mie, 0);  // off in the handler, and remembered
  expect(15, last.status & status_mpie, status_mpie);
  expect(16, last.status & status_mpp, status_mpp);
  expect(17, csr::mstatus::read() & status_mie, status_mie);  // mret has restored it
  expect(18, csr::mstatus::read() & status_mpp, 0);           // and left the least mode
  csr::mstatus::clear(status_mie);
  TRAPS(20, "ebreak", 3U, pc);
  expect(24, last.status & status_mpie, 0);
  expect(25, csr::mstatus::read() & status_mie, 0);
  TRAPS(30, ".4byte 0xffffffff", 2U, 0xffffffffU);
  TRAPS(34, "csrr t0, 0x180", 2U, 0x180022f3U);    // satp: there is no supervisor
  TRAPS(38, "csrw mhartid, t0", 2U, 0xf1429073U);  // read-only
  TRAPS(42, "csrw cycle, t0", 2U, 0xc0029073U);
}

void memory_exceptions() {
  std::uint64_t const hole = std::uint64_t{0x90} << 40U;
  std::uint64_t pc;
  auto const check = [&](std::uint64_t number, std::uint64_t before, std::uint64_t why, std::uint64_t value) {
    expect(number, last.count, before + 1);
    expect(number + 1, last.cause, why);
    expect(number + 2, last.pc, pc);
    expect(number + 3, last.value, value);
  };
#define ACCESS(number, text, address, why)                                          \
  do {                                                                              \
    std::uint64_t const before = last.count;                                        \
    std::uint64_t const where = address;                                            \
    asm volatile(".option push\n.option norvc\nla %0, 1f\n1: " text "\n.option pop" \
                 : "=&r"(pc)                                                        \
                 : "r"(where)                                                       \
                 : "memory", "t0");                                                 \
    check(number, before, why, where);                                              \
  } while (false)
  ACCESS(50, "ld t0, (%1)", hole, 5U);
  ACCESS(54, "sd t0, (%1)", hole, 7U);
  ACCESS(58, "amoadd.d t0, t0, (%1)", hole, 7U);
  ACCESS(62, "lr.d t0, (%1)", hole + 8, 5U);
  ACCESS(66, "amoadd.d t0, t0, (%1)", results + 4, 6U);
  ACCESS(70, "lr.d t0, (%1)", results + 4, 4U);
  ACCESS(74, "ld t0, (%1)", unit_address(unit) + 8000, 5U);  // no such register
  // A jump there traps at its target.
  std::uint64_t const before = last.count;
  asm volatile("la %0, 1f\nsd %0, (%2)\njr %1\n1:" : "=&r"(pc) : "r"(hole), "r"(&continue_at) : "memory");
  expect(78, last.count, before + 1);
  expect(79, last.cause, 1U);
  expect(80, last.pc, hole);
  expect(81, last.value, hole);
}

void registers_of_machine_mode() {
  csr::mtvec::write(csr::mtvec::read() | 3U);  // mode 3 is reserved
  expect(90, csr::mtvec::read() & 2U, 0);
  csr::mtvec::clear(3U);
  csr::mepc::write(0x1235);
  expect(91, csr::mepc::read(), 0x1234);
  csr::mie::write(~std::uint64_t{0});
  expect(92, csr::mie::read(), 0x888);
  csr::mie::write(0);
  csr::mscratch::write(0x123456789abcdef0);
  expect(93, csr::mscratch::read(), 0x123456789abcdef0);
  csr::mcause::write(5);
  csr::mtval::write(6);
  expect(94, csr::mcause::read(), 5);
  expect(95, csr::mtval::read(), 6);
  csr::mip::write(~std::uint64_t{0});
  expect(96, csr::mip::read(), 0);  // its bits are the lines'
  expect(97, csr::misa::read() >> 62U, 2);
  expect(98, csr::misa::read() >> 18U & 1U, 0);  // no supervisor
  expect(99, csr::misa::read() >> 20U & 1U, 1);
  expect(100, csr::mhartid::read(), own);
  csr::mstatus::set(status_mpp);
  expect(101, csr::mstatus::read() & status_mpp, status_mpp);
  csr::mstatus::clear(1U << 12U);  // there is no supervisor mode, so MPP stays
  expect(102, csr::mstatus::read() & status_mpp, status_mpp);
  csr::mcycle::write(0);
  expect(103, csr::mcycle::read() < 100 ? 1 : 0, 1);
  csr::minstret::write(1000);
  std::uint64_t const one = csr::minstret::read();
  std::uint64_t const two = csr::minstret::read();
  expect(104, two - one < 4 ? 1 : 0, 1);
  std::uint64_t old = 0;
  asm volatile("csrrw %0, mscratch, %1" : "=r"(old) : "r"(7UL));
  expect(105, old, 0x123456789abcdef0);
  asm volatile("csrrsi %0, mscratch, 8" : "=r"(old));
  expect(106, old, 7);
  asm volatile("csrrci %0, mscratch, 1" : "=r"(old));
  expect(107, old, 15);
  expect(108, csr::mscratch::read(), 14);
}

void wait(std::uint64_t count) {
  for (std::uint64_t spins = 0; last.count < count && spins < 10000; ++spins) asm volatile("" ::: "memory");
}

void interrupts() {
  after = then::stays;
  csr::mie::write(1U << 3U);
  word(at(lines::software)) = 1;
  expect(110, csr::mip::read(), 1U << 3U);
  std::uint64_t before = last.count;
  expect(111, last.count, before);  // MIE is off
  csr::mstatus::set(status_mie);    // taken before the next instruction
  expect(112, last.count, before + 1);
  expect(113, last.cause, cause_interrupt | 3U);
  expect(114, last.value, 0);
  expect(115, word(at(lines::software)), 0);
  csr::mie::write(1U << 7U);
  std::uint64_t const due = word(unit_address(unit) + lines::time) + 20;
  before = last.count;
  word(at(lines::compare)) = due;
  expect(116, csr::mip::read(), 0);
  wait(before + 1);
  expect(117, last.cause, cause_interrupt | 7U);
  expect(118, word(unit_address(unit) + lines::time) >= due ? 1 : 0, 1);
  csr::mie::write(1U << 11U);
  word(at(lines::enable)) = std::uint64_t{1} << 20U;
  before = last.count;
  word(unit_address(unit) + lines::raise) = 21;  // not enabled
  expect(119, last.count, before);
  word(unit_address(unit) + lines::raise) = 20;
  expect(120, last.count, before + 1);
  expect(121, last.cause, cause_interrupt | 11U);
  expect(122, word(at(lines::pending)), std::uint64_t{1} << 21U);
  // A call of another hart: here of the own.
  word(at(lines::enable)) = std::uint64_t{1} << lines::source_calls;
  csr::mstatus::clear(status_mie);
  word(at(lines::call)) = 0x4560;
  expect(123, csr::mip::read(), 1U << 11U);
  expect(124, word(unit_address(unit) + lines::callers), std::uint64_t{1} << own);
  expect(125, word(at(lines::claim)), lines::source_calls);
  expect(126, word(at(lines::take_call)), 0x4560);
  expect(127, csr::mip::read(), 0);
  expect(128, word(at(lines::claim)), lines::none);
  // Three at a time: external, software, timer.
  csr::mie::write(0x888);
  word(at(lines::compare)) = 0;
  word(at(lines::software)) = 1;
  word(at(lines::enable)) = std::uint64_t{1} << 30U;
  word(unit_address(unit) + lines::raise) = 30;
  ordered = 0;
  csr::mstatus::set(status_mie);
  wait(last.count + 1);
  expect(129, ordered, 3);
  expect(130, order[0], cause_interrupt | 11U);
  expect(131, order[1], cause_interrupt | 3U);
  expect(132, order[2], cause_interrupt | 7U);
  csr::mstatus::clear(status_mie);
}

void waits() {
  // wfi continues when an interrupt is pending that mie enables, with MIE off, and takes none.
  std::uint64_t const before = last.count;
  csr::mie::write(1U << 7U);
  std::uint64_t const begin = word(unit_address(unit) + lines::time);
  word(at(lines::compare)) = begin + 100;
  wait_for_interrupt();
  expect(140, word(unit_address(unit) + lines::time) - (begin + 100) < 10 ? 1 : 0, 1);  // a line may be fetched first
  expect(141, last.count, before);
  std::uint64_t const from = csr::mcycle::read();
  wait_for_interrupt();  // still pending
  expect(142, csr::mcycle::read() - from < 50 ? 1 : 0, 1);
  word(at(lines::compare)) = ~std::uint64_t{0};
  expect(143, csr::mip::read(), 0);
  // With MIE the handler runs first, and returns behind it.
  after = then::stays;
  std::uint64_t pc;
  word(at(lines::compare)) = word(unit_address(unit) + lines::time) + 10;
  csr::mstatus::set(status_mie);
  asm volatile("la %0, 1f\nwfi\n1:" : "=r"(pc)::"memory");
  expect(144, last.count, before + 1);
  expect(145, last.pc, pc);
  csr::mstatus::clear(status_mie);
}

void vectors() {
  std::uint64_t const direct = csr::mtvec::read();
  csr::mtvec::write(reinterpret_cast<std::uint64_t>(vector_table) | 1U);
  csr::mie::write(1U << 3U);
  word(at(lines::software)) = 1;
  std::uint64_t entry = 0;
  csr::mscratch::write(0);
  csr::mstatus::set(status_mie);
  csr::mstatus::clear(status_mie);
  entry = csr::mscratch::read();
  expect(150, entry, 3);
  csr::mscratch::write(0);
  asm volatile(".option push\n.option norvc\necall\n.option pop" ::: "memory");
  expect(151, csr::mscratch::read(), 1);  // exceptions at the base
  csr::mtvec::write(direct);
}

// Returns to user mode at the function, and comes back at its ecall.
void as_user(void (*code)()) {
  csr::mstatus::clear(status_mpp);
  csr::mepc::write(reinterpret_cast<std::uint64_t>(code));
  after = then::to_machine;
  asm volatile("la t0, 1f\n sd t0, (%0)\n mret\n1:" ::"r"(&continue_at)
               : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "ra", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
                 "a7");
  after = then::skips;
}
[[gnu::naked]] void user_call() {
  asm volatile("ecall");
}
[[gnu::naked]] void user_status() {
  asm volatile("csrr t0, mstatus");
}
[[gnu::naked]] void user_return() {
  asm volatile("mret");
}
[[gnu::naked]] void user_cycle() {
  asm volatile("rdcycle t0\n ecall");
}

void users() {
  csr::mie::write(0);
  as_user(user_call);
  expect(160, last.cause, 8U);
  expect(161, last.status & status_mpp, 0);
  as_user(user_status);
  expect(162, last.cause, 2U);
  expect(163, last.value, 0x300022f3U);
  as_user(user_return);
  expect(164, last.cause, 2U);
  expect(165, last.value, 0x30200073U);
  csr::mcounteren::write(0);
  as_user(user_cycle);
  expect(166, last.cause, 2U);
  csr::mcounteren::write(1);
  as_user(user_cycle);
  expect(167, last.cause, 8U);
  // Interrupts are always on in user mode.
  csr::mstatus::clear(status_mie);
  csr::mie::write(1U << 3U);
  word(at(lines::software)) = 1;
  as_user(user_call);
  expect(168, last.cause, cause_interrupt | 3U);
  expect(169, last.pc, reinterpret_cast<std::uint64_t>(&user_call));
  csr::mie::write(0);
}

}  // namespace

asm(R"(
  .text
  .p2align 6
vector_table:
  .option push
  .option norvc
  j 10f
  j 11f
  j 11f
  j 13f
  .option pop
10: csrwi mscratch, 1
  sd t0, -8(sp)
  csrr t0, mepc
  addi t0, t0, 4
  csrw mepc, t0
  ld t0, -8(sp)
  mret
11: csrwi mscratch, 2
  mret
13: csrwi mscratch, 3
  csrwi mie, 0
  mret
)");

extern "C" void handle(frame*) {
  last = {last.count + 1, csr::mcause::read(), csr::mepc::read(), csr::mtval::read(), csr::mstatus::read()};
  if (ordered < 8) order[ordered++] = last.cause;
  if (last.cause == (cause_interrupt | 3U)) word(at(lines::software)) = 0;
  if (last.cause == (cause_interrupt | 7U)) word(at(lines::compare)) = ~std::uint64_t{0};
  if (last.cause == (cause_interrupt | 11U)) claimed = word(at(lines::claim));
  if (last.cause == 1U || after == then::to_machine) {
    csr::mstatus::set(status_mpp);
    csr::mepc::write(continue_at);
  } else if (after == then::skips) {
    csr::mepc::write(last.pc + 4);
  }
}

extern "C" void run(std::uint64_t hart) {
  own = hart;
  exceptions();
  memory_exceptions();
  registers_of_machine_mode();
  interrupts();
  waits();
  vectors();
  users();
  result(checks);
  end();
}
