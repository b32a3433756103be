// copier: measuring at the call, and sending ahead.
#include "runtime/graphs/copier.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "runtime/graphs/check.hpp"
#include "runtime/graphs/message_passing.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"
#include "tess/detail/out_buffer.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

// A message is copied three times on its way, an image none; but asking for a region is a round trip.
// A message is one record of one buffer, behind the record that starts its run.
constexpr std::uint64_t message_bytes_most = out_buffer::capacity_max - 64;

/// A new region at the place that is asked: its address there, and its name for a put.
struct asked_region {
  std::uint64_t address;
  global_ptr<std::byte> base;
};
constexpr auto make_region_here = [](std::uint64_t bytes) {
  region* const r = region::make(bytes);
  return asked_region{reinterpret_cast<std::uint64_t>(r), global_ptr<std::byte>::from_bits(to_global(r->base()))};
};

constexpr auto pull_graph_here = [](place_id source, std::uint64_t root, std::uint64_t segment, std::uint32_t type) {
  return pull_graph(source, root, segment, type);
};

/// Bytes can be stored through a window. A tile's DMA is faster than its words.
bool stores_bytes(place_id target) noexcept {
  std::uint64_t const window = job.atomic_window[target];
  return window != no_window && reinterpret_cast<std::uint64_t>(bytes_of_window(window)) == window;
}

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_region_here)> = true;
template <>
inline constexpr bool is_of_runtime<decltype(pull_graph_here)> = true;

struct outgoing_graph::state {
  copier by = copier::automatic;
  std::optional<borrowed_walk> walk;
  std::vector<std::byte> bytes;  ///< serialised, or staged behind room for a chunk's start
  bool is_staged = false;
  /// The root lives as long as this: the caller's is gone when a carrier writes. For pegasus it lies in the segment.
  std::byte* root = nullptr;
  std::uint32_t root_type = 0;
  alignas(16) std::byte small_root[96];
  std::byte* stream = nullptr;   ///< serialised, in a message buffer
  region* ready = nullptr;       ///< written for this place, not yet sent
  graph_units* units = nullptr;  ///< on a machine that has accelerators, and no coherence; then the root is an object,
  region* closure = nullptr;     ///< of this region
  type_record const* type = nullptr;
  copy_map map = copy_map::automatic;
  sent_graph sent{};
  bool is_there = false;  ///< sent.where is a region of the target, which only this graph knows

  ~state() {
    if (root != nullptr && root != small_root && closure == nullptr) self->frames.release(root);
    if (closure != nullptr) region::end(closure);
    if (ready != nullptr) region::end(ready);
    if (stream != nullptr) end_stream(stream);
  }

  /// Finds every block, and serialises if the copier does.
  void measure();
  void write_stream();
};

outgoing_graph::outgoing_graph(void const* root, type_record const& type, copier by, copy_map map)
    : state_(std::make_unique_for_overwrite<state>()) {
  state& s = *state_;
  s.by = by;
  s.type = &type;
  s.map = map;
  if (by != copier::message_passing && (s.units = accelerators()) != nullptr) {
    s.closure = region::make_growing(type.bytes + array_front_bytes);
    s.root = static_cast<std::byte*>(s.closure->allocate(type, type_index_of(type), type.bytes));
    std::memcpy(s.root, root, type.bytes);
    s.root_type = type_index_of(type);
    return;
  }
  s.root = by != copier::pegasus && type.bytes <= sizeof s.small_root
               ? s.small_root
               : static_cast<std::byte*>(self->frames.allocate(type.bytes, frame_pool::kind::raw));
  std::memcpy(s.root, root, type.bytes);
  if (by == copier::pegasus) {
    s.root_type = type_index_of(type);
    return;
  }
  s.measure();
}

void outgoing_graph::state::measure() {
  walk.emplace();
  bool const numbers = by == copier::message_passing;
  // On tiles what was visited is a list, as in X10's runtime there.
  if (numbers && this_place().buffers != nullptr && map == copy_map::automatic) map = copy_map::linear;
  (*walk)->measure(root, *type, worker_copy_maps(), map,
                   numbers ? graph_walk::naming::numbers : graph_walk::naming::places);
  sent.blocks = static_cast<std::uint32_t>((*walk)->blocks());
  sent.bytes = (*walk)->bytes();
  cold_counts& c = this_worker().cold;
  bump(c.graphs);
  bump(c.graph_objects, (*walk)->blocks() - 1);
  bump(c.graph_bytes, (*walk)->bytes());
  if (numbers) {
    write_stream();
    walk.reset();
  }
}

void outgoing_graph::state::write_stream() {
  if (this_place().buffers != nullptr) stream = this_place().buffers->allocate(serialised_most(**walk));
  if (stream != nullptr) {
    sent.bytes = serialise(**walk, stream);
    return;
  }
  bytes = serialise(**walk);
  sent.bytes = bytes.size();
}

outgoing_graph::outgoing_graph(outgoing_graph&& other) noexcept = default;
outgoing_graph::~outgoing_graph() = default;

bool outgoing_graph::goes_along(place_id target, std::size_t fixed_bytes) {
  state& s = *state_;
  if (s.by == copier::pegasus || s.units != nullptr) return false;
  if (s.by == copier::message_passing) {
    s.sent.how = sent_graph::transport::serialised;
    // Between tiles by the four steps, however small it is.
    if (s.stream != nullptr && target != self->place) return false;
    return fixed_bytes + s.sent.bytes <= message_bytes_most;
  }
  if (target == self->place) {
    s.ready = region::make(s.sent.bytes);
    (*s.walk)->write(s.ready->base(), reinterpret_cast<std::uint64_t>(s.ready->base()));
    s.sent.how = sent_graph::transport::region;
    s.sent.where = reinterpret_cast<std::uint64_t>(s.ready);
    return true;
  }
  s.sent.how = sent_graph::transport::image;
  return fixed_bytes + s.sent.bytes <= message_bytes_most;
}

sent_graph const& outgoing_graph::sent() const noexcept {
  return state_->sent;
}

std::size_t outgoing_graph::inline_bytes() const noexcept {
  sent_graph const& s = state_->sent;
  return s.how == sent_graph::transport::image || s.how == sent_graph::transport::serialised ? s.bytes : 0;
}

void outgoing_graph::write_inline(std::byte* to) const {
  state& s = *state_;
  // Whoever receives the message owns the region.
  s.ready = nullptr;
  if (s.sent.how == sent_graph::transport::image)
    (*s.walk)->write(to - region::blocks_begin(), 0);
  else if (s.sent.how == sent_graph::transport::serialised)
    std::memcpy(to, s.stream != nullptr ? s.stream : s.bytes.data(), s.sent.bytes);
}

void outgoing_graph::stage() {
  state& s = *state_;
  if (s.by == copier::message_passing || s.units != nullptr) return;
  if (s.by == copier::pegasus) {
    // The receiver walks a copy of the graph at this place.
    borrowed_walk walk;
    walk->measure(s.root, type_of(s.root_type), worker_copy_maps(), copy_map::automatic);
    s.ready = region::make(walk->bytes());
    walk->write(s.ready->base(), reinterpret_cast<std::uint64_t>(s.ready->base()));
    type_record const& type = type_of(s.root_type);
    std::memcpy(s.root, s.ready->base() + graph_walk::root_offset(type), type.bytes);
    return;
  }
  s.bytes.resize(region::blocks_begin() + s.sent.bytes);
  (*s.walk)->write(s.bytes.data(), 0);
  s.walk.reset();
  s.is_staged = true;
}

task<bool> outgoing_graph::carry(place_id target, handler_id handler, std::span<std::byte const> payload,
                                 std::size_t graph_at, finish_scope* run) {
  state& s = *state_;
  bool const hardware = s.units != nullptr && (s.by == copier::nemesys || s.by == copier::no_nca);
  if (!hardware || target == self->place) co_return false;
  alignas(8) std::array<std::byte, graph_units::message_bytes_max> message;
  std::size_t const front = (run != nullptr ? sizeof(run_record) : 0) + sizeof(record_header);
  if (front + payload.size() > message.size()) co_return false;
  if (run != nullptr) {
    run_record const r{{{run_index, 0}, sizeof(run_record) - sizeof(record_header)}, run->key(), 1};
    std::memcpy(message.data(), &r, sizeof r);
  }
  record_header const h{handler, static_cast<std::uint32_t>(payload.size())};
  std::memcpy(message.data() + front - sizeof h, &h, sizeof h);
  std::memcpy(message.data() + front, payload.data(), payload.size());
  std::size_t const bytes = front + padded(payload.size());
  // Padding is sent too: it must not be indeterminate.
  std::memset(message.data() + front + payload.size(), 0, bytes - front - payload.size());
  if (!co_await call_near_memory(*s.units, s.root, target, std::span(message).first(bytes), front + graph_at,
                                 s.by == copier::no_nca)) {
    // It was no sound graph, or there was no room: software does it, or says what is wrong.
    s.units = nullptr;
    s.measure();
    co_return false;
  }
  if (run != nullptr) run->note_sent(target, 1);
  cold_counts& c = this_worker().cold;
  bump(c.messages);
  bump(c.message_bytes, payload.size());
  co_return true;
}

task<sent_graph> outgoing_graph::send_ahead(place_id target) {
  state& s = *state_;
  if (s.by == copier::pegasus) {
    if (s.units != nullptr && target != self->place) static_cast<void>(write_back_graph(*s.units, s.root));
    place_segment const memory = this_place().memory;
    s.sent.where = co_await at(target, pull_graph_here, self->place, reinterpret_cast<std::uint64_t>(s.root),
                               reinterpret_cast<std::uint64_t>(memory.base), s.root_type);
    s.is_there = true;
    s.sent.how = sent_graph::transport::region;
    co_return s.sent;
  }
  if (s.units != nullptr) {
    if (auto const done = co_await copy_near_memory(*s.units, s.root, target, s.by == copier::no_nca)) {
      s.sent = *done;
      s.is_there = true;
      co_return s.sent;
    }
    s.units = nullptr;
    s.measure();
  }
  if (s.stream != nullptr) {
    s.sent.where = co_await push_stream(s.stream, s.sent.bytes, target);
    if (s.sent.where != 0) {
      s.stream = nullptr;
      s.sent.how = sent_graph::transport::streamed;
      s.is_there = true;
      co_return s.sent;
    }
  }
  asked_region const asked = co_await at(target, make_region_here, s.sent.bytes);
  s.sent.where = asked.address;
  s.is_there = true;
  s.sent.how = s.by == copier::message_passing ? sent_graph::transport::buffer
               : s.is_staged                   ? sent_graph::transport::staged
                                               : sent_graph::transport::region;
  global_ptr<std::byte> const begin = asked.base + static_cast<std::ptrdiff_t>(region::blocks_begin());
  std::uint64_t const chunk_there = asked.address - sizeof(chunk);
  bool const written = s.walk.has_value();
  if (stores_bytes(target)) {
    auto* const to = bytes_of_window(job.atomic_window[target]) + asked.base.offset();
    if (written)
      (*s.walk)->write(to, chunk_there);
    else
      std::memcpy(to + region::blocks_begin(), s.bytes.data() + (s.is_staged ? region::blocks_begin() : 0),
                  s.sent.bytes);
    co_return s.sent;
  }
  if (written) {
    s.bytes.resize(region::blocks_begin() + s.sent.bytes);
    (*s.walk)->write(s.bytes.data(), chunk_there);
  }
  std::span<std::byte const> const all =
      s.stream != nullptr ? std::span<std::byte const>(s.stream, s.sent.bytes) : std::span<std::byte const>(s.bytes);
  co_await put(all.last(s.sent.bytes), begin);
  co_return s.sent;
}

void outgoing_graph::take_back(place_id target) noexcept try {
  state& s = *state_;
  if (!std::exchange(s.is_there, false)) return;
  if (s.sent.how == sent_graph::transport::streamed)
    at_async(target, [](std::uint64_t address) { end_stream(reinterpret_cast<std::byte*>(address)); }, s.sent.where);
  else
    at_async(target, [](std::uint64_t address) { end_asked_region(address); }, s.sent.where);
} catch (...) {
  // No memory, or no such place any more: what it holds stays until the job ends.
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

copier copier_of_run() noexcept {
  return the_job->copier;
}

outgoing_graph outgoing_result(void const* root, copier by) {
  return outgoing_graph(&root, any_root_type(), by, copy_map::automatic);
}

}  // namespace tess::detail
