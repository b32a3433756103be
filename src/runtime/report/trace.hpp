// trace: records when each worker ran tasks, sent and received messages, and slept, for Perfetto.
//
// Units    nanoseconds since the first trace_clock() of the process; in a merged file, since that of place 0.
// Threads  a buffer: its worker; write_trace: after all workers ended.
// Cost     nothing but a predictable branch per turn when off; 32 bytes per event when on, at most 1 M per worker.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace tess::detail {

struct job_state;

enum class trace_event : std::uint8_t { run, idle, send, receive };

[[nodiscard]] std::uint64_t trace_clock() noexcept;

class trace_buffer {
 public:
  struct event {
    std::uint64_t begin_ns;
    std::uint64_t end_ns;
    std::source_location where;
    std::uint32_t amount;  ///< bytes of a message
    trace_event what;
    std::uint16_t peer;  ///< place at the other end of a message
  };

  void enable() { enabled_ = true; }
  [[nodiscard]] bool enabled() const noexcept { return enabled_; }
  void slice(trace_event what, std::uint64_t begin_ns, std::source_location where) noexcept;
  void message(trace_event what, std::uint16_t peer, std::size_t bytes) noexcept;
  [[nodiscard]] std::vector<event> const& events() const noexcept { return events_; }

 private:
  static constexpr std::size_t events_max = std::size_t{1} << 20;

  void keep(event const& e) noexcept;

  std::vector<event> events_;
  bool enabled_ = false;
};

/// Writes all buffers as Trace Event JSON; throws tess::error if the file cannot be written.
void write_trace(job_state const& job, std::string const& file);
/// The file of a place of a job of processes, until it is merged; that of place 0 is `file` itself if it is regular.
[[nodiscard]] std::string trace_part_of(std::string const& file, unsigned place);
/// Adds the files of the other places to `file` and removes them. Times are converted to the first place's clock by the
/// clocks of their hosts.
void merge_traces(std::string const& file, unsigned places);

}  // namespace tess::detail
