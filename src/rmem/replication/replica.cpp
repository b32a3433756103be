// replica: questions to the other server, and what each answer proves.
#include "rmem/replication/replica.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tess::memd::replication {

namespace {

using wire::operation;
using wire::status;

/// In constant time, for secrets of equal length.
bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

}  // namespace

replica::replica(options chosen, persistent_store& regions, service_state& service, actions can)
    : chosen_(std::move(chosen)), store_(regions), service_(service), can_(std::move(can)), peer_(chosen_.peer) {
  while (instance_ == 0) static_cast<void>(!getrandom(&instance_, sizeof instance_, 0));
  epoch_ = store_.epoch();
  state_ = store_.state();
  // A file that was written by a server without a backup.
  if (epoch_ == 0 && store_.loaded_regions()) state_ = replica_state::sole;
  if (state_ == replica_state::incomplete && store_.loaded_regions()) store_.clear();
  service_.instance = instance_;
  service_.peer = chosen_.peer;
  service_.join = [this](wire::message const& m, bool trusted, std::string_view secret) {
    return handle_join(m, trusted, secret);
  };
  service_.take_over = [this] { return take_over(); };
  update_service();
  if (state_ == replica_state::sole) become_primary("it was the last one to serve");
}

void replica::update_service() {
  service_.serves = role_ == role::primary;
  service_.regions_persist = true;
  service_.epoch = epoch_;
  service_.why_not = role_ == role::backup
                         ? "this is the backup; the primary is at " + chosen_.peer
                         : "this server waits for the other one, at " + chosen_.peer +
                               (state_ == replica_state::incomplete
                                    ? ""
                                    : ", which may have newer data; if it does not: tess mem take-over");
}

void replica::set_state(replica_state s) {
  state_ = s;
  store_.set_state(epoch_, s);
}

void replica::become_primary(std::string const& why) {
  role_ = role::primary;
  ++epoch_;
  linked_ = false;
  peer_instance_ = 0;
  service_.steps_safe = UINT64_MAX;
  set_state(replica_state::sole);
  update_service();
  can_.report("serves, epoch " + std::to_string(epoch_) + ": " + why);
}

void replica::continue_alone(std::string const& why) {
  // This is written to the file before anything is answered: from here on the backup is behind.
  set_state(replica_state::sole);
  peer_instance_ = 0;
  service_.steps_safe = UINT64_MAX;
  can_.report("serves alone: " + why);
}

/// Drops all data, to become the backup.
void replica::discard() {
  outdated_ = false;
  can_.drop_connections();
  role_ = role::waiting;
  linked_ = false;
  set_state(replica_state::incomplete);
  store_.clear();
  service_.epoch = epoch_;
  service_.steps_safe = UINT64_MAX;
  update_service();
}

void replica::tick() {
  if (outdated_) {
    can_.report("another server serves in a later epoch: the data here is old");
    discard();
  }
  if (linked_ || peer_.is_asked()) return;
  if (role_ == role::primary) {
    // A backup that was in sync when the link broke may serve by now: it must be known to be dead.
    if (state_ == replica_state::in_sync) peer_.ask({.what = operation::hello});
  } else if (role_ == role::backup || (state_ != replica_state::incomplete && !peer_waits_)) {
    peer_.ask({.what = operation::hello});
  } else {
    peer_.ask({.what = operation::join,
               .address = chosen_.number,
               .size = chosen_.size_bytes,
               .argument = epoch_,
               .rights = static_cast<std::uint32_t>(state_),
               .argument2 = instance_},
              chosen_.secret);
  }
}

void replica::handle_answer() {
  auto a = peer_.take_answer();
  if (!a || linked_) return;
  if (role_ == role::primary) return handle_answer_as_primary(*a);
  if (role_ == role::backup) return handle_answer_as_backup(*a);
  if (a->question == operation::hello && a->what == peer::answer::kind::answered) {
    // It has served since this server was in sync: what it acknowledged is not here.
    if (a->head.outcome == status::ok && a->head.address >= epoch_) return discard();
    peer_waits_ = true;
    return;
  }
  peer_waits_ = false;
  if (a->question != operation::join || a->what != peer::answer::kind::answered) return;
  if (a->head.outcome == status::bad_request || a->head.outcome == status::no_right)
    throw std::runtime_error("the other server, at " + chosen_.peer + ", does not accept this one as the backup: " +
                             (a->head.outcome == status::no_right
                                  ? "its --secret is different"
                                  : "its --number is different, or its --size is larger"));
  if (a->head.outcome != status::ok) return;
  discard();
  epoch_ = a->head.address;
  peer_instance_ = a->head.argument2;
  role_ = role::backup;
  linked_ = true;
  set_state(replica_state::incomplete);
  update_service();
  can_.receive_copy(std::move(a->stream));
  can_.report("is the backup of " + chosen_.peer + ", epoch " + std::to_string(epoch_));
}

void replica::handle_answer_as_primary(peer::answer const& a) {
  if (state_ != replica_state::in_sync || a.question != operation::hello) return;
  if (a.what == peer::answer::kind::dead) return continue_alone("the backup is gone");
  if (a.what != peer::answer::kind::answered) return;
  if (a.head.argument2 != peer_instance_) return continue_alone("the backup was restarted");
  if (a.head.address > epoch_) outdated_ = true;
}

void replica::handle_answer_as_backup(peer::answer const& a) {
  if (a.question != operation::hello || a.what == peer::answer::kind::silent) return;
  bool const alive = a.what == peer::answer::kind::answered && a.head.argument2 == peer_instance_;
  if (!alive && state_ == replica_state::in_sync) return become_primary("the primary is gone");
  // It is alive and may have continued alone; or it died before everything was here.
  if (!alive) can_.report("the primary is gone, and not everything it had is here");
  discard();
}

/// If two servers wait, the one with the later epoch serves first; with equal epochs, either may. If only one has
/// data, the other one may have served alone and lost it: then neither may claim that its data is complete.
bool replica::goes_first(wire::message const& join) const {
  bool const we_have = state_ != replica_state::incomplete;
  bool const they_have = join.rights != static_cast<std::uint32_t>(replica_state::incomplete);
  if (we_have != they_have) return false;
  if (we_have && epoch_ != join.argument) return epoch_ > join.argument;
  return instance_ < join.argument2;
}

wire::message replica::handle_join(wire::message const& m, bool trusted, std::string_view secret) {
  wire::message no{.what = operation::done, .outcome = status::not_serving, .address = epoch_, .argument2 = instance_};
  auto const because = [&](status why) {
    no.outcome = why;
    return no;
  };
  if (!trusted && !equal_secrets(secret, chosen_.secret)) return because(status::no_right);
  if (m.address != chosen_.number || m.size < chosen_.size_bytes) return because(status::bad_request);
  if (m.argument2 == instance_) return because(status::bad_request);  // this server itself
  if (role_ == role::backup && !linked_ && state_ == replica_state::in_sync && m.argument2 != peer_instance_)
    become_primary("the primary was restarted");
  if (role_ == role::waiting && !outdated_ && goes_first(m)) become_primary("the other one is up");
  if (role_ != role::primary) return no;
  bool const is_ahead = m.argument > epoch_ && m.rights != static_cast<std::uint32_t>(replica_state::incomplete);
  outdated_ = outdated_ || is_ahead;
  // A server that has data discards it before it joins: until then it might serve it.
  if (outdated_ || m.rights != static_cast<std::uint32_t>(replica_state::incomplete)) return no;
  joining_instance_ = m.argument2;
  return {.what = operation::done, .address = epoch_, .argument2 = instance_};
}

checked<void> replica::take_over() {
  if (role_ == role::primary) {
    if (state_ == replica_state::in_sync && !linked_) continue_alone("the operator says that the backup is gone");
    return {};
  }
  if (linked_) return std::unexpected(refusal{status::bad_request, "the primary is connected: end it first"});
  if (state_ == replica_state::incomplete)
    return std::unexpected(refusal{status::bad_request, "not everything that the primary had is here"});
  become_primary("the operator says that the primary is gone");
  return {};
}

void replica::backup_connected() {
  // It has said that it is not in sync, so nothing depends on it until it is again.
  set_state(replica_state::sole);
  peer_instance_ = joining_instance_;
  linked_ = true;
  service_.steps_safe = UINT64_MAX;
}

void replica::backup_in_sync() {
  set_state(replica_state::in_sync);
}

void replica::backup_confirmed() {
  can_.report("the backup is in sync");
}

void replica::copy_in_sync() {
  set_state(replica_state::in_sync);
  can_.report("is in sync with the primary");
}

}  // namespace tess::memd::replication
