// link: the primary counts a step for each entry that it sends, and holds answers until their steps are acknowledged.
#include "rmem/replication/link.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <utility>

namespace tess::memd::replication {

namespace {
constexpr int buffer_bytes = 4 << 20;
/// So many beats in a lease.
constexpr int beats = 8;
}  // namespace

link::link(replica::options chosen, persistent_store& regions, service_state& service, actions can)
    : store_(regions),
      service_(service),
      can_(std::move(can)),
      replica_(std::move(chosen), regions, service,
               {.drop_connections = can_.drop_all,
                .drop_link =
                    [this] {
                      if (socket_ >= 0) can_.drop(socket_);
                    },
                .receive_copy = [this](rmem::stream stream) { begin_receiving(std::move(stream)); },
                .report = can_.report}) {
  // Steps are counted even without a backup: then their answers are held, or the server is alone.
  store_.on_change([this](change const& c) {
    if (sender_ != nullptr) sender_->add(c);
    ++service_.steps;
  });
  store_.on_write([this](std::uint64_t address, std::uint64_t size) {
    if (sender_ == nullptr || sender_->add(address, size)) ++service_.steps;
  });
}

/// What the backup has acknowledged, and whether it can be told that it is in sync.
void link::update() {
  if (sender_ == nullptr) return;
  if (auto const sent = sender_->sent_at(); sent && *sent != renewed_) {
    renewed_ = *sent;
    other_.says(sender_->other());
    if (!replica_.acknowledged(*sent)) return can_.drop(socket_);
    if (sender_ == nullptr) return;
  }
  if (!sender_->has_copied_all() || !replica_.linked()) return;
  if (!gated_) {
    if (!replica_.may_rely_on_backup()) return;
    // The order matters: the file says that the backup may take over, then the backup may, then answers wait for it.
    sender_->add_in_sync(replica_.backup_in_sync());
    ++service_.steps;
    gated_ = true;
    in_sync_step_ = service_.steps;
  }
  service_.steps_safe = safe_steps();
  if (in_sync_step_ != 0 && service_.steps_safe >= in_sync_step_) {
    in_sync_step_ = 0;
    replica_.backup_confirmed();
  }
}

void link::advance() {
  auto const now = lease_clock::now();
  if (sender_ != nullptr && now - beat_ >= replica_.lease() / beats) {
    beat_ = now;
    sender_->add_beat();
    ++service_.steps;
  }
  if (sender_ != nullptr && !sender_->next_output().bytes.empty()) can_.send(socket_);
  if (now - ticked_ < tick) return;
  ticked_ = now;
  if (!replica_.linked() && other_.has_ended()) {
    other_ = {};
    replica_.peer_ended();
  }
  replica_.tick();
}

std::unique_ptr<protocol> link::begin_sending(rmem::stream const& to) {
  // An earlier one has not been followed.
  if (socket_ >= 0) can_.drop(socket_);
  static_cast<void>(setsockopt(to.number(), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes));
  auto made = std::make_unique<sender>(store_.current());
  sender_ = made.get();
  socket_ = to.number();
  other_ = peer_process(to);
  steps_before_ = service_.steps;
  gated_ = false;
  in_sync_step_ = 0;
  renewed_ = {};
  beat_ = lease_clock::now();
  return made;
}

void link::begin_receiving(rmem::stream stream) {
  static_cast<void>(fcntl(stream.number(), F_SETFL, O_NONBLOCK));
  auto made = std::make_unique<receiver>(store_.current());
  receiver_ = made.get();
  was_in_sync_ = false;
  socket_ = stream.number();
  other_ = peer_process(stream);
  can_.add(std::move(stream), std::move(made));
}

/// The file must say that this server is in sync before the primary hears so: from then on the primary relies on it.
void link::after_receiving(int socket) {
  if (receiver_ == nullptr || socket != socket_) return;
  replica_.heard();
  other_.says(receiver_->other());
  if (!receiver_->in_sync() || was_in_sync_) return;
  was_in_sync_ = true;
  replica_.copy_in_sync(receiver_->epoch());
}

void link::after_dropping(int socket) {
  if (socket != socket_) return;
  socket_ = -1;
  sender_ = nullptr;
  receiver_ = nullptr;
  replica_.link_lost();
}

}  // namespace tess::memd::replication
