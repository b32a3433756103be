// parallel: threads that live as long as one call.
#include "graph/parallel.hpp"

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

#else

unsigned threads_for(unsigned) {
  return 1;
}

void on_threads(unsigned threads, std::function<void(unsigned)> const& work) {
  for (unsigned index = 0; index < threads; ++index) work(index);
}

#endif

}  // namespace graph
