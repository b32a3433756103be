// collective: dissemination barrier, and one sweep that serves reductions, broadcast and prefix sums.
#include "runtime/collective.hpp"

#include <cstring>

#include "runtime/job.hpp"
#include "tess/block.hpp"

namespace tess::detail {

namespace {

collective_state& state_here() {
  return *reinterpret_cast<collective_state*>(this_place().memory.base + collective_offset);
}

/// Where something of this place's state lies at another place.
std::uint64_t mirrored(void const* mine, place_id place) {
  auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(mine) - this_place().memory.base);
  return global_ptr<std::byte>(place, offset).bits();
}

void send(void const* value, std::size_t bytes, void const* slot, void const* cell, place_id target, counter& sent) {
  block_put({static_cast<std::byte const*>(value), bytes}, mirrored(slot, target), &sent.cell(), mirrored(cell, target),
            std::source_location::current());
}

/// Everybody sends to everybody: one step.
task<void> sweep_direct(collective_state::episode& e, void const* mine, std::size_t bytes, combine_function combine,
                        void const* op, sweep_result& result) {
  place_id const me = here();
  counter sent;
  e.direct.expect(job.places - 1);
  for (place_id p = 0; p < job.places; ++p)
    if (p != me) send(mine, bytes, &e.direct_values[me], &e.direct, p, sent);
  std::memcpy(e.direct_values[me].bytes, mine, bytes);
  co_await cell_awaiter{e.direct, "reduction"};
  std::memcpy(result.total, e.direct_values[0].bytes, bytes);
  for (place_id p = 1; p < job.places; ++p) {
    if (p == me) std::memcpy(result.before, result.total, bytes);
    combine(result.total, e.direct_values[p].bytes, op);
  }
  co_await sent;
}

/// Up a binomial tree to place 0 and down again. On the way up place p holds the sum of [p, p + 2^k) before it takes
/// in the child p + 2^k: just what comes before that child's places within p's part.
task<void> sweep_tree(collective_state::episode& e, void const* mine, std::size_t bytes, combine_function combine,
                      void const* op, sweep_result& result) {
  place_id const me = here();
  unsigned const places = job.places;
  counter sent;
  std::byte sum[collective_bytes];
  std::byte before_child[rounds_max][collective_bytes];
  std::memcpy(sum, mine, bytes);
  unsigned k = 0;
  for (; (1U << k) < places && (me & (1U << k)) == 0; ++k) {
    if (me + (1U << k) >= places) continue;
    e.up[k].expect(1);
    co_await cell_awaiter{e.up[k], "reduction"};
    std::memcpy(before_child[k], sum, bytes);
    combine(sum, e.up_values[k].bytes, op);
  }
  if (me != 0) {
    send(sum, bytes, &e.up_values[k], &e.up[k], static_cast<place_id>(me - (1U << k)), sent);
    e.down.expect(1);
    co_await cell_awaiter{e.down, "reduction"};
    std::memcpy(result.total, e.down_values.bytes, bytes);
    std::memcpy(result.before, e.down_values.bytes + collective_bytes, bytes);
  } else {
    std::memcpy(result.total, sum, bytes);
  }
  std::byte down[rounds_max][2 * collective_bytes];
  while (k-- > 0) {
    if (me + (1U << k) >= places) continue;
    std::memcpy(down[k], result.total, bytes);
    std::memcpy(down[k] + collective_bytes, before_child[k], bytes);
    if (me != 0) {
      std::memcpy(down[k] + collective_bytes, result.before, bytes);
      combine(down[k] + collective_bytes, before_child[k], op);
    }
    send(down[k], sizeof down[k], &e.down_values, &e.down, static_cast<place_id>(me + (1U << k)), sent);
  }
  co_await sent;
}

}  // namespace

task<void> sweep(void const* mine, std::size_t bytes, combine_function combine, void const* op, sweep_result& result) {
  collective_state& s = state_here();
  collective_state::episode& e = s.episodes[s.sweeps++ % 2];
  if (job.places == 1) {
    std::memcpy(result.total, mine, bytes);
    co_return;
  }
  if (job.places <= direct_places)
    co_await sweep_direct(e, mine, bytes, combine, op, result);
  else
    co_await sweep_tree(e, mine, bytes, combine, op, result);
}

}  // namespace tess::detail

namespace tess {

task<void> barrier() {
  detail::collective_state& s = detail::state_here();
  detail::collective_state::episode& e = s.episodes[s.barriers++ % 2];
  unsigned const places = detail::job.places;
  for (unsigned k = 0; (1U << k) < places; ++k) {
    auto const partner = static_cast<place_id>((here() + (1U << k)) % places);
    e.barrier[k].expect(1);
    detail::block_put({}, detail::mirrored(&e.barrier[k], partner), nullptr, detail::mirrored(&e.barrier[k], partner),
                      std::source_location::current());
    co_await detail::cell_awaiter{e.barrier[k], "barrier"};
  }
}

}  // namespace tess
