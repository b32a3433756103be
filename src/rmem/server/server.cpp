// server: level-triggered epoll; each connection is watched for what its protocol needs next.
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
// The users of remote connections.
constexpr std::int64_t stranger = -1;   // has shown no token yet
constexpr std::int64_t peer_user = -2;  // the other of two servers
constexpr std::int64_t token_holder = -3;

std::uint64_t now_ms() {
  auto const since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

/// Raises the limit of descriptors as far as the system allows.
std::size_t descriptors_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  static_cast<void>(getrlimit(RLIMIT_NOFILE, &limit));
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

server::server(options const& chosen)
    : store_({chosen.size_bytes, chosen.is_witness ? std::filesystem::path() : chosen.file, chosen.number, geteuid(),
              chosen.peer.empty() ? descriptors_max() / 8 : 0}),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      reserve_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      life_pipe_(chosen.life_pipe),
      only_own_user_(chosen.only_own_user),
      syncs_(chosen.sync),
      greeting_time_(chosen.greeting_time) {
  if (!epoll_.is_open() || !stop_.is_open()) throw std::system_error(errno, std::generic_category(), "epoll");
  std::size_t const descriptors = descriptors_max();
  connections_max_ = std::clamp<std::size_t>(descriptors / 2, 8, connections_most);
  service_.regions_persist = store_.is_persistent();
  memory_reserve::install();
  service_.has_memory = memory_reserve::is_available;
  bool const by_tcp = !std::ranges::all_of(chosen.listen, rmem::is_local);
  if (by_tcp && !chosen.proofs.any())
    throw std::runtime_error("to listen by tcp, give --key FILE, --certificate FILE or --secret FILE");
  if (by_tcp) tls_ = std::make_unique<rmem::tls::acceptor>(chosen.proofs);
  for (auto const& where : chosen.listen) {
    listeners_.push_back(rmem::listen_at(where));
    if (rmem::is_local(where)) paths_.push_back(where.substr(where.find(':') + 1));
  }
  if (chosen.inherited_listener >= 0) listeners_.emplace_back(chosen.inherited_listener);
  for (auto const& l : listeners_) {
    // A client that has gone already must not block the server in accept().
    static_cast<void>(fcntl(l.number(), F_SETFL, O_NONBLOCK));
    watch(l.number(), EPOLLIN);
  }
  watch(stop_.number(), EPOLLIN);
  if (life_pipe_ >= 0) watch(life_pipe_, EPOLLIN);
  if (!chosen.peer.empty())
    begin_replication(chosen);
  else
    leave_pair(chosen.file);
  if (chosen.is_witness) {
    witness_ = std::make_unique<replication::witness>(chosen.file);
    service_.serves = false;
    service_.why_not = "this is a witness, which has no regions";
    service_.claim = [this](wire::message const& m) { return witness_->decide(m); };
  }
  if (!syncs_) return;
  service_.steps_safe = 0;
  store_.on_change([this](change const&) { ++service_.steps; });
  store_.on_write([this](std::uint64_t, std::uint64_t) { ++service_.steps; });
}

/// Whoever has one of two servers serve without --peer says that this copy is the one that counts.
void server::leave_pair(std::filesystem::path const& file) {
  auto record = store_.replication();
  if (record.self == 0) return;
  if (record.state == replica_state::incomplete)
    throw std::runtime_error(file.string() +
                             ": is a copy that never was complete; give --peer, the server that has all");
  record.state = replica_state::sole;
  store_.set_replication(record);
}

void server::begin_replication(options const& chosen) {
  replication::link::actions can{
      .drop_all =
          [this] {
            std::vector<int> all;
            for (auto const& [socket, c] : connections_) all.push_back(socket);
            for (int const socket : all) drop(socket);
          },
      .drop = [this](int socket) { drop(socket); },
      .add = [this](rmem::stream stream,
                    std::unique_ptr<protocol> speaks) { add(std::move(stream), peer_user, std::move(speaks)); },
      .send = [this](int socket) { serve(connections_.at(socket), 0); },
      .report = chosen.report ? chosen.report : [](std::string const&) {}};
  link_ = std::make_unique<replication::link>(
      replication::replica::options{.peer = chosen.peer,
                                    .witness = chosen.witness,
                                    .proofs = chosen.proofs,
                                    .number = chosen.number,
                                    .size_bytes = chosen.size_bytes,
                                    .lease = chosen.lease.count() != 0 ? chosen.lease : rmem::failure_timeout() / 2},
      store_, service_, std::move(can));
  for (int const file : link_->event_files())
    if (file >= 0) watch(file, EPOLLIN);
}

server::~server() {
  static_cast<void>(store_.sync());
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

/// How long the server may sleep if no descriptor becomes ready.
int server::timeout_ms() const {
  if (!buffered_.empty() || (syncs_ && service_.steps_safe != service_.steps)) return 0;
  if (link_) return link_->has_news() ? 0 : static_cast<int>(replication::link::tick.count());
  if (greetings_.empty()) return -1;
  auto const left = greetings_.front().until - std::chrono::steady_clock::now();
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

void server::run() {
  std::array<epoll_event, 64> ready{};
  for (;;) {
    int const count = epoll_wait(epoll_.number(), ready.data(), static_cast<int>(ready.size()), timeout_ms());
    std::uint64_t const accepted_before = accepted_;
    for (int i = 0; i < count; ++i) {
      int const file = ready[static_cast<std::size_t>(i)].data.fd;
      if (file == stop_.number() || file == life_pipe_) return;
      if (link_ && (file == link_->event_files()[0] || file == link_->event_files()[1])) {
        link_->handle_answer();
        continue;
      }
      if (std::ranges::any_of(listeners_, [&](auto const& l) { return l.number() == file; })) {
        try {
          accept_from(file);
        } catch (std::bad_alloc const&) {
          // The client is rejected.
        }
        continue;
      }
      auto const c = connections_.find(file);
      // An event of a connection that was dropped since is not one of its successor with the same number.
      if (c != connections_.end() && c->second.accepted <= accepted_before)
        serve(c->second, ready[static_cast<std::size_t>(i)].events);
    }
    serve_buffered();
    if (link_) {
      link_->update();
      release_answers();
      // Last, because sessions whose answers were released may have written more.
      link_->advance();
    }
    if (syncs_) write_to_disk();
    drop_silent();
    store_.maintain();
  }
}

void server::accept_from(int listener) {
  rmem::descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    if (errno != EMFILE && errno != ENFILE) return;
    reserve_ = {};
    rmem::descriptor const rejected(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    reserve_ = rmem::descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return;
  }
  caller who;
  std::unique_ptr<rmem::tls> secure;
  std::int64_t user = stranger;
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
    if (tls_) secure = tls_->accept(socket.number());
  }
  if (only_own_user_ && !who.operates) return;
  if (!make_room(user, who.operates)) return;
  if (family == AF_UNIX)
    static_cast<void>(setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes));
  auto made = std::make_unique<session>(store_.current(), counters_, service_, std::move(who));
  session* const client = made.get();
  connection& added = add(rmem::stream(std::move(socket), std::move(secure)), user, std::move(made));
  added.client = client;
  added.accepted = ++accepted_;
  greetings_.push_back({std::chrono::steady_clock::now() + greeting_time_, added.stream.number(), accepted_});
  ++counters_.connections;
}

std::size_t server::count_of(std::int64_t user) const {
  auto const found = connections_of_user_.find(user);
  return found == connections_of_user_.end() ? 0 : found->second;
}

/// A quarter of the connections is for strangers, who can only say hello and show a token. They never take those of
/// known clients, and of the latter no user has more than half. The last eighth is for the user that runs the server.
bool server::make_room(std::int64_t user, bool operates) {
  std::size_t const strangers = count_of(stranger);
  std::size_t const strangers_max = connections_max_ / 4;
  if (user == stranger) {
    if (strangers < strangers_max) return true;
    auto const age = [](auto const& c) { return c.second.user == stranger ? c.second.accepted : UINT64_MAX; };
    drop(std::ranges::min_element(connections_, {}, age)->first);
    return true;
  }
  std::size_t const known = connections_.size() - strangers;
  std::size_t const known_max = connections_max_ - strangers_max;
  if (operates) return known < known_max;
  return known < known_max - connections_max_ / 8 && count_of(user) < connections_max_ / 2;
}

void server::move_to(std::int64_t user, connection& c) {
  auto const before = connections_of_user_.find(c.user);
  if (--before->second == 0) connections_of_user_.erase(before);
  ++connections_of_user_[user];
  c.user = user;
}

void server::drop_silent() {
  if (greetings_.empty()) return;
  for (auto const now = std::chrono::steady_clock::now(); !greetings_.empty() && greetings_.front().until <= now;) {
    auto const late = greetings_.front();
    greetings_.pop_front();
    auto const c = connections_.find(late.socket);
    if (c == connections_.end() || c->second.accepted != late.accepted || c->second.client == nullptr) continue;
    if (!c->second.client->has_spoken()) drop(late.socket);
  }
}

/// A connection whose turn ended before all that was decrypted was taken.
void server::serve_buffered() {
  for (int const socket : std::exchange(buffered_, {}))
    if (auto const c = connections_.find(socket); c != connections_.end() && c->second.stream.has_buffered())
      serve(c->second, EPOLLIN);
}

server::connection& server::add(rmem::stream stream, std::int64_t user, std::unique_ptr<protocol> speaks) {
  int const number = stream.number();
  auto& count = connections_of_user_[user];
  watch(number, EPOLLIN);
  connection made{std::move(stream), std::move(speaks), nullptr, user, EPOLLIN, 0};
  auto const added = connections_.emplace(number, std::move(made)).first;
  ++count;
  return added->second;
}

void server::drop(int socket) {
  if (link_) link_->after_dropping(socket);
  auto const c = connections_.find(socket);
  auto const count = connections_of_user_.find(c->second.user);
  if (--count->second == 0) connections_of_user_.erase(count);
  connections_.erase(c);
}

void server::serve(connection& c, std::uint32_t events) {
  int const socket = c.stream.number();
  bool const gone = (events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0;
  try {
    if (gone || !take_turn(c)) return drop(socket);
  } catch (std::bad_alloc const&) {
    // A client whose request needs more memory than there is gets disconnected; the others are served.
    return drop(socket);
  }
  if (c.user == stranger && c.client != nullptr && c.client->is_known()) {
    if (!make_room(token_holder, false)) return drop(socket);
    move_to(token_holder, c);
  }
  if (c.client != nullptr && c.client->joined() && c.speaks->next_output().bytes.empty()) {
    move_to(peer_user, c);
    c.client = nullptr;
    c.speaks = link_->begin_sending(c.stream);
  }
  epoll_event e{};
  e.data.fd = socket;
  bool const receives = !c.speaks->receive_buffer().empty();
  if (receives && c.stream.has_buffered()) buffered_.push_back(socket);
  if (receives) e.events |= EPOLLIN;
  if (!c.speaks->next_output().bytes.empty()) e.events |= EPOLLOUT;
  if (e.events == c.events) return;
  c.events = e.events;
  static_cast<void>(epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, socket, &e));
}

/// Writes everything of one round to the disk at once, and then acknowledges it.
void server::write_to_disk() {
  if (service_.steps_safe == service_.steps) return;
  if (!store_.sync()) throw std::runtime_error("the disk failed to take a write, which is not acknowledged");
  service_.steps_safe = service_.steps;
  release_answers();
}

void server::release_answers() {
  bool const could_answer = std::exchange(answered_, service_.may_answer());
  if (service_.steps_safe == released_ && could_answer == answered_) return;
  released_ = service_.steps_safe;
  std::vector<int> waiting;
  for (auto const& [socket, c] : connections_)
    if (c.client != nullptr && !c.client->is_held()) waiting.push_back(socket);
  for (int const socket : waiting)
    if (auto const c = connections_.find(socket); c != connections_.end()) serve(c->second, 0);
}

/// Answers are sent before the next request is received. False: the connection ended, or must be dropped.
bool server::take_turn(connection& c) {
  std::uint64_t const now = now_ms();
  std::uint64_t moved = 0;
  bool full = false;  // the socket accepts no more
  while (moved < wire::portal_bytes_max) {
    if (!full && !send_output(c, moved, full)) return false;
    auto const to = c.speaks->receive_buffer();
    if (to.empty() || moved >= wire::portal_bytes_max) return true;
    ssize_t const n = c.stream.receive(to, MSG_DONTWAIT);
    if (n == 0) return false;
    if (n < 0) return rmem::may_succeed_later();
    moved += static_cast<std::uint64_t>(n);
    if (c.client != nullptr && c.stream.is_from_server()) c.client->trust_as_server();
    if (!c.speaks->received(static_cast<std::size_t>(n), now)) return false;
    if (link_) link_->after_receiving(c.stream.number());
  }
  std::uint64_t answer_bytes = 0;
  return full || send_output(c, answer_bytes, full);
}

bool server::send_output(connection& c, std::uint64_t& moved, bool& full) {
  while (moved < wire::portal_bytes_max) {
    auto const out = c.speaks->next_output();
    if (out.bytes.empty()) return true;
    // If data follows the header, TCP sends both in one packet.
    int const more = out.bytes.size() == wire::message_bytes && out.data_follows && out.files.empty() ? MSG_MORE : 0;
    ssize_t const n = c.stream.send(out.bytes, MSG_DONTWAIT | more, out.files);
    full = n < 0;
    if (full) return rmem::may_succeed_later();
    moved += static_cast<std::uint64_t>(n);
    c.speaks->sent(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace tess::memd
