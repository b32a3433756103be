// transfers: what may block is called on a thread of the client, whose end resumes the task.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "rmem/client/serial_executor.hpp"
#include "tess/detail/remote_wait.hpp"
#include "tess/rmem_task.hpp"

namespace tess::rmem {

namespace detail {

void remote_wait::block() noexcept {
  // A worker goes on with messages and other workers of its thread; without a job, or after it, there is nothing to do.
  if (tess::detail::self != nullptr && !cell_.idle()) tess::detail::drain(cell_);
  for (unsigned looks = 0; under_way_.load(std::memory_order_acquire); ++looks) {
    if (looks < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace detail

namespace {

/// After so many bytes of its own copying a task lets others go first.
constexpr std::size_t turn_bytes = 256 * 1024;

/// Starts what will arrive; if it cannot be started, nobody waits for it.
template <class F>
void or_forget(detail::remote_wait& w, F start) {
  try {
    start();
  } catch (...) {
    w.forget();
    throw;
  }
}

/// Calls f where it may block.
template <class F>
task<std::invoke_result_t<F&>> aside_of(client& with, F f) {
  std::optional<std::invoke_result_t<F&>> result;
  detail::remote_wait w;
  w.expect();
  or_forget(w, [&] {
    with.run_aside([&] {
      std::exception_ptr failure;
      try {
        result.emplace(f());
      } catch (...) {
        failure = std::current_exception();
      }
      w.arrived(std::move(failure));
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
    std::size_t const now = std::min(bytes, turn_bytes);
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
    static_cast<awaited_transfer&>(ended).wait.arrived(std::exchange(ended.failure, {}));
  };
  with.prepare();
  t.wait.expect();
  with.start(t);
  co_await t.wait.done();
  t.wait.check();
}

std::atomic<client*>& found_client() {
  static std::atomic<client*> found{nullptr};
  return found;
}

}  // namespace

task<client*> find_client() {
  if (client* const known = found_client().load(std::memory_order_acquire); known != nullptr) co_return known;
  detail::remote_wait w;
  w.expect();
  // Starting a server and connecting takes milliseconds.
  auto const start = [&w] {
    std::exception_ptr failure;
    try {
      found_client().store(&default_client(), std::memory_order_release);
    } catch (...) {
      failure = std::current_exception();
    }
    w.arrived(std::move(failure));
  };
  or_forget(w, [&] { quiet_thread(start).detach(); });
  co_await w.done();
  w.check();
  co_return found_client().load(std::memory_order_acquire);
}

task<region> open(client& with, std::string name, rights wanted) {
  if (auto const known = with.remembered(name, wanted)) co_return *known;
  co_return co_await aside_of(with, [&] { return with.open(name, wanted); });
}
task<region> open(std::string name, rights wanted) {
  co_return co_await open(*co_await find_client(), std::move(name), wanted);
}

task<region> create(client& with, std::string name, std::uint64_t size, rights for_users) {
  co_return co_await aside_of(with, [&] { return with.create(name, size, for_users); });
}
task<region> create(std::string name, std::uint64_t size, rights for_users) {
  co_return co_await create(*co_await find_client(), std::move(name), size, for_users);
}

task<void> remove(client& with, region of) {
  co_await aside_of(with, [&] {
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
  // Only read there.
  co_await move(with, false, to, const_cast<std::byte*>(static_cast<std::byte const*>(from)), bytes);
}
task<void> memwrite(address to, void const* from, std::size_t bytes) {
  co_await memwrite(*co_await find_client(), to, from, bytes);
}

}  // namespace tess::rmem
