// words: operations on single words of other tiles, by instructions, addresses or messages; and short blocks.
//
//   Instructions: {place + 1, address} of xBGAS, for which this class fills the tile's look-aside buffer. Addresses:
//   loads, stores and AMOs of the global address, and the adapter's command for compare-and-swap. In both cases the
//   word's home performs the operation, segments are windows, and inlined code issues the operation
//   (tess/machine/extended_address.hpp); begin() is for requests without types. Messages, as on a machine without
//   remote words: a packet asks the owner, whose hart performs the operation when it polls, and another packet answers.
//
// Threads  any hart.
// Cost     instructions and addresses: a round trip, for which the hart waits. Messages: two packets, for which a task
//          waits.
// Errors   tess::error: a word outside of its segment or misaligned (messages only); a machine that cannot do it.
#pragma once

#include <cstddef>
#include <string>

#include "fabric/fabric.hpp"
#include "fabric/tile/options.hpp"
#include "fabric/tile/post.hpp"

namespace tess::detail {

class tile_words {
 public:
  tile_words(tile_places const& places, tile_post& post, word_path wanted);

  [[nodiscard]] bool by_messages() const noexcept { return path_ == word_path::messages; }
  /// The window of a place's segment; null for other places if words go by messages.
  [[nodiscard]] std::byte* window(place_id of) const noexcept;

  void begin(word_request const& request, std::uint64_t (&result)[2], completion& done) const;
  /// Messages only: performs and answers a request at the owner, or takes an answer at the issuer.
  void take(tile_post::received const& r) const;

 private:
  tile_places const& places_;
  tile_post& post_;
  word_path path_;
};

/// To and from uncached memory of other tiles: whole words where the remote address is aligned, smaller ones at its
/// edges.
void store_words(std::byte* remote_target, std::byte const* source, std::size_t bytes) noexcept;
void load_words(std::byte* target, std::byte const* remote_source, std::size_t bytes) noexcept;

}  // namespace tess::detail
