// copier: the choice of a copier by name, and what all of them use: roots, regions of other places, statistics.
#include "runtime/graphs/copier.hpp"

#include <cstring>

#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/detail/objects/at_objects.hpp"
#include "tess/detail/tasks/out_buffer.hpp"

namespace tess::detail {

namespace {

graph_copier const& copier_named(copier by) noexcept {
  switch (by) {
    case copier::message_passing:
      return message_passing_copier();
    case copier::pegasus:
      return pegasus_copier();
    case copier::no_nca:
      return no_nca_copier();
    default:
      return nemesys_copier();
  }
}

constexpr auto make_region_here = [](std::uint64_t bytes) {
  region* const r = region::make(bytes);
  return remote_region{reinterpret_cast<std::uint64_t>(r), global_ptr<std::byte>::from_bits(to_global(r->base()))};
};

constexpr auto release_buffer_there = [](std::uint64_t address) {
  release_message_buffer(reinterpret_cast<std::byte*>(address));
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_region_here)> = true;
template <>
inline constexpr bool is_of_runtime<decltype(release_buffer_there)> = true;

// ── what copiers use ────────────────────────────────────────────────────────────────────────────────────────────────

root_copy::root_copy(void const* root, type_record const& type, location where) {
  if (where == location::object) {
    region_ = region::make_growing(type.bytes + array_front_bytes);
    bytes_ = static_cast<std::byte*>(region_->allocate(type, type_index_of(type), type.bytes));
  } else if (where == location::anywhere && type.bytes <= sizeof small_) {
    bytes_ = small_;
  } else {
    bytes_ = static_cast<std::byte*>(self->frames.allocate(type.bytes, frame_pool::kind::raw));
  }
  std::memcpy(bytes_, root, type.bytes);
}

root_copy::~root_copy() {
  if (region_ != nullptr)
    region::end(region_);
  else if (bytes_ != small_)
    self->frames.release(bytes_);
}

owned_region copied_source(std::byte* root, type_record const& type, copy_map map) {
  borrowed_walk walk;
  walk->measure(root, type, worker_copy_maps(), map);
  owned_region copied(region::make(walk->bytes()));
  walk->write(copied->base(), reinterpret_cast<std::uint64_t>(copied->base()));
  std::memcpy(root, copied->base() + graph_walk::root_offset(type), type.bytes);
  return copied;
}

bool fits_buffer(std::size_t bytes) noexcept {
  // A message is one record of one buffer, behind the record that starts its run.
  return bytes <= out_buffer::capacity_max - 64;
}

at_call<remote_region> make_region_at(place_id target, std::uint64_t bytes) {
  return at(target, make_region_here, bytes);
}

std::byte* window_for_stores(place_id target) noexcept {
  std::uint64_t const window = job.atomic_window[target];
  if (window == no_window) return nullptr;
  std::byte* const bytes = bytes_of_window(window);
  return reinterpret_cast<std::uint64_t>(bytes) == window ? bytes : nullptr;
}

void count_graph(std::uint64_t blocks, std::uint64_t bytes) noexcept {
  cold_counts& c = this_worker().cold;
  bump(c.graphs);
  bump(c.graph_objects, blocks - 1);
  bump(c.graph_bytes, bytes);
}

task<bool> graph_transfer::send_by_accelerators(place_id, handler_id, std::span<std::byte const>, std::size_t,
                                                finish_scope*) {
  co_return false;
}

void graph_transfer::withdraw(place_id target) noexcept try {
  if (!std::exchange(is_there_, false)) return;
  if (sent_.how == sent_graph::transport::streamed)
    at_async(target, release_buffer_there, sent_.where);
  else
    at_async(target, end_region_there, sent_.where);
} catch (...) {
  // There is no memory, or the place failed: what it holds stays until the job ends.
}

// ── outgoing_graph ──────────────────────────────────────────────────────────────────────────────────────────────────

outgoing_graph::outgoing_graph(void const* root, type_record const& type, copier by, copy_map map)
    : transfer_(copier_named(by).start(root, type, map)) {}
outgoing_graph::outgoing_graph(outgoing_graph&& other) noexcept = default;
outgoing_graph::~outgoing_graph() = default;

bool outgoing_graph::fits_message(place_id target, std::size_t fixed_bytes) {
  return transfer_->fits_message(target, fixed_bytes);
}
sent_graph const& outgoing_graph::sent() const noexcept {
  return transfer_->sent();
}
std::size_t outgoing_graph::inline_bytes() const noexcept {
  return transfer_->inline_bytes();
}
void outgoing_graph::write_inline(std::byte* to) const {
  transfer_->write_inline(to);
}
void outgoing_graph::snapshot() {
  transfer_->snapshot();
}
task<sent_graph> outgoing_graph::send_ahead(place_id target) {
  return transfer_->send_ahead(target);
}
task<bool> outgoing_graph::send_by_accelerators(place_id target, handler_id handler, std::span<std::byte const> payload,
                                                std::size_t graph_at, finish_scope* run) {
  return transfer_->send_by_accelerators(target, handler, payload, graph_at, run);
}
void outgoing_graph::withdraw(place_id target) noexcept {
  transfer_->withdraw(target);
}

built_message::built_message(void const* fixed, std::size_t fixed_bytes, outgoing_graph const& graph)
    : data(small_), bytes(fixed_bytes + graph.inline_bytes()) {
  if (bytes > sizeof small_) data = new std::byte[bytes];
  std::memcpy(data, fixed, fixed_bytes);
  graph.write_inline(data + fixed_bytes);
}

built_message::~built_message() {
  if (data != small_) delete[] data;
}

// ── the copier of the run ───────────────────────────────────────────────────────────────────────────────────────────

copier copier_of_run() noexcept {
  return the_job->copier;
}

outgoing_graph outgoing_result(void const* root, copier by) {
  // Whoever returned it has to know that it is the result.
  if (root != nullptr) check_object(root, "the result of at");
  return outgoing_graph(&root, any_root_type(), by, copy_map::automatic);
}

copied_graph copy_here(void const* root, copier by, copy_map map, copy_counts* counts) {
  return copier_named(by == copier::automatic ? copier_of_run() : by).copy_here(&root, map, counts);
}

}  // namespace tess::detail
