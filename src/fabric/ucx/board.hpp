// board: memory that the places of one host share: what places said of themselves, and when those of this host were
// alive last.
//
//   An introduction is fetched from the launcher once for each host, when it is first needed, and then stands here for
//   all places of the host. Whoever ends in the middle of an entry leaves some bytes unused, and nothing else.
//
// Shapes   an entry: offset of the introduction 40 bits, its size 24; 0: not known on this host.
// Threads  any.
// Cost     nothing for a place that is never asked for but its entry and its stamp, 16 bytes for each host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fabric/ucx/window.hpp"
#include "tess/error.hpp"

namespace tess::detail {

class host_board {
 public:
  using clock = std::chrono::steady_clock;

  /// An empty one, which other processes of this user may map. Throws tess::error if there is no memory.
  explicit host_board(place_id places);
  ~host_board();
  host_board(host_board const&) = delete;
  host_board& operator=(host_board const&) = delete;

  /// That of another process of this host; null if it cannot be mapped.
  [[nodiscard]] static std::unique_ptr<host_board> open(segment_place const& where, place_id places) noexcept;
  [[nodiscard]] segment_place place() const;

  /// Empty: not known on this host.
  [[nodiscard]] std::span<std::byte const> introduction(place_id p) const noexcept;
  /// Returns the first one that was entered for this place.
  std::span<std::byte const> enter(place_id p, std::span<std::byte const> bytes);

  /// That place of this host is alive.
  void stamp(place_id p, clock::time_point now) noexcept;
  /// The epoch: it never was, or is on another host.
  [[nodiscard]] clock::time_point stamped(place_id p) const noexcept;

  /// True once for each board.
  [[nodiscard]] bool take_report() noexcept;

 private:
  struct contents;
  host_board(place_id places, int file, std::byte* memory) noexcept : places_(places), file_(file), memory_(memory) {}
  [[nodiscard]] contents& header() const noexcept;
  [[nodiscard]] std::uint64_t* entry(place_id p) const noexcept;
  [[nodiscard]] std::int64_t* stamp_of(place_id p) const noexcept;

  place_id places_;
  int file_ = -1;
  std::byte* memory_ = nullptr;
};

}  // namespace tess::detail
