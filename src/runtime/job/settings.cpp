// settings: reads the environment variables of the runtime. A fabric reads those of its own hardware itself.
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/launched.hpp"
#include "tess/run.hpp"

namespace tess {

namespace {

template <class T>
T number(char const* name, T low, T high, T otherwise) {
  char const* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  std::string_view const s = text;
  T value{};
  auto const [end, problem] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (problem != std::errc() || end != s.data() + s.size() || !(value >= low && value <= high))
    throw error(name, "`" + std::string(s) + "`",
                "a number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

std::string text(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The variable has a launcher's count of processes, which is more than one.
bool several(char const* name) {
  std::string const s = text(name);
  return !s.empty() && s != "0" && s != "1";
}

}  // namespace

settings settings::from_environment() {
  settings s;
  s.places = number<unsigned>("TESS_PLACES", 1, 65535, 0);
  s.workers = text("TESS_WORKERS") == "harts" ? settings::each_hart : number<unsigned>("TESS_WORKERS", 1, 64, 0);
  s.threads = number<unsigned>("TESS_THREADS", 1, 4096, 0);
  s.pin = text("TESS_PIN");
  // 0 and 1 are switches: processor 0 alone is 0-0.
  if (s.pin == "0") s.pin = "none";
  if (s.pin == "1") s.pin = "";
  s.numa = text("TESS_NUMA");
  s.fabric = text("TESS_FABRIC");
  s.seed = number<std::uint64_t>("TESS_SEED", 0, ~std::uint64_t{0}, 1);
  if (std::string const given = text("TESS_DELAY"); !given.empty()) {
    auto const read = tess::delay::parse(given);
    if (!read) throw error("TESS_DELAY", "`" + given + "`", std::string(tess::delay::expected));
    s.delay = *read;
  }
  s.no_window = number<unsigned>("TESS_NO_WINDOW", 0, 1, 0) != 0;
  s.copier = text("TESS_COPIER");
  s.dummy_allocations = number<unsigned>("TESS_DUMMY_ALLOCATIONS", 0, 1, 0) != 0;
  if (std::string const heap = text("TESS_HEAP"); !heap.empty()) {
    if (heap != "recycled" && heap != "collected") throw error("TESS_HEAP", "`" + heap + "`", "recycled or collected");
    s.collected_heap = heap == "collected";
  }
  s.stats = text("TESS_STATS");
  s.exit_file = text("TESS_EXIT_FILE");
  s.trace = text("TESS_TRACE");
  s.buffer_memory = number<std::uint64_t>("TESS_BUFFER_MEMORY", 16384, std::uint64_t{1} << 30, s.buffer_memory);
  s.flush_bytes = number<unsigned>("TESS_FLUSH_BYTES", 64, 4096, s.flush_bytes);
  s.flush_after = number<unsigned>("TESS_FLUSH_AFTER", 0, 10'000'000, s.flush_after);
  s.flush_idle = number<unsigned>("TESS_FLUSH_IDLE", 0, 1, 1) != 0;
  s.overlap_calls = number<unsigned>("TESS_OVERLAP_CALLS", 0, 1, 1) != 0;
  s.fail_allocation = number<std::uint64_t>("TESS_FAIL_ALLOCATION", 0, ~std::uint64_t{0} / 2, 0);
  s.failure_timeout = number<double>("TESS_FAILURE_TIMEOUT", 0.5, 1e6, s.failure_timeout);
  s.progress_thread = number<unsigned>("TESS_PROGRESS_THREAD", 0, 1, 1) != 0;
  s.stall_timeout = number<double>("TESS_STALL_TIMEOUT", 0, 1e6, 0);
  return s;
}

bool settings::started_by_launcher() {
  // Also launchers without PMIx: the fabric then reports the error. Otherwise each process would run the whole job.
  return detail::launched_rank() != nullptr || several("PMI_SIZE") ||
         (!text("SLURM_STEP_ID").empty() && several("SLURM_STEP_NUM_TASKS"));
}

}  // namespace tess
