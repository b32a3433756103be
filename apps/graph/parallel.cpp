// parallel: threads that live as long as one call.
#include "graph/parallel.hpp"

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace graph {

#if GRAPH_HAS_THREADS

unsigned threads_for(unsigned wanted) {
  unsigned const processors = std::thread::hardware_concurrency();
  unsigned const threads = wanted != 0 ? wanted : processors;
  return threads != 0 ? threads : 1;
}

void on_threads(unsigned threads, std::function<void(unsigned)> const& work) {
  std::vector<std::exception_ptr> failed(threads);
  auto const guarded = [&](unsigned index) {
    try {
      work(index);
    } catch (...) {
      failed[index] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned index = 1; index < threads; ++index) others.emplace_back(guarded, index);
    guarded(0);
  }
  for (std::exception_ptr const& each : failed)
    if (each) std::rethrow_exception(each);
}

struct background::state {
  std::exception_ptr failed;
  std::atomic<bool> done{false};
  std::thread thread;
};

background::background(std::function<void()> work) : state_(std::make_unique<state>()) {
  state_->thread = std::thread([shared = state_.get(), work = std::move(work)] {
    try {
      work();
    } catch (...) {
      shared->failed = std::current_exception();
    }
    shared->done.store(true, std::memory_order_release);
  });
}

background::~background() {
  if (state_->thread.joinable()) state_->thread.join();
}

bool background::is_done() const noexcept {
  return state_->done.load(std::memory_order_acquire);  // with what the work has made
}

void background::finish() {
  state_->thread.join();
  if (state_->failed) std::rethrow_exception(state_->failed);
}

#else

unsigned threads_for(unsigned) {
  return 1;
}

void on_threads(unsigned threads, std::function<void(unsigned)> const& work) {
  for (unsigned index = 0; index < threads; ++index) work(index);
}

struct background::state {};

background::background(std::function<void()> work) {
  work();
}

background::~background() = default;

bool background::is_done() const noexcept {
  return true;
}

void background::finish() {}

#endif

}  // namespace graph
