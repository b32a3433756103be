// at_places: runs a task at the places while other threads of the interpreter go on.
#pragma once

#include <nanobind/nanobind.h>

#include "session.hpp"

namespace engine {

template <class F>
auto at_places(F f) {
  nanobind::gil_scoped_release const free;
  return session::the().run(f);
}

}  // namespace engine
