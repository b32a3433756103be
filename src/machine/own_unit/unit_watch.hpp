// unit_watch: runs the code of units of one's own; the first one that throws, or that does not let time pass, ends the
// run, and from then on none is called.
//
// Threads   one.
#pragma once

#include <exception>
#include <string>

#include "machine/kernel/kernel.hpp"
#include "machine/own_unit/unit_guard.hpp"

namespace tess::machine {

class unit_watch {
 public:
  /// Calls of units at one time: more are a loop without time.
  static constexpr std::uint64_t calls_max = 2'000'000;

  explicit unit_watch(kernel& k) : kernel_(k) {}

  /// Calls `run`, unless a unit has failed.
  template <class Run>
  void enter(unit_place const& of, Run const& run) {
    if (!trouble_.empty()) return;
    picoseconds const now = kernel_.now();
    calls_ = now == last_ ? calls_ + 1 : 1;
    last_ = now;
    if (calls_ > calls_max)
      return fail(of, "does not let time pass: it has been called at", " more often than any unit needs to be");
    unit_guard const guard(of, now);
    try {
      run();
    } catch (...) {
      threw(of, std::current_exception());
    }
  }
  /// This has left the unit's code.
  void threw(unit_place const& of, std::exception_ptr const& what) noexcept;

  /// A line that says which unit failed, where and how; empty: none.
  [[nodiscard]] std::string const& trouble() const noexcept { return trouble_; }

 private:
  void fail(unit_place const& of, std::string_view what, std::string const& more);

  kernel& kernel_;
  std::string trouble_;
  picoseconds last_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace tess::machine
