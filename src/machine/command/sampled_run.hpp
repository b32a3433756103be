// sampled_run: a run without time, of which copies of the process simulate windows with time, for an estimate.
//
//   The program runs once, without time, and follows caches and branch predictors of the machine before each window,
//   for as many instructions as the plan says. At each period a copy of the process is made (fork), in which the
//   machine with time goes on from there for a window; nothing of it comes back but two numbers. So the run itself is
//   that without time, and repeats, and the windows use other processors.
//
// Errors    wrong_use, config_error, elf_error. A copy that fails is reported, and its window is not counted; then the
//           exit code is 1 if the program's was 0.
// Threads   one; processes: copies_at_once.
#pragma once

#include <string>

#include "machine/command/run.hpp"
#include "machine/report/sample_estimate.hpp"

namespace tess::machine {

/// "auto", or period=N,window=N,warmup=N,follow=N or all,error=N% in any order. Throws wrong_use.
[[nodiscard]] sample_plan read_sample_plan(std::string const& text);
/// Refuses what does not go together with it.
void check_sampled(chosen_options const& chosen);
[[nodiscard]] int run_sampled(chosen_options const& chosen);

}  // namespace tess::machine
