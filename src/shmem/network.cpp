// network: makes the fabric, and waits for what it has under way.
#include "shmem/network.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/launched.hpp"
#include "fabric/fabric.hpp"
#include "fabric/ucx/ucx.hpp"
#include "shmem/call.hpp"
#include "shmem/exit_report.hpp"
#include "shmem/job.hpp"
#include "shmem/waiting.hpp"

namespace tess::detail {

/// Completions of this library are polled. In a program that also links the runtime, that one's takes its place.
[[gnu::weak]] void notify_worker(std::uint32_t, std::uint64_t) noexcept {}

}  // namespace tess::detail

namespace tess::shmem {

namespace {

using std::chrono::milliseconds;

/// A put of up to so many bytes is a word.
constexpr std::size_t word_bytes_max = 16;
constexpr std::size_t copied_bytes_max = std::size_t{64} << 10U;
constexpr std::size_t sources_bytes_max = std::size_t{4} << 20U;
constexpr std::size_t results_max = 4096;
constexpr unsigned messages_per_poll = 16;

std::string_view text(char const* variable) {
  char const* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}
/// The variable has a launcher's count of processes, which is more than one.
bool several(char const* variable) {
  return !text(variable).empty() && text(variable) != "0" && text(variable) != "1";
}

milliseconds failure_timeout() {
  std::string_view const given = text("TESS_FAILURE_TIMEOUT");
  double seconds = 10;
  if (given.empty()) return milliseconds(10'000);
  auto const [end, problem] = std::from_chars(given.data(), given.data() + given.size(), seconds);
  if (problem != std::errc() || end != given.data() + given.size() || !(seconds >= 0.5 && seconds <= 1e6))
    fail("TESS_FAILURE_TIMEOUT is `" + std::string(given) + "`", "seconds, from 0.5 to 1000000");
  return milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

/// Messages are those of the runtime; PEs send none.
class no_messages final : public detail::message_sink {
  void deliver(place_id, place_id, std::span<std::byte const>) override {}
};

word_request put_request(std::uint64_t there, void const* source, std::size_t bytes) {
  std::size_t alignment = 8;
  while (there % alignment != 0 || bytes % alignment != 0) alignment /= 2;
  word_request word{word_op::put,
                    detail::word_type::raw,
                    static_cast<std::uint8_t>(bytes),
                    static_cast<std::uint8_t>(alignment),
                    there,
                    {0, 0}};
  std::memcpy(word.operands, source, bytes);
  return word;
}

[[noreturn]] void end_silently() {
  // The thread of watch ends the process.
  for (;;) ::pause();
}

}  // namespace

/// Looks after failed PEs and the end of the job, however busy the program is.
class network::watch {
 public:
  explicit watch(network& of) : of_(of) {
    // Signals are for the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::jthread([this](std::stop_token const& stop) { run(stop); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  static constexpr milliseconds interval{20};
  /// The first of those that are left says why the job ends. All wait for it, and so that none of them seems to have
  /// failed, too.
  static constexpr milliseconds silence{300};

  void run(std::stop_token const& stop) {
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock(mutex);
    while (!asked.wait_for(lock, stop, interval, [&] { return stop.stop_requested(); })) {
      auto const& words = *reinterpret_cast<network_words const*>(of_.memory(of_.me_) + network_words::offset);
      if (std::uint64_t const end = words.end.load(); end != 0) leave(static_cast<int>(end) - 1);
      if (auto const failed = of_.fabric_->failures(); !failed.empty()) end_after(failed);
    }
  }

  [[noreturn]] void end_after(std::vector<detail::place_failure> const& failed) const {
    auto const has_failed = [&](int pe) {
      return std::ranges::any_of(failed, [&](auto const& f) { return f.place == pe; });
    };
    int first = 0;
    while (has_failed(first)) ++first;
    if (first == of_.me_) {
      std::string lines;
      for (auto const& f : failed) lines += "shmem: PE " + std::to_string(f.place) + " failed " + f.text + "\n";
      [[maybe_unused]] auto const written = ::write(STDERR_FILENO, lines.data(), lines.size());
    }
    std::this_thread::sleep_for(silence);
    leave(1);
  }

  [[noreturn]] static void leave(int code) {
    report_exit(code);
    std::_Exit(code);
  }

  network& of_;
  std::jthread thread_;
};

bool network::wanted() {
  return text("TESS_FABRIC") == "ucx" || detail::launched_rank() != nullptr || several("PMI_SIZE") ||
         (!text("SLURM_STEP_ID").empty() && several("SLURM_STEP_NUM_TASKS"));
}

network::network(std::string identity) try {
  // Without a loader of its own the program would load a second C library with them.
  if (getauxval(AT_BASE) == 0)
    fail("a static program cannot load UCX and PMIx, which PEs of a launcher need",
         "a program that is linked with libshmem.so, or `tess run` without --fabric ucx");
  auto const timeout = failure_timeout();
  auto wires = detail::make_wireup(timeout, "shmem");
  wires_ = wires.get();
  me_ = wires->place();
  show_life(timeout);
  place_id const places = wires->places();
  if (auto const wanted = text("TESS_PLACES"); !wanted.empty() && wanted != std::to_string(places))
    fail("TESS_PLACES is " + std::string(wanted) + ", but " + std::to_string(places) + " processes were started",
         "tess run --fabric ucx -n " + std::string(wanted) + " PROGRAM, or mpirun -n " + std::string(wanted));
  detail::thread_map threads{.places = places, .threads_of_place = {}, .threads = 1};
  threads.threads_of_place.resize(places);
  threads.threads_of_place[me_] = {0};
  bool const windows = text("TESS_NO_WINDOW") != "1";
  bool const progress_thread = text("TESS_PROGRESS_THREAD") != "0";
  fabric_ = detail::make_ucx_fabric(threads, {windows, progress_thread, timeout, std::move(identity), true},
                                    std::move(wires));
  heap_bytes_ = SIZE_MAX;
  for (int pe = 0; pe < places; ++pe)
    heap_bytes_ = std::min<std::size_t>(heap_bytes_, fabric_->segment(static_cast<place_id>(pe)).bytes / 2);
} catch (detail::reported_by_place_0 const&) {
  report_exit(2);
  std::_Exit(2);
} catch (std::exception const& problem) {
  std::fprintf(stderr, "shmem: %s\n", problem.what());
  report_exit(2);
  std::_Exit(2);
}

network::~network() {
  quiet(given_);
  quiet(flags_);
  watch_.reset();
}

int network::pes() const noexcept {
  return wires_->places();
}
int network::pes_here() const noexcept {
  return static_cast<int>(wires_->processes_here());
}

std::byte* network::memory(int pe) const noexcept {
  auto const place = static_cast<place_id>(pe);
  return place == me_ ? fabric_->segment(me_).base : fabric_->window(place).atomic;
}

std::uint64_t network::heap_offset(int pe) const noexcept {
  return fabric_->segment(static_cast<place_id>(pe)).bytes / 2;
}

std::uint64_t network::in_system(int pe, std::uint64_t offset) const noexcept {
  return detail::global_address(static_cast<place_id>(pe), offset);
}
std::uint64_t network::in_statics(int pe, std::uint64_t offset) const noexcept {
  return in_system(pe, detail::shmem_job::data_offset + offset);
}
std::uint64_t network::in_heap(int pe, std::uint64_t offset) const noexcept {
  return in_system(pe, heap_offset(pe) + offset);
}

bool network::extend(std::uint64_t offset, std::size_t bytes) {
  return fabric_->extend_segment(me_, offset, bytes);
}

bool network::map(std::uint64_t offset, std::size_t bytes, void* address) {
  // An old size of 0 leaves the shared pages where they are, too.
  std::byte* const from = memory(me_) + offset;
  if (mremap(from, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address) == MAP_FAILED) return false;
  return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

void network::meet() {
  if (!wires_->meet(failure_timeout())) fail("not all PEs came", "a look at what the others said");
  // Its memory has been made by now.
  if (watch_ == nullptr) watch_ = std::make_unique<watch>(*this);
}

void network::progress() {
  no_messages sink;
  fabric_->poll(me_, messages_per_poll, sink);
}

void network::wait(detail::completion& done) {
  wait_for([&] { return done.idle(); });
  if (done.take_error() != 0) end_silently();
}

void network::put(tess_shmem_pending& of, std::uint64_t there, void const* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes <= word_bytes_max) return post(of, put_request(there, source, bytes));
  if (bytes > copied_bytes_max) return put_now(there, source, bytes);
  auto const first = static_cast<std::byte const*>(source);
  std::vector<std::byte> copy(first, first + bytes);
  std::span<std::byte const> const kept = copy;
  bool full = false;
  {
    std::lock_guard const one(of.lock);
    of.sources.push_back(std::move(copy));
    of.source_bytes += bytes;
    full = of.source_bytes > sources_bytes_max;
    of.done.expect(1);
  }
  fabric_->put(me_, kept, there, &of.done, 0);
  if (full) quiet(of);
}

void network::put_later(tess_shmem_pending& of, std::uint64_t there, void const* source, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes <= word_bytes_max) return post(of, put_request(there, source, bytes));
  of.done.expect(1);
  fabric_->put(me_, {static_cast<std::byte const*>(source), bytes}, there, &of.done, 0);
}

void network::put_now(std::uint64_t there, void const* source, std::size_t bytes) {
  if (bytes == 0) return;
  detail::completion done(1);
  fabric_->put(me_, {static_cast<std::byte const*>(source), bytes}, there, &done, 0);
  wait(done);
}

void network::get(tess_shmem_pending& of, std::uint64_t there, void* target, std::size_t bytes) {
  // No promise of OpenSHMEM, but many programs expect to get what they put.
  if (!of.done.idle()) quiet(of);
  if (bytes == 0) return;
  detail::completion done(1);
  fabric_->get(me_, there, {static_cast<std::byte*>(target), bytes}, &done);
  wait(done);
}

void network::get_later(tess_shmem_pending& of, std::uint64_t there, void* target, std::size_t bytes) {
  if (bytes == 0) return;
  of.done.expect(1);
  fabric_->get(me_, there, {static_cast<std::byte*>(target), bytes}, &of.done);
}

void network::post(tess_shmem_pending& of, word_request const& word) {
  of.done.expect(1);
  fabric_->word(me_, word, nowhere_, of.done);
}

void network::fetch(word_request const& word, std::uint64_t (&old)[2]) {
  detail::completion done(1);
  fabric_->word(me_, word, old, done);
  wait(done);
}

void network::fetch_later(tess_shmem_pending& of, word_request const& word, void* to) {
  bool full = false;
  {
    std::lock_guard const one(of.lock);
    auto& result = of.results.emplace_back(tess_shmem_pending::result{{}, to, word.bytes});
    of.done.expect(1);
    fabric_->word(me_, word, result.words, of.done);
    full = of.results.size() >= results_max;
  }
  if (full) quiet(of);
}

void network::quiet(tess_shmem_pending& of) {
  std::vector<std::vector<std::byte>> sources;
  std::deque<tess_shmem_pending::result> results;
  {
    std::lock_guard const one(of.lock);
    sources.swap(of.sources);
    results.swap(of.results);
    of.source_bytes = 0;
  }
  wait(of.done);
  for (auto const& result : results) std::memcpy(result.to, result.words, result.bytes);
}

void network::raise(std::uint64_t there, std::uint64_t value) {
  post(flags_, put_request(there, &value, sizeof value));
  // It must not wait for other words.
  progress();
}

void network::end_others(int code) {
  std::uint64_t const value = static_cast<std::uint64_t>(code & 0xff) + 1;
  for (int pe = 0; pe < pes(); ++pe) {
    if (pe == me_) continue;
    if (std::byte* const seen = memory(pe))
      reinterpret_cast<network_words*>(seen + network_words::offset)->end.store(value);
    else
      post(flags_, put_request(in_system(pe, network_words::offset), &value, sizeof value));
  }
  constexpr milliseconds most{500};
  auto const until = std::chrono::steady_clock::now() + most;
  while (!flags_.done.idle() && std::chrono::steady_clock::now() < until) progress();
}

void progress_network() {
  own.network->progress();
}

}  // namespace tess::shmem
