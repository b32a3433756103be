// module: the extension module tessera._engine: exceptions, and the settings of the places.
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <new>

#include "graph/error.hpp"
#include "session.hpp"
#include "tess/tess.hpp"

namespace engine {

namespace {

// What the library throws, as Python's exceptions: wrong input is a ValueError, no room a MemoryError.
void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (graph::input_error const& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (tess::out_of_memory const& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (std::bad_alloc const&) {
    PyErr_SetString(PyExc_MemoryError, "no memory for the graph and what is made of it (help(tessera.graphs))");
  } catch (tess::error const& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

void declare_session(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def(
      "configure", [](unsigned places, unsigned workers) { session::the().configure({places, workers}); },
      nb::arg("places"), nb::arg("workers"));
  m.def("configured", [] {
    layout const l = session::the().configured();
    return std::pair(l.places, l.workers);
  });
  m.def("places", [] {
    nb::gil_scoped_release const free;
    return session::the().run([]() -> tess::task<unsigned> { co_return tess::places(); });
  });
  m.def("serve", [] { return session::the().serve(); }, nb::call_guard<nb::gil_scoped_release>());
  m.def("stop", [] { session::the().stop(); }, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace engine

NB_MODULE(_engine, m) {
  // Other modules may still hold objects when the interpreter ends.
  nanobind::set_leak_warnings(false);
  m.doc() = "The engine of the package tessera: graphs in memory, and places that work on them.";
  engine::declare_session(m);
  engine::declare_graphs(m);
  engine::declare_algorithms(m);
  engine::declare_structure(m);
  engine::declare_networkx(m);
}
