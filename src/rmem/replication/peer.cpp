// peer: one question at a time, each on its own connection.
#include "rmem/replication/peer.hpp"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <utility>

namespace tess::memd::replication {

namespace {

constexpr std::uint32_t text_bytes_max = 4096;

bool receive(rmem::stream const& from, std::span<std::byte> to) {
  while (!to.empty()) {
    ssize_t const n = from.receive(to, MSG_WAITALL);
    if (n <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

peer::peer(std::string const& address, rmem::credentials const& proofs)
    : address_(address), proofs_(proofs), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Signals are handled by the serving thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

peer::~peer() {
  {
    std::lock_guard const lock(mutex_);
    stops_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void peer::ask(wire::message const& m, std::string const& payload) {
  asked_ = true;
  {
    std::lock_guard const lock(mutex_);
    question_ = m;
    payload_ = payload;
  }
  changed_.notify_one();
}

std::optional<peer::answer> peer::take_answer() {
  std::uint64_t count = 0;
  static_cast<void>(!read(event_.number(), &count, sizeof count));
  std::lock_guard const lock(mutex_);
  if (!answer_) return std::nullopt;
  asked_ = false;
  return std::exchange(answer_, std::nullopt);
}

void peer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stops_ || question_; });
    if (stops_) return;
    auto const question = *std::exchange(question_, std::nullopt);
    auto const payload = payload_;
    lock.unlock();
    auto reply = call(question, payload);
    lock.lock();
    answer_ = std::move(reply);
    std::uint64_t const one = 1;
    static_cast<void>(!write(event_.number(), &one, sizeof one));
  }
}

peer::answer peer::call(wire::message m, std::string const& payload) const {
  answer a{.question = m.what};
  try {
    a.stream = rmem::stream::to(address_, proofs_, true);
  } catch (rmem::not_proved const& no) {
    a.unproved = true;
    a.text = no.what();
    return a;
  } catch (std::exception const& other) {
    a.text = other.what();
    return a;
  }
  m.id = 1;
  m.payload = static_cast<std::uint32_t>(payload.size());
  auto const request = wire::encode(m);
  std::string bytes(reinterpret_cast<char const*>(request.data()), request.size());
  bytes += payload;
  wire::encoded reply{};
  if (a.stream.send(std::as_bytes(std::span(bytes)), 0) != static_cast<ssize_t>(bytes.size()) ||
      !receive(a.stream, reply))
    return a;
  auto const head = wire::decode(reply);
  if (!head || head->what != wire::operation::done || head->payload > text_bytes_max) return a;
  a.text.resize(head->payload);
  if (!receive(a.stream, std::as_writable_bytes(std::span(a.text)))) return a;
  a.head = *head;
  a.answered = true;
  return a;
}

}  // namespace tess::memd::replication
