// link: a server's connection to the second one, or to the first: what goes over it, and what waits for it.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "rmem/server/server.hpp"

namespace tess::memd {

namespace {

constexpr std::int64_t no_user = -2;
constexpr int buffer_bytes = 4 << 20;
constexpr auto tick = std::chrono::milliseconds(10);

}  // namespace

void server::begin_pair(options const& chosen) {
  pair::actions can{.drop_clients =
                        [this] {
                          std::vector<int> all;
                          for (auto const& [socket, c] : connections_) all.push_back(socket);
                          for (int const socket : all) drop(socket);
                        },
                    .follow = [this](rmem::descriptor socket) { begin_following(std::move(socket)); },
                    .say = chosen.say ? chosen.say : [](std::string const&) {}};
  pair_ = std::make_unique<pair>(pair::options{chosen.other, chosen.secret, chosen.number, chosen.size_bytes},
                                 holdings_, service_, std::move(can));
  // Steps are counted also while nobody takes them in: then they are held, or the server is alone.
  holdings_.tell([this](change const& c) {
    if (copier_ != nullptr) copier_->put(c);
    ++service_.put;
  });
  holdings_.tell_written([this](std::uint64_t address, std::uint64_t size) {
    if (copier_ == nullptr || copier_->put(address, size)) ++service_.put;
  });
  watch(pair_->file(), EPOLLIN);
}

/// All that has something for the other server now, or has waited for it.
void server::tend_pair() {
  if (copier_ != nullptr && copier_->has_begun()) {
    if (!gated_) {
      // In this order: it is written down that the second may go on, then it may, then nothing counts without it.
      pair_->second_in_step();
      copier_->put_in_step();
      ++service_.put;
      gated_ = true;
      in_step_put_ = service_.put;
    }
    service_.taken = put_before_ + copier_->acknowledged();
    if (in_step_put_ != 0 && service_.taken >= in_step_put_) {
      in_step_put_ = 0;
      pair_->second_knows();
    }
  }
  release_answers();
  // Last: those who got their answers may have written more.
  if (has_to_copy()) serve(connections_.at(link_), 0);
  auto const now = std::chrono::steady_clock::now();
  if (now - tended_ < tick) return;
  tended_ = now;
  pair_->tend();
}

void server::after_serving(connection& c) {
  if (c.client != nullptr && c.client->joined() && c.speaks->next().bytes.empty()) begin_copying(c);
}

/// Before that is acknowledged: whoever hears of it relies on us.
void server::note_in_step(connection const& c) {
  if (follower_ != nullptr && c.socket.number() == link_ && follower_->in_step() && !was_in_step_) {
    was_in_step_ = true;
    pair_->we_are_in_step();
  }
}

/// The session has answered that its client may be the second server.
void server::begin_copying(connection& c) {
  // Of an earlier one, which is dead, or it would not join anew.
  if (link_ >= 0) drop(link_);
  static_cast<void>(setsockopt(c.socket.number(), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes));
  auto made = std::make_unique<copier>(holdings_.what());
  copier_ = made.get();
  c.client = nullptr;
  c.speaks = std::move(made);
  link_ = c.socket.number();
  put_before_ = service_.put;
  gated_ = false;
  in_step_put_ = 0;
  pair_->begin_copying(pair_->joining());
}

void server::begin_following(rmem::descriptor socket) {
  static_cast<void>(fcntl(socket.number(), F_SETFL, O_NONBLOCK));
  auto made = std::make_unique<follower>(holdings_.what());
  follower_ = made.get();
  was_in_step_ = false;
  link_ = socket.number();
  add(std::move(socket), no_user, std::move(made));
}

void server::link_dropped() {
  link_ = -1;
  copier_ = nullptr;
  follower_ = nullptr;
  pair_->link_lost();
}

}  // namespace tess::memd
