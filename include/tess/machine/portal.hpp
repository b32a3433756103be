// portal: bulk data from one cluster into a receive window of another: one-sided, and counted.
//
//   The receiver opens a window: a range of its own memory, for one sender and a number of transfers, and tells the
//   sender its address by a message. The machine refuses transfers to other addresses, from other clusters, or in
//   excess, and reports that to the sender.
//
// Shapes    ranges are whole lines of 64 bytes.
// Threads   a window and a sender belong to a hart; windows wake the hart that waits at the cluster's mailbox.
// Errors    false: there is no such window (open), or the data were refused (finish).
// Source    portals of Nanvix and NodeOS; registers.hpp, `portals` and `adapter`.
#pragma once

#include <tess/machine/cluster.hpp>

namespace tess::machine {

/// A range of the own memory into which one other cluster may transfer data.
class receive_window {
 public:
  static constexpr std::uint64_t line_bytes = 64;

  /// `number` is chosen by the cluster, below the machine's `receive_windows`.
  explicit receive_window(std::uint64_t number)
      : at_(cluster::unit_address(registers::unit::portals) + number * registers::window_bytes) {}

  /// Opens it until so many transfers of that cluster have ended; a previous opening ends. `address` may be global.
  [[nodiscard]] bool open(std::uint64_t address, std::uint64_t bytes, std::uint64_t sender, std::uint64_t sends = 1) {
    namespace of = registers::portals;
    close();
    cluster::word(at_ + of::address) = address;
    cluster::word(at_ + of::bytes) = bytes;
    cluster::word(at_ + of::source) = sender;
    cluster::word(at_ + of::sends) = sends;
    return cluster::word(at_ + of::state) == static_cast<std::uint64_t>(registers::command_status::idle);
  }
  /// True when all expected transfers have ended, or it was closed.
  [[nodiscard]] bool is_closed() const { return cluster::word(at_ + registers::portals::sends) == 0; }
  /// Closes it; later transfers are refused.
  void close() { cluster::word(at_ + registers::portals::sends) = 0; }

 private:
  std::uint64_t at_;
};

/// One transfer at a time from a hart.
class portal_sender {
 public:
  portal_sender() = default;
  portal_sender(portal_sender const&) = delete;
  portal_sender& operator=(portal_sender const&) = delete;

  /// Begins to copy [from, from + bytes) of the own memory to an address in another cluster's window; after finish().
  [[nodiscard]] bool begin(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
    namespace of = registers::adapter;
    std::uint64_t const window = cluster::window(registers::unit::adapter);
    told_ = {};
    cluster::word(window + of::operation) = of::send;
    cluster::word(window + of::address) = from;
    cluster::word(window + of::bytes) = bytes;
    cluster::word(window + of::operand) = to;
    cluster::word(window + of::counter) = reinterpret_cast<std::uint64_t>(&told_);
    cluster::fence();
    cluster::word(window + of::doorbell) = 1;
    busy_ = cluster::word(window + of::doorbell) != static_cast<std::uint64_t>(registers::command_status::wrong);
    return busy_;
  }
  /// True after a transfer has begun, until finish().
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  /// Sleeps until the data are in the other cluster's memory. False: the transfer was refused.
  [[nodiscard]] bool finish() {
    busy_ = false;
    return told_.wait();
  }
  [[nodiscard]] bool send(std::uint64_t from, std::uint64_t bytes, std::uint64_t to) {
    return begin(from, bytes, to) && finish();
  }

 private:
  cluster::counter told_;
  bool busy_ = false;
};

}  // namespace tess::machine
