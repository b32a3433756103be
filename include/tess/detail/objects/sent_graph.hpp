// sent_graph: a graph in transit: its description in a message, the sending, and the receiving.
//
//   The copiers send it (src/runtime/graphs/copier.hpp); at_objects.hpp uses this.
//
// Threads  a graph belongs to one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tess/copier.hpp"
#include "tess/detail/handler.hpp"
#include "tess/detail/objects/object_type.hpp"
#include "tess/place.hpp"
#include "tess/task.hpp"

namespace tess::detail {

class finish_scope;
class graph_transfer;
class region;

/// What a message says about the graph that belongs to it.
struct sent_graph {
  enum class transport : std::uint8_t {
    image,       ///< follows in the message, pointers relative to where its chunk would start
    region,      ///< in a region of the receiver, complete
    serialised,  ///< follows in the message
    buffer,      ///< serialised, in a region of the receiver
    staged,      ///< in a region of the receiver, pointers relative to its start
    streamed     ///< serialised, in a message buffer of the receiver
  };
  transport how;
  std::uint8_t unused[3];
  std::uint32_t blocks;
  std::uint64_t bytes;
  std::uint64_t where;  ///< address of the region or buffer at the receiver
};

struct arrived_graph {
  region* owner = nullptr;
  std::byte* root = nullptr;
};

/// A graph in transit: measured or serialised when this is constructed, so that it can be sent later.
class outgoing_graph {
 public:
  outgoing_graph(void const* root, type_record const& type, copier by, copy_map map);
  outgoing_graph(outgoing_graph&& other) noexcept;
  ~outgoing_graph();

  /// True if it fits into a message to `target` behind `fixed_bytes`, or is complete at this place; see sent().
  [[nodiscard]] bool fits_message(place_id target, std::size_t fixed_bytes = reply_bytes);
  [[nodiscard]] sent_graph const& sent() const noexcept;
  /// The size of the bytes behind the fixed part of the message, and the bytes.
  [[nodiscard]] std::size_t inline_bytes() const noexcept;
  void write_inline(std::byte* to) const;

  /// Allows the source to change from now on: copies it where that is read in place.
  void snapshot();
  /// For a graph that does not fit: brings it to the target.
  [[nodiscard]] task<sent_graph> send_ahead(place_id target);
  /// Try this before send_ahead: accelerators send the graph and the message, which has its sent_graph at
  /// `graph_at`. False: they could not, or there are none. `run`: the finish for which an at_async counts.
  [[nodiscard]] task<bool> send_by_accelerators(place_id target, handler_id handler, std::span<std::byte const> payload,
                                                std::size_t graph_at, finish_scope* run = nullptr);
  /// No call will use what send_ahead sent: the target frees it eventually.
  void withdraw(place_id target) noexcept;

 private:
  static constexpr std::size_t reply_bytes = 64;
  std::unique_ptr<graph_transfer> transfer_;
};

/// The graph that arrived with a message. If it is malformed, frees it and throws tess::error.
[[nodiscard]] arrived_graph receive_graph(sent_graph const& sent, std::byte const* bytes, std::size_t bytes_count,
                                          type_record const& root_type);

/// Calls send_by_accelerators for the message with payload `m`, whose member `in` describes the graph.
template <class Payload>
[[nodiscard]] task<bool> send_by_accelerators(outgoing_graph& graph, place_id target, handler_id handler,
                                              Payload const& m, sent_graph const& in, finish_scope* run = nullptr) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(&m);
  return graph.send_by_accelerators(target, handler, {bytes, sizeof m},
                                    static_cast<std::size_t>(reinterpret_cast<std::byte const*>(&in) - bytes), run);
}

/// A message record, ready for append_async or send_request.
struct built_message {
  built_message(void const* fixed, std::size_t fixed_bytes, outgoing_graph const& graph);
  ~built_message();
  built_message(built_message const&) = delete;
  built_message& operator=(built_message const&) = delete;
  std::byte* data;
  std::size_t bytes;

 private:
  alignas(16) std::byte small_[4096 + 256];
};

}  // namespace tess::detail
