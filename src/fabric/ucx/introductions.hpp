// introductions: what this process knows of other places: it looks at the board of its host, and asks the launcher for
// what is not there.
//
// Errors   of(): tess::error if the place is gone, or runs another version of Tessera.
// Threads  any, after set_board().
// Cost     of(): nothing but a look, unless no place of the host has needed that one before.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric/ucx/board.hpp"
#include "fabric/ucx/introduction.hpp"
#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

class ucx_introductions {
 public:
  /// `wires` null: every place enters its own.
  explicit ucx_introductions(process_wireup* wires) : wires_(wires) {}

  void set_board(std::unique_ptr<host_board> board) { board_ = std::move(board); }
  [[nodiscard]] host_board& board() const noexcept { return *board_; }

  [[nodiscard]] introduction_view of(place_id p) const {
    std::span<std::byte const> bytes = board_->introduction(p);
    if (bytes.empty() && wires_ != nullptr) bytes = board_->enter(p, wires_->introduction_of(p));
    return read_introduction(bytes, p);
  }
  [[nodiscard]] std::string host_of(place_id p) const noexcept try { return of(p).where.host; } catch (...) {
    return "?";
  }
  /// -1: not known.
  [[nodiscard]] int process_of(place_id p) const noexcept try { return of(p).where.process; } catch (...) {
    return -1;
  }
  /// They said so of themselves.
  [[nodiscard]] bool on_one_host(place_id a, place_id b) const noexcept try {
    return same_host(of(a).where, of(b).where);
  } catch (...) {
    return false;
  }

 private:
  process_wireup* wires_;
  std::unique_ptr<host_board> board_;
};

}  // namespace tess::detail
