// words: words of other tiles, one by one, in one of three ways; and short blocks.
//
//   By instructions: {place + 1, address} of xBGAS, for which the tile's look-aside buffer is filled here. By
//   addresses: loads, stores and AMOs of the global address, with the adapter's command for compare-and-swap. In both,
//   words are done at their homes, the program has windows, and inlined code does the operation (detail/far_words.hpp);
//   begin() is for who has a request without types. By messages: what a machine without remote words would do: a packet
//   asks the owner, whose hart does the operation when it polls, and answers by another one.
//
// Threads  any hart.
// Cost     by instructions and addresses each word is a round trip, for which the hart waits; by messages two packets,
//          for which a task waits.
// Errors   tess::error: by messages, for a word outside of its segment or misaligned; a machine that has no
//          such way.
#pragma once

#include <cstddef>
#include <string>

#include "fabric/fabric.hpp"
#include "fabric/tile/post.hpp"

namespace tess::detail {

class tile_words {
 public:
  tile_words(tile_places const& places, tile_post& post, word_path wanted);

  [[nodiscard]] bool by_messages() const noexcept { return path_ == word_path::messages; }
  /// Of a place's segment; by messages null for others' ones.
  [[nodiscard]] std::byte* window(place_id of) const noexcept;

  void begin(word_request const& request, std::uint64_t (&result)[2], completion& done) const;
  /// By messages: at the owner a request, which is done and answered; where it was asked for, the answer.
  void take(tile_post::received const& r) const;

 private:
  tile_places const& places_;
  tile_post& post_;
  word_path path_;
};

/// To and from views of other tiles' memory: whole words where the far address is aligned, smaller ones at its edges.
void store_words(std::byte* far_target, std::byte const* source, std::size_t bytes) noexcept;
void load_words(std::byte* target, std::byte const* far_source, std::size_t bytes) noexcept;

}  // namespace tess::detail
