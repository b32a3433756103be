// replica: questions, answers, and what follows.
#include "rmem/replication/replica.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tess::memd::replication {

namespace {

using wire::operation;
using wire::status;

/// The backup promises a lease and a bit, for clocks that differ in rate by 5 %, and for milliseconds that are cut off.
constexpr election::time promise_of(election::time lease) {
  return lease + lease / 16 + 20;
}

std::uint64_t random_number() {
  std::uint64_t n = 0;
  while (n == 0) static_cast<void>(!getrandom(&n, sizeof n, 0));
  return n;
}

/// A file that was only written by a server without a backup has the only copy. One of two servers has a number for its
/// copy from its start on, before it receives anything.
replica_record loaded(persistent_store& from) {
  auto r = from.replication();
  if (r.self == 0 && from.loaded_regions()) r.state = replica_state::sole;
  if (r.state == replica_state::incomplete && from.loaded_regions()) from.clear(false);
  return r;
}

}  // namespace

replica::replica(options chosen, persistent_store& regions, service_state& service, actions can)
    : chosen_(std::move(chosen)),
      store_(regions),
      service_(service),
      can_(std::move(can)),
      peer_(chosen_.peer, chosen_.proofs),
      witness_(chosen_.witness.empty() ? nullptr : std::make_unique<peer>(chosen_.witness, chosen_.proofs)),
      election_({.instance = random_number(),
                 .lease = chosen_.lease.count(),
                 .promise = promise_of(chosen_.lease.count()),
                 .has_witness = !chosen_.witness.empty()},
                loaded(regions), now()) {
  service_.instance = election_.instance();
  service_.peer = chosen_.peer;
  service_.regions_persist = true;
  service_.join = [this](wire::message const& m, service_state::copy_number copy) { return handle_join(m, copy); };
  service_.take_over = [this] { return take_over(); };
  apply();
}

election::time replica::now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now().time_since_epoch()).count();
}

std::array<int, 2> replica::event_files() const {
  return {peer_.event_file(), witness_ ? witness_->event_file() : -1};
}

void replica::apply() {
  auto const e = election_.take_effects();
  if (e.drops_link) can_.drop_link();
  if (e.drops_clients) can_.drop_connections();
  if (e.discards) store_.clear(true);
  if (e.saves) store_.set_replication(election_.kept());
  auto const until = election_.serves_until();
  bool const serves = election_.what() == election::role::primary;
  service_.answers_until = until == election::forever
                               ? clock::time_point::max()
                               : clock::time_point(std::chrono::milliseconds(serves ? until : election::time{0}));
  if (!serves) service_.answers_until = clock::time_point::max();  // of refusals, which are true at any time
  service_.serves = serves && election_.serves(now());
  service_.epoch = election_.kept().epoch;
  service_.why_not = election_.why_not(chosen_.peer);
  // Refusals wait for nobody.
  if (!serves || election_.kept().state == replica_state::sole) service_.steps_safe = UINT64_MAX;
  if (!e.report.empty()) report(e.report);
}

/// What does not change is said once.
void replica::report(std::string const& what) {
  if (std::exchange(reported_, what) != what) can_.report(what);
}

void replica::tick() {
  election_.tick(now());
  apply();
  auto const at = clock::now();
  if (witness_ && !witness_->is_asked() && at - claimed_ >= chosen_.lease / 64) {
    if (auto const c = election_.wants_to_claim(now())) {
      claim_ = *c;
      claimed_ = at;
      witness_->ask({.what = operation::claim,
                     .address = c->pair,
                     .size = c->follows,
                     .argument = c->epoch,
                     .argument2 = c->self});
    }
  }
  auto const wants = election_.wants_to_ask(now());
  if (wants == election::question::none || peer_.is_asked()) return;
  // One that serves alone asks, too, and finds out if the other one does as well.
  if (election_.what() == election::role::primary && at - asked_ < chosen_.lease / 16) return;
  asked_ = at;
  if (wants == election::question::hello) return peer_.ask({.what = operation::hello});
  auto const [has, instance] = election_.to_join();
  wire::writer copy;
  copy.number(has.self);
  copy.number(has.round);
  auto const payload = copy.take();
  peer_.ask({.what = operation::join,
             .address = chosen_.number,
             .size = chosen_.size_bytes,
             .argument = has.epoch,
             .rights = static_cast<std::uint32_t>(has.state),
             .argument2 = instance},
            {reinterpret_cast<char const*>(payload.data()), payload.size()});
}

void replica::handle_answer() {
  if (witness_) handle_witness();
  auto a = peer_.take_answer();
  if (!a) return;
  if (a->unproved) report(a->text);
  if (!a->answered) return;
  if (a->question == operation::join) return handle_join_answer(std::move(*a));
  election_.greeted({a->head.outcome == status::ok, a->head.address, a->head.argument2}, now());
  apply();
}

void replica::handle_witness() {
  auto const a = witness_->take_answer();
  if (!a) return;
  if (a->unproved) report(a->text);
  if (!a->answered) return;
  if (a->head.outcome != status::ok && a->head.outcome != status::not_serving)
    throw std::runtime_error("the witness at " + chosen_.witness + " does not answer this server: " + a->text);
  election_.witness_answered(claim_, a->head.outcome == status::ok, a->head.address, now());
  apply();
}

void replica::handle_join_answer(peer::answer a) {
  if (a.head.outcome == status::bad_request || a.head.outcome == status::no_right)
    throw std::runtime_error("the other server, at " + chosen_.peer + ", does not accept this one as the backup: " +
                             (a.text.empty() ? "its --number is different, or its --size is larger" : a.text));
  if (a.head.outcome != status::ok) return election_.rejected();
  auto const& own = election_.kept();
  bool const has_all = own.state == replica_state::in_sync || own.state == replica_state::sole;
  if (has_all && own.pair != 0 && a.head.size != own.pair)
    throw std::runtime_error("the other server, at " + chosen_.peer +
                             ", is none of this pair, and this one has a copy; is --peer right? To give the copy up, "
                             "start with another --file");
  if (a.head.rights >> 1 != static_cast<std::uint64_t>(chosen_.lease.count()))
    throw std::runtime_error("the other server, at " + chosen_.peer +
                             ", has another TESS_FAILURE_TIMEOUT; give both the same");
  bool const follows = election_.admitted({.accepted = true,
                                           .complete = (a.head.rights & 1) != 0,
                                           .epoch = a.head.address,
                                           .round = a.head.argument,
                                           .pair = a.head.size,
                                           .instance = a.head.argument2},
                                          now());
  if (!follows) return;
  bool const had_data = election_.discards();
  apply();
  if (!had_data) store_.clear(false);  // of a copy that was not complete
  store_.set_replication(election_.kept());
  can_.receive_copy(std::move(a.stream));
  can_.report("is the backup of " + chosen_.peer + ", epoch " + std::to_string(a.head.address));
}

wire::message replica::handle_join(wire::message const& m, service_state::copy_number copy) {
  wire::message to{.what = operation::done, .outcome = status::not_serving};
  if (m.address != chosen_.number || m.size < chosen_.size_bytes || m.argument2 == election_.instance() ||
      m.rights > static_cast<std::uint32_t>(replica_state::diverged)) {
    to.outcome = status::bad_request;
    return to;
  }
  replica_record const theirs{
      .epoch = m.argument, .state = static_cast<replica_state>(m.rights), .self = copy.self, .round = copy.round};
  auto const a = election_.handle({theirs, m.argument2}, now());
  apply();
  if (a.accepted) to.outcome = status::ok;
  to.address = a.epoch;
  to.argument = a.round;
  to.size = a.pair;
  to.argument2 = a.instance;
  to.rights = static_cast<std::uint32_t>(chosen_.lease.count()) << 1 | (a.complete ? 1U : 0U);
  return to;
}

checked<void> replica::take_over() {
  auto const why_not = election_.take_over(now());
  if (!why_not.empty()) return std::unexpected(refusal{status::bad_request, why_not});
  apply();
  return {};
}

bool replica::acknowledged(clock::time_point sent_at) {
  auto const sent = std::chrono::duration_cast<std::chrono::milliseconds>(sent_at.time_since_epoch()).count();
  election_.acknowledged(sent, now());
  apply();
  return election_.linked();
}

std::uint64_t replica::backup_in_sync() {
  election_.backup_in_sync(now());
  apply();
  return election_.kept().epoch;
}

void replica::backup_confirmed() {
  can_.report("the backup is in sync");
}

void replica::copy_in_sync(std::uint64_t epoch) {
  election_.copy_in_sync(epoch, now());
  apply();
  store_.remove_aside();
  can_.report("is in sync with the primary");
}

void replica::link_lost() {
  election_.link_lost();
  apply();
}

void replica::peer_ended() {
  election_.peer_ended(now());
  election_.tick(now());
  apply();
}

}  // namespace tess::memd::replication
