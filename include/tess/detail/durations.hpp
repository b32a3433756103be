// durations: std::chrono's durations and clocks without its calendar, which alone would take a tenth of the time in
// which a small program compiles.
#pragma once

#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
