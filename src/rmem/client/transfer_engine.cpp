// transfer_engine: one thread, which sleeps in poll(2) and is told of new transfers by an eventfd.
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

portal::portal(connector connect, std::function<void()> failed, std::function<bool()> comes_back,
               std::chrono::milliseconds timeout)
    : connect_(std::move(connect)),
      failed_(std::move(failed)),
      comes_back_(std::move(comes_back)),
      timeout_(timeout),
      told_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!told_.is_open()) throw lost("no descriptor is left to reach the memory server with");
  thread_ = quiet_thread([this] { run(); });
}

portal::~portal() {
  stops_ = true;
  std::uint64_t const one = 1;
  static_cast<void>(!write(told_.number(), &one, sizeof one));
  thread_.join();
}

void portal::submit(transfer& t) {
  {
    std::lock_guard const lock(mutex_);
    submitted_.push_back(&t);
  }
  // Sequentially consistent, as the thread's look at submitted_ after it says that it sleeps: one sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!sleeps_.load(std::memory_order_seq_cst)) return;
  std::uint64_t const one = 1;
  static_cast<void>(!write(told_.number(), &one, sizeof one));
}

/// Sleeps until the socket is ready, somebody submits, or too long nothing moved: false.
bool portal::wait(int socket, bool sends) {
  sleeps_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool something = stops_;
  {
    std::lock_guard const lock(mutex_);
    something = something || !submitted_.empty();
  }
  std::array<pollfd, 2> files{pollfd{told_.number(), POLLIN, 0},
                              pollfd{socket, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0}};
  int count = 1;
  if (!something) {
    int const patience = socket < 0 ? -1 : static_cast<int>(timeout_.count());
    do count = poll(files.data(), socket < 0 ? 1 : 2, patience);
    while (count < 0 && errno == EINTR);
  }
  sleeps_.store(false, std::memory_order_seq_cst);
  if ((files[0].revents & POLLIN) != 0) {
    std::uint64_t calls = 0;
    static_cast<void>(!read(told_.number(), &calls, sizeof calls));
  }
  return count != 0;
}

void portal::end_all(std::vector<transfer*>& ended) {
  for (transfer* const t : ended) {
    if (t->failure) failed_();
    t->ended(*t);
  }
  ended.clear();
}

void portal::run() {
  pieces under_way;
  std::optional<stream> open;
  std::vector<transfer*> arrived;
  std::vector<transfer*> ended;
  std::optional<std::chrono::steady_clock::time_point> broken_since;
  while (!stops_) {
    {
      std::lock_guard const lock(mutex_);
      arrived.swap(submitted_);
    }
    for (transfer* const t : arrived) under_way.add(*t);
    arrived.clear();
    try {
      if (under_way.empty()) {
        static_cast<void>(wait(-1, false));
        continue;
      }
      if (!under_way.any_under_way() && (stale_.exchange(false) || (open && !open->alive()))) open.reset();
      if (!open) open.emplace(connect_(), under_way);
      // New tokens are for those that come after what is under way.
      if (!stale_) open->ask();
      bool moved = open->send();
      moved = open->receive(ended) || moved;
      if (!ended.empty()) broken_since.reset();
      end_all(ended);
      if (!moved && under_way.any_under_way() && !wait(open->socket(), open->wants_to_send()))
        throw lost("nothing came for " + std::to_string(timeout_.count()) + " ms");
    } catch (error const& failure) {
      end_all(ended);
      bool const was_open = open.has_value();
      open.reset();
      auto const now = std::chrono::steady_clock::now();
      if (!broken_since) broken_since = now;
      // Reads and writes may be done twice. connect_() has waited as long as it may.
      if (was_open && comes_back_() && !stops_ && now - *broken_since < timeout_) {
        under_way.begin_again();
        continue;
      }
      ended = under_way.drop_all();
      for (transfer* const t : ended)
        t->failure = std::make_exception_ptr(lost(std::string("the memory server is lost: ") + failure.what()));
      end_all(ended);
    }
  }
  open.reset();
  ended = under_way.drop_all();
  {
    std::lock_guard const lock(mutex_);
    ended.insert(ended.end(), submitted_.begin(), submitted_.end());
    submitted_.clear();
  }
  for (transfer* const t : ended) t->failure = std::make_exception_ptr(lost("this program's client ended"));
  end_all(ended);
}

}  // namespace tess::rmem
