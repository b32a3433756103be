// module: the parts of the extension module, each of which declares its functions.
#pragma once

#include <nanobind/nanobind.h>

namespace engine {

namespace nb = nanobind;

void declare_session(nb::module_& m);
void declare_graphs(nb::module_& m);
void declare_algorithms(nb::module_& m);
void declare_structure(nb::module_& m);
void declare_networkx(nb::module_& m);

}  // namespace engine
