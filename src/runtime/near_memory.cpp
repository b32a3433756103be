// near_memory: the steps of a call, one after the other.
#include "runtime/near_memory.hpp"

#include "runtime/job.hpp"
#include "runtime/outgoing_graph.hpp"
#include "tess/at.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// From so many objects on, the map is hashed ("NEMESYS", section 5.1).
constexpr std::uint64_t hashed_least = 64;

/// A new region at the place that is asked.
struct clean_region {
  std::uint64_t address;
  std::uint64_t bytes;  ///< of its blocks
};
constexpr auto make_clean_region_here = [](std::uint64_t bytes) {
  region* const r = region::make_lines(bytes);
  std::uint64_t const all = r->first()->bytes;
  accelerators()->forget(r->base() + region::blocks_begin(), all - region::blocks_begin());
  return clean_region{reinterpret_cast<std::uint64_t>(r), all - region::blocks_begin()};
};

void count_graph(graph_size const& size) noexcept {
  cold_counts& c = this_worker().cold;
  bump(c.graphs);
  bump(c.graph_objects, size.objects - 1);
  bump(c.graph_bytes, size.bytes);
}

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_clean_region_here)> = true;

graph_units* accelerators() noexcept {
  return the_job->fabric->graphs();
}

task<std::optional<sent_graph>> copy_near_memory(graph_units& units, void const* root, place_id target) {
  graph_size size;
  counter traversed;
  traversed.cell().expect(1);
  units.write_back(root, size, traversed.cell());
  co_await traversed;
  if (size.fault != 0) co_return std::nullopt;
  count_graph(size);

  clean_region const made = co_await at(target, make_clean_region_here, size.bytes);
  std::uint64_t const all = region::blocks_begin() + made.bytes;
  graph_move move{.root = root,
                  .target = target,
                  .chunk = made.address - sizeof(chunk),
                  .bytes = all,
                  .first = region::blocks_begin(),
                  .objects = size.objects,
                  .hashed = size.objects >= hashed_least};
  std::optional<owned_region> staging;
  if (!units.share_memory(self->place, target)) {
    staging.emplace(region::make_lines(made.bytes));
    move.staging = (*staging)->base();
    units.forget((*staging)->base() + region::blocks_begin(), made.bytes);
  }
  std::uint64_t fault = 0;
  counter copied;
  copied.cell().expect(1);
  units.copy(move, fault, copied.cell());
  co_await copied;
  if (fault != 0) {
    at_async(target, [](std::uint64_t address) { end_asked_region(address); }, made.address);
    co_return std::nullopt;
  }
  sent_graph sent{};
  sent.how = sent_graph::transport::region;
  sent.blocks = static_cast<std::uint32_t>(size.objects);
  sent.bytes = made.bytes;
  sent.where = made.address;
  co_return sent;
}

}  // namespace tess::detail
