// library: the interface of the shared object; the program includes it as well, so both instantiate its templates.
#pragma once

#include <tess/tess.hpp>

/// A callable used by both: each instantiates its handler, and has its own record for it.
struct common_callable {
  int summand;
  int operator()() const { return tess::here() + summand; }
};

namespace library {

/// Every way to call from library code; checks its expectations and returns the number of checks.
tess::task<int> check_calls();
/// at() from library code with the shared callable.
tess::task<int> call_common(tess::place_id place, int summand);

}  // namespace library
