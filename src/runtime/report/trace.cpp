// trace: writes the Trace Event Format (JSON), with one process per place and one track per worker.
#include "runtime/report/trace.hpp"

#include <chrono>
#include <cstdio>
#include <new>

#include "base/output_file.hpp"
#include "runtime/job/job.hpp"

namespace tess::detail {

std::uint64_t trace_clock() noexcept {
  using clock = std::chrono::steady_clock;
  static clock::time_point const begin = clock::now();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count());
}

void trace_buffer::slice(trace_event what, std::uint64_t begin_ns, std::source_location where) noexcept {
  keep({begin_ns, trace_clock(), where, 0, what, 0});
}

void trace_buffer::message(trace_event what, std::uint16_t peer, std::size_t bytes) noexcept {
  std::uint64_t const now = trace_clock();
  keep({now, now, {}, static_cast<std::uint32_t>(bytes), what, peer});
}

void trace_buffer::keep(event const& e) noexcept try {
  if (events_.size() < events_max) events_.push_back(e);
} catch (std::bad_alloc const&) {
  // Without memory the trace ends here.
  enabled_ = false;
}

namespace {

constexpr char const* zero_key = "zero_unix_ns";

/// When trace_clock() was zero, by the clock that the hosts share.
std::int64_t zero_of_this_process() noexcept {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  auto const now = duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return now - static_cast<std::int64_t>(trace_clock());
}

char const* name_of(trace_event e) {
  switch (e) {
    case trace_event::run:
      return "task";
    case trace_event::idle:
      return "sleep";
    case trace_event::send:
      return "send";
    case trace_event::receive:
      return "receive";
  }
  return "";
}

void write_event(output_file& out, worker_state const& w, trace_buffer::event const& e) {
  char line[512];
  double const begin_us = static_cast<double>(e.begin_ns) / 1e3;
  if (e.what == trace_event::run || e.what == trace_event::idle) {
    std::string const name = e.what == trace_event::idle ? "sleep"
                             : e.where.line() == 0       ? "task starts"
                                                         : "task from " + to_text(e.where);
    std::snprintf(line, sizeof line, R"({"name":"%s","cat":"%s","ph":"X","ts":%.3f,"dur":%.3f,"pid":%u,"tid":%u})",
                  json_escaped(name).c_str(), name_of(e.what), begin_us,
                  static_cast<double>(e.end_ns - e.begin_ns) / 1e3, unsigned{w.place}, unsigned{w.index});
  } else {
    std::snprintf(line, sizeof line,
                  R"({"name":"%s","cat":"message","ph":"i","s":"t","ts":%.3f,"pid":%u,"tid":%u,)"
                  R"("args":{"peer":%u,"bytes":%u}})",
                  name_of(e.what), begin_us, unsigned{w.place}, unsigned{w.index}, unsigned{e.peer}, e.amount);
  }
  out.write(line);
}

}  // namespace

void write_trace(job_state const& j, std::string const& file) {
  output_file out(file);
  char head[128];
  std::snprintf(head, sizeof head, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"%s\":%lld},\"traceEvents\":[\n",
                zero_key, static_cast<long long>(zero_of_this_process()));
  out.write(head);
  bool first = true;
  for (auto const& w : j.workers) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":\"place %u\"}},\n"
                  "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"worker %u\"}}",
                  first ? "" : ",\n", unsigned{w->place}, unsigned{w->place}, unsigned{w->place}, unsigned{w->index},
                  unsigned{w->index});
    out.write(line);
    first = false;
    for (auto const& e : w->trace.events()) {
      out.write(",\n");
      write_event(out, *w, e);
    }
  }
  out.write("\n]}\n");
  out.close();
}

}  // namespace tess::detail
