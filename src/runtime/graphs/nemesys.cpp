// nemesys: the steps of a call, one after the other.
#include "runtime/graphs/nemesys.hpp"

#include <cstring>

#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/at.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// A new region at the place that is asked.
struct clean_region {
  std::uint64_t address;
  std::uint64_t bytes;  ///< of its blocks
};
constexpr auto make_clean_region_here = [](std::uint64_t bytes) {
  region* const r = region::make_lines(bytes);
  std::uint64_t const all = r->first()->bytes;
  accelerators()->forget(r->base() + region::blocks_begin(), all - region::blocks_begin());
  accelerators()->settle();
  return clean_region{reinterpret_cast<std::uint64_t>(r), all - region::blocks_begin()};
};

/// Of faults of the graph itself, which software would not notice; the others are a lack of room, or it finds them,
/// too.
void check_fault(std::uint64_t fault) {
  switch (static_cast<machine::registers::graph_fault>(fault)) {
    case machine::registers::graph_fault::null_pointer:
      throw error("copying a graph", "an array with elements and without their memory", "arrays made by make_array");
    case machine::registers::graph_fault::bad_descriptor:
      throw error("copying a graph", "a pointer to no object", "pointers to the start of objects made by tess::make");
    default:
      return;
  }
}

void count_graph(graph_size const& size) noexcept {
  cold_counts& c = this_worker().cold;
  bump(c.graphs);
  bump(c.graph_objects, size.objects - 1);
  bump(c.graph_bytes, size.bytes);
}

class receiver final : public graph_receiver {
 public:
  graph_room make(std::uint64_t bytes) noexcept override try {
    region* const r = region::make_lines(bytes);
    return {r, reinterpret_cast<std::uint64_t>(r->base()), r->first()->bytes, region::blocks_begin()};
  } catch (...) {
    // The sender's software asks again, and says what is wrong.
    return {};
  }
  void end(void* owner) noexcept override { region::end(static_cast<region*>(owner)); }
  void complete(std::span<std::byte> message, std::uint64_t arrival, graph_room const& room,
                std::uint64_t objects) noexcept override {
    sent_graph const sent{sent_graph::transport::region,
                          {},
                          static_cast<std::uint32_t>(objects),
                          room.bytes - room.first,
                          reinterpret_cast<std::uint64_t>(room.owner)};
    std::memcpy(message.data() + arrival, &sent, sizeof sent);
  }
};

}  // namespace

graph_receiver& receiver_of_graphs() noexcept {
  static constinit receiver r;
  return r;
}

task<bool> call_near_memory(graph_units& units, void const* root, place_id target, std::span<std::byte const> message,
                            std::uint64_t arrival, bool no_nca) {
  graph_call call{.root = root, .target = target, .message = message, .arrival = arrival, .size = {}};
  if (no_nca) {
    call.size = write_back_graph(units, root);
    call.measured = true;
  }
  graph_size size;
  counter ended;
  ended.cell().expect(1);
  units.call(call, size, ended.cell());
  co_await ended;
  check_fault(size.fault);
  if (size.fault != 0) co_return false;
  count_graph(size);
  co_return true;
}

graph_size write_back_graph(graph_units& units, void const* root) {
  type_record const& root_type = type_of(header_of(root).type);
  borrowed_walk walk;
  walk->measure(root, root_type, worker_copy_maps(), copy_map::automatic);
  std::uint64_t bytes = walk->bytes();
  for (std::uint64_t i = 0; i < walk->blocks(); ++i) {
    graph_walk::found const f = walk->block(i);
    type_record const& type = type_of(f.type);
    bool const array = type.kind != block_kind::object;
    std::uint64_t const front = array ? array_front_bytes : front_bytes;
    units.bring(f.source - front, front + (array ? array_bytes_of(f.source) : type.bytes));
    // Another order may leave as much before each block.
    bytes += type.alignment - 8;
  }
  units.settle();
  return {0, walk->blocks(), bytes};
}

template <>
inline constexpr bool is_of_runtime<decltype(make_clean_region_here)> = true;

void allocate_dummies(region& with, std::uint64_t objects) {
  type_record const& type = any_root_type();
  std::uint32_t const index = type_index_of(type);
  for (std::uint64_t i = 0; i < objects; ++i) static_cast<void>(with.allocate(type, index, type.bytes));
}

graph_units* accelerators() noexcept {
  return this_place().units;
}

task<std::optional<sent_graph>> copy_near_memory(graph_units& units, void const* root, place_id target, bool no_nca) {
  graph_size size;
  if (no_nca) {
    size = write_back_graph(units, root);
  } else {
    counter traversed;
    traversed.cell().expect(1);
    units.write_back(root, size, traversed.cell());
    co_await traversed;
  }
  check_fault(size.fault);
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
                  .hashed = size.objects >= graph_units::hashed_least};
  std::optional<owned_region> staging;
  if (!units.share_memory(self->place, target)) {
    staging.emplace(region::make_lines(made.bytes));
    move.staging = (*staging)->base();
    units.forget((*staging)->base() + region::blocks_begin(), made.bytes);
    units.settle();
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
