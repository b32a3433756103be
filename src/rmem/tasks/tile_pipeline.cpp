// tile_pipeline: the end of a tile's writing starts the reading of the one after next into the same buffer.
#include "tess/detail/tile_pipeline.hpp"

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
    b.pump = this;
    b.memory = &memory_[i * tile_bytes_];
    b.ended = [](transfer& t) noexcept {
      auto& ended = static_cast<buffer&>(t);
      ended.pump->turn(ended);
    };
    if (i < tiles_) begin(b, i, true);
  }
}

tile_pipeline::~tile_pipeline() {
  try {
    if (has_ && writes_) {
      buffer& b = buffers_[used_ % 2];
      // No further tile is wanted.
      tiles_ = 0;
      begin(b, used_, false);
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
void tile_pipeline::turn(buffer& b) noexcept {
  if (!b.reads && !b.failure && b.tile + 2 < tiles_) return begin_transfer(b, b.tile + 2, true);
  b.wait.arrived(std::exchange(b.failure, {}));
}

/// The buffer of the tile that was used goes on its way.
void tile_pipeline::give_back() {
  if (!std::exchange(has_, false)) return;
  buffer& b = buffers_[used_ % 2];
  if (writes_)
    begin(b, used_, false);
  else if (used_ + 2 < tiles_ && !client_.is_mapped(region_ + (used_ + 2) * tile_bytes_))
    begin(b, used_ + 2, true);
}

/// What the next tile waits for; after the last tile, a buffer that is being written; null: nothing.
tile_pipeline::buffer* tile_pipeline::awaited() {
  std::uint64_t const next = used_ + 1;
  buffer& mine = buffers_[next % 2];
  buffer const& other = buffers_[(next + 1) % 2];
  // Through a mapping, whoever uses the bytes has them in his processor's cache if he copies them himself, always to
  // the same place.
  if (!writes_ && next < tiles_ && !mine.busy && mine.tile != next) {
    mine.memory = &memory_[other.busy ? next % 2 * tile_bytes_ : 0];
    mine.tile = next;
    mine.bytes = std::min<std::uint64_t>(tile_bytes_, region_.size - next * tile_bytes_);
    if (!client_.move_mapped(true, region_ + next * tile_bytes_, mine.memory, mine.bytes)) begin(mine, next, true);
  }
  for (buffer* const b : {&buffers_[next % 2], &buffers_[(next + 1) % 2]})
    if (b->busy && (next >= tiles_ || b == &buffers_[next % 2])) return read_here(*b) ? nullptr : b;
  return nullptr;
}

/// Through a mapping, if no thread has begun with it.
bool tile_pipeline::read_here(buffer& b) {
  if (writes_ || !client_.take_back(b)) return false;
  if (!client_.move_mapped(true, b.at, b.memory, b.bytes)) {
    client_.start(b);
    return false;
  }
  b.wait.forget();
  b.busy = false;
  return true;
}

tile_pipeline::tile tile_pipeline::taken(buffer const* b) {
  ++used_;
  if (used_ >= tiles_) {
    used_ = tiles_;
    return {};
  }
  has_ = true;
  return {.bytes = b->memory, .size = b->bytes, .offset = used_ * tile_bytes_};
}

task<tile_pipeline::tile> tile_pipeline::next() {
  give_back();
  while (buffer* const b = awaited()) {
    co_await b->wait.done();
    b->busy = false;
    b->wait.check();
  }
  co_return taken(&buffers_[(used_ + 1) % 2]);
}

tile_pipeline::tile tile_pipeline::next_blocking() {
  give_back();
  while (buffer* const b = awaited()) {
    b->wait.block();
    b->busy = false;
    b->wait.check();
  }
  return taken(&buffers_[(used_ + 1) % 2]);
}

}  // namespace tess::rmem::detail
