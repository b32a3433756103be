// job: one measurement in a job of its own: starts places, runs the body as the first task, and returns its result.
#pragma once

#include <functional>
#include <stdexcept>
#include <tess/tess.hpp>

namespace bench {

/// The result of `body` at place 0 of a job.
inline double in_job(tess::settings const& s, std::function<tess::task<double>()> const& body) {
  double measured = 0;
  int const code = tess::run(s, {}, [&](tess::args) -> tess::task<int> {
    measured = co_await body();
    co_return 0;
  });
  if (code != 0) throw std::runtime_error("the measured job failed");
  return measured;
}
inline double in_job(unsigned places, std::function<tess::task<double>()> const& body, unsigned workers = 1,
                     unsigned threads = 0) {
  tess::settings s;
  s.places = places;
  s.workers = workers;
  s.threads = threads;
  return in_job(s, body);
}

}  // namespace bench
