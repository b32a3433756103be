// library: what the shared object offers; included by the program, too, so both instantiate what stands here.
#pragma once

#include <tess/tess.hpp>

/// A callable of both: each instantiates its handler, and has a record of its own for it.
struct common_callable {
  int summand;
  int operator()() const { return tess::here() + summand; }
};

namespace library {

/// Every way to call from library code: what it expects is checked there. Gives the number of checks.
tess::task<int> check_calls();
/// at() from library code with the callable of both.
tess::task<int> call_common(tess::place_id place, int summand);

}  // namespace library
