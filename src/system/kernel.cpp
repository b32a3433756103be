// kernel: starts, dispatches traps, and does the calls of the tile's other harts, each by a task.
#include "system/kernel.hpp"

#include <tess/machine/system_call.hpp>

#include "system/graphs.hpp"
#include "system/mailboxes.hpp"
#include "system/portals.hpp"
#include "system/waiting.hpp"

namespace tess::system {

std::uint64_t own_hart;
std::uint64_t own_tile;
memory_range own_memory;
memory_range managed;

namespace {

using machine::system::awaited_message;
using machine::system::call;
using machine::system::call_number;
using machine::system::error;

constexpr std::uint64_t programs_begin = 0x10000;
constexpr std::uint64_t ns_per_tick = 100;
constexpr std::uint64_t retry_ticks = 20;
constexpr std::uint64_t reserved_pages = 1;  // for queues and messages

task* network;          // the task for packets, while it has none
std::uint64_t untaken;  // harts whose call has a task that has not taken it yet

std::int64_t code_of(error one) {
  return static_cast<std::int64_t>(one);
}

std::int64_t await(std::uint64_t port, std::uint64_t mask) {
  no_interrupts const off;
  for (;;) {
    std::uint64_t const found =
        portals::closed(mask) | (mailboxes::has_message(port) ? awaited_message : std::uint64_t{0});
    if (found != 0) return static_cast<std::int64_t>(found);
    waiting::for_change();
  }
}

std::int64_t memory_call(call const& of) {
  no_interrupts const off;
  auto const [first, second, third, fourth, fifth] = of.operands;
  switch (static_cast<call_number>(of.number)) {
    case call_number::manage:
      return managed.manage(first, second) ? 0 : code_of(error::no_memory);
    case call_number::allocate: {
      void* const block = managed.allocate(first);
      return block == nullptr ? code_of(error::no_memory)
                              : static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(block));
    }
    default:
      return managed.release(reinterpret_cast<void*>(first)) ? 0 : code_of(error::invalid);
  }
}

std::int64_t result_of(call const& of) {
  auto const [first, second, third, fourth, fifth] = of.operands;
  switch (static_cast<call_number>(of.number)) {
    case call_number::mailbox_open:
      return mailboxes::open(first);
    case call_number::mailbox_close:
      return mailboxes::close(first);
    case call_number::mailbox_send:
      return mailboxes::send(first, second, reinterpret_cast<void const*>(third), fourth);
    case call_number::mailbox_receive:
      return mailboxes::receive(first, reinterpret_cast<void*>(second), third);
    case call_number::mailbox_try:
      return mailboxes::try_receive(first, reinterpret_cast<void*>(second), third);
    case call_number::await:
      return await(first, second);
    case call_number::window_open:
      return portals::open(first, second, third, fourth, fifth);
    case call_number::window_close:
      return portals::close(first);
    case call_number::transfer:
      return portals::transfer(first, second, third);
    case call_number::manage:
    case call_number::allocate:
    case call_number::release:
      return memory_call(of);
    case call_number::serve:
      return graphs::serve(first, second);
    case call_number::sleep:
      sleep(first / ns_per_tick);
      return 0;
    default:
      return code_of(error::invalid);
  }
}

std::uint64_t enabled() {
  return word(window(registers::unit::interrupts, own_hart) + registers::interrupts::enable);
}
void enable(std::uint64_t sources) {
  word(window(registers::unit::interrupts, own_hart) + registers::interrupts::enable) = sources;
}
void turn_on(std::uint64_t source) {
  enable(enabled() | std::uint64_t{1} << source);
}
void turn_off(std::uint64_t source) {
  enable(enabled() & ~(std::uint64_t{1} << source));
}

/// A task: takes the call of a hart, does it, and wakes the hart, which sleeps on the block's last word.
void do_call(void* hart) {
  auto const number = reinterpret_cast<std::uint64_t>(hart);
  call* of = nullptr;
  {
    no_interrupts const off;
    of = reinterpret_cast<call*>(word(window(registers::unit::interrupts, number) + registers::interrupts::take_call));
    untaken &= ~(std::uint64_t{1} << number);
    turn_on(registers::interrupts::source_calls);
  }
  of->result = result_of(*of);
  fence();
  *const_cast<std::uint64_t volatile*>(&of->state) = 1;
}

/// The task for packets. It has its memory from the beginning, since others may wait for what it brings.
void do_packets(void*) {
  no_interrupts const off;
  for (;;) {
    (void)mailboxes::take_packets();
    if (mailboxes::pump() && graphs::has_room()) {
      turn_on(registers::interrupts::source_tasks);
      network = own_task();
      block();
    } else {
      sleep(retry_ticks);
    }
  }
}

/// A task for each call, as far as there is memory; the others stay in their registers until a task has ended.
void take_calls() {
  std::uint64_t const callers = word(unit_address(registers::unit::interrupts) + registers::interrupts::callers);
  turn_off(registers::interrupts::source_calls);
  for (std::uint64_t left = callers & ~untaken; left != 0; left &= left - 1) {
    auto const hart = static_cast<std::uint64_t>(__builtin_ctzll(left));
    if (own_memory.free_pages() < reserved_pages || !spawn(do_call, reinterpret_cast<void*>(hart))) return;
    untaken |= std::uint64_t{1} << hart;
  }
}

void external_interrupt() {
  namespace of = registers::interrupts;
  for (;;) {
    std::uint64_t const source = word(window(registers::unit::interrupts, own_hart) + of::claim);
    switch (source) {
      case of::none:
        return;
      case of::source_tasks:
        if (graphs::serves() && mailboxes::take_packets() && mailboxes::pump()) break;
        // Its level stays until a task has taken the packets.
        turn_off(of::source_tasks);
        wake_network();
        break;
      case of::source_windows:
        waiting::changed();
        break;
      case of::source_calls:
        take_calls();
        break;
      case source_transfer:
        portals::transfer_ended();
        break;
      case source_ranges:
        graphs::range_ended();
        break;
      default:
        break;
    }
  }
}

}  // namespace

void wake_network() {
  if (network != nullptr) wake(network);
  network = nullptr;
}

void task_ended() {
  turn_on(registers::interrupts::source_calls);
}

extern "C" frame* trap(frame* at) {
  std::uint64_t const cause = csr::mcause::read();
  constexpr std::uint64_t call_from_machine = 11;
  if (cause == call_from_machine) return service(at);
  if (cause == (cause_interrupt | cause_external)) {
    external_interrupt();
  } else if (cause == (cause_interrupt | cause_timer)) {
    timer_interrupt();
  } else if (cause == (cause_interrupt | cause_software)) {
    // Another hart wants its call to be seen now.
    word(window(registers::unit::interrupts, own_hart) + registers::interrupts::software) = 0;
    take_calls();
  } else {
    panic(panic_code::trap);
  }
  return schedule(at);
}

}  // namespace tess::system

extern "C" char memory_begin[];

extern "C" void kernel_main(std::uint64_t hart) {
  using namespace tess::system;  // NOLINT
  own_hart = hart;
  own_tile = word(unit_address(registers::unit::information) + registers::information::tile);
  auto const begin = reinterpret_cast<std::uint64_t>(memory_begin);
  if (!own_memory.manage(begin, programs_begin - begin) || !spawn(do_packets, nullptr)) panic(panic_code::memory);
  csr::mie::write(1U << cause_software | 1U << cause_timer | 1U << cause_external);
  namespace of = registers::interrupts;
  enable(1U << of::source_tasks | 1U << of::source_windows | 1U << of::source_calls |
         std::uint64_t{1} << source_transfer | std::uint64_t{1} << source_ranges);
  csr::mstatus::set(status_mie);
  for (;;) wait_for_interrupt();
}
