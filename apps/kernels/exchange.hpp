// exchange: every place sends every other place a small report; a synchronisation step.
//
//   An all-reduce whose contributions may differ by destination. The report's sum is left to the caller.
//
// Shapes    boxes: [2][places] reports at every place; the two halves take turns, so that a place that is a step ahead
//           overwrites nothing: it cannot be two ahead.
// Threads   made and released by one task, for all; the rest by one task of the place.
// Cost      places - 1 puts with notification at each place.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tess/tess.hpp"

namespace kernels {

template <class Report>
class exchange {
 public:
  static tess::task<exchange> make() {
    exchange e;
    e.boxes_ = co_await tess::global_array<Report>::make(std::uint64_t{2} * tess::places() * tess::places());
    e.arrived_ = co_await tess::place_local<arrivals>::make();
    e.state_ = co_await tess::place_local<state>::make();
    co_return e;
  }
  static tess::task<void> release(exchange e) {
    co_await tess::place_local<state>::release(e.state_);
    co_await tess::place_local<arrivals>::release(e.arrived_);
    co_await tess::global_array<Report>::release(e.boxes_);
  }

  // The report for place p; filled before swap(). Keeps its values from step to step.
  [[nodiscard]] Report& to(unsigned p) const { return state_->outgoing[p]; }

  // One report from every place, in their order; valid until the next swap().
  [[nodiscard]] tess::task<std::span<Report const>> swap() const {
    state& s = *state_;
    unsigned const places = tess::places();
    unsigned const me = tess::here();
    unsigned const half = s.steps++ % 2;
    tess::counter& arrived = (*arrived_)[half];
    arrived.expect(places - 1);
    tess::counter sent;
    for (unsigned p = 0; p < places; ++p) {
      if (p == me) continue;
      auto const place = static_cast<tess::place_id>(p);
      tess::put(std::span<Report const>(&s.outgoing[p], 1), box(p, half, me), sent,
                arrived_.of(place).template as<tess::counter>() + half);
    }
    std::span<Report> const mine(box(me, half, 0).local(), places);
    mine[me] = s.outgoing[me];
    co_await arrived;
    co_await sent;
    co_return mine;
  }

 private:
  using arrivals = std::array<tess::counter, 2>;
  struct state {
    std::vector<Report> outgoing = std::vector<Report>(tess::places());
    std::uint64_t steps = 0;
  };

  [[nodiscard]] tess::global_ptr<Report> box(unsigned at, unsigned half, unsigned from) const {
    return boxes_[at * boxes_.block() + half * std::uint64_t{tess::places()} + from];
  }

  tess::global_array<Report> boxes_;
  tess::place_local<arrivals> arrived_;
  tess::place_local<state> state_;
};

}  // namespace kernels
