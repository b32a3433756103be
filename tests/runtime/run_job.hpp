// run_job: runs a task as the program of a job; a layout names the fabric, places and workers of one run.
//
//   Started by a launcher (mpirun -n 3 TEST --gtest_filter=*ucx*), the layouts are those of places as processes: every
//   process runs every test, and the body at place 0 checks.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/sanitized.hpp"
#include "tess/tess.hpp"
#include "test_seed.hpp"

namespace tess::test {

struct layout {
  char const* fabric;
  unsigned places;
  unsigned workers;
  unsigned threads = 0;    ///< 0: at most one per processor
  char const* delay = "";  ///< as TESS_DELAY
  bool no_window = false;
};
inline void PrintTo(layout const& l, std::ostream* out) {
  *out << l.fabric << ' ' << l.places << " places of " << l.workers << " workers, threads " << l.threads << " delay "
       << l.delay << (l.no_window ? " without windows" : "");
}
inline std::string name_of(testing::TestParamInfo<layout> const& i) {
  layout const& l = i.param;
  return std::string(l.fabric) + "_p" + std::to_string(l.places) + "_w" + std::to_string(l.workers) +
         (l.threads == 0 ? "" : "_t" + std::to_string(l.threads)) +
         (*l.delay == '\0'                          ? ""
          : std::string_view(l.delay).contains(',') ? "_jitter"
                                                    : "_delay") +
         (l.no_window ? "_nowindow" : "");
}

/// These, or those of places as processes if a launcher started us. 0 places: as many as processes.
inline std::vector<layout> unless_launched(std::vector<layout> here) {
  if (!settings::started_by_launcher()) return here;
  return {{"ucx", 0, 1}, {"ucx", 0, 2}, {"ucx", 0, 1, 0, "", true}};
}

/// One of each kind, for what is slow or does not depend on the numbers.
inline std::vector<layout> few_layouts() {
  return unless_launched(
      {{"smp", 2, 1, 2}, {"smp", 2, 2, 4}, {"hostile", 3, 1, 2}, {"hostile", 2, 2, 3}, {"smp", 2, 1, 2, "3us"}});
}
/// Every fabric, with one and more workers, and more of everything than there are processors. Under the emulator few:
/// what may differ there is what the compiler made. For ThreadSanitizer those of several threads that differ in kind.
inline std::vector<layout> all_layouts() {
  if (is_emulated) return few_layouts();
  if (is_thread_sanitized)
    return unless_launched({{"smp", 2, 1, 2},
                            {"smp", 2, 2, 4},
                            {"smp", 3, 4, 6},
                            {"checked", 3, 1, 2},
                            {"hostile", 2, 1, 2},
                            {"hostile", 2, 2, 4},
                            {"hostile", 3, 4, 6},
                            {"smp", 3, 2, 4, "2us,2us"},
                            {"smp", 2, 2, 3, "3us", true}});
  return unless_launched({{"smp", 1, 1},
                          {"smp", 2, 1},
                          {"smp", 5, 1},
                          {"smp", 2, 2, 4},
                          {"smp", 3, 4, 6},
                          {"checked", 3, 1},
                          {"hostile", 1, 1},
                          {"hostile", 2, 1, 2},
                          {"hostile", 5, 1},
                          {"hostile", 2, 2, 4},
                          {"hostile", 3, 4, 6},
                          {"smp", 4, 2, 1},
                          {"smp", 2, 1, 0, "3us"},
                          {"smp", 3, 2, 4, "2us,2us"},
                          {"checked", 2, 1, 1, "3us"},
                          {"smp", 2, 1, 0, "", true},
                          {"smp", 2, 2, 3, "3us", true},
                          {"hostile", 2, 1, 2, "1us"}});
}

/// Runs `body`, a callable that returns task<void>, at place 0; an exception that leaves it fails the test.
template <class F>
void run_job(layout l, F body) {
  settings s;
  s.fabric = l.fabric;
  s.places = l.places;
  s.workers = l.workers;
  s.threads = l.threads;
  if (*l.delay != '\0') s.delay = delay::parse(l.delay).value();
  s.no_window = l.no_window;
  s.seed = seed();
  s.stall_timeout = 20;
  TESS_PRINT_SEED(s.seed);
  int const code = run(s, {}, [&](args) -> task<int> {
    try {
      co_await body();
    } catch (std::exception const& e) {
      ADD_FAILURE() << "the job ended with: " << e.what();
    }
    co_return 0;
  });
  EXPECT_EQ(code, 0);
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class on_layouts : public testing::TestWithParam<layout> {
 protected:
  template <class F>
  void run_here(F body) {
    run_job(GetParam(), std::move(body));
  }
};

}  // namespace tess::test
