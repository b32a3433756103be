// mailbox: short messages between clusters: five words and the sender, in order of arrival.
//
//   Each cluster has one. A message that finds it full stays at its sender, whose adapter sends it again. A waiting
//   hart sleeps, and wakes for a message or for the last transfer into a receive window (portal.hpp).
//
// Threads   send(): any hart. All others: one hart of the cluster.
// Errors    send() to an invalid cluster ends the program: it is a bug of the program.
// Source    mailboxes of Nanvix and NodeOS, whose messages have 120 bytes; registers.hpp, `invoke` and `tasks`.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <tess/machine/cluster.hpp>

namespace tess::machine {

/// The mailbox of this cluster; one for each program.
class mailbox {
 public:
  /// Content of a message.
  using words = std::array<std::uint64_t, registers::invoke::words>;
  /// A message as it arrives.
  struct message {
    words said{};
    std::uint64_t source = 0;  ///< Cluster; set by the network, not by the sender.
  };

  mailbox() {
    cluster::word(cluster::unit_address(registers::unit::tasks) + registers::tasks::notify) =
        reinterpret_cast<std::uint64_t>(&arrived_);
  }
  mailbox(mailbox const&) = delete;
  mailbox& operator=(mailbox const&) = delete;
  ~mailbox() { cluster::word(cluster::unit_address(registers::unit::tasks) + registers::tasks::notify) = 0; }

  /// Returns when the words may be reused; the message is then in flight.
  static void send(std::uint64_t to, words const& said) {
    namespace of = registers::invoke;
    std::uint64_t const window = cluster::window(registers::unit::invoke);
    await_sent(window);
    for (std::size_t i = 0; i < said.size(); ++i) cluster::word(window + 8 * i) = said[i];
    cluster::word(window + of::target) = to;
    cluster::word(window + of::counter) = 0;
    cluster::fence();
    cluster::word(window + of::doorbell) = 1;
    if (cluster::word(window + of::doorbell) == static_cast<std::uint64_t>(registers::command_status::wrong)) {
      std::fprintf(stderr, "mailbox: there is no cluster %lu\n", static_cast<unsigned long>(to));
      std::abort();
    }
  }
  /// Waits until the last message of this hart is in its receiver's mailbox; required before the program ends.
  static void flush() { await_sent(cluster::window(registers::unit::invoke)); }

  /// True if no message has arrived.
  [[nodiscard]] static bool empty() {
    return cluster::word(cluster::unit_address(registers::unit::tasks) + registers::tasks::waiting) == 0;
  }
  /// Removes and returns the oldest message, if there is one.
  [[nodiscard]] static std::optional<message> try_receive() {
    namespace of = registers::tasks;
    std::uint64_t const window = cluster::window(registers::unit::tasks);
    if (cluster::word(window + of::take) == 0) return std::nullopt;
    message came;
    for (std::size_t i = 0; i < came.said.size(); ++i) came.said[i] = cluster::word(window + 8 * i);
    came.source = cluster::word(window + of::source);
    return came;
  }
  /// Sleeps until `there()` returns true; it tests for messages or for receive windows of the cluster.
  template <class Condition>
  void wait_until(Condition there) {
    while (!there()) cluster::sleep_on(arrived_, there);
  }
  /// The oldest message; sleeps until there is one.
  [[nodiscard]] message receive() {
    wait_until([] { return !empty(); });
    return *try_receive();
  }

 private:
  static void await_sent(std::uint64_t window) {
    auto const accepted = static_cast<std::uint64_t>(registers::command_status::accepted);
    while (cluster::word(window + registers::invoke::doorbell) == accepted) {
    }
  }
  std::uint64_t arrived_ = 0;  ///< Incremented by the queue and by the windows.
};

}  // namespace tess::machine
