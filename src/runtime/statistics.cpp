// statistics: one JSON object per run: totals, then one object per place.
#include "runtime/statistics.hpp"

#include <cstdio>
#include <iterator>
#include <numeric>

#include "runtime/job.hpp"
#include "runtime/output_file.hpp"
#include "tess/at.hpp"

namespace tess {

namespace detail {

operation_counts counts_of(worker_state const& w) noexcept {
  return {read_count(w.counts.words[0]), read_count(w.counts.words[1]), read_count(w.cold.block_bytes),
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
    {"words_local", [](worker_state const& w) { return w.counts.words[0]; }},
    {"words_remote", [](worker_state const& w) { return w.counts.words[1]; }},
    {"blocks", [](worker_state const& w) { return w.cold.block_operations; }},
    {"block_bytes", [](worker_state const& w) { return w.cold.block_bytes; }},
    {"messages", [](worker_state const& w) { return w.cold.messages; }},
    {"message_bytes", [](worker_state const& w) { return w.cold.message_bytes; }},
    {"batches",
     [](worker_state const& w) { return std::reduce(std::begin(w.cold.flushes), std::end(w.cold.flushes)); }},
    {"batches_full", &left<flush_reason::size>},
    {"batches_idle", &left<flush_reason::idle>},
    {"batches_deadline", &left<flush_reason::deadline>},
    {"batches_storm", &left<flush_reason::storm>},
    {"batches_urgent", &left<flush_reason::urgent>},
    {"batch_bytes", [](worker_state const& w) { return w.cold.batch_bytes; }},
    {"batch_room", [](worker_state const& w) { return w.cold.batch_room; }},
    {"refusals", [](worker_state const& w) { return w.cold.refusals; }},
    {"finish_reports", [](worker_state const& w) { return w.cold.finish_reports; }},
    {"graphs", [](worker_state const& w) { return w.cold.graphs; }},
    {"graph_objects", [](worker_state const& w) { return w.cold.graph_objects; }},
    {"graph_bytes", [](worker_state const& w) { return w.cold.graph_bytes; }},
    {"steals", [](worker_state const& w) { return w.cold.steals; }},
    {"polls", [](worker_state const& w) { return w.cold.polls; }},
    {"sleeps", [](worker_state const& w) { return w.cold.parks; }},
    {"frame_bytes", [](worker_state const& w) { return w.frames.reserved_bytes(); }},
};

template <class Workers>
std::string counters(Workers const& workers) {
  std::string text = "{";
  for (named_count const& c : named_counts) {
    std::uint64_t sum = 0;
    for (auto const& w : workers) sum += c.read(*w);
    text += (text.size() > 1 ? ", " : "") + ('"' + std::string(c.name) + "\": ") + std::to_string(sum);
  }
  return text + "}";
}

}  // namespace

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
  for (auto const& [name, value] : j.results) {
    out.write((first ? "\"" : ", \"") + json_escaped(name) + "\": " + value);
    first = false;
  }
  out.write("},\n \"counters\": " + counters(j.workers) + ",\n \"by_place\": [");
  for (auto const& p : j.places) {
    out.write((p->id == 0 ? "" : ",\n  ") + counters(p->workers));
  }
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
        s.local_words += one.local_words;
        s.remote_words += one.remote_words;
        s.block_bytes += one.block_bytes;
        s.messages += one.messages;
        s.message_bytes += one.message_bytes;
      }
      return s;
    });
    sum.local_words += c.local_words;
    sum.remote_words += c.remote_words;
    sum.block_bytes += c.block_bytes;
    sum.messages += c.messages;
    sum.message_bytes += c.message_bytes;
  }
  co_return sum;
}

void report_result(std::string_view name, std::string_view json) {
  std::lock_guard const lock(detail::the_job->results_mutex);
  detail::the_job->results.emplace_back(name, json);
}

}  // namespace tess
