// benchmark: the object that every closure of a kernel carries along, and the closures.
//
//   Kernel is a struct with
//     node     the state of one node of the simulated network, a plain C++ struct that stays at its place
//     fields   members of the benchmark object that only this kernel has; an object type (tess/object.hpp)
//
// Source   "NEMESYS" (MEMSYS 2019), section 5: closures capture `this`, and with it all that it refers to.
#pragma once

#include <cstdint>

#include "imsuite/copies.hpp"
#include "imsuite/x10.hpp"

namespace imsuite {

template <class Kernel>
struct benchmark {
  x10::region* R;
  x10::distribution* D;
  x10::dist_array<typename Kernel::node>* node_set;
  x10::dist_array<std::int64_t>* nval;  // sums of the load hook
  std::int64_t load;                    // no-operations that each body adds
  std::int32_t nodes;
  tess::place_local<imsuite::copies> copies;
  typename Kernel::fields own;

  [[nodiscard]] typename Kernel::node& node(std::int32_t i) const { return (*node_set)(i); }
};

// The captures of a statement: `this` and the target point; only these in a sweep.
template <class Kernel>
struct sweep_closure {
  benchmark<Kernel>* self;
  x10::point* to;
};
template <class Kernel, class Args>
struct closure {
  benchmark<Kernel>* self;
  x10::point* to;
  Args args;
};
// An expression's closure is wrapped in another one that returns the result.
template <class Kernel>
struct evaluation {
  sweep_closure<Kernel>* body;
};

}  // namespace imsuite
