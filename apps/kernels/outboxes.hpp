// outboxes: messages of one kind that the tasks of a place collect for other places; all places exchange them at once.
//
//   A step of an algorithm fills of_worker(); swap() gives the messages of all places for this one. Each place copies
//   its messages into its segment, tells every other place where they are, and reads those for itself by block
//   transfers. The memory of a step is used again by the next but one: by then all places have read it.
//
// Threads   made and released by one task, for all; of_worker(w) is one task's at a time; swap() by one task of the
//           place.
// Cost      two steps of synchronisation; memory for the messages of two steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/exchange.hpp"
#include "tess/tess.hpp"

namespace kernels {

template <class Message>
struct delivery {
  std::span<Message const> messages;  // for this place, in the order of the places that sent them
  std::uint64_t total = 0;            // of what the places gave to swap()
};

template <class Message>
class outboxes {
 public:
  using for_places = std::vector<std::vector<Message>>;  // [places]

  static tess::task<outboxes> make() {
    outboxes o;
    o.reports_ = co_await exchange<report>::make();
    o.state_ = co_await tess::place_local<state>::make();
    co_return o;
  }
  static tess::task<void> release(outboxes o) {
    co_await tess::place_local<state>::release(o.state_);
    co_await exchange<report>::release(o.reports_);
  }

  [[nodiscard]] for_places& of_worker(std::uint64_t worker) const { return state_->open[worker]; }

  // The messages are valid until the next swap().
  [[nodiscard]] tess::task<delivery<Message>> swap(std::uint64_t mine = 0) const {
    state& s = *state_;
    for (unsigned p = 0; p < tess::places(); ++p) {
      std::uint64_t count = 0;
      for (for_places const& open : s.open) count += open[p].size();
      report& r = reports_.to(p);
      r.count = count;
      r.mine = mine;
      if (p != tess::here() && count != 0) r.at = s.box_for(p, count);
      Message* out = p == tess::here() ? s.room_for_own(count) : r.at.local();
      for (for_places& open : s.open) {
        out = count == 0 ? out : std::copy(open[p].begin(), open[p].end(), out);
        open[p].clear();
      }
    }
    s.half = 1 - s.half;
    co_return co_await receive(s, co_await reports_.swap());
  }

 private:
  struct report {
    tess::global_ptr<Message> at;
    std::uint64_t count = 0;
    std::uint64_t mine = 0;
  };

  struct box {
    tess::global_ptr<Message> at;
    std::uint64_t capacity = 0;
  };

  struct state {
    state() = default;
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
      for (std::vector<box> const& of_half : boxes)
        for (box const& b : of_half) tess::deallocate(b.at);
    }

    tess::global_ptr<Message> box_for(unsigned place, std::uint64_t count) {
      box& b = boxes[half][place];
      if (b.capacity < count) {
        tess::deallocate(b.at);
        b = {};
        std::uint64_t const capacity = std::max<std::uint64_t>(count + count / 2, 256);
        b = {tess::allocate<Message>(capacity), capacity};
      }
      return b.at;
    }
    Message* room_for_own(std::uint64_t count) {
      own.resize(count);
      return own.data();
    }

    std::vector<for_places> open = std::vector<for_places>(tess::workers(), for_places(tess::places()));
    std::array<std::vector<box>, 2> boxes{std::vector<box>(tess::places()), std::vector<box>(tess::places())};
    unsigned half = 0;
    std::vector<Message> own;
    std::vector<Message> inbox;
  };

  static tess::task<delivery<Message>> receive(state& s, std::span<report const> reports) {
    std::uint64_t count = 0;
    delivery<Message> got;
    for (report const& r : reports) {
      count += r.count;
      got.total += r.mine;
    }
    if (s.inbox.size() < count) s.inbox.resize(count);
    tess::counter done;
    std::uint64_t at = 0;
    for (unsigned p = 0; p < reports.size(); ++p) {
      std::span<Message> const into = std::span(s.inbox).subspan(at, reports[p].count);
      at += into.size();
      if (into.empty()) continue;
      if (p == tess::here())
        std::ranges::copy(s.own, into.begin());
      else
        tess::get(reports[p].at, into, done);
    }
    co_await done;
    got.messages = std::span<Message const>(s.inbox).first(count);
    co_return got;
  }

  exchange<report> reports_;
  tess::place_local<state> state_;
};

}  // namespace kernels
