// compiler: rejects a compiler that cannot compile Tessera's headers, and names one that can.
#pragma once

#if !defined(__clang__) || __clang_major__ < 18
#error "Tessera needs Clang 18 or newer: set CXX=clang++-19 (Debian: apt install clang-19), or compile by `tess c++`"
#define TESS_STOP "nothing more is compiled after the error above"
#include TESS_STOP
#elif __cplusplus <= 202002L
#error "Tessera needs C++23: add -std=c++23"
#define TESS_STOP "nothing more is compiled after the error above"
#include TESS_STOP
#endif
