// tasks: tasks of the kernel: their stacks, the queue of those that are ready, switches, and time.
//
//   A task runs until it blocks, ends, or has used its turn while others are ready. A switch is a trap: ecall, or an
//   interrupt, stores all registers on the task's stack. Without a ready task the hart sleeps; the timer is set only if
//   somebody waits for it.
//
// Units     ticks of 100 ns.
// Threads   functions that change queues are called with interrupts off (no_interrupts), or from a trap.
#pragma once

#include "system/machine_mode.hpp"

namespace tess::system {

/// The registers of an interrupted task, as entry.S stores them.
struct frame {
  std::uint64_t x[32];
  std::uint64_t pc;
  std::uint64_t status;
};
static_assert(sizeof(frame) == 272);

struct task {
  frame* saved;
  task* next;           ///< In a queue.
  std::uint64_t due;    ///< When a sleeping task continues.
  std::uint64_t guard;  ///< Overwritten by a stack that is too deep.
};

/// Interrupts are off while it lives.
class no_interrupts {
 public:
  no_interrupts() { asm volatile("csrrci %0, mstatus, 8" : "=r"(before_)::"memory"); }
  ~no_interrupts() {
    if ((before_ & status_mie) != 0) csr::mstatus::set(status_mie);
  }
  no_interrupts(no_interrupts const&) = delete;
  no_interrupts& operator=(no_interrupts const&) = delete;

 private:
  std::uint64_t before_;
};

/// Tasks, first in, first out.
class task_list {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  void put(task* added) {
    added->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = added;
    last_ = added;
  }
  [[nodiscard]] task* take() {
    task* const one = first_;
    if (one != nullptr) first_ = one->next;
    return one;
  }

 private:
  task* first_ = nullptr;
  task* last_ = nullptr;
};

/// A task that calls function(argument) becomes ready. False: there is no memory for it.
bool spawn(void (*function)(void*), void* argument);
/// The task that runs.
[[nodiscard]] task* own_task();
/// Makes a blocked task ready.
void wake(task* blocked);
/// Stops the own task until wake(). Interrupts must be off, and are so afterwards.
void block();
/// The next ready task runs, and the own one again after all others.
void yield();
/// Stops the own task for so long.
void sleep(std::uint64_t ticks);
[[nodiscard]] std::uint64_t now();

// For traps.
void timer_interrupt();
[[nodiscard]] frame* service(frame* at);
/// The frame with which the hart continues.
[[nodiscard]] frame* schedule(frame* at);
/// Why the kernel cannot continue; the exit code of the run.
enum class panic_code : std::uint64_t { trap = 70, stack = 71, memory = 72 };
[[noreturn]] void panic(panic_code why);

}  // namespace tess::system
