// election: each event, and what it allows.
#include "rmem/replication/election.hpp"

#include <algorithm>
#include <utility>

namespace tess::memd::replication {

election::election(settings chosen, replica_record loaded, time now)
    : chosen_(chosen), kept_(loaded), promise_until_(now + chosen.promise) {
  if (kept_.self == 0) kept_.self = chosen_.instance;
  effects_.saves = kept_ != loaded;
  if (kept_.state == replica_state::diverged) role_ = role::stopped;
  if (kept_.state == replica_state::sole) serve_alone(kept_.epoch + 1, now, "it was the last one to serve");
}

election::time election::serves_until() const {
  if (role_ != role::primary) return INT64_MIN;
  return kept_.state == replica_state::in_sync ? lease_until_ : forever;
}

std::string election::why_not(std::string const& peer) const {
  if (role_ == role::backup) return "this is the backup; the primary is at " + peer;
  if (role_ == role::stopped)
    return "this server and the one at " + peer +
           " have both served without the other; tess mem take-over lets this one go on";
  return "this server waits for the other one, at " + peer +
         (is_complete() ? ", which may have newer data; if it does not: tess mem take-over" : "");
}

/// A server with a copy asks first what the other one does.
election::question election::wants_to_ask(time now) const {
  if (linked_ || role_ == role::stopped || role_ == role::forming) return question::none;
  if (role_ == role::primary) return question::hello;
  if (role_ == role::waiting && (!is_complete() || peer_waits_)) return question::join;
  // Beyond the promise, a witness may have promised this server the next epoch.
  bool const may_follow = now < promise_until_ || !chosen_.has_witness || later_seen_ > kept_.epoch;
  return peer_serves_ && may_follow ? question::join : question::hello;
}

/// A server that has what was acknowledged claims the next epoch; one that serves says in which.
std::optional<election::claim> election::wants_to_claim(time now) const {
  if (!chosen_.has_witness || kept_.pair == 0) return std::nullopt;
  if (role_ == role::primary && (kept_.state == replica_state::sole || linked_)) {
    if (confirmed_) return std::nullopt;
    return claim{kept_.pair, kept_.epoch, 0, kept_.self};
  }
  if (linked_ || kept_.state != replica_state::in_sync || role_ == role::forming || role_ == role::stopped)
    return std::nullopt;
  // The primary may leave the epoch at once. The backup must not while the primary may still answer.
  if (role_ != role::primary && now < promise_until_ && !peer_ended_) return std::nullopt;
  return claim{kept_.pair, kept_.epoch + 1, kept_.epoch, kept_.self};
}

void election::serve_alone(std::uint64_t epoch, time now, std::string_view why) {
  serves_since_ = now;
  role_ = role::primary;
  kept_.epoch = epoch;
  kept_.state = replica_state::sole;
  if (kept_.pair == 0) kept_.pair = chosen_.instance;
  confirmed_ = false;
  effects_.saves = true;
  effects_.report = "serves, epoch " + std::to_string(epoch) + ": " + std::string(why);
}

void election::step_down() {
  role_ = role::waiting;
  peer_waits_ = false;
  peer_serves_ = false;
  linked_ = false;
  effects_.drops_link = true;
  effects_.drops_clients = true;
  effects_.report = "has lost its backup, which may serve now, and waits";
}

void election::stop(std::string_view why) {
  role_ = role::stopped;
  kept_.state = replica_state::diverged;
  linked_ = false;
  effects_.drops_link = true;
  effects_.drops_clients = true;
  effects_.saves = true;
  effects_.report = "stops: " + std::string(why);
}

void election::tick(time now) {
  bool const is_in_sync = kept_.state == replica_state::in_sync;
  if (role_ == role::primary || role_ == role::forming) {
    // With a witness, there is time to ask it before the lease ends.
    time const patience = is_in_sync && chosen_.has_witness ? chosen_.lease * 3 / 4 : chosen_.lease;
    bool const is_silent = (linked_ || role_ == role::forming) && now - acknowledged_at_ >= patience;
    if (is_silent) lose_link();
    if (role_ == role::primary && is_in_sync && now >= lease_until_) step_down();
    return;
  }
  if (role_ != role::backup) return;
  if (linked_ && now >= promise_until_) lose_link();
  if (role_ != role::backup || linked_ || chosen_.has_witness) return;
  if (peer_ended_) return serve_alone(kept_.epoch + 1, now, "the primary has ended");
  if (now >= promise_until_) serve_alone(kept_.epoch + 1, now, "the primary's lease has ended");
}

void election::lose_link() {
  effects_.drops_link = true;
  link_lost();
}

/// As a primary: the other one serves, too.
void election::meet_primary(greeting const& g) {
  std::string const their = std::to_string(g.epoch);
  if (g.epoch < kept_.epoch) {
    effects_.report = "the other server serves, too, in the earlier epoch " + their;
    return;
  }
  // What this one has not acknowledged alone is on the other one, which it asks to join. Until it is admitted, its copy
  // stays: a greeting does not say whose server that is.
  if (g.epoch > kept_.epoch && kept_.state == replica_state::in_sync) {
    step_down();
    peer_serves_ = true;
    effects_.report = "the other server serves in the later epoch " + their;
    return;
  }
  stop("the other server serves in epoch " + their + ", this one has served without it in epoch " +
       std::to_string(kept_.epoch));
}

void election::greeted(greeting const& g, time) {
  later_seen_ = std::max(later_seen_, g.epoch);
  if (linked_ || g.instance == chosen_.instance || role_ == role::stopped || role_ == role::forming) return;
  if (role_ == role::primary) {
    if (g.serves) meet_primary(g);
    return;
  }
  peer_waits_ = !g.serves;
  peer_serves_ = g.serves && g.epoch >= kept_.epoch;
}

/// May this one of two servers that wait serve when the other one joins it?
bool election::goes_first(application const& a) const {
  bool const they_have = a.has.state != replica_state::incomplete;
  if (is_complete()) {
    // A copy that was admitted, and is incomplete, has not served since.
    if (!they_have) return a.has.self == kept_.peer && a.has.epoch <= kept_.epoch;
    // Neither of two that were in sync in one epoch has served since. A witness may have promised it to one of them.
    if (chosen_.has_witness || a.has.state != replica_state::in_sync) return false;
    if (kept_.epoch != a.has.epoch) return kept_.epoch > a.has.epoch;
  } else if (they_have) {
    return false;  // this one may have served alone, and lost what it acknowledged
  }
  return kept_.self < a.has.self;
}

election::admission election::handle(application const& a, time now) {
  admission answer{.epoch = kept_.epoch, .pair = kept_.pair, .instance = chosen_.instance};
  later_seen_ = std::max(later_seen_, a.has.epoch);
  if (a.instance == chosen_.instance || linked_) return answer;
  bool const may_follow = a.has.state == replica_state::incomplete || a.has.state == replica_state::in_sync;
  if (role_ == role::waiting && may_follow && goes_first(a)) {
    // The application may be old: this server serves when the other one is known to follow it.
    role_ = role::forming;
    forming_ = std::max(kept_.epoch, a.has.epoch) + 1;
    if (kept_.pair == 0) kept_.pair = chosen_.instance;
  } else if (role_ != role::forming && (role_ != role::primary || !may_follow || a.has.epoch > kept_.epoch)) {
    return answer;
  }
  // The other one discards its copy for this admission. An older one, by which this server would have discarded its own
  // for the other one's, is void from here on.
  kept_.round = std::max(kept_.round, a.has.round) + 1;
  effects_.saves = true;
  admitted_ = a.has.self;
  if (a.has.state == replica_state::in_sync) kept_.peer = a.has.self;
  acknowledged_at_ = now;
  answer.accepted = true;
  answer.complete = is_complete();
  answer.round = kept_.round;
  answer.pair = kept_.pair;
  if (role_ == role::forming) answer.epoch = forming_;
  return answer;
}

bool election::admitted(admission const& a, time now) {
  later_seen_ = std::max(later_seen_, a.epoch);
  peer_waits_ = false;
  peer_serves_ = false;
  bool const asked = role_ == role::waiting || role_ == role::backup;
  if (!a.accepted || !asked || linked_ || a.instance == chosen_.instance || a.round <= kept_.round) return false;
  if (is_complete()) {
    if (!a.complete || a.epoch < kept_.epoch) return false;
    effects_.discards = true;
    effects_.drops_clients = true;
    kept_.state = replica_state::incomplete;
  }
  role_ = role::backup;
  linked_ = true;
  peer_ended_ = false;
  kept_.round = a.round;
  kept_.pair = a.pair;
  promise_until_ = now + chosen_.promise;
  effects_.saves = true;
  return true;
}

void election::acknowledged(time sent_at, time now) {
  if (role_ != role::primary && role_ != role::forming) return;
  acknowledged_at_ = now;
  if (!linked_) {
    // The one that was admitted follows. It has said that it has nothing, so this one has the only copy.
    linked_ = true;
    peer_ended_ = false;
    kept_.peer = admitted_;
    if (role_ == role::forming) {
      serve_alone(forming_, now, "the other one is up");
    } else if (kept_.state != replica_state::sole) {
      kept_.state = replica_state::sole;
      effects_.saves = true;
    }
  }
  if (now >= sent_at) lease_until_ = std::max(lease_until_, sent_at + chosen_.lease);
}

void election::backup_in_sync(time now) {
  kept_.state = replica_state::in_sync;
  effects_.saves = true;
  // The backup promises nothing before it is told; it is told after this.
  lease_until_ = now + chosen_.lease;
}

void election::heard(time now) {
  promise_until_ = now + chosen_.promise;
}

void election::copy_in_sync(std::uint64_t epoch, time now) {
  kept_.state = replica_state::in_sync;
  kept_.epoch = epoch;
  promise_until_ = now + chosen_.promise;
  effects_.saves = true;
}

void election::link_lost() {
  if (role_ == role::forming) role_ = role::waiting;
  bool const was_linked = std::exchange(linked_, false);
  if (role_ != role::backup || !was_linked || kept_.state == replica_state::in_sync) return;
  role_ = role::waiting;
  effects_.report = "has lost the primary before everything was here";
}

void election::peer_ended(time now) {
  if (linked_) return;
  // A backup may have served, and then ended, if the lease has.
  if (role_ == role::primary && kept_.state == replica_state::in_sync && !chosen_.has_witness && now < lease_until_)
    return serve_alone(kept_.epoch + 1, now, "the backup has ended");
  if (role_ == role::backup) peer_ended_ = true;
}

void election::witness_answered(claim const& asked, bool granted, std::uint64_t recorded_epoch, time now) {
  later_seen_ = std::max(later_seen_, recorded_epoch);
  if (wants_to_claim(now) != asked) return;
  if (asked.follows == 0) {
    if (granted) {
      confirmed_ = true;
      return;
    }
    // Whoever was promised that epoch has not used it: this one has the only copy.
    if (kept_.state == replica_state::sole && recorded_epoch >= kept_.epoch) {
      kept_.epoch = recorded_epoch + 1;
      effects_.saves = true;
    }
    return;
  }
  if (!granted) return;
  serve_alone(asked.epoch, now, "the witness allows it");
  confirmed_ = true;
}

std::string election::take_over(time now) {
  if (role_ == role::primary && kept_.state == replica_state::sole) return "";
  if (linked_) return "the other server is connected: end it first";
  if (kept_.state == replica_state::incomplete) return "not everything that the primary had is here";
  serve_alone(std::max(later_seen_, kept_.epoch) + 1, now, "the operator says that the other one does not serve");
  return "";
}

election::effects election::take_effects() {
  return std::exchange(effects_, {});
}

}  // namespace tess::memd::replication
