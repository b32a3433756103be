// copier: the interface of the ways in which a graph of objects gets to another place, one for each tess::copier.
//
//   message_passing serialises the graph, sends the stream, and deserialises it. pegasus sends the address of the root,
//   and the receiver copies object by object. nemesys measures the graph, asks the receiver for a region, and writes
//   the copy there with its final pointers; accelerators do it where there are any. A small graph travels inside the
//   message, except with pegasus and where accelerators copy.
//
// Threads  a graph_transfer belongs to one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/graphs/owned_region.hpp"
#include "tess/at.hpp"
#include "tess/detail/objects/sent_graph.hpp"
#include "tess/object.hpp"

namespace tess::detail {

/// One graph on its way. The functions are those of outgoing_graph, which describes them.
class graph_transfer {
 public:
  graph_transfer() = default;
  graph_transfer(graph_transfer const&) = delete;
  graph_transfer& operator=(graph_transfer const&) = delete;
  virtual ~graph_transfer() = default;

  [[nodiscard]] virtual bool fits_message(place_id target, std::size_t fixed_bytes) = 0;
  [[nodiscard]] virtual std::size_t inline_bytes() const noexcept = 0;
  virtual void write_inline(std::byte* to) = 0;
  virtual void snapshot() = 0;
  [[nodiscard]] virtual task<sent_graph> send_ahead(place_id target) = 0;
  [[nodiscard]] virtual task<bool> send_by_accelerators(place_id target, handler_id handler,
                                                        std::span<std::byte const> payload, std::size_t graph_at,
                                                        finish_scope* run);
  void withdraw(place_id target) noexcept;
  [[nodiscard]] sent_graph const& sent() const noexcept { return sent_; }

 protected:
  /// A region of the target, or a message buffer, has the graph, and only this object refers to it.
  void arrived_at(std::uint64_t address, sent_graph::transport how) noexcept {
    sent_.where = address;
    sent_.how = how;
    is_there_ = true;
  }

  sent_graph sent_{};

 private:
  bool is_there_ = false;
};

/// A way to copy graphs. `root` is a block that nothing points to and that has no header.
class graph_copier {
 public:
  /// Starts a transfer: the root itself may go when this returns.
  [[nodiscard]] virtual std::unique_ptr<graph_transfer> start(void const* root, type_record const& type,
                                                              copy_map map) const = 0;
  /// Copies a graph within this place; `root` is the address of the pointer that leads to it.
  [[nodiscard]] virtual copied_graph copy_here(void const* root, copy_map map, copy_counts* counts) const = 0;

 protected:
  ~graph_copier() = default;
};

[[nodiscard]] graph_copier const& message_passing_copier() noexcept;
[[nodiscard]] graph_copier const& pegasus_copier() noexcept;
[[nodiscard]] graph_copier const& nemesys_copier() noexcept;
/// Nemesys without the accelerator near the cache.
[[nodiscard]] graph_copier const& no_nca_copier() noexcept;

/// A copy of the root that lives as long as the transfer.
class root_copy {
 public:
  /// anywhere: here if it is small. segment: other places can read it. object: it has a header, in a region of its own.
  enum class location : std::uint8_t { anywhere, segment, object };
  root_copy(void const* root, type_record const& type, location where);
  ~root_copy();
  root_copy(root_copy const&) = delete;
  root_copy& operator=(root_copy const&) = delete;
  [[nodiscard]] std::byte* get() const noexcept { return bytes_; }

 private:
  std::byte* bytes_ = nullptr;
  region* region_ = nullptr;
  alignas(16) std::byte small_[96];
};

/// Copies what `root` leads to within this place, and has it lead to the copy, which the region holds.
[[nodiscard]] owned_region copied_source(std::byte* root, type_record const& type, copy_map map);

/// A message is copied three times on its way, an image not at all; but asking for a region is a round trip.
[[nodiscard]] bool fits_buffer(std::size_t bytes) noexcept;

/// A new region of another place: its address there, and its first byte for a put.
struct remote_region {
  std::uint64_t address;
  global_ptr<std::byte> base;
};
[[nodiscard]] at_call<remote_region> make_region_at(place_id target, std::uint64_t bytes);
/// Ends a region of this place that another place asked for.
void end_asked_region(std::uint64_t address);
/// The same as a callable that travels; the address is one of the place that it travels to.
inline constexpr auto end_region_there = [](std::uint64_t address) { end_asked_region(address); };
template <>
inline constexpr bool is_of_runtime<decltype(end_region_there)> = true;

/// Where this place can store bytes into the target's segment, or null. Where there are accelerators, DMA is faster
/// than stores.
[[nodiscard]] std::byte* window_for_stores(place_id target) noexcept;

/// Adds a copied graph to the statistics; `blocks` includes the root, which is no object.
void count_graph(std::uint64_t blocks, std::uint64_t bytes) noexcept;

/// An answer that is an exception with a graph; false: it carries none, or stays at its place.
[[nodiscard]] bool reply_thrown_graph(place_id target, std::uint64_t slot, bool left_tasks,
                                      std::exception_ptr const& thrown);

}  // namespace tess::detail
