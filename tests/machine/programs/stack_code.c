// stack_code: code that a program stores on its stack, as GCC does for the address of a nested function, and executes
// there, also on the stack of a thread. It is linked with -z execstack.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static long on_the_stack(long number) {
  uint32_t code[2] = {0x00050513 | (uint32_t)(number << 20), 0x00008067};  // addi a0, a0, number; ret
  uint32_t volatile* const at = code;
  at[0] = code[0];
  syscall(SYS_riscv_flush_icache, code, code + 2, 0);
  return ((long (*)(long))(uintptr_t)code)(100);
}

static void* body(void* number) {
  return (void*)on_the_stack((long)number);
}

int main() {
  printf("first: %ld\n", on_the_stack(1));
  printf("again: %ld\n", on_the_stack(2));
  pthread_t thread;
  void* result = 0;
  pthread_create(&thread, 0, body, (void*)3);
  pthread_join(thread, &result);
  printf("in a thread: %ld\n", (long)result);
  return 0;
}
