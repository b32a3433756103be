// unit_watch: what is said of a unit that failed.
#include "machine/own_unit/unit_watch.hpp"

#include <fmt/format.h>

namespace tess::machine {

void unit_watch::threw(unit_place const& of, std::exception_ptr const& what) noexcept {
  if (!trouble_.empty()) return;
  try {
    std::rethrow_exception(what);
  } catch (std::exception const& thrown) {
    fail(of, "threw at", std::string(": ") + thrown.what());
  } catch (...) {
    fail(of, "threw at", ": what is no std::exception");
  }
}

void unit_watch::fail(unit_place const& of, std::string_view what, std::string const& more) {
  trouble_ = fmt::format("machine: unit {} ({}) of tile ({}, {}) {} cycle {}{}\n", of.name, of.file, of.x, of.y, what,
                         kernel_.now() / of.period_ps, more);
  kernel_.stop();
}

}  // namespace tess::machine
