// tasks: switches and the timer.
#include "system/tasks.hpp"

#include "system/kernel.hpp"

namespace tess::system {
namespace {

constexpr std::uint64_t task_bytes = 2048;  // with its stack
constexpr std::uint64_t guard_word = 0x7461736b67756172;
constexpr std::uint64_t turn_ticks = 1000;
constexpr std::uint64_t never = ~std::uint64_t{0};

enum service_number : std::uint64_t { service_block, service_yield, service_end };

task idle{nullptr, nullptr, 0, guard_word};
task* running = &idle;
task* ended;  // its stack may be in use until the next switch
task_list ready;
task* sleeping;  // by time
std::uint64_t turn_ends = never;
bool gives_way;

void set_timer() {
  std::uint64_t due = sleeping == nullptr ? never : sleeping->due;
  if (turn_ends < due) due = turn_ends;
  word(window(registers::unit::interrupts, own_hart) + registers::interrupts::compare) = due;
}

void release_ended() {
  if (ended != nullptr) own_memory.release(ended);
  ended = nullptr;
}

void call_service(std::uint64_t number) {
  register std::uint64_t a7 asm("a7") = number;
  asm volatile("ecall" ::"r"(a7) : "memory");
}

[[noreturn]] void begin_task(void (*function)(void*), void* argument) {
  function(argument);
  call_service(service_end);
  __builtin_unreachable();
}

}  // namespace

std::uint64_t now() {
  return word(unit_address(registers::unit::interrupts) + registers::interrupts::time);
}

task* own_task() {
  return running;
}

bool spawn(void (*function)(void*), void* argument) {
  no_interrupts const off;
  release_ended();
  auto* const made = static_cast<task*>(own_memory.allocate(task_bytes));
  if (made == nullptr) return false;
  auto const top = reinterpret_cast<std::uint64_t>(made) + task_bytes;
  made->saved = reinterpret_cast<frame*>(top - sizeof(frame));
  made->guard = guard_word;
  // Registers other than these have no meaning yet.
  made->saved->x[10] = reinterpret_cast<std::uint64_t>(function);
  made->saved->x[11] = reinterpret_cast<std::uint64_t>(argument);
  made->saved->pc = reinterpret_cast<std::uint64_t>(&begin_task);
  made->saved->status = status_mpp | status_mpie;
  ready.put(made);
  return true;
}

void wake(task* blocked) {
  ready.put(blocked);
}

void block() {
  call_service(service_block);
}

void yield() {
  call_service(service_yield);
}

void sleep(std::uint64_t ticks) {
  no_interrupts const off;
  task* const own = running;
  own->due = now() + ticks;
  task** at = &sleeping;
  while (*at != nullptr && (*at)->due <= own->due) at = &(*at)->next;
  own->next = *at;
  *at = own;
  set_timer();
  block();
}

void timer_interrupt() {
  std::uint64_t const time = now();
  while (sleeping != nullptr && sleeping->due <= time) {
    task* const one = sleeping;
    sleeping = one->next;
    ready.put(one);
  }
  if (turn_ends <= time) {
    turn_ends = never;
    gives_way = true;
  }
  set_timer();
}

frame* service(frame* at) {
  at->pc += 4;  // behind the ecall
  running->saved = at;
  switch (at->x[17]) {
    case service_yield:
      ready.put(running);
      break;
    case service_end:
      release_ended();
      ended = running;
      task_ended();
      break;
    default:
      break;
  }
  running = nullptr;
  return schedule(at);
}

frame* schedule(frame* at) {
  if (running != nullptr) {
    bool const others = !ready.empty();
    if (running->guard != guard_word) panic(panic_code::stack);
    if (running != &idle && !(others && gives_way)) {
      if (others && turn_ends == never) {
        turn_ends = now() + turn_ticks;
        set_timer();
      }
      return at;
    }
    if (!others) return at;
    running->saved = at;
    if (running != &idle) ready.put(running);
  }
  gives_way = false;
  if (turn_ends != never) {
    turn_ends = never;
    set_timer();
  }
  running = ready.take();
  if (running == nullptr) running = &idle;
  return running->saved;
}

void panic(panic_code why) {
  word(unit_address(registers::unit::information) + registers::information::end_run) = static_cast<std::uint64_t>(why);
  for (;;) wait_for_interrupt();
}

}  // namespace tess::system
