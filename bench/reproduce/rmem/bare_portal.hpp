// bare_portal: the same transfers by the portal library alone, as the baseline: without regions, rights and checks.
//
//   Single-step, as the paper's baseline: the window of a write is opened when the previous write has ended; a reader
//   opens its window only after its header was sent and the server is ready. Overlapped: two windows for writes, the
//   second opened while the first receives; a reader opens its window before its header.
//
// Threads   one hart each.
// Source    RMem (MultiProg 2019), section on the evaluation: the NodeOS kernel with portals.
#pragma once

#include <vector>

#include "ipc.hpp"
#include "protocol.hpp"

namespace mppa {

/// The server. Each client has its own part of the DDR.
class bare_server {
 public:
  explicit bare_server(std::uint64_t part_bytes)
      : memory_(tess::machine::cluster::row(tess::machine::cluster::own_number(),
                                            tess::machine::registers::information::row_partition)),
        part_bytes_(part_bytes) {}

  [[nodiscard]] std::uint64_t part(std::uint64_t client) const { return memory_ + client * part_bytes_; }

  /// False if the message is not one of these operations.
  bool serve(mailbox::message const& came) {
    auto const [code, bytes, second, third, unused] = came.said;
    switch (static_cast<operation>(code)) {
      case operation::bare_write:
        for (std::uint64_t i = 0; i < third; ++i)
          writers_.push_back({receive_window(windows_++), came.source, bytes, second / third});
        return true;
      case operation::bare_read:
        if (second == 0) {
          mailbox::send(came.source, {static_cast<std::uint64_t>(status::ok)});
          return true;
        }
        [[fallthrough]];
      case operation::bare_allow:
        if (sender_.busy()) good_ = sender_.finish() && good_;
        good_ = sender_.begin(part(came.source), bytes, second) && good_;
        return true;
      default:
        return false;
    }
  }
  /// Windows that have to be opened again.
  [[nodiscard]] std::uint64_t windows() const {
    std::uint64_t all = 0;
    for (writer const& one : writers_) all |= one.left != 0 ? one.window.mask() : 0;
    return all;
  }
  /// A window that has received can be opened again.
  [[nodiscard]] bool has_work() const {
    for (writer const& one : writers_)
      if (one.left != 0 && is_free(one)) return true;
    return false;
  }
  void work() {
    for (writer& one : writers_) {
      if (one.left == 0 || !is_free(one)) continue;
      --one.left;
      one.opened = true;
      good_ = one.window.open(part(one.client), one.bytes, one.client) && good_;
      mailbox::send(one.client, {static_cast<std::uint64_t>(status::ok), part(one.client)});
    }
  }
  [[nodiscard]] bool finish() {
    if (sender_.busy()) good_ = sender_.finish() && good_;
    return good_;
  }

 private:
  struct writer {
    receive_window window;
    std::uint64_t client;
    std::uint64_t bytes;
    std::uint64_t left;  ///< remaining number of times that it will be opened
    bool opened = false;
  };
  static bool is_free(writer const& one) { return !one.opened || one.window.is_closed(); }
  std::uint64_t memory_;
  std::uint64_t part_bytes_;
  std::uint64_t windows_ = 0;
  std::vector<writer> writers_;
  portal_sender sender_;
  bool good_ = true;
};

class bare_client {
 public:
  bare_client(mailbox& mail, std::uint64_t server, bool overlapped)
      : mail_(mail), server_(server), overlapped_(overlapped) {}

  /// Before the first write: announces the number and size of writes. With two windows the number is even.
  void announce_writes(std::uint64_t bytes, std::uint64_t times) {
    mailbox::send(server_, {static_cast<std::uint64_t>(operation::bare_write), bytes, times, overlapped_ ? 2UL : 1});
  }
  /// Reports an opened window whose message was taken from the mailbox elsewhere.
  void allowed(std::uint64_t where) {
    where_ = where;
    ++allowed_;
  }
  [[nodiscard]] bool write(void const* local, std::uint64_t bytes) {
    if (allowed_ == 0) allowed(mail_.receive().said[1]);
    --allowed_;
    std::uint64_t const where = where_;
    return sender_.send(reinterpret_cast<std::uint64_t>(local), bytes, where);
  }
  [[nodiscard]] bool read(void* local, std::uint64_t bytes) {
    std::uint64_t const where = tess::machine::cluster::global_name(local);
    auto const own = reinterpret_cast<std::uint64_t>(local);
    bool opened = false;
    if (overlapped_) {
      opened = window_.open(own, bytes, server_);
      mailbox::send(server_, {static_cast<std::uint64_t>(operation::bare_read), bytes, where});
    } else {
      mailbox::send(server_, {static_cast<std::uint64_t>(operation::bare_read), bytes, 0});
      (void)mail_.receive();
      opened = window_.open(own, bytes, server_);
      mailbox::send(server_, {static_cast<std::uint64_t>(operation::bare_allow), bytes, where});
    }
    mail_.wait_until(window_.mask(), [this] { return window_.is_closed(); });
    return opened;
  }

 private:
  mailbox& mail_;
  std::uint64_t server_;
  bool overlapped_;
  std::uint64_t allowed_ = 0;
  std::uint64_t where_ = 0;  ///< the same part each time
  receive_window window_{0};
  portal_sender sender_;
};

}  // namespace mppa
