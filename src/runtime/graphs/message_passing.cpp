// message_passing: the copier that serialises: the graph travels as a stream, and the receiver makes each object anew.
#include "runtime/graphs/message_passing.hpp"

#include <cstring>
#include <vector>

#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/assert.hpp"
#include "tess/block.hpp"
#include "tess/counter.hpp"

namespace tess::detail {

namespace {

constexpr std::uint64_t message_line = 64;

constexpr auto make_buffer_here = [](std::uint64_t bytes) {
  return reinterpret_cast<std::uint64_t>(this_place().graphs.buffers->allocate(bytes));
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(make_buffer_here)> = true;

namespace {

/// Steps two and three between places with DMA. Gives the address of the buffer there; 0: the receiver has no room.
task<std::uint64_t> push_stream(std::byte* stream, std::uint64_t bytes, place_id target) {
  if (target == self->place) co_return reinterpret_cast<std::uint64_t>(stream);
  std::uint64_t const there = co_await at(target, make_buffer_here, bytes);
  if (there == 0) co_return 0;
  counter pushed;
  access::cell(pushed).expect(1);
  accelerators()->push(stream, target, there, (bytes + message_line - 1) / message_line * message_line,
                       access::cell(pushed));
  co_await pushed;
  release_message_buffer(stream);
  co_return there;
}

class stream_transfer final : public graph_transfer {
 public:
  stream_transfer(void const* root, type_record const& type, copy_map map) {
    message_buffers* const buffers = this_place().graphs.buffers.get();
    // With DMA, visited objects are kept in a list, as in X10's runtime on such machines.
    if (buffers != nullptr && map == copy_map::automatic) map = copy_map::linear;
    borrowed_walk walk;
    walk->measure(root, type, worker_copy_maps(), map, graph_walk::naming::numbers);
    sent_.how = sent_graph::transport::serialised;
    sent_.blocks = static_cast<std::uint32_t>(walk->blocks());
    count_graph(walk->blocks(), walk->bytes());
    if (buffers != nullptr) buffer_ = buffers->allocate(serialised_bytes_max(*walk));
    if (buffer_ != nullptr) {
      sent_.bytes = serialise(*walk, buffer_);
    } else {
      bytes_ = serialise(*walk);
      sent_.bytes = bytes_.size();
    }
  }
  ~stream_transfer() override {
    if (buffer_ != nullptr) release_message_buffer(buffer_);
  }

  bool fits_message(place_id target, std::size_t fixed_bytes) override {
    // With DMA a graph of any size takes the four steps.
    if (buffer_ != nullptr && target != self->place) return false;
    return fits_buffer(fixed_bytes + sent_.bytes);
  }
  std::size_t inline_bytes() const noexcept override {
    return sent_.how == sent_graph::transport::serialised ? sent_.bytes : 0;
  }
  void write_inline(std::byte* to) override {
    if (sent_.how == sent_graph::transport::serialised) std::memcpy(to, stream(), sent_.bytes);
  }
  void snapshot() override {}  // the stream is one

  task<sent_graph> send_ahead(place_id target) override {
    if (buffer_ != nullptr) {
      if (std::uint64_t const there = co_await push_stream(buffer_, sent_.bytes, target); there != 0) {
        buffer_ = nullptr;
        arrived_at(there, sent_graph::transport::streamed);
        co_return sent_;
      }
    }
    remote_region const made = co_await make_region_at(target, sent_.bytes);
    arrived_at(made.address, sent_graph::transport::buffer);
    global_ptr<std::byte> const begin = made.base + static_cast<std::ptrdiff_t>(region::blocks_begin());
    if (std::byte* const window = window_for_stores(target))
      std::memcpy(window + begin.offset(), stream(), sent_.bytes);
    else
      co_await put(std::span<std::byte const>(stream(), sent_.bytes), begin);
    co_return sent_;
  }

 private:
  [[nodiscard]] std::byte const* stream() const noexcept { return buffer_ != nullptr ? buffer_ : bytes_.data(); }

  std::vector<std::byte> bytes_;
  std::byte* buffer_ = nullptr;  ///< a message buffer, which has the stream instead
};

class message_passing final : public graph_copier {
 public:
  std::unique_ptr<graph_transfer> start(void const* root, type_record const& type, copy_map map) const override {
    return std::make_unique<stream_transfer>(root, type, map);
  }
  copied_graph copy_here(void const* root, copy_map map, copy_counts* counts) const override {
    borrowed_walk walk;
    walk->measure(root, any_root_type(), worker_copy_maps(), map, graph_walk::naming::numbers);
    std::vector<std::byte> const stream = serialise(*walk);
    if (counts != nullptr) *counts = {walk->blocks() - 1, stream.size()};
    deserialised const d = deserialise(stream, static_cast<std::uint32_t>(walk->blocks()), any_root_type());
    return {*reinterpret_cast<void* const*>(d.root), d.owner};
  }
};

}  // namespace

graph_copier const& message_passing_copier() noexcept {
  static constinit message_passing copier;
  return copier;
}

void release_message_buffer(std::byte const* buffer) noexcept {
  bool const allocated = this_place().graphs.buffers->release(buffer);
  TESS_ASSERT(allocated);
}

}  // namespace tess::detail
