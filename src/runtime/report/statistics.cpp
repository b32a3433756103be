// statistics: writes one JSON object per run: totals, then one object per place.
#include "runtime/report/statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/output_file.hpp"
#include "runtime/job/job.hpp"
#include "tess/at.hpp"

namespace tess {

namespace detail {

operation_counts counts_of(worker_state const& w) noexcept {
  return {w.words(false), w.words(true), read_count(w.cold.block_bytes) + read_count(w.counts.stored_bytes),
          read_count(w.cold.messages), read_count(w.cold.message_bytes)};
}

namespace {

struct named_count {
  char const* name;
  std::uint64_t (*read)(worker_state const&);
};

template <flush_reason Reason>
std::uint64_t left(worker_state const& w) {
  return w.cold.flushes[static_cast<std::size_t>(Reason)];
}

constexpr named_count named_counts[] = {
    {"words_local", [](worker_state const& w) { return w.words(false); }},
    {"words_remote", [](worker_state const& w) { return w.words(true); }},
    {"blocks", [](worker_state const& w) { return w.cold.block_operations + w.counts.stores; }},
    {"block_bytes", [](worker_state const& w) { return w.cold.block_bytes + w.counts.stored_bytes; }},
    {"messages", [](worker_state const& w) { return w.cold.messages; }},
    {"message_bytes", [](worker_state const& w) { return w.cold.message_bytes; }},
    {"batches",
     [](worker_state const& w) { return std::reduce(std::begin(w.cold.flushes), std::end(w.cold.flushes)); }},
    {"batches_full", &left<flush_reason::size>},
    {"batches_idle", &left<flush_reason::idle>},
    {"batches_deadline", &left<flush_reason::deadline>},
    {"batches_memory", &left<flush_reason::memory>},
    {"batches_urgent", &left<flush_reason::urgent>},
    {"batch_bytes", [](worker_state const& w) { return w.cold.batch_bytes; }},
    {"batch_room", [](worker_state const& w) { return w.cold.batch_room; }},
    {"refusals", [](worker_state const& w) { return w.cold.refusals; }},
    {"finish_reports", [](worker_state const& w) { return w.cold.finish_reports; }},
    {"graphs", [](worker_state const& w) { return w.cold.graphs; }},
    {"graph_objects", [](worker_state const& w) { return w.cold.graph_objects; }},
    {"graph_bytes", [](worker_state const& w) { return w.cold.graph_bytes; }},
    {"calls", [](worker_state const& w) { return w.cold.calls; }},
    {"call_ns", [](worker_state const& w) { return w.cold.call_ns; }},
    {"function_ns", [](worker_state const& w) { return w.cold.function_ns; }},
    {"steals", [](worker_state const& w) { return w.cold.steals; }},
    {"polls", [](worker_state const& w) { return w.cold.polls; }},
    {"sleeps", [](worker_state const& w) { return w.cold.parks; }},
    {"frame_bytes", [](worker_state const& w) { return w.frames.reserved_bytes(); }},
};

static_assert(std::size(named_counts) == std::tuple_size_v<place_counts>);

template <class Workers>
place_counts sum_of(Workers const& workers) {
  place_counts sums{};
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (auto const& w : workers) sums[i] += named_counts[i].read(*w);
  return sums;
}

std::string counters(place_counts const& sums) {
  std::string text = "{";
  for (std::size_t i = 0; i < sums.size(); ++i)
    text += (i > 0 ? ", " : "") + ('"' + std::string(named_counts[i].name) + "\": ") + std::to_string(sums[i]);
  return text + "}";
}

}  // namespace

place_counts counts_here() noexcept {
  return sum_of(this_place().workers);
}

void write_statistics(job_state const& j, std::string const& program, double seconds, int exit_code,
                      std::string const& file) {
  output_file out(file);
  char number[64];
  std::snprintf(number, sizeof number, "%.9f", seconds);
  out.write("{\"schema\": 1, \"program\": \"" + json_escaped(program) + "\", \"fabric\": \"" +
            json_escaped(j.options.fabric) + "\", \"places\": " + std::to_string(job.places) +
            ", \"workers\": " + std::to_string(job.workers) + ", \"threads\": " + std::to_string(j.threads.size()) +
            ", \"seconds\": " + number + ", \"exit_code\": " + std::to_string(exit_code) + ",\n \"result\": {");
  bool first = true;
  for (auto const& [name, value] : j.statistics.results) {
    out.write((first ? "\"" : ", \"") + json_escaped(name) + "\": " + value);
    first = false;
  }
  std::vector<place_counts> by_place = j.statistics.other_counts;
  by_place.resize(job.places);
  for (auto const& p : j.places) by_place[p->id] = sum_of(p->workers);
  place_counts all{};
  for (place_counts const& p : by_place) std::ranges::transform(all, p, all.begin(), std::plus());
  out.write("},\n \"counters\": " + counters(all) + ",\n \"by_place\": [");
  for (std::size_t p = 0; p < by_place.size(); ++p) out.write((p == 0 ? "" : ",\n  ") + counters(by_place[p]));
  out.write("]}\n");
  out.close();
}

}  // namespace detail

task<operation_counts> count_operations() {
  operation_counts sum;
  for (unsigned p = 0; p < places(); ++p) {
    operation_counts const c = co_await at(static_cast<place_id>(p), [] {
      operation_counts s;
      for (auto const* w : detail::this_place().workers) {
        operation_counts const one = detail::counts_of(*w);
        s.words_local += one.words_local;
        s.words_remote += one.words_remote;
        s.block_bytes += one.block_bytes;
        s.messages += one.messages;
        s.message_bytes += one.message_bytes;
      }
      return s;
    });
    sum.words_local += c.words_local;
    sum.words_remote += c.words_remote;
    sum.block_bytes += c.block_bytes;
    sum.messages += c.messages;
    sum.message_bytes += c.message_bytes;
  }
  co_return sum;
}

void begin_measured_part() noexcept {
  detail::the_job->fabric->capabilities().mark_measured(true);
}
void end_measured_part() noexcept {
  detail::the_job->fabric->capabilities().mark_measured(false);
}

void report_result(std::string_view name, std::string_view json) {
  std::lock_guard const lock(detail::the_job->statistics.mutex);
  detail::the_job->statistics.results.emplace_back(name, json);
}

}  // namespace tess
