# entry: the first instructions, and the way into and out of traps.
#
#   A trap stores the registers of the interrupted task on its stack, and continues with the task whose frame trap()
#   returns. frame in tasks.hpp has this shape.

  .section .text.start, "ax"
  .globl start
start:
  la sp, stack_end
  la t0, trap_entry
  csrw mtvec, t0
  call kernel_main
1:
  wfi
  j 1b

  .text
  .p2align 2
trap_entry:
  addi sp, sp, -272
  .irp r, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  sd x\r, 8*\r(sp)
  .endr
  csrr t0, mepc
  csrr t1, mstatus
  sd t0, 256(sp)
  sd t1, 264(sp)
  mv a0, sp
  call trap
  mv sp, a0
  ld t0, 256(sp)
  ld t1, 264(sp)
  csrw mepc, t0
  csrw mstatus, t1
  .irp r, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ld x\r, 8*\r(sp)
  .endr
  addi sp, sp, 272
  mret
