// tile_pipeline: a pass over a region by tiles, with two buffers: while one tile is used, the other is transferred.
//
// Threads  one task or thread; transfers complete on threads of the client.
// Errors   refused and lost, from next().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tess/detail/remote_memory/remote_wait.hpp"
#include "tess/rmem.hpp"
#include "tess/task.hpp"

namespace tess::rmem::detail {

class tile_pipeline {
 public:
  /// Starts reading the first two tiles.
  tile_pipeline(client& with, region const& of, std::size_t tile_bytes, bool writes);
  tile_pipeline(tile_pipeline const&) = delete;
  tile_pipeline& operator=(tile_pipeline const&) = delete;
  /// Writes the current tile back, blocking; a failure is printed to standard error.
  ~tile_pipeline();

  struct tile {
    std::byte* bytes = nullptr;  ///< null: there are no more tiles
    std::size_t size = 0;
    std::uint64_t offset = 0;
  };
  /// Returns the current tile and waits for the next one; after the last one, waits until all are written.
  [[nodiscard]] task<tile> next();
  [[nodiscard]] tile next_blocking();

 private:
  struct buffer : transfer {
    tile_pipeline* pipeline = nullptr;
    std::uint64_t tile = 0;
    bool busy = false;
    remote_wait wait;
  };
  void begin(buffer& b, std::uint64_t tile, bool reads);
  void begin_transfer(buffer& b, std::uint64_t tile, bool reads);
  void complete(buffer& b) noexcept;
  void return_current();
  [[nodiscard]] buffer* awaited();
  [[nodiscard]] bool read_mapped(buffer& b);
  [[nodiscard]] tile hand_out(buffer const* b);

  client& client_;
  region region_;
  std::size_t tile_bytes_;
  bool writes_;
  std::atomic<std::uint64_t> tiles_;           // 0 when no more are wanted
  std::uint64_t current_ = ~std::uint64_t{0};  // the last tile that was returned by next()
  bool in_use_ = false;                        // it has not been given back
  std::unique_ptr<std::byte[]> memory_;
  std::array<buffer, 2> buffers_;
};

}  // namespace tess::rmem::detail
