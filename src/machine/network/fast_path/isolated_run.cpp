// isolated_run: swaps the network's schedule for an empty one and suspends the requests of routers on the paths.
#include "machine/network/fast_path/isolated_run.hpp"

namespace tess::machine {

void isolated_run::begin(std::span<std::uint64_t const> numbers) {
  std::swap(engine_.events(), events_);
  suspended_.clear();
  for (std::uint64_t const number : numbers) {
    for (std::uint32_t const link : std::span(packets_[number].path).subspan(1)) {
      std::uint32_t const source = engine_.shape().ends(link).source;
      router_requests const requests = engine_.router_at(source).suspend();
      if (requests.any()) suspended_.emplace_back(source, requests);
    }
  }
}

void isolated_run::end() {
  std::swap(engine_.events(), events_);
  for (auto const& [number, requests] : suspended_) engine_.router_at(number).resume(requests);
  engine_.events().merge(events_);
}

template <class F>
std::size_t isolated_run::start(std::span<std::uint64_t const> numbers, std::size_t next, std::uint64_t cycle,
                                F&& queue) {
  for (; next < numbers.size() && packets_[numbers[next]].start == cycle; ++next) queue(next, packets_[numbers[next]]);
  return next;
}

void isolated_run::replay(std::span<std::uint64_t const> numbers, std::uint64_t cycle, bool receive_last) {
  begin(numbers);
  std::size_t next = 0;
  for (std::uint64_t at = packets_[numbers.front()].start;; ++at) {
    next = start(numbers, next, at, [&](std::size_t, fast_packet const& again) {
      packet sent = again.carried;
      sent.hops = 0;
      engine_.enqueue(sent, again.delivered, again.path);
    });
    if (at == cycle) break;
    engine_.receive(at);
    engine_.advance(at);
  }
  if (receive_last) engine_.receive(cycle);
  end();
}

void isolated_run::run_to_end(std::span<std::uint64_t const> numbers) {
  begin(numbers);
  std::size_t next = 0;
  for (std::uint64_t at = packets_[numbers.front()].start;; ++at) {
    next = start(numbers, next, at, [&](std::size_t position, fast_packet const& again) {
      packet sent = again.carried;
      sent.cookie = position;
      engine_.enqueue(sent, true, again.path);
    });
    if (next == numbers.size() && !engine_.events().busy() && engine_.events().pending() == 0) break;
    engine_.receive(at);
    engine_.advance(at);
  }
  end();
}

}  // namespace tess::machine
