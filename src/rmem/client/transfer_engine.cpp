// transfer_engine: one thread, which sleeps in poll(2) and is woken for new transfers by an eventfd.
#include "rmem/client/transfer_engine.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "rmem/client/async_connection.hpp"
#include "rmem/client/background_thread.hpp"

namespace tess::rmem {

transfer_engine::transfer_engine(connector connect, std::function<void()> failed, std::function<bool()> broken,
                                 std::function<std::chrono::milliseconds()> patience)
    : connect_(std::move(connect)),
      failed_(std::move(failed)),
      broken_(std::move(broken)),
      patience_(std::move(patience)),
      event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.is_open()) throw lost("no descriptor is left to connect to the memory server");
  thread_ = background_thread([this] { run(); });
}

transfer_engine::~transfer_engine() {
  stops_ = true;
  std::uint64_t const one = 1;
  static_cast<void>(!write(event_.number(), &one, sizeof one));
  thread_.join();
}

void transfer_engine::submit(transfer& t) {
  {
    std::lock_guard const lock(mutex_);
    submitted_.push_back(&t);
  }
  // Sequentially consistent, like the thread's check of submitted_ after it set sleeps_: one of the two sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!sleeps_.load(std::memory_order_seq_cst)) return;
  std::uint64_t const one = 1;
  static_cast<void>(!write(event_.number(), &one, sizeof one));
}

/// Sleeps until the socket is ready or a transfer is submitted. False: nothing happened for the failure time-out.
bool transfer_engine::wait(int socket, bool sends) {
  sleeps_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool wanted = stops_;
  {
    std::lock_guard const lock(mutex_);
    wanted = wanted || !submitted_.empty();
  }
  std::array<pollfd, 2> files{pollfd{event_.number(), POLLIN, 0},
                              pollfd{socket, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0}};
  int count = 1;
  if (!wanted) {
    int const limit = socket < 0 ? -1 : static_cast<int>(patience_().count());
    do count = poll(files.data(), socket < 0 ? 1 : 2, limit);
    while (count < 0 && errno == EINTR);
  }
  sleeps_.store(false, std::memory_order_seq_cst);
  if ((files[0].revents & POLLIN) != 0) {
    std::uint64_t calls = 0;
    static_cast<void>(!read(event_.number(), &calls, sizeof calls));
  }
  return count != 0;
}

void transfer_engine::end_all(std::vector<transfer*>& ended) {
  for (transfer* const t : ended) {
    if (t->failure) failed_();
    t->ended(*t);
  }
  ended.clear();
}

void transfer_engine::run() {
  chunk_table chunks;
  std::optional<async_connection> open;
  std::vector<transfer*> arrived;
  std::vector<transfer*> ended;
  std::optional<std::chrono::steady_clock::time_point> broken_since;
  while (!stops_) {
    {
      std::lock_guard const lock(mutex_);
      arrived.swap(submitted_);
    }
    for (transfer* const t : arrived) chunks.add(*t);
    arrived.clear();
    try {
      if (chunks.empty()) {
        static_cast<void>(wait(-1, false));
        continue;
      }
      if (!chunks.any_in_flight() && (stale_.exchange(false) || (open && !open->alive()))) open.reset();
      if (!open) open.emplace(connect_(), chunks);
      // New tokens are presented on a new connection, when nothing is in flight.
      if (!stale_) open->request_chunks();
      bool moved = open->send();
      moved = open->receive(ended) || moved;
      if (!ended.empty()) broken_since.reset();
      end_all(ended);
      if (!moved && chunks.any_in_flight() && !wait(open->socket(), open->wants_to_send()))
        throw lost("no reply for " + std::to_string(patience_().count()) + " ms");
    } catch (error const& failure) {
      end_all(ended);
      bool const was_open = open.has_value();
      open.reset();
      auto const now = std::chrono::steady_clock::now();
      if (!broken_since) broken_since = now;
      // Reads and writes may be repeated. If connect_() failed, it has already waited as long as allowed.
      if (was_open && broken_() && !stops_ && now - *broken_since < failure_timeout()) {
        chunks.restart();
        continue;
      }
      ended = chunks.remove_all();
      for (transfer* const t : ended)
        t->failure = std::make_exception_ptr(lost(std::string("the memory server is lost: ") + failure.what()));
      end_all(ended);
    }
  }
  open.reset();
  ended = chunks.remove_all();
  {
    std::lock_guard const lock(mutex_);
    ended.insert(ended.end(), submitted_.begin(), submitted_.end());
    submitted_.clear();
  }
  for (transfer* const t : ended) t->failure = std::make_exception_ptr(lost("this program's client ended"));
  end_all(ended);
}

}  // namespace tess::rmem
