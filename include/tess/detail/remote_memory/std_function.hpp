// std_function: std::function without the hash tables and searchers that <functional> includes.
#pragma once

#if __has_include(<bits/std_function.h>)
#include <bits/std_function.h>
#else
#include <functional>
#endif
