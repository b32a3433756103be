// election_model_test: an exhaustive search of what two servers, a witness and the network between them can do.
//
// Method: the servers are the election that the server itself uses. The rest of the world is a model: links that carry
// entries and acknowledgements in order and break at any moment; questions that arrive late, also those of processes
// that have ended, or never; crashes, restarts with and without a file; clocks that differ in rate. A breadth-first
// search visits every reachable state within a budget of faults and writes, and checks each one:
//   - at most one server may answer, and it has every write that was acknowledged to a client;
//   - from every state in which no copy was lost, a server can serve again without another fault.
// The same search finds a violation when a rule of the protocol is broken on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rmem/replication/election.hpp"

namespace tess::memd::replication {

/// Everything by which two elections can differ, with times as what is left of them.
struct election_state {
  static void put(std::string& to, election const& e, election::time now) {
    auto const number = [&](std::uint64_t n) { to += static_cast<char>(n); };
    auto const left = [&](election::time t) {
      number(static_cast<std::uint64_t>(std::clamp<election::time>(t - now, -1, 100) + 1));
    };
    using role = election::role;
    number(e.kept_.round);
    for (std::uint64_t const n : {e.chosen_.instance, e.kept_.epoch, static_cast<std::uint64_t>(e.kept_.state),
                                  e.kept_.pair, e.kept_.self, e.kept_.peer, static_cast<std::uint64_t>(e.role_)})
      number(n);
    bool const leads = e.role_ == role::primary || e.role_ == role::forming;
    bool const is_in_sync = e.kept_.state == replica_state::in_sync;
    number(static_cast<std::uint64_t>(e.linked_) |
           static_cast<std::uint64_t>(e.peer_waits_ && e.role_ == role::waiting && e.is_complete()) << 1 |
           static_cast<std::uint64_t>(e.peer_serves_) << 5 |
           static_cast<std::uint64_t>(e.peer_ended_ && e.role_ == role::backup) << 2 |
           static_cast<std::uint64_t>(e.confirmed_ && e.role_ == role::primary) << 3 |
           static_cast<std::uint64_t>(e.role_ == role::primary && e.may_rely_on_backup(now)) << 4);
    if (e.role_ == role::forming) number(e.forming_);
    if (leads) number(e.admitted_);
    if (leads && is_in_sync) left(e.lease_until_);
    if (e.role_ == role::backup || e.chosen_.has_witness) left(e.promise_until_);
    if (leads)
      number(static_cast<std::uint64_t>(std::clamp<election::time>(now - e.acknowledged_at_, 0, e.chosen_.lease)));
  }
};

namespace {

using time = election::time;

struct rules {
  bool files = false;  // servers keep what they have over a restart
  bool witness = false;
  bool one_host = false;  // the kernel says when the other process has ended
  int crashes = 1;
  int breaks = 1;  // of the link
  int writes = 1;
  std::uint64_t epochs = 2;  // later ones are not searched
  std::uint64_t rounds = 3;  // nor later admissions
  int skew = 1;              // how many ticks one clock may be ahead
  time lease = 2;
  time promise = 4;
  bool witness_agrees = false;  // with everybody: to see that the search finds it
  bool refused_means_dead = false;
};

struct entry {
  enum class kind : std::uint8_t { copy, write, in_sync, beat } what = kind::beat;
  std::uint8_t bytes = 0;  // a set of writes
  std::uint64_t epoch = 0;
  time sent_at = 0;
};
struct acknowledgement {
  std::uint8_t count = 0;
  time sent_at = 0;
  bool of_copy = false;
};
/// A connection between a primary and its backup.
struct link {
  bool open = false;
  int primary = 0;
  std::array<std::uint64_t, 2> instance{};  // of both ends
  std::array<bool, 2> noticed{true, true};  // that it is broken
  bool answered = false;                    // the backup has the answer to its application
  election::admission admission{};
  bool late = false;  // the answer is on its way, on a connection that has ended
  bool copied = false;
  bool gated = false;
  std::uint8_t sent = 0;
  std::uint8_t acknowledged = 0;
  std::vector<entry> there{};
  std::vector<acknowledgement> back{};
};
struct question {
  bool on_its_way = false;
  bool joins = false;
  bool has_answer = false;
  std::uint64_t asker = 0;
  election::application application{};
  election::greeting greeting{};
};
struct pending_write {
  std::uint8_t bit = 0;
  std::uint8_t after = 0;  // so many acknowledgements
};
struct server {
  bool up = false;
  election decides{{}, {}, 0};
  replica_record file{};
  std::uint8_t data = 0;
  std::uint8_t data_of_file = 0;
  std::vector<pending_write> pending{};
  std::uint64_t linked_to = 0;  // the process at the other end of its last link
  time clock = 0;
};
struct world {
  std::array<server, 2> servers{};
  link between{};
  std::array<question, 2> asked{};
  std::array<question, 2> stale{};                                    // of a process that has ended
  std::optional<std::pair<std::uint64_t, std::uint64_t>> recorded{};  // by the witness: the epoch, and whose
  std::uint8_t acknowledged = 0;
  std::uint8_t written = 0;
  int crashes = 0;
  int breaks = 0;
  int restarts = 0;
  bool lost = false;  // more failed than two copies can survive
};

class search {
 public:
  explicit search(rules chosen) : rules_(chosen) {}

  /// The states that were visited; the violation, if any, is in `found`.
  std::size_t run() {
    world first;
    for (int i : {0, 1}) start(first, i);
    visit(first, -1, "start");
    while (!open_.empty() && found.empty()) {
      is_cut = parents_.size() > 30'000'000;
      if (is_cut) return parents_.size();
      auto const [w, index] = std::move(open_.front());
      open_.pop_front();
      successors(w, index);
    }
    if (found.empty()) check_progress();
    return parents_.size();
  }

  std::string found;

 private:
  [[nodiscard]] election make(int i, replica_record const& loaded, std::uint64_t instance, time now) const {
    static_cast<void>(i);
    return election({instance, rules_.lease, rules_.promise, rules_.witness}, loaded, now);
  }

  void start(world& w, int i) const {
    server& s = w.servers[static_cast<std::size_t>(i)];
    s.up = true;
    auto const instance = static_cast<std::uint64_t>(2 * w.restarts + i + 1);
    s.decides = make(i, rules_.files ? s.file : replica_record{}, instance, s.clock);
    s.data = rules_.files ? s.data_of_file : 0;
    s.linked_to = 0;
    s.pending.clear();
    apply(w, i);
  }

  /// What the replica does after each event.
  void apply(world& w, int i) const {
    server& s = w.servers[static_cast<std::size_t>(i)];
    auto const e = s.decides.take_effects();
    if (e.drops_link) hang_up(w, i);
    if (e.drops_clients) s.pending.clear();
    if (e.discards) s.data = 0;
    s.file = s.decides.kept();
    s.data_of_file = s.data;
  }

  static void hang_up(world& w, int i) {
    link& l = w.between;
    if (!l.open && l.noticed[static_cast<std::size_t>(i)]) return;
    l.late = l.late || (l.open && !l.answered);
    l.open = false;
    l.there.clear();
    l.back.clear();
    l.noticed[static_cast<std::size_t>(i)] = true;
  }

  [[nodiscard]] static bool serves(server const& s) { return s.up && s.decides.serves(s.clock); }

  void put(std::string& key, world const& w) const {
    auto const number = [&](std::uint64_t n) { key += static_cast<char>(n); };
    auto const age = [&](time sent, int of) {
      number(static_cast<std::uint64_t>(
          std::clamp<time>(w.servers[static_cast<std::size_t>(of)].clock - sent, 0, rules_.lease)));
    };
    auto const add = [&](question const& q) {
      number(static_cast<std::uint64_t>(q.on_its_way) | static_cast<std::uint64_t>(q.joins) << 1 |
             static_cast<std::uint64_t>(q.has_answer) << 2 | static_cast<std::uint64_t>(q.greeting.serves) << 3);
      if (!q.on_its_way) return;
      if (!q.joins) return number(q.greeting.epoch), number(q.greeting.instance);
      for (std::uint64_t const n :
           {q.asker, q.application.has.epoch, static_cast<std::uint64_t>(q.application.has.state),
            q.application.has.self, q.application.has.round, q.application.instance})
        number(n);
    };
    for (server const& s : w.servers) {
      number(static_cast<std::uint64_t>(s.up));
      if (s.up) election_state::put(key, s.decides, s.clock);
      if (rules_.files && !s.up) {
        for (std::uint64_t const n : {s.file.epoch, static_cast<std::uint64_t>(s.file.state), s.file.pair, s.file.self,
                                      s.file.peer, s.file.round})
          number(n);
        number(s.data_of_file);
      }
      number(s.data);
      if (rules_.one_host || rules_.refused_means_dead) number(s.linked_to);
      number(s.pending.size());
      for (auto const& p : s.pending) {
        number(p.bit);
        number(p.after);
      }
    }
    number(static_cast<std::uint64_t>(w.servers[0].clock - w.servers[1].clock + 8));
    link const& l = w.between;
    number(static_cast<std::uint64_t>(l.open) | static_cast<std::uint64_t>(l.primary) << 1 |
           static_cast<std::uint64_t>(l.noticed[0]) << 2 | static_cast<std::uint64_t>(l.noticed[1]) << 3 |
           static_cast<std::uint64_t>(l.answered) << 4 | static_cast<std::uint64_t>(l.gated) << 5 |
           static_cast<std::uint64_t>(l.copied) << 6 | static_cast<std::uint64_t>(l.late) << 7);
    if (l.late || (l.open && !l.answered)) {
      number(l.admission.epoch);
      number(l.admission.round);
      number(static_cast<std::uint64_t>(l.admission.complete));
      number(l.instance[1 - static_cast<std::size_t>(l.primary)]);
      number(l.admission.instance);
    }
    if (l.open) {
      for (std::uint64_t const n : {l.instance[0], l.instance[1], std::uint64_t{l.sent}, std::uint64_t{l.acknowledged}})
        number(n);
      number(l.there.size());
      for (auto const& e : l.there) {
        number(static_cast<std::uint64_t>(e.what));
        number(e.bytes);
        number(e.epoch);
        age(e.sent_at, l.primary);
      }
      number(l.back.size());
      for (auto const& a : l.back) {
        number(a.count);
        number(static_cast<std::uint64_t>(a.of_copy));
        age(a.sent_at, l.primary);
      }
    }
    for (auto const* const all : {&w.asked, &w.stale})
      for (auto const& q : *all) add(q);
    number(w.recorded ? w.recorded->first + 1 : 0);
    number(w.recorded ? w.recorded->second : 0);
    for (int const n : {w.crashes, w.breaks, w.restarts, int{w.acknowledged}, int{w.written}, int{w.lost}})
      number(static_cast<std::uint64_t>(n));
  }

  /// FNV-1a, mixed.
  [[nodiscard]] static std::uint64_t hash(std::string_view key) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (char const c : key) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    return h ^ h >> 32;
  }

  void visit(world const& w, std::int64_t parent, char const* action) {
    static std::string key;
    key.clear();
    put(key, w);
    auto const [at, is_new] = known_.try_emplace(hash(key), static_cast<std::uint32_t>(parents_.size()));
    if (parent >= 0) edges_.emplace_back(static_cast<std::uint32_t>(parent), at->second);
    if (!is_new) return;
    auto const index = static_cast<std::int64_t>(parents_.size());
    parents_.emplace_back(parent, action);
    bool const a = serves(w.servers[0]);
    bool const b = serves(w.servers[1]);
    // A pair of which the witness has not heard yet needs an operator.
    bool const needs_operator = w.lost || (rules_.witness && !w.recorded);
    good_.push_back(a || b || needs_operator);
    if (a && b) return report("both may answer", index);
    for (server const& s : w.servers)
      if (serves(s) && (w.acknowledged & ~s.data) != 0 && !w.lost)
        return report("an acknowledged write is lost", index);
    for (server const& s : w.servers)
      if (s.decides.kept().epoch > rules_.epochs || s.decides.kept().round > rules_.rounds)
        return void(good_.back() = true);
    open_.emplace_back(w, index);
  }

  void report(char const* what, std::int64_t index) {
    std::vector<char const*> steps;
    for (; index >= 0; index = parents_[static_cast<std::size_t>(index)].first)
      steps.push_back(parents_[static_cast<std::size_t>(index)].second);
    found = what;
    for (auto const* const step : steps | std::views::reverse) found += std::string("\n  ") + step;
  }

  /// Can every state reach one in which a server serves, without another fault?
  void check_progress() {
    std::vector<std::vector<std::uint32_t>> before(parents_.size());
    for (auto const& [from, to] : edges_)
      if (!faults_.contains((std::uint64_t{from} << 32) | to)) before[to].push_back(from);
    std::vector<std::uint32_t> work;
    auto reaches = good_;
    for (std::uint32_t i = 0; i < reaches.size(); ++i)
      if (reaches[i]) work.push_back(i);
    while (!work.empty()) {
      auto const i = work.back();
      work.pop_back();
      for (auto const p : before[i]) {
        if (reaches[p]) continue;
        reaches[p] = true;
        work.push_back(p);
      }
    }
    stuck = static_cast<std::size_t>(std::ranges::count(reaches, false));
    auto const one = std::ranges::find(reaches, false);
    if (one != reaches.end()) {
      report("no server can serve any more", one - reaches.begin());
      stuck_example = std::exchange(found, "");
    }
  }

  template <class F>
  void step(world const& from, std::int64_t index, char const* action, F&& change) {
    if (!found.empty()) return;
    world w = from;
    change(w);
    visit(w, index, action);
  }

  void successors(world const& w, std::int64_t index) {
    for (int i : {0, 1}) {
      of_server(w, index, i);
      of_questions(w, index, i);
      if (rules_.witness) of_claims(w, index, i);
    }
    of_link(w, index);
    of_clocks(w, index);
  }

  void of_clocks(world const& w, std::int64_t index) {
    step(w, index, "time passes", [](world& n) {
      for (auto& s : n.servers) ++s.clock;
    });
    for (std::size_t i : {0U, 1U}) {
      if (w.servers[i].clock - w.servers[1 - i].clock >= rules_.skew) continue;
      step(w, index, i == 0 ? "time passes at A" : "time passes at B", [i](world& n) { ++n.servers[i].clock; });
    }
  }

  void of_server(world const& w, std::int64_t index, int i) {
    auto const at = static_cast<std::size_t>(i);
    server const& s = w.servers[at];
    auto const other = 1 - at;
    auto const name = [&](char const* a, char const* b) { return i == 0 ? a : b; };
    if (!s.up) {
      step(w, index, name("A restarts", "B restarts"), [&](world& n) {
        ++n.restarts;
        start(n, i);
      });
      return;
    }
    step(w, index, name("A ticks", "B ticks"), [&](world& n) {
      n.servers[at].decides.tick(n.servers[at].clock);
      apply(n, i);
    });
    if (w.crashes < rules_.crashes) {
      fault(w, index, name("A crashes", "B crashes"), [&](world& n) {
        ++n.crashes;
        server& dead = n.servers[at];
        dead.up = false;
        dead.pending.clear();
        if (n.asked[at].on_its_way && !n.asked[at].has_answer) n.stale[at] = n.asked[at];
        n.asked[at] = {};
        hang_up(n, i);
        // Without files, a copy that may be served must be left.
        auto const& left = n.servers[other];
        auto const is_complete = [](server const& of) {
          auto const state = of.decides.kept().state;
          return state == replica_state::sole || state == replica_state::in_sync;
        };
        bool const is_last = is_complete(dead) &&
                             (!left.up || !is_complete(left) || left.decides.kept().epoch < dead.decides.kept().epoch);
        n.lost = n.lost || (!rules_.files && is_last);
      });
    }
    if (rules_.one_host && s.linked_to != 0 && !s.decides.linked()) {
      auto const& peer = w.servers[other];
      if (!peer.up || peer.decides.instance() != s.linked_to)
        step(w, index, name("A learns that B's process has ended", "B learns that A's process has ended"),
             [&](world& n) {
               n.servers[at].decides.peer_ended(n.servers[at].clock);
               n.servers[at].linked_to = 0;
               apply(n, i);
             });
    }
    if (rules_.refused_means_dead && !w.between.open && w.between.noticed[at] && w.servers[at].linked_to != 0)
      step(w, index, name("A's connection is refused", "B's connection is refused"), [&](world& n) {
        n.servers[at].decides.peer_ended(n.servers[at].clock);
        n.servers[at].linked_to = 0;
        apply(n, i);
      });
    bool const accepts = s.decides.what() == election::role::primary;
    if (accepts && std::popcount(w.written) < rules_.writes) {
      step(w, index, name("A takes a write", "B takes a write"), [&](world& n) {
        auto const bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(std::popcount(n.written)));
        n.written |= bit;
        server& to = n.servers[at];
        to.data |= bit;
        to.data_of_file = to.data;
        link& l = n.between;
        bool const sends = l.open && l.primary == i && l.instance[at] == to.decides.instance();
        if (sends) {
          ++l.sent;
          l.there.push_back({entry::kind::write, bit, 0, to.clock});
        }
        to.pending.push_back({bit, sends ? l.sent : std::uint8_t{255}});
      });
    }
    if (!s.pending.empty() && serves(s)) {
      link const& l = w.between;
      bool const is_safe = s.decides.kept().state == replica_state::sole ||
                           (l.open && l.primary == i && s.pending.front().after <= l.acknowledged);
      if (is_safe)
        step(w, index, name("A acknowledges a write", "B acknowledges a write"), [&](world& n) {
          n.acknowledged |= n.servers[at].pending.front().bit;
          n.servers[at].pending.erase(n.servers[at].pending.begin());
        });
    }
  }

  template <class F>
  void fault(world const& from, std::int64_t index, char const* action, F&& change) {
    auto const before = edges_.size();
    step(from, index, action, change);
    if (edges_.size() > before) faults_.insert((std::uint64_t{edges_.back().first} << 32) | edges_.back().second);
  }

  void of_questions(world const& w, std::int64_t index, int i) {
    auto const at = static_cast<std::size_t>(i);
    auto const other = 1 - at;
    auto const name = [&](char const* a, char const* b) { return i == 0 ? a : b; };
    server const& s = w.servers[at];
    bool const is_admitted = w.between.open && !w.between.answered && w.between.primary != i;
    if (s.up && !w.asked[at].on_its_way && !is_admitted) {
      auto const wants = s.decides.wants_to_ask(s.clock);
      // A greeting says nothing, so only the answer can be late.
      if (wants == election::question::hello && w.servers[other].up)
        step(w, index, name("A says hello", "B says hello"), [&](world& n) {
          n.asked[at] = {true, false, false, s.decides.instance(), {}, {}};
          answer(n, n.asked[at], i);
        });
      if (wants == election::question::join)
        step(w, index, name("A asks to join", "B asks to join"),
             [&](world& n) { n.asked[at] = {true, true, false, s.decides.instance(), s.decides.to_join(), {}}; });
    }
    for (bool const is_stale : {false, true}) {
      auto const& q = is_stale ? w.stale[at] : w.asked[at];
      if (!q.on_its_way) continue;
      step(w, index, name("A's question is lost", "B's question is lost"),
           [&](world& n) { (is_stale ? n.stale : n.asked)[at] = {}; });
      if (!q.has_answer && w.servers[other].up)
        step(w, index, name("A's question arrives", "B's question arrives"), [&](world& n) {
          answer(n, is_stale ? n.stale[at] : n.asked[at], i);
          if (is_stale) n.stale[at] = {};
        });
      if (q.has_answer && !is_stale)
        step(w, index, name("A is answered", "B is answered"), [&](world& n) {
          auto const got = std::exchange(n.asked[at], {});
          bool const had = n.servers[at].data != 0;
          n.servers[at].decides.greeted(got.greeting, n.servers[at].clock);
          apply(n, i);
          // It has relied on a server that has ended since: a second fault while there was one copy.
          bool const discarded = had && n.servers[at].data == 0;
          server const& peer = n.servers[other];
          if (discarded && !rules_.files && (!peer.up || peer.decides.instance() != got.greeting.instance))
            n.lost = true;
        });
    }
  }

  /// The other server answers a question of server `i`.
  void answer(world& w, question& q, int i) const {
    auto const at = static_cast<std::size_t>(i);
    auto const other = 1 - at;
    server& peer = w.servers[other];
    if (!q.joins) {
      q.greeting = {serves(peer), peer.decides.kept().epoch, peer.decides.instance()};
      q.has_answer = true;
      return;
    }
    auto const a = peer.decides.handle(q.application, peer.clock);
    apply(w, static_cast<int>(other));
    bool const is_alive = w.servers[at].up && w.servers[at].decides.instance() == q.asker;
    if (!a.accepted) {
      if (is_alive && !(&q == &w.stale[at])) w.servers[at].decides.rejected();
      q = {};
      return;
    }
    // This connection is the link from here on; an earlier one is dropped.
    if (w.between.open || !w.between.noticed[other]) {
      hang_up(w, static_cast<int>(other));
      peer.decides.link_lost();
      apply(w, static_cast<int>(other));
    }
    if (!w.between.noticed[at]) {
      // The asker must have noticed that its own side is gone, or it would not have asked; a stale question is alone.
      w.between.noticed[at] = !is_alive;
      if (is_alive) return void(q = {});
    }
    link l;
    l.open = true;
    l.primary = static_cast<int>(other);
    l.instance[other] = peer.decides.instance();
    l.instance[at] = q.asker;
    l.noticed = {false, false};
    l.there.push_back({entry::kind::copy, peer.data, a.epoch, peer.clock});
    l.sent = 1;
    q = {};
    w.between = l;
    if (!is_alive) {
      // Nobody is at the other end.
      w.between.noticed[at] = true;
      w.between.open = false;
      w.between.there.clear();
      return;
    }
    w.between.there.front().epoch = a.epoch;
    w.between.admission = a;
    w.between.answered = false;
  }

  void of_link(world const& w, std::int64_t index) {
    link const& l = w.between;
    if (l.late) {
      // The answer was on its way when the connection ended.
      auto const b = static_cast<std::size_t>(1 - l.primary);
      if (w.servers[b].up && w.servers[b].decides.instance() == l.instance[b])
        step(w, index, b == 0 ? "A is admitted late" : "B is admitted late", [&](world& n) {
          server& s = n.servers[b];
          n.between.late = false;
          bool const had = s.data != 0;
          bool const follows = s.decides.admitted(n.between.admission, s.clock);
          apply(n, static_cast<int>(b));
          server const& other = n.servers[1 - b];
          bool const has_ended = !other.up || other.decides.instance() != n.between.admission.instance;
          if (had && s.data == 0 && !rules_.files && has_ended) n.lost = true;
          if (!follows) return;
          s.decides.link_lost();
          apply(n, static_cast<int>(b));
        });
    }
    if (!l.open) {
      for (int i : {0, 1}) {
        auto const at = static_cast<std::size_t>(i);
        if (l.noticed[at]) continue;
        step(w, index, i == 0 ? "A notices that the link is broken" : "B notices that the link is broken",
             [&](world& n) {
               n.between.noticed[at] = true;
               if (!n.servers[at].up || n.servers[at].decides.instance() != l.instance[at]) return;
               n.servers[at].decides.link_lost();
               apply(n, i);
             });
      }
      return;
    }
    auto const p = static_cast<std::size_t>(l.primary);
    auto const b = 1 - p;
    if (w.breaks < rules_.breaks)
      fault(w, index, "the link breaks", [&](world& n) {
        ++n.breaks;
        n.between.late = !n.between.answered;
        n.between.open = false;
        n.between.there.clear();
        n.between.back.clear();
      });
    if (!l.answered) {
      step(w, index, p == 0 ? "A admits B" : "B admits A", [&](world& n) {
        server& s = n.servers[b];
        bool const follows = s.decides.admitted(n.between.admission, s.clock);
        apply(n, static_cast<int>(b));
        if (!follows) return hang_up(n, static_cast<int>(b));
        n.between.answered = true;
        s.linked_to = n.between.instance[p];
      });
      return;
    }
    if (!l.there.empty())
      step(w, index, "an entry arrives at the backup", [&](world& n) {
        server& s = n.servers[b];
        auto const e = n.between.there.front();
        n.between.there.erase(n.between.there.begin());
        if (e.what == entry::kind::copy) s.data = e.bytes;
        if (e.what == entry::kind::write) s.data |= e.bytes;
        if (e.what == entry::kind::in_sync) s.decides.copy_in_sync(e.epoch, s.clock);
        s.decides.heard(s.clock);
        apply(n, static_cast<int>(b));
        auto const count = static_cast<std::uint8_t>(n.between.sent - n.between.there.size());
        n.between.back.push_back({count, e.sent_at, e.what == entry::kind::copy});
      });
    if (!l.back.empty())
      step(w, index, "an acknowledgement arrives at the primary", [&](world& n) {
        server& s = n.servers[p];
        auto const a = n.between.back.front();
        n.between.back.erase(n.between.back.begin());
        bool const was_linked = s.decides.linked();
        s.decides.acknowledged(a.sent_at, s.clock);
        apply(n, l.primary);
        if (!s.decides.linked()) return hang_up(n, l.primary);
        if (!was_linked) s.linked_to = n.between.instance[b];
        n.between.acknowledged = a.count;
        if (!n.between.copied && !a.of_copy) return;
        n.between.copied = true;
        if (n.between.gated || !s.decides.may_rely_on_backup(s.clock)) return;
        s.decides.backup_in_sync(s.clock);
        apply(n, l.primary);
        n.between.gated = true;
        ++n.between.sent;
        n.between.there.push_back({entry::kind::in_sync, 0, s.decides.kept().epoch, s.clock});
      });
    if (l.there.empty() && l.back.empty())
      step(w, index, "the primary sends a beat", [&](world& n) {
        // Beats are not counted among what was sent, so that their number does not make two states differ.
        n.between.there.push_back({entry::kind::beat, 0, 0, n.servers[p].clock});
        ++n.between.sent;
        if (n.between.sent > 6) {
          n.between.sent -= 1;
          n.between.acknowledged = std::min(n.between.acknowledged, n.between.sent);
        }
      });
  }

  /// A claim that arrives late is one that was made late; an answer that arrives late is one that was not heard, and
  /// asked for again: what was granted once is granted again. So both are one step.
  void of_claims(world const& w, std::int64_t index, int i) {
    auto const at = static_cast<std::size_t>(i);
    server const& s = w.servers[at];
    auto const wants = s.up ? s.decides.wants_to_claim(s.clock) : std::nullopt;
    if (!wants) return;
    auto const& k = *wants;
    bool const is_own = w.recorded && w.recorded->first == k.epoch && w.recorded->second == k.self;
    bool const is_new =
        k.follows == 0 ? !w.recorded || w.recorded->first < k.epoch : w.recorded && w.recorded->first <= k.follows;
    bool const granted = is_own || is_new || rules_.witness_agrees;
    auto const decide = [&](world& n) {
      if (granted) n.recorded = {k.epoch, k.self};
    };
    step(w, index, i == 0 ? "the witness answers A" : "the witness answers B", [&](world& n) {
      decide(n);
      n.servers[at].decides.witness_answered(k, granted, n.recorded ? n.recorded->first : 0, s.clock);
      apply(n, i);
    });
    if (granted && !is_own)
      step(w, index,
           i == 0 ? "A does not hear that its claim was granted" : "B does not hear that its claim was granted",
           decide);
  }

 public:
  bool is_cut = false;  // there were too many states
  std::size_t stuck = 0;
  std::string stuck_example;

 private:
  rules rules_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by a hash of 64 bits
  std::vector<std::pair<std::int64_t, char const*>> parents_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::set<std::uint64_t> faults_;
  std::vector<bool> good_;
  std::deque<std::pair<world, std::int64_t>> open_;  // the first is the next
};

void expect_safe(char const* what, rules chosen) {
  search s(chosen);
  auto const states = s.run();
  EXPECT_EQ(s.found, "") << what;
  EXPECT_FALSE(s.is_cut) << what << ": there are more states than are searched";
  std::printf("%s: %zu states, %zu from which only the operator helps\n", what, states, s.stuck);
}

/// No two serve, and a copy that was kept is served again, whatever fails.
void expect_live(char const* what, rules chosen) {
  search s(chosen);
  auto const states = s.run();
  EXPECT_EQ(s.found, "") << what;
  EXPECT_FALSE(s.is_cut) << what << ": there are more states than are searched";
  EXPECT_EQ(s.stuck, 0U) << what << s.stuck_example;
  std::printf("%s: %zu states\n", what, states);
}

void expect_violation(char const* what, rules chosen) {
  search s(chosen);
  static_cast<void>(s.run());
  EXPECT_NE(s.found, "") << what << ": the search is blind";
}

bool is_long() {
  return std::getenv("TESS_SLOW") != nullptr;
}

TEST(election_model, two_servers_with_files) {
  expect_live("files, a crash", {.files = true, .breaks = 0, .skew = 0, .lease = 1, .promise = 2});
  expect_live("files, a crash and a break", {.files = true, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  if (!is_long()) return;
  expect_safe("files, two crashes",
              {.files = true, .crashes = 2, .breaks = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  expect_safe("files, a crash and a break, clocks that differ", {.files = true, .writes = 0, .rounds = 2});
}

TEST(election_model, two_servers_without_files) {
  expect_safe("a crash and a break", {.rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  expect_safe("a crash, clocks that differ", {.breaks = 0, .writes = 0, .rounds = 2});
  expect_live("one host, a break", {.one_host = true, .crashes = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  if (!is_long()) return;
  expect_safe("two crashes", {.crashes = 2, .breaks = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  expect_safe("one host, a crash and a break", {.one_host = true, .skew = 0, .lease = 1, .promise = 2});
}

TEST(election_model, two_servers_and_a_witness) {
  expect_safe("witness, a break", {.witness = true, .crashes = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  if (!is_long()) return;
  expect_safe("witness, a crash", {.witness = true, .breaks = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
  expect_safe("witness, files, a crash",
              {.files = true, .witness = true, .breaks = 0, .rounds = 2, .skew = 0, .lease = 1, .promise = 2});
}

TEST(election_model, a_broken_rule_is_found) {
  // A promise that ends with the lease, although clocks differ.
  expect_violation("promise", {.breaks = 0, .lease = 2, .promise = 3});
  expect_violation("witness",
                   {.witness = true, .crashes = 0, .skew = 0, .lease = 1, .promise = 2, .witness_agrees = true});
  // What was once taken for a proof of death.
  expect_violation("refused", {.crashes = 0, .skew = 0, .lease = 1, .promise = 2, .refused_means_dead = true});
}

}  // namespace
}  // namespace tess::memd::replication
