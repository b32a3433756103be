// spread: vertices are visited; a visit may make further vertices ready, at any place, until none is ready anywhere.
//
//   The common loop of traversals and peelings. A visit runs at the vertex's owner; it pushes own vertices, and sends
//   messages to the owners of others, which receive them and may push. Two orders: `free` visits what is ready as soon
//   as it can, so that a place works long between two exchanges; `in_rounds` visits what was ready at the start of a
//   round, everywhere, before anything else.
//
// Threads   called by one task of every place, with the same order. Several workers visit and receive at the same time:
//           both must change shared data by atomics if tess::workers() > 1.
// Cost      an exchange for each round, or for every 2^18 messages of a worker, which bounds their memory.
// Source    Visits without rounds within a place: Kabir, Madduri, "Parallel k-core decomposition on multicore
//           platforms" (IPDPSW 2017).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/outboxes.hpp"

namespace kernels {

enum class spread_order : std::uint8_t { free, in_rounds };

// What one worker has to do, and the means of a visit.
template <class Message>
class spread_turn {
 public:
  explicit spread_turn(typename outboxes<Message>::for_places& open) noexcept : open_(&open) {}

  // An own vertex that is ready.
  void push(graph::vertex v) { next_.push_back(v); }
  void send(tess::place_id p, Message const& m) {
    (*open_)[p].push_back(m);
    ++sent_;
  }

 private:
  template <class M, class Visit, class Receive>
  friend class spread_run;

  static constexpr std::uint64_t sent_max = std::uint64_t{1} << 18;

  // One round; or, in free order, until nothing is ready or enough was sent.
  template <class Visit>
  void work(spread_order order, Visit const& visit) {
    do {
      if (at_ == now_.size()) {
        now_.clear();
        now_.swap(next_);
        at_ = 0;
      }
      while (at_ < now_.size() && (order == spread_order::in_rounds || sent_ < sent_max)) visit(now_[at_++], *this);
    } while (order == spread_order::free && at_ == now_.size() && !next_.empty());
  }
  [[nodiscard]] std::uint64_t left() const noexcept { return now_.size() - at_ + next_.size() + sent_; }

  typename outboxes<Message>::for_places* open_;
  std::vector<graph::vertex> now_;
  std::vector<graph::vertex> next_;
  std::uint64_t at_ = 0;  // the first of now_ that was not visited
  std::uint64_t sent_ = 0;
};

template <class Message, class Visit, class Receive>
class spread_run {
 public:
  spread_run(outboxes<Message> const& boxes, Visit visit, Receive receive)
      : boxes_(boxes), visit_(std::move(visit)), receive_(std::move(receive)) {
    for (unsigned w = 0; w < tess::workers(); ++w) turns_.emplace_back(boxes.of_worker(w));
  }

  tess::task<void> run(std::vector<graph::vertex> const& start, spread_order order) {
    share(start);
    for (;;) {
      std::uint64_t ready = 0;
      for (turn const& t : turns_) ready += t.left();
      co_await for_workers(ready, [&](std::uint64_t w) { turns_[w].work(order, visit_); });
      std::uint64_t left = 0;
      for (turn& t : turns_) {
        left += t.left();
        t.sent_ = 0;
      }
      delivery<Message> const got = co_await boxes_.swap(left);
      if (got.total == 0) co_return;
      std::uint64_t const count = got.messages.size();
      co_await for_workers(count, [&](std::uint64_t w) {
        for (std::uint64_t i = w * count / turns_.size(); i < (w + 1) * count / turns_.size(); ++i)
          receive_(got.messages[i], turns_[w]);
      });
      if (order == spread_order::in_rounds && turns_.size() > 1) share_again();
    }
  }

 private:
  using turn = spread_turn<Message>;

  // With less to do, waking another worker takes longer.
  static constexpr std::uint64_t worth_sharing = 512;

  template <class F>
  tess::task<void> for_workers(std::uint64_t size, F f) {
    if (turns_.size() > 1 && size >= worth_sharing) {
      co_await tess::forall_chunks(0, turns_.size(), 1, [&f](std::uint64_t w, std::uint64_t) { f(w); });
    } else {
      for (std::uint64_t w = 0; w < turns_.size(); ++w) f(w);
    }
  }

  void share(std::vector<graph::vertex> const& ready) {
    for (std::uint64_t w = 0; w < turns_.size(); ++w) {
      auto const at = [&](std::uint64_t k) {
        return ready.begin() + static_cast<std::ptrdiff_t>(k * ready.size() / turns_.size());
      };
      turns_[w].next_.assign(at(w), at(w + 1));
    }
  }

  void share_again() {
    std::vector<graph::vertex> all;
    for (turn const& t : turns_) all.insert(all.end(), t.next_.begin(), t.next_.end());
    share(all);
  }

  outboxes<Message> const& boxes_;
  Visit visit_;
  Receive receive_;
  std::vector<turn> turns_;
};

// visit(vertex, spread_turn<Message>&), receive(Message, spread_turn<Message>&); `start`: own vertices that are ready.
template <class Message, class Visit, class Receive>
tess::task<void> spread(outboxes<Message> const& boxes, std::vector<graph::vertex> const& start, Visit visit,
                        Receive receive, spread_order order = spread_order::free) {
  spread_run<Message, Visit, Receive> one(boxes, std::move(visit), std::move(receive));
  co_await one.run(start, order);
}

}  // namespace kernels
