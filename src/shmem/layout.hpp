// layout: refuses programs whose inlined words belong to another version of the library.
//
//   <shmem.h> leaves a note (System V ABI, "Note Section") in each program, static or not, and in each shared library
//   of a program that inlines words. It has a number for the structures that the header and the library share.
//
// Errors    fail: one of them has another number than the library.
#pragma once

namespace tess::shmem {

void check_layout();

}  // namespace tess::shmem
