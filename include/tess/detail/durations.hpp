// durations: std::chrono's durations and clocks without its calendar, which would take a tenth of the compile time
// of a small program.
#pragma once

#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
