// transfers: remote memory in tasks: blocking calls run on a thread of the client, whose result resumes the task.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "rmem/client/background_thread.hpp"
#include "tess/detail/remote_memory/remote_wait.hpp"
#include "tess/rmem_task.hpp"

namespace tess::rmem {

namespace detail {

void remote_wait::block() noexcept {
  // A worker continues with messages and with other workers of its thread; outside of a job there is nothing to do.
  if (tess::detail::self != nullptr && !cell_.idle()) tess::detail::drain(cell_);
  for (unsigned looks = 0; in_flight_.load(std::memory_order_acquire); ++looks) {
    if (looks < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace detail

namespace {

/// A task that copies yields after this many bytes.
constexpr std::size_t yield_bytes = 256 * 1024;

/// Starts what will complete `w`; if that throws, `w` waits for nothing.
template <class F>
void start_or_cancel(detail::remote_wait& w, F start) {
  try {
    start();
  } catch (...) {
    w.cancel();
    throw;
  }
}

/// Calls f on a thread of the client, where it may block.
template <class F>
task<std::invoke_result_t<F&>> in_background(client& with, F f) {
  std::optional<std::invoke_result_t<F&>> result;
  detail::remote_wait w;
  w.expect();
  start_or_cancel(w, [&] {
    with.run_in_background([&] {
      std::exception_ptr failure;
      try {
        result.emplace(f());
      } catch (...) {
        failure = std::current_exception();
      }
      w.complete(std::move(failure));
    });
  });
  co_await w.done();
  w.check();
  co_return std::move(*result);
}

struct awaited_transfer : transfer {
  detail::remote_wait wait;
};

task<void> move(client& with, bool reads, address at, std::byte* memory, std::size_t bytes) {
  while (bytes != 0) {
    std::size_t const now = std::min(bytes, yield_bytes);
    if (!with.move_mapped(reads, at, memory, now)) break;
    at += now;
    memory += now;
    bytes -= now;
    if (bytes != 0) co_await yield();
  }
  if (bytes == 0) co_return;
  awaited_transfer t;
  t.reads = reads;
  t.at = at;
  t.memory = memory;
  t.bytes = bytes;
  t.ended = [](transfer& ended) noexcept {
    static_cast<awaited_transfer&>(ended).wait.complete(std::exchange(ended.failure, {}));
  };
  with.prepare();
  t.wait.expect();
  with.start(t);
  co_await t.wait.done();
  t.wait.check();
}

std::atomic<client*>& known_client() {
  static std::atomic<client*> found{nullptr};
  return found;
}

}  // namespace

task<client*> find_client() {
  if (client* const known = known_client().load(std::memory_order_acquire); known != nullptr) co_return known;
  detail::remote_wait w;
  w.expect();
  // Starting a server and connecting takes milliseconds.
  auto const start = [&w] {
    std::exception_ptr failure;
    try {
      known_client().store(&default_client(), std::memory_order_release);
    } catch (...) {
      failure = std::current_exception();
    }
    w.complete(std::move(failure));
  };
  start_or_cancel(w, [&] { background_thread(start).detach(); });
  co_await w.done();
  w.check();
  co_return known_client().load(std::memory_order_acquire);
}

task<region> open(client& with, std::string name, rights wanted) {
  if (auto const known = with.cached(name, wanted)) co_return *known;
  co_return co_await in_background(with, [&] { return with.open(name, wanted); });
}
task<region> open(std::string name, rights wanted) {
  co_return co_await open(*co_await find_client(), std::move(name), wanted);
}

task<region> create(client& with, std::string name, std::uint64_t size, rights for_users) {
  co_return co_await in_background(with, [&] { return with.create(name, size, for_users); });
}
task<region> create(std::string name, std::uint64_t size, rights for_users) {
  co_return co_await create(*co_await find_client(), std::move(name), size, for_users);
}

task<void> remove(client& with, region of) {
  co_await in_background(with, [&] {
    with.remove(of.base);
    return true;
  });
}
task<void> remove(region of) {
  co_await remove(*co_await find_client(), of);
}

task<void> memread(client& with, void* to, address from, std::size_t bytes) {
  co_await move(with, true, from, static_cast<std::byte*>(to), bytes);
}
task<void> memread(void* to, address from, std::size_t bytes) {
  co_await move(*co_await find_client(), true, from, static_cast<std::byte*>(to), bytes);
}
task<void> memwrite(client& with, address to, void const* from, std::size_t bytes) {
  // move() does not write to it.
  co_await move(with, false, to, const_cast<std::byte*>(static_cast<std::byte const*>(from)), bytes);
}
task<void> memwrite(address to, void const* from, std::size_t bytes) {
  co_await memwrite(*co_await find_client(), to, from, bytes);
}

}  // namespace tess::rmem
