// clusters: communication of two clusters: messages arrive in order and none is lost, receive windows accept only what
// they were opened for, and there is no other way. With an argument: a load from the other's memory, which traps.
#include <cstdio>
#include <cstring>
#include <tess/machine/mailbox.hpp>
#include <tess/machine/portal.hpp>

namespace {

using namespace tess::machine;  // NOLINT

constexpr std::uint64_t messages = 100;  // more than a mailbox holds
constexpr std::uint64_t window_bytes = 128;
alignas(64) unsigned char bytes[2 * window_bytes];

void wait(std::uint64_t cycles) {
  for (std::uint64_t const begin = cluster::cycle(); cluster::cycle() - begin < cycles;) {
  }
}

/// A copy by the adapter, which a cluster may make of its own memory only.
bool fetches(std::uint64_t from) {
  namespace of = registers::adapter;
  std::uint64_t const window = cluster::window(registers::unit::adapter);
  cluster::word(window + of::operation) = of::copy;
  cluster::word(window + of::address) = from;
  cluster::word(window + of::bytes) = 64;
  cluster::word(window + of::operand) = reinterpret_cast<std::uint64_t>(bytes);
  cluster::word(window + of::counter) = 0;
  cluster::word(window + of::doorbell) = 1;
  return cluster::word(window + of::doorbell) != static_cast<std::uint64_t>(registers::command_status::wrong);
}

/// A command of this cluster that would decrement a word of another.
bool counts_elsewhere(std::uint64_t counter) {
  namespace of = registers::invoke;
  std::uint64_t const window = cluster::window(registers::unit::invoke);
  mailbox::flush();
  cluster::word(window + of::target) = cluster::own_number();
  cluster::word(window + of::counter) = counter;
  cluster::word(window + of::doorbell) = 1;
  return cluster::word(window + of::doorbell) != static_cast<std::uint64_t>(registers::command_status::wrong);
}

int send(mailbox& mail) {
  for (std::uint64_t i = 0; i < messages; ++i) mailbox::send(1, {i, i * i});
  std::uint64_t const where = mail.receive().said[0];
  std::memset(bytes, 0x11, sizeof bytes);
  portal_sender portal;
  auto const own = reinterpret_cast<std::uint64_t>(bytes);
  std::printf("behind the window: %d\n", portal.send(own, 64, where + window_bytes));
  std::printf("over its end: %d\n", portal.send(own, window_bytes, where + 64));
  std::printf("into it: %d\n", portal.send(own, 64, where));
  std::printf("once more: %d\n", portal.send(own, 64, where + 64));
  std::printf("too often: %d\n", portal.send(own, 64, where));
  std::printf("fetched: %d, counted: %d\n", fetches(where), counts_elsewhere(where));
  mailbox::send(1, {});
  mailbox::flush();
  return 0;
}

int receive(mailbox& mail) {
  wait(20'000);  // until its mailbox is full
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < messages; ++i) {
    auto const came = mail.receive();
    right += came.said[0] == i && came.said[1] == i * i && came.source == 0 ? 1 : 0;
  }
  receive_window window(3);
  receive_window other(4);
  auto const own = reinterpret_cast<std::uint64_t>(bytes);
  bool const opened = window.open(own, window_bytes, 0, 2) && !other.open(own, 63, 0) && !other.open(own, 64, 1);
  // For another cluster: cluster 0 must not come in by it.
  bool const third = other.open(own + window_bytes, window_bytes, 2);
  mailbox::send(0, {cluster::global_name(bytes)});
  mail.wait_until([&] { return window.is_closed(); });
  (void)mail.receive();
  int inside = 0;
  int outside = 0;
  for (std::uint64_t i = 0; i < sizeof bytes; ++i) {
    inside += i < window_bytes && bytes[i] == 0x11 ? 1 : 0;
    outside += i >= window_bytes && bytes[i] != 0 ? 1 : 0;
  }
  // The other's lines come first, as it ends only after this one.
  wait(20'000);
  std::printf("messages in order: %lu; opened: %d %d; bytes inside: %d, outside: %d\n", right, opened, third, inside,
              outside);
  return 0;
}

}  // namespace

int main(int count, char**) {
  if (count > 1) return static_cast<int>(cluster::word(cluster::row(1, registers::information::row_tlm) + 0x40000));
  mailbox mail;
  return cluster::own_number() == 0 ? send(mail) : receive(mail);
}
