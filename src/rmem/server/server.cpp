// server: epoll, level-triggered: a client is watched for what its session wants next.
#include "rmem/server/server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "rmem/server/memory_reserve.hpp"

namespace tess::memd {

namespace {

constexpr std::size_t connections_most = 4096;
constexpr int buffer_bytes = 1 << 20;
constexpr int pair_tick_ms = 10;

std::uint64_t now_ms() {
  auto const since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

/// As many as the system allows this process.
std::size_t descriptors_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  static_cast<void>(getrlimit(RLIMIT_NOFILE, &limit));
  return static_cast<std::size_t>(limit.rlim_cur);
}

/// Sends bytes, and descriptors with the first of them. As send(2).
ssize_t send_with(int socket, talker::outgoing const& out) {
  // A header's data follow: by TCP they share its packet.
  int const more = out.bytes.size() == wire::message_bytes && out.data_follow ? MSG_MORE : 0;
  if (out.files.empty()) return send(socket, out.bytes.data(), out.bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT | more);
  iovec part{const_cast<std::byte*>(out.bytes.data()), out.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(out.files.size_bytes());
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(out.files.size_bytes());
  std::memcpy(CMSG_DATA(head), out.files.data(), out.files.size_bytes());
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// True if the transfer may go on another time.
bool later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

server::server(options const& chosen)
    : holdings_(
          {chosen.size_bytes, chosen.file, chosen.number, geteuid(), chosen.other.empty() ? descriptors_max() / 8 : 0}),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      life_(chosen.life),
      only_own_user_(chosen.only_own_user),
      syncs_(chosen.sync) {
  if (!epoll_.is_open() || !stop_.is_open()) throw std::system_error(errno, std::generic_category(), "epoll");
  std::size_t const descriptors = descriptors_max();
  connections_max_ = std::clamp<std::size_t>(descriptors / 2, 8, connections_most);
  service_.comes_back = holdings_.is_kept();
  spare_memory::keep();
  service_.has_memory = spare_memory::is_there;
  for (auto const& where : chosen.listen) {
    listeners_.push_back(rmem::listen_at(where));
    if (rmem::is_local(where)) paths_.push_back(where.substr(where.find(':') + 1));
  }
  if (chosen.inherited >= 0) listeners_.emplace_back(chosen.inherited);
  for (auto const& l : listeners_) {
    // Whoever was there and went must not stop the server at accept.
    static_cast<void>(fcntl(l.number(), F_SETFL, O_NONBLOCK));
    watch(l.number(), EPOLLIN);
  }
  watch(stop_.number(), EPOLLIN);
  if (life_ >= 0) watch(life_, EPOLLIN);
  if (!chosen.other.empty()) begin_pair(chosen);
  if (!syncs_) return;
  service_.taken = 0;
  holdings_.tell([this](change const&) { ++service_.put; });
  holdings_.tell_written([this](std::uint64_t, std::uint64_t) { ++service_.put; });
}

server::~server() {
  static_cast<void>(holdings_.sync());
  for (auto const& path : paths_) unlink(path.c_str());
}

void server::stop() noexcept {
  std::uint64_t const one = 1;
  static_cast<void>(!write(stop_.number(), &one, sizeof one));
}

void server::watch(int file, std::uint32_t events) {
  epoll_event e{};
  e.events = events;
  e.data.fd = file;
  if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, file, &e) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll");
}

/// Until when nothing is to be done if nobody says anything.
int server::patience_ms() const {
  if (syncs_) return service_.taken != service_.put ? 0 : -1;
  if (!pair_) return -1;
  bool const acknowledged = gated_ && copier_ != nullptr && service_.taken != put_before_ + copier_->acknowledged();
  return acknowledged ? 0 : pair_tick_ms;
}

void server::run() {
  std::array<epoll_event, 64> ready{};
  for (;;) {
    int const count = epoll_wait(epoll_.number(), ready.data(), static_cast<int>(ready.size()), patience_ms());
    for (int i = 0; i < count; ++i) {
      int const file = ready[static_cast<std::size_t>(i)].data.fd;
      if (file == stop_.number() || file == life_) return;
      if (pair_ && file == pair_->file()) {
        pair_->hear();
        continue;
      }
      if (std::ranges::any_of(listeners_, [&](auto const& l) { return l.number() == file; })) {
        try {
          accept_from(file);
        } catch (std::bad_alloc const&) {
          // Whoever it was is turned away.
        }
        continue;
      }
      auto const c = connections_.find(file);
      if (c != connections_.end()) serve(c->second, ready[static_cast<std::size_t>(i)].events);
    }
    if (pair_) tend_pair();
    if (syncs_) write_to_disk();
    holdings_.tend();
  }
}

void server::accept_from(int listener) {
  rmem::descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    if (errno != EMFILE && errno != ENFILE) return;
    spare_ = {};
    rmem::descriptor const turned_away(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    spare_ = rmem::descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return;
  }
  caller who;
  std::int64_t user = -1;
  ucred peer{};
  socklen_t length = sizeof peer;
  int family = 0;
  socklen_t family_length = sizeof family;
  static_cast<void>(getsockopt(socket.number(), SOL_SOCKET, SO_DOMAIN, &family, &family_length));
  if (family == AF_UNIX) {
    if (getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return;
    who.user = peer.uid;
    who.operates = peer.uid == geteuid();
    user = peer.uid;
  } else {
    int const on = 1;
    static_cast<void>(setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  }
  if (only_own_user_ && !who.operates) return;
  if (connections_.size() >= connections_max_ || of_user_[user] >= connections_max_ / 2) return;
  if (family == AF_UNIX)
    static_cast<void>(setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes));
  auto made = std::make_unique<session>(holdings_.what(), figures_, service_, std::move(who));
  session* const client = made.get();
  add(std::move(socket), user, std::move(made)).client = client;
  ++figures_.connections;
}

server::connection& server::add(rmem::descriptor socket, std::int64_t user, std::unique_ptr<talker> speaks) {
  int const number = socket.number();
  auto& count = of_user_[user];
  watch(number, EPOLLIN);
  connection made{std::move(socket), std::move(speaks), nullptr, user, EPOLLIN};
  auto const added = connections_.emplace(number, std::move(made)).first;
  ++count;
  return added->second;
}

void server::drop(int socket) {
  if (socket == link_) link_dropped();
  auto const c = connections_.find(socket);
  auto const of = of_user_.find(c->second.user);
  if (--of->second == 0) of_user_.erase(of);
  connections_.erase(c);
}

void server::serve(connection& c, std::uint32_t events) {
  int const socket = c.socket.number();
  bool const gone = (events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0;
  try {
    if (gone || !take_turn(c)) return drop(socket);
  } catch (std::bad_alloc const&) {
    // Whose request there is no memory for is cut off; the others are served.
    return drop(socket);
  }
  if (pair_) after_serving(c);
  epoll_event e{};
  e.data.fd = socket;
  if (!c.speaks->want().empty()) e.events |= EPOLLIN;
  if (!c.speaks->next().bytes.empty()) e.events |= EPOLLOUT;
  if (e.events == c.events) return;
  c.events = e.events;
  static_cast<void>(epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, socket, &e));
}

/// All that was asked for in one round, at once; it is acknowledged then.
void server::write_to_disk() {
  if (service_.taken == service_.put) return;
  if (!holdings_.sync()) throw std::runtime_error("the disk did not take what was written; that is not acknowledged");
  service_.taken = service_.put;
  release_answers();
}

void server::release_answers() {
  if (service_.taken == released_) return;
  released_ = service_.taken;
  std::vector<int> waiting;
  for (auto const& [socket, c] : connections_)
    if (c.client != nullptr && !c.client->is_held()) waiting.push_back(socket);
  for (int const socket : waiting)
    if (auto const c = connections_.find(socket); c != connections_.end()) serve(c->second, 0);
}

/// Answers go out before the next request is looked for. False: the client is gone, or is to go.
bool server::take_turn(connection& c) {
  std::uint64_t const now = now_ms();
  std::uint64_t moved = 0;
  bool full = false;  // the socket takes no more
  while (moved < wire::portal_bytes_max) {
    if (!full && !send_out(c, moved, full)) return false;
    auto const to = c.speaks->want();
    if (to.empty() || moved >= wire::portal_bytes_max) return true;
    ssize_t const n = recv(c.socket.number(), to.data(), to.size(), MSG_DONTWAIT);
    if (n == 0) return false;
    if (n < 0) return later();
    moved += static_cast<std::uint64_t>(n);
    if (!c.speaks->got(static_cast<std::size_t>(n), now)) return false;
    note_in_step(c);
  }
  std::uint64_t of_answers = 0;
  return full || send_out(c, of_answers, full);
}

bool server::send_out(connection& c, std::uint64_t& moved, bool& full) {
  while (moved < wire::portal_bytes_max) {
    auto const out = c.speaks->next();
    if (out.bytes.empty()) return true;
    ssize_t const n = send_with(c.socket.number(), out);
    full = n < 0;
    if (full) return later();
    moved += static_cast<std::uint64_t>(n);
    c.speaks->sent(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace tess::memd
