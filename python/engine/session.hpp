// session: the places of this Python process, which start at the first call and stay until their number changes.
//
//   Places are threads of the process, or, after serve() under a launcher, processes, of which place 0 runs the script.
//   Each start has a number: what lies in segments belongs to one start, and is made anew in the next. While the
//   interpreter's first thread waits for a run, it runs Python's handlers of signals. What one raises, as that of
//   Ctrl-C does, ends the run, and with it the places: graphs stay, because they lie in ordinary memory.
//
// Threads   any, without the interpreter's lock; one run at a time, the others wait.
// Errors    run() throws what the task throws, or nanobind::python_error, which a handler of a signal raised.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "tess/tess.hpp"

namespace engine {

struct layout {
  unsigned places = 1;
  unsigned workers = 0;  // 0: the processors, divided among the places
  bool operator==(layout const&) const = default;
};

class session {
 public:
  static session& the();

  // From the next run on.
  void configure(layout wanted);
  [[nodiscard]] layout configured() const;
  // Gives the segments back; the next run starts anew.
  void stop();

  // Under a launcher: makes each process a place. At place 0 it returns; at the others it works until place 0 stops,
  // and then returns the exit code.
  std::optional<int> serve();

  // Places are threads, which can use memory of the process where it lies.
  [[nodiscard]] bool one_process() const noexcept { return served_ == nullptr; }

  // Runs f(), a task<T>, at place 0.
  template <std::invocable F>
  auto run(F f) {
    using result = typename std::invoke_result_t<F&>::value_type;
    if constexpr (std::is_void_v<result>) {
      run_task([&]() -> tess::task<void> { co_await f(); });
    } else {
      std::optional<result> value;
      run_task([&]() -> tess::task<void> { value.emplace(co_await f()); });
      return std::move(*value);
    }
  }

  // The number of the present start. In a run.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_; }

  // Runs `give_back` if the start is still that one: now if nothing else runs, otherwise before the next run.
  void retire(std::uint64_t start, std::function<tess::task<void>()> give_back);

 private:
  using work = std::function<tess::task<void>()>;
  class deputy;
  struct served;

  session() = default;
  ~session();
  void run_task(work const& f);
  void begin();
  void end() noexcept;
  work with_retired(work const& f);

  std::mutex running_;
  mutable std::mutex changing_;  // the next three
  layout wanted_;
  std::vector<std::function<tess::task<void>()>> retired_;
  std::uint64_t start_ = 0;

  layout present_;
  std::optional<tess::runtime> places_;
  std::unique_ptr<served> served_;
  int process_ = 0;  // that started the places: threads do not survive a fork
};

}  // namespace engine
