// nemesys: the copier that measures a graph, then writes the copy with its final pointers; by accelerators if it can.
#include "runtime/graphs/nemesys.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "runtime/messages/aggregator.hpp"
#include "tess/block.hpp"
#include "tess/counter.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

// ── accelerators ────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

/// A new region of whole lines, none of which the caches of its place hold.
struct clean_region {
  std::uint64_t address;
  std::uint64_t bytes;  ///< of its blocks
};
constexpr auto make_clean_region_here = [](std::uint64_t bytes) {
  region* const r = region::make_lines(bytes);
  std::uint64_t const all = r->first()->bytes;
  accelerators()->invalidate_range(r->base() + region::blocks_begin(), all - region::blocks_begin());
  accelerators()->wait_for_ranges();
  return clean_region{reinterpret_cast<std::uint64_t>(r), all - region::blocks_begin()};
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_clean_region_here)> = true;

namespace {

/// Throws for the faults of a graph that software would not notice. Other faults are a lack of room, or software finds
/// them too.
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

class receiver final : public graph_receiver {
 public:
  graph_room make(std::uint64_t bytes) noexcept override try {
    region* const r = region::make_lines(bytes);
    return {r, reinterpret_cast<std::uint64_t>(r->base()), r->first()->bytes, region::blocks_begin()};
  } catch (...) {
    // The sender falls back to software, which reports what is wrong.
    return {};
  }
  void* adopt(graph_room const& room) noexcept override {
    return region::adopt(reinterpret_cast<void*>(room.begin), room.bytes);
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

graph_units* accelerators() noexcept {
  return this_place().graphs.units;
}

void allocate_dummies(region& with, std::uint64_t objects) {
  type_record const& type = any_root_type();
  std::uint32_t const index = type_index_of(type);
  for (std::uint64_t i = 0; i < objects; ++i) static_cast<void>(with.allocate(type, index, type.bytes));
}

graph_size write_back_graph(graph_units& units, void const* root) {
  type_record const& root_type = type_of(header_of(root).type);
  borrowed_walk walk;
  walk->measure(root, root_type, worker_copy_maps(), copy_map::automatic);
  std::uint64_t bytes = walk->bytes();
  for (std::uint64_t i = 0; i < walk->blocks(); ++i) {
    graph_walk::visited_block const f = walk->block(i);
    type_record const& type = type_of(f.type);
    bool const array = type.kind != block_kind::object;
    std::uint64_t const front = array ? array_front_bytes : front_bytes;
    units.write_back_range(f.source - front, front + (array ? array_bytes_of(f.source) : type.bytes));
    // In another order, as much padding may precede each block.
    bytes += type.alignment - 8;
  }
  units.wait_for_ranges();
  return {0, walk->blocks(), bytes};
}

task<std::optional<sent_graph>> copy_by_accelerators(graph_units& units, void const* root, place_id target,
                                                     bool no_nca) {
  graph_size size;
  if (no_nca) {
    size = write_back_graph(units, root);
  } else {
    counter traversed;
    access::cell(traversed).expect(1);
    units.write_back(root, size, access::cell(traversed));
    co_await traversed;
  }
  check_fault(size.fault);
  if (size.fault != 0) co_return std::nullopt;
  count_graph(size.objects, size.bytes);

  clean_region const made = co_await at(target, make_clean_region_here, size.bytes);
  std::uint64_t const all = region::blocks_begin() + made.bytes;
  graph_move move{.root = root,
                  .target = target,
                  .chunk = made.address - sizeof(chunk),
                  .bytes = all,
                  .first = region::blocks_begin(),
                  .objects = size.objects,
                  .hashed = size.objects >= graph_units::hashed_least};
  owned_region staging;
  if (!units.share_memory(self->place, target)) {
    staging = owned_region(region::make_lines(made.bytes));
    move.staging = staging->base();
    units.invalidate_range(staging->base() + region::blocks_begin(), made.bytes);
    units.wait_for_ranges();
  }
  std::uint64_t fault = 0;
  counter copied;
  access::cell(copied).expect(1);
  units.copy(move, fault, access::cell(copied));
  co_await copied;
  if (fault != 0) {
    at_async(target, end_region_there, made.address);
    co_return std::nullopt;
  }
  co_return sent_graph{
      sent_graph::transport::region, {}, static_cast<std::uint32_t>(size.objects), made.bytes, made.address};
}

// ── the copier ──────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

/// Sends the whole call: `message` has records for deliver(), with a sent_graph at `arrival`, and is kept until this
/// ends. False: an accelerator could not, so software must. Throws tess::error for a malformed graph.
task<bool> call_by_accelerators(graph_units& units, void const* root, place_id target,
                                std::span<std::byte const> message, std::uint64_t arrival, bool no_nca) {
  graph_call call{.root = root, .target = target, .message = message, .arrival = arrival, .size = {}};
  if (no_nca) {
    call.size = write_back_graph(units, root);
    call.measured = true;
  }
  graph_size size;
  counter ended;
  access::cell(ended).expect(1);
  units.call(call, size, access::cell(ended));
  co_await ended;
  check_fault(size.fault);
  if (size.fault != 0) co_return false;
  count_graph(size.objects, size.bytes);
  co_return true;
}

class image_transfer final : public graph_transfer {
 public:
  image_transfer(void const* root, type_record const& type, copy_map map, bool no_nca)
      : units_(accelerators()),
        root_(root, type, units_ != nullptr ? root_copy::location::object : root_copy::location::anywhere),
        type_(type),
        map_(map),
        no_nca_(no_nca) {
    if (units_ == nullptr) measure();
  }
  ~image_transfer() override {
    if (ready_ != nullptr) region::end(ready_);
  }

  bool fits_message(place_id target, std::size_t fixed_bytes) override {
    if (units_ != nullptr) return false;
    if (target == self->place) {
      ready_ = region::make(sent_.bytes);
      (*walk_)->write(ready_->base(), reinterpret_cast<std::uint64_t>(ready_->base()));
      sent_.how = sent_graph::transport::region;
      sent_.where = reinterpret_cast<std::uint64_t>(ready_);
      return true;
    }
    sent_.how = sent_graph::transport::image;
    return fits_buffer(fixed_bytes + sent_.bytes);
  }
  std::size_t inline_bytes() const noexcept override {
    return sent_.how == sent_graph::transport::image ? sent_.bytes : 0;
  }
  void write_inline(std::byte* to) override {
    // The receiver of the message owns the region.
    ready_ = nullptr;
    if (sent_.how == sent_graph::transport::image) (*walk_)->write(to - region::blocks_begin(), 0);
  }

  void snapshot() override {
    if (units_ != nullptr) {
      // Accelerators read the graph itself, when they come to it.
      copied_ = copied_source(root_.get(), type_, map_);
      return;
    }
    bytes_.resize(region::blocks_begin() + sent_.bytes);
    (*walk_)->write(bytes_.data(), 0);
    walk_.reset();
    is_staged_ = true;
  }

  task<sent_graph> send_ahead(place_id target) override {
    if (units_ != nullptr) {
      if (auto const done = co_await copy_by_accelerators(*units_, root_.get(), target, no_nca_)) {
        sent_ = *done;
        arrived_at(sent_.where, sent_.how);
        co_return sent_;
      }
      fall_back();
    }
    remote_region const made = co_await make_region_at(target, sent_.bytes);
    arrived_at(made.address, is_staged_ ? sent_graph::transport::staged : sent_graph::transport::region);
    std::uint64_t const chunk_there = made.address - sizeof(chunk);
    if (std::byte* const window = window_for_stores(target)) {
      std::byte* const to = window + made.base.offset();
      if (walk_)
        (*walk_)->write(to, chunk_there);
      else
        std::memcpy(to + region::blocks_begin(), bytes_.data() + region::blocks_begin(), sent_.bytes);
      co_return sent_;
    }
    if (walk_) {
      bytes_.resize(region::blocks_begin() + sent_.bytes);
      (*walk_)->write(bytes_.data(), chunk_there);
    }
    co_await put(std::span<std::byte const>(bytes_).last(sent_.bytes),
                 made.base + static_cast<std::ptrdiff_t>(region::blocks_begin()));
    co_return sent_;
  }

  task<bool> send_by_accelerators(place_id target, handler_id handler, std::span<std::byte const> payload,
                                  std::size_t graph_at, finish_scope* run) override {
    if (units_ == nullptr || target == self->place) co_return false;
    alignas(8) std::array<std::byte, graph_units::message_bytes_max> message;
    std::size_t const front = (run != nullptr ? sizeof(run_record) : 0) + sizeof(record_header);
    if (front + payload.size() > message.size()) co_return false;
    if (run != nullptr) {
      run_record const r{{{run_index, 0}, sizeof(run_record) - sizeof(record_header)}, run->key_to_send(), 1};
      std::memcpy(message.data(), &r, sizeof r);
    }
    record_header const h{handler, static_cast<std::uint32_t>(payload.size()), races::send()};
    std::memcpy(message.data() + front - sizeof h, &h, sizeof h);
    std::memcpy(message.data() + front, payload.data(), payload.size());
    std::size_t const bytes = front + padded(payload.size());
    // Padding is sent too: it must not be indeterminate.
    std::memset(message.data() + front + payload.size(), 0, bytes - front - payload.size());
    if (!co_await call_by_accelerators(*units_, root_.get(), target, std::span(message).first(bytes), front + graph_at,
                                       no_nca_)) {
      fall_back();
      co_return false;
    }
    if (run != nullptr) run->note_sent(target, 1);
    cold_counts& c = this_worker().cold;
    bump(c.messages);
    bump(c.message_bytes, payload.size());
    co_return true;
  }

 private:
  void measure() {
    walk_.emplace();
    (*walk_)->measure(root_.get(), type_, worker_copy_maps(), map_);
    sent_.blocks = static_cast<std::uint32_t>((*walk_)->blocks());
    sent_.bytes = (*walk_)->bytes();
    count_graph((*walk_)->blocks(), (*walk_)->bytes());
  }
  /// The graph is malformed, or there was no room for it: software copies it, or reports what is wrong.
  void fall_back() {
    units_ = nullptr;
    measure();
  }

  graph_units* units_;  ///< null: software copies
  root_copy root_;
  type_record const& type_;
  copy_map map_;
  bool no_nca_;
  bool is_staged_ = false;
  std::optional<borrowed_walk> walk_;  ///< once measured, until snapshot()
  std::vector<std::byte> bytes_;       ///< the image, behind room for the start of a chunk
  owned_region copied_;                ///< what accelerators read instead of the source
  region* ready_ = nullptr;            ///< written for this place, not yet sent
};

class nemesys final : public graph_copier {
 public:
  explicit constexpr nemesys(bool no_nca) : no_nca_(no_nca) {}

  std::unique_ptr<graph_transfer> start(void const* root, type_record const& type, copy_map map) const override {
    return std::make_unique<image_transfer>(root, type, map, no_nca_);
  }
  copied_graph copy_here(void const* root, copy_map map, copy_counts* counts) const override {
    type_record const& type = any_root_type();
    borrowed_walk walk;
    walk->measure(root, type, worker_copy_maps(), map);
    region* const made = region::make(walk->bytes());
    walk->write(made->base(), reinterpret_cast<std::uint64_t>(made->base()));
    if (counts != nullptr) *counts = {walk->blocks() - 1, walk->bytes()};
    return {*reinterpret_cast<void* const*>(made->base() + graph_walk::root_offset(type)), made};
  }

 private:
  bool no_nca_;
};

}  // namespace

graph_copier const& nemesys_copier() noexcept {
  static constinit nemesys copier(false);
  return copier;
}
graph_copier const& no_nca_copier() noexcept {
  static constinit nemesys copier(true);
  return copier;
}

}  // namespace tess::detail
