// range_concepts: the concepts and accessors of <ranges> (contiguous_range, data, size, …) without its views.
#pragma once

#include <initializer_list>
#include <iterator>

#if __has_include(<bits/ranges_base.h>)
#include <bits/ranges_base.h>
#else
#include <ranges>
#endif
