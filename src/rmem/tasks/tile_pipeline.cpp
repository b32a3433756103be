// tile_pipeline: when a tile has been written, the tile after the next one is read into the same buffer.
#include "tess/detail/remote_memory/tile_pipeline.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tess::rmem::detail {

tile_pipeline::tile_pipeline(client& with, region const& of, std::size_t tile_bytes, bool writes)
    : client_(with),
      region_(of),
      tile_bytes_(std::min<std::uint64_t>(tile_bytes, of.size)),
      writes_(writes),
      tiles_(tile_bytes_ == 0 ? 0 : (of.size + tile_bytes_ - 1) / tile_bytes_),
      memory_(std::make_unique_for_overwrite<std::byte[]>(2 * tile_bytes_)) {
  with.prepare();
  for (std::uint64_t i = 0; i < 2; ++i) {
    buffer& b = buffers_[i];
    b.pipeline = this;
    b.memory = &memory_[i * tile_bytes_];
    b.ended = [](transfer& t) noexcept {
      auto& ended = static_cast<buffer&>(t);
      ended.pipeline->complete(ended);
    };
    if (i < tiles_) begin(b, i, true);
  }
}

tile_pipeline::~tile_pipeline() {
  try {
    if (in_use_ && writes_) {
      buffer& b = buffers_[current_ % 2];
      // No further tile is wanted.
      tiles_ = 0;
      begin(b, current_, false);
    }
    for (buffer& b : buffers_) {
      if (!std::exchange(b.busy, false)) continue;
      b.wait.block();
      b.wait.check();
    }
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "tess: changes of a tile are lost: %s\n", failure.what());
  }
}

void tile_pipeline::begin(buffer& b, std::uint64_t tile, bool reads) {
  b.memory = &memory_[static_cast<std::size_t>(&b - buffers_.data()) * tile_bytes_];
  b.busy = true;
  b.wait.expect();
  begin_transfer(b, tile, reads);
}

void tile_pipeline::begin_transfer(buffer& b, std::uint64_t tile, bool reads) {
  b.tile = tile;
  b.reads = reads;
  b.at = region_ + tile * tile_bytes_;
  b.bytes = std::min<std::uint64_t>(tile_bytes_, region_.size - tile * tile_bytes_);
  client_.start(b);
}

/// On a thread of the client.
void tile_pipeline::complete(buffer& b) noexcept {
  if (!b.reads && !b.failure && b.tile + 2 < tiles_) return begin_transfer(b, b.tile + 2, true);
  b.wait.complete(std::exchange(b.failure, {}));
}

/// Begins the next transfer of the buffer whose tile was in use.
void tile_pipeline::return_current() {
  if (!std::exchange(in_use_, false)) return;
  buffer& b = buffers_[current_ % 2];
  if (writes_)
    begin(b, current_, false);
  else if (current_ + 2 < tiles_ && !client_.is_mapped(region_ + (current_ + 2) * tile_bytes_))
    begin(b, current_ + 2, true);
}

/// The buffer that the next tile waits for, or after the last tile one that is being written; null: none.
tile_pipeline::buffer* tile_pipeline::awaited() {
  std::uint64_t const next = current_ + 1;
  buffer& mine = buffers_[next % 2];
  buffer const& other = buffers_[(next + 1) % 2];
  // Through a mapping, the user of a tile copies it itself, always to the same place: then the bytes are in the cache
  // of its own processor.
  if (!writes_ && next < tiles_ && !mine.busy && mine.tile != next) {
    mine.memory = &memory_[other.busy ? next % 2 * tile_bytes_ : 0];
    mine.tile = next;
    mine.bytes = std::min<std::uint64_t>(tile_bytes_, region_.size - next * tile_bytes_);
    if (!client_.move_mapped(true, region_ + next * tile_bytes_, mine.memory, mine.bytes)) begin(mine, next, true);
  }
  for (buffer* const b : {&buffers_[next % 2], &buffers_[(next + 1) % 2]})
    if (b->busy && (next >= tiles_ || b == &buffers_[next % 2])) return read_mapped(*b) ? nullptr : b;
  return nullptr;
}

/// Reads the tile through a mapping, unless its transfer has begun.
bool tile_pipeline::read_mapped(buffer& b) {
  if (writes_ || !client_.cancel(b)) return false;
  if (!client_.move_mapped(true, b.at, b.memory, b.bytes)) {
    client_.start(b);
    return false;
  }
  b.wait.cancel();
  b.busy = false;
  return true;
}

tile_pipeline::tile tile_pipeline::hand_out(buffer const* b) {
  ++current_;
  if (current_ >= tiles_) {
    current_ = tiles_;
    return {};
  }
  in_use_ = true;
  return {.bytes = b->memory, .size = b->bytes, .offset = current_ * tile_bytes_};
}

task<tile_pipeline::tile> tile_pipeline::next() {
  return_current();
  while (buffer* const b = awaited()) {
    co_await b->wait.done();
    b->busy = false;
    b->wait.check();
  }
  co_return hand_out(&buffers_[(current_ + 1) % 2]);
}

tile_pipeline::tile tile_pipeline::next_blocking() {
  return_current();
  while (buffer* const b = awaited()) {
    b->wait.block();
    b->busy = false;
    b->wait.check();
  }
  return hand_out(&buffers_[(current_ + 1) % 2]);
}

}  // namespace tess::rmem::detail
