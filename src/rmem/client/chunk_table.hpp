// chunk_table: transfers cut into what one message asks for, and who has which id; no sockets.
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

class pieces {
 public:
  /// The server stops listening to whoever has so many answers waiting.
  static constexpr std::uint64_t under_way_max = 64;
  /// Portals that are open at a time.
  static constexpr std::uint64_t portals_max = 8;

  struct piece {
    transfer* of = nullptr;
    std::byte* memory = nullptr;
    address at = 0;
    std::uint64_t size = 0;
    std::uint64_t of_all = 0;  ///< bytes of the transfer from here on
    bool waits_for_go = false;
    std::uint64_t id = 0;
  };

  void add(transfer& t) { jobs_.push_back({.of = &t}); }
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  [[nodiscard]] bool any_under_way() const { return under_way_ != 0; }

  /// The next piece to ask for; nothing if all are under way, or as many as may be.
  [[nodiscard]] piece const* begin_one();
  /// Of an answer; null: nobody asked.
  [[nodiscard]] piece* find(std::uint64_t id);
  /// A piece is done. Its transfer if that was the last of it, which may have a failure now.
  [[nodiscard]] transfer* end(piece& p, wire::status outcome, std::string const& why);
  /// Nothing is under way any more, and nothing of it was done.
  void begin_again();
  /// Takes all transfers away.
  [[nodiscard]] std::vector<transfer*> drop_all();

 private:
  struct job {
    transfer* of = nullptr;
    std::uint64_t begun = 0;      ///< bytes
    std::uint64_t under_way = 0;  ///< pieces
    wire::status refused = wire::status::ok;
    std::string why{};
    [[nodiscard]] bool all_begun() const { return begun == of->bytes || refused != wire::status::ok; }
  };
  using jobs = std::list<job>;

  static constexpr std::uint64_t first_id = std::uint64_t{1} << 32;

  jobs jobs_;  // those that have something to begin take turns
  std::array<piece, under_way_max> slots_{};
  std::array<jobs::iterator, under_way_max> owners_{};
  std::uint64_t under_way_ = 0;
  std::uint64_t portals_ = 0;
};

}  // namespace tess::rmem
