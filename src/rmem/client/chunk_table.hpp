// chunk_table: transfers, cut into chunks of one message each, and the chunks in flight by their ids; no sockets.
//
// Threads  one.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "rmem/wire/message.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

class chunk_table {
 public:
  /// The server stops receiving from a client with this many answers waiting.
  static constexpr std::uint64_t in_flight_max = 64;
  /// The most portals that are open at a time.
  static constexpr std::uint64_t portals_max = 8;

  struct chunk {
    transfer* of = nullptr;
    std::byte* memory = nullptr;
    address at = 0;
    std::uint64_t size = 0;
    std::uint64_t remaining = 0;  ///< bytes of the transfer from here on
    bool waits_for_go = false;
    std::uint64_t id = 0;
  };

  void add(transfer& t) { pending_.push_back({.of = &t}); }
  [[nodiscard]] bool empty() const { return pending_.empty(); }
  [[nodiscard]] bool any_in_flight() const { return in_flight_ != 0; }

  /// The next chunk to request; null if all are in flight, or as many as may be.
  [[nodiscard]] chunk const* begin_next();
  /// The chunk that an answer is for; null: no such chunk was requested.
  [[nodiscard]] chunk* find(std::uint64_t id);
  /// Completes a chunk. Returns its transfer if that is complete now, perhaps with a failure.
  [[nodiscard]] transfer* complete(chunk& c, wire::status outcome, std::string const& why);
  /// Begins all transfers again: what was in flight is lost.
  void restart();
  /// Removes all transfers.
  [[nodiscard]] std::vector<transfer*> remove_all();

 private:
  struct progress {
    transfer* of = nullptr;
    std::uint64_t begun = 0;      ///< bytes
    std::uint64_t in_flight = 0;  ///< chunks
    wire::status refused = wire::status::ok;
    std::string why{};
    [[nodiscard]] bool all_begun() const { return begun == of->bytes || refused != wire::status::ok; }
  };
  using transfers = std::list<progress>;

  static constexpr std::uint64_t first_id = std::uint64_t{1} << 32;

  transfers pending_;  // in the order of their turns
  std::array<chunk, in_flight_max> slots_{};
  std::array<transfers::iterator, in_flight_max> owners_{};
  std::uint64_t in_flight_ = 0;
  std::uint64_t portals_ = 0;
};

}  // namespace tess::rmem
