// scale_model: the messages of start, heartbeats, barrier, finish and notices of failures in jobs of 65,535 places and
// fewer, on a modelled network.
//
//   Who sends to whom is decided by the runtime's own code: host_board and ucx_introductions (start), ring_neighbour
//   (heartbeats), barrier_peer (barrier) and ucx_notices (failures). A finish spawns a task at every place, each of
//   which reports to the finish's place once. The network takes `latency` for each message; a place takes `overhead` to
//   send one and to take one in, one after the other. Hosts have 128 places.
//
//   Prints JSON; ends with 1 if a step sends more than grows with places times their logarithm.
//   Usage: scale_model [PLACES...]
#include <algorithm>
#include <bit>
#include <bitset>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "fabric/ucx/introductions.hpp"
#include "fabric/ucx/notices.hpp"
#include "runtime/events/collective.hpp"

namespace {

using namespace tess;          // NOLINT: a program of its own
using namespace tess::detail;  // NOLINT

constexpr unsigned host_places = 128;
constexpr double overhead = 1e-6;
constexpr double latency = 5e-6;

struct cost {
  std::uint64_t messages = 0;
  std::uint64_t most_from_one = 0;
  std::uint64_t most_to_one = 0;
  double seconds = 0;
};

/// Places that send and take in one message at a time.
class network {
 public:
  explicit network(place_id places) : busy_until_(places), sent_(places), received_(places) {}

  /// At the time of the message that is being taken in, or at the beginning.
  void send(place_id from, place_id to, std::uint64_t what) {
    double& busy = busy_until_[from];
    busy = std::max(busy, now_) + overhead;
    ++sent_[from];
    under_way_.push({busy + latency, next_++, to, what});
  }
  /// Takes in all messages; `take(to, what)` may send others.
  template <class Take>
  void run(Take const& take) {
    while (!under_way_.empty()) {
      message const m = under_way_.top();
      under_way_.pop();
      double& busy = busy_until_[m.to];
      busy = std::max(busy, m.at) + overhead;
      now_ = busy;
      end_ = std::max(end_, now_);
      ++received_[m.to];
      take(m.to, m.what);
    }
  }
  [[nodiscard]] cost total() const {
    cost c{0, *std::ranges::max_element(sent_), *std::ranges::max_element(received_), end_};
    for (std::uint64_t const n : sent_) c.messages += n;
    return c;
  }

 private:
  struct message {
    double at;
    std::uint64_t number;
    place_id to;
    std::uint64_t what;
    bool operator<(message const& o) const noexcept { return at != o.at ? at > o.at : number > o.number; }
  };

  std::priority_queue<message> under_way_;
  std::uint64_t next_ = 0;
  std::vector<double> busy_until_;
  std::vector<std::uint64_t> sent_, received_;
  double now_ = 0, end_ = 0;
};

/// A launcher whose places are all there; counts what it is asked for.
class counting_wireup final : public process_wireup {
 public:
  counting_wireup(place_id places, std::vector<std::byte> of_each) : places_(places), of_each_(std::move(of_each)) {}
  place_id place() const noexcept override { return 0; }
  place_id places() const noexcept override { return places_; }
  unsigned processes_here() const noexcept override { return host_places; }
  bool meet(std::chrono::milliseconds) noexcept override { return true; }
  void introduce(std::span<std::byte const>) override {}
  std::vector<std::byte> introduction_of(place_id) override {
    ++asked;
    return of_each_;
  }
  std::vector<place_id> places_here() override { return {}; }

  std::uint64_t asked = 0;

 private:
  place_id places_;
  std::vector<std::byte> of_each_;
};

/// What the launcher is asked for until all places have met in a first barrier. A message is a question and its answer.
cost start(place_id places) {
  cost c;
  std::vector<std::byte> const said = write_introduction({{}, {}, {}, std::vector<std::byte>(400), "program"});
  unsigned const hosts = (places + host_places - 1) / host_places;
  for (unsigned h = 0; h < hosts; ++h) {
    unsigned const first = h * host_places, end = std::min<unsigned>(first + host_places, places);
    counting_wireup launcher(places, said);
    ucx_introductions known(&launcher);
    known.set_board(std::make_unique<host_board>(places));
    for (unsigned p = first; p < end; ++p) {
      std::uint64_t const before = launcher.asked;
      // Where the board is, as ucx_fabric::join_board asks.
      if (p != first) static_cast<void>(launcher.introduction_of(static_cast<place_id>(first)));
      known.board().enter(static_cast<place_id>(p), said);
      static_cast<void>(known.of(0));
      for (unsigned q = first; q < end; ++q) static_cast<void>(known.of(static_cast<place_id>(q)));
      for (unsigned k = 0; k < barrier_rounds(places); ++k)
        static_cast<void>(known.of(static_cast<place_id>(barrier_peer(p, k, places))));
      c.most_from_one = std::max(c.most_from_one, launcher.asked - before);
    }
    c.messages += launcher.asked;
    c.most_to_one = std::max(c.most_to_one, launcher.asked);
  }
  // Servers of hosts answer side by side, one question after the other.
  c.seconds = static_cast<double>(c.most_to_one) * 2 * (overhead + latency);
  return c;
}

/// One period.
cost heartbeats(place_id places) {
  network net(places);
  for (unsigned p = 0; p < places; ++p) {
    auto const next = ring_neighbour(static_cast<place_id>(p), 1, places, [](place_id) { return false; });
    // On the same host it looks at the board.
    if (next / host_places != p / host_places) net.send(static_cast<place_id>(p), next, 0);
  }
  net.run([](place_id, std::uint64_t) {});
  return net.total();
}

cost barrier_of(place_id places) {
  network net(places);
  unsigned const rounds = barrier_rounds(places);
  std::vector<std::uint32_t> arrived(places);
  std::vector<std::uint8_t> round(places);
  auto const notify = [&](place_id p) {
    net.send(p, static_cast<place_id>(barrier_peer(p, round[p], places)), round[p]);
  };
  for (unsigned p = 0; p < places; ++p) notify(static_cast<place_id>(p));
  net.run([&](place_id at, std::uint64_t k) {
    arrived[at] |= 1U << k;
    while (round[at] < rounds && (arrived[at] >> round[at] & 1U) != 0)
      if (++round[at] < rounds) notify(at);
  });
  for (std::uint8_t const r : round)
    if (r != rounds) std::fputs("the barrier did not end\n", stderr);
  return net.total();
}

cost finish_of(place_id places) {
  network net(places);
  for (unsigned p = 1; p < places; ++p) net.send(0, static_cast<place_id>(p), 0);
  net.run([&](place_id at, std::uint64_t) {
    if (at != 0) net.send(at, 0, 1);
  });
  return net.total();
}

/// The places [first, first + failed) of one host end at once; the one behind them sees it.
cost notice_of(place_id places, unsigned failed) {
  unsigned const first = failed == 1 ? 1 : 0;
  if (failed >= places) return {};
  std::vector<std::bitset<host_places>> known(places);
  std::vector<std::unique_ptr<ucx_notices>> all;
  network net(places);
  for (unsigned p = 0; p < places; ++p)
    all.push_back(std::make_unique<ucx_notices>(static_cast<place_id>(p), places, [&known, p, first](place_id q) {
      return q >= first && q - first < host_places && known[p][q - first];
    }));
  auto const send = [&](place_id from, std::vector<ucx_notices::message> const& out) {
    for (auto const& m : out) net.send(from, m.to, std::uint64_t{m.failed} << 16 | m.root);
  };
  auto const seer = static_cast<place_id>((first + failed) % places);
  for (unsigned f = 0; f < failed; ++f) known[seer].set(f);
  for (unsigned f = 0; f < failed; ++f) {
    send(seer, all[seer]->learned(static_cast<place_id>(first + f)));
    send(seer, all[seer]->seen(static_cast<place_id>(first + f)));
  }
  net.run([&](place_id at, std::uint64_t what) {
    if (at >= first && at - first < failed) return;
    auto const of = static_cast<place_id>(what >> 16);
    if (!known[at][of - first]) {
      known[at].set(of - first);
      send(at, all[at]->learned(of));
    }
    send(at, all[at]->told(of, static_cast<place_id>(what)));
  });
  for (unsigned p = 0; p < places; ++p)
    if ((p < first || p - first >= failed) && known[p].count() != failed) std::fputs("a place was not told\n", stderr);
  return net.total();
}

struct step {
  char const* name;
  cost (*count)(place_id);
  double of_each_max;  ///< messages for each place and each doubling of their number
};

constexpr step steps[] = {
    {"start", &start, 2},
    {"heartbeats", &heartbeats, 1},
    {"barrier", &barrier_of, 1},
    {"finish", &finish_of, 1},
    {"one place failed", [](place_id n) { return notice_of(n, 1); }, 1},
    {"a host failed", [](place_id n) { return notice_of(n, host_places); }, host_places},
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<unsigned> sizes;
  for (char* const text : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    unsigned n = 0;
    auto const [end, wrong] = std::from_chars(text, text + std::strlen(text), n);
    if (wrong != std::errc{} || *end != '\0' || n < 2 || n > 65535) {
      std::fprintf(stderr, "scale_model: `%s`; expected numbers of places from 2 to 65535\n", text);
      return 2;
    }
    sizes.push_back(n);
  }
  if (sizes.empty()) sizes = {256, 1024, 4096, 16384, 65535};
  bool grows = false;
  char const* separator = "[";
  for (unsigned const n : sizes)
    for (step const& s : steps) {
      cost const c = s.count(static_cast<place_id>(n));
      double const most = s.of_each_max * n * barrier_rounds(n);
      bool const too_many = static_cast<double>(c.messages) > most;
      if (too_many)
        std::fprintf(stderr, "%s of %u places: %lu messages, more than %.0f\n", s.name, n, c.messages, most);
      grows = grows || too_many;
      std::printf(
          "%s{\"step\": \"%s\", \"places\": %u, \"messages\": %lu, \"most_from_one\": %lu, \"most_to_one\": %lu, "
          "\"seconds\": %.6f}",
          separator, s.name, n, c.messages, c.most_from_one, c.most_to_one, c.seconds);
      separator = ",\n ";
    }
  std::puts("]");
  return grows ? 1 : 0;
}
