// sent_graph: a graph on its way: what a message says of it, who sends it, and what comes of it.
//
//   Sending is the copier's affair (src/runtime/graphs/copier.cpp); at_objects.hpp is who uses this.
//
// Threads  a graph belongs to one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tess/copier.hpp"
#include "tess/detail/handler.hpp"
#include "tess/detail/object_type.hpp"
#include "tess/place.hpp"
#include "tess/task.hpp"

namespace tess::detail {

class finish_scope;
class region;

/// What a message says of the graph that belongs to it.
struct sent_graph {
  enum class transport : std::uint8_t {
    image,       ///< behind this in the message, pointers relative to where its chunk would start
    region,      ///< in a region of the receiver, ready
    serialised,  ///< behind this in the message
    buffer,      ///< serialised, in a region of the receiver
    staged,      ///< in a region of the receiver, pointers relative to its start
    streamed     ///< serialised, in a message buffer of the receiver
  };
  transport how;
  std::uint8_t unused[3];
  std::uint32_t blocks;
  std::uint64_t bytes;
  std::uint64_t where;  ///< of what is at the receiver: the region's address there, or the buffer's
};

struct arrived_graph {
  region* owner = nullptr;
  std::byte* root = nullptr;
};

/// A graph on its way: measured or serialised when this is made, so that it can leave later.
class outgoing_graph {
 public:
  outgoing_graph(void const* root, type_record const& type, copier by, copy_map map);
  outgoing_graph(outgoing_graph&& other) noexcept;
  ~outgoing_graph();

  /// It goes inside a message of `target` whose fixed part is so long, or lies ready at this place; `sent` says how.
  [[nodiscard]] bool goes_along(place_id target, std::size_t fixed_bytes = reply_bytes);
  [[nodiscard]] sent_graph const& sent() const noexcept;
  /// Bytes behind the fixed part of the message, and the bytes.
  [[nodiscard]] std::size_t inline_bytes() const noexcept;
  void write_inline(std::byte* to) const;

  /// Takes a snapshot: the source may change from now on.
  void stage();
  /// Otherwise: brings it to the target.
  [[nodiscard]] task<sent_graph> send_ahead(place_id target);
  /// Before that: accelerators bring the graph, and with it the message, `graph_at` of which says where it is. False:
  /// they could not, or there are none. `run`: of an at_async, for which it counts.
  [[nodiscard]] task<bool> carry(place_id target, handler_id handler, std::span<std::byte const> payload,
                                 std::size_t graph_at, finish_scope* run = nullptr);
  /// What send_ahead brought will not be called for: the target frees it, some time.
  void take_back(place_id target) noexcept;

  struct state;

 private:
  static constexpr std::size_t reply_bytes = 64;
  std::unique_ptr<state> state_;
};

/// What came with a message; throws tess::error if it is malformed, and frees it then.
[[nodiscard]] arrived_graph receive_graph(sent_graph const& sent, std::byte const* bytes, std::size_t bytes_count,
                                          type_record const& root_type);

/// The payload of a message, and where in it the graph is.
template <class Payload>
[[nodiscard]] task<bool> carry_with(outgoing_graph& graph, place_id target, handler_id handler, Payload const& m,
                                    sent_graph const& in, finish_scope* run = nullptr) {
  auto const* const bytes = reinterpret_cast<std::byte const*>(&m);
  return graph.carry(target, handler, {bytes, sizeof m},
                     static_cast<std::size_t>(reinterpret_cast<std::byte const*>(&in) - bytes), run);
}

/// A message record on its way to append_async or send_request.
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
