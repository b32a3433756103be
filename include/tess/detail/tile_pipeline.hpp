// tile_pipeline: two buffers: while one is used, the other is written back and read again.
//
// Threads  one task or thread; transfers end on threads of the client.
// Errors   refused and lost, from next().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tess/detail/remote_wait.hpp"
#include "tess/rmem.hpp"
#include "tess/task.hpp"

namespace tess::rmem::detail {

class tile_pipeline {
 public:
  /// Starts to read the first two tiles.
  tile_pipeline(client& with, region const& of, std::size_t tile_bytes, bool writes);
  tile_pipeline(tile_pipeline const&) = delete;
  tile_pipeline& operator=(tile_pipeline const&) = delete;
  /// The tile that is used is written back, blocking; says on standard error if that failed.
  ~tile_pipeline();

  struct tile {
    std::byte* bytes = nullptr;  ///< null: there are no more
    std::size_t size = 0;
    std::uint64_t offset = 0;
  };
  /// Gives the tile back that next() gave last, and waits for the next one. After the last one: until all is written.
  [[nodiscard]] task<tile> next();
  [[nodiscard]] tile next_blocking();

 private:
  struct buffer : transfer {
    tile_pipeline* pump = nullptr;
    std::uint64_t tile = 0;
    bool busy = false;
    remote_wait wait;
  };
  void begin(buffer& b, std::uint64_t tile, bool reads);
  void begin_transfer(buffer& b, std::uint64_t tile, bool reads);
  void turn(buffer& b) noexcept;
  void give_back();
  [[nodiscard]] buffer* awaited();
  [[nodiscard]] bool read_here(buffer& b);
  [[nodiscard]] tile taken(buffer const* b);

  client& client_;
  region region_;
  std::size_t tile_bytes_;
  bool writes_;
  std::atomic<std::uint64_t> tiles_;        // 0 from when no more are wanted
  std::uint64_t used_ = ~std::uint64_t{0};  // the latest that the caller had
  bool has_ = false;                        // he has it still
  std::unique_ptr<std::byte[]> memory_;
  std::array<buffer, 2> buffers_;
};

}  // namespace tess::rmem::detail
