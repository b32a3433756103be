// kernel_calls: calls of the system kernel: memory, mailboxes between harts and tiles, time, and wrong calls.
//
//   All copies send to copy 0 from several harts at once; it checks that every message came once, whole and in the
//   order of its sender. Prints what was wrong, then the sums. With an argument it prints the cycles of calls instead.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <random>
#include <tess/machine/cluster.hpp>
#include <tess/machine/system_call.hpp>
#include <thread>
#include <vector>

namespace {

using namespace tess::machine;          // NOLINT
using namespace tess::machine::system;  // NOLINT

std::int64_t ask(call_number number, std::array<std::uint64_t, 5> operands) {
  call one{.number = static_cast<std::uint64_t>(number), .operands = operands};
  std::uint64_t const own = cluster::window(registers::unit::interrupts) + registers::interrupts::call;
  cluster::fence();
  cluster::word(own) = reinterpret_cast<std::uint64_t>(&one);
  auto const ended = [&] { return *const_cast<std::uint64_t volatile*>(&one.state) != 0; };
  while (!ended()) cluster::sleep_on(one.state, ended);
  cluster::fence();
  return one.result;
}
std::uint64_t address(void const* at) {
  return reinterpret_cast<std::uint64_t>(at);
}

std::atomic<int> wrong;
void expect(char const* what, std::int64_t is, std::int64_t must_be) {
  if (is == must_be) return;
  ++wrong;
  std::printf("%s: %ld, must be %ld\n", what, static_cast<long>(is), static_cast<long>(must_be));
}
std::int64_t code(error one) {
  return static_cast<std::int64_t>(one);
}

alignas(4096) unsigned char arena[256 << 10];

// Blocks of all sizes at random: aligned, inside, disjoint, and with their contents until they are released.
void memory() {
  expect("allocate without memory", ask(call_number::allocate, {64}), code(error::no_memory));
  expect("manage too little", ask(call_number::manage, {address(arena), 64}), code(error::no_memory));
  expect("manage", ask(call_number::manage, {address(arena), sizeof arena}), 0);
  std::map<std::uint64_t, std::uint64_t> blocks;  // by address: bytes
  std::mt19937 random(7);                         // NOLINT
  std::uint64_t refused = 0;
  for (int k = 0; k < 600; ++k) {
    if (blocks.empty() || random() % 8 < 5) {
      std::uint64_t const bytes = random() % 4 == 0 ? 1 + random() % 20000 : 1 + random() % 3000;
      std::int64_t const made = ask(call_number::allocate, {bytes});
      if (made < 0) {
        ++refused;
        continue;
      }
      auto const begin = static_cast<std::uint64_t>(made);
      expect("alignment", static_cast<std::int64_t>(begin % 64), 0);
      expect("inside", begin >= address(arena) && begin + bytes <= address(arena) + sizeof arena, true);
      auto const after = blocks.lower_bound(begin);
      expect("before the next", after == blocks.end() || begin + bytes <= after->first, true);
      expect("behind the last", after == blocks.begin() || std::prev(after)->first + std::prev(after)->second <= begin,
             true);
      std::fill_n(reinterpret_cast<unsigned char*>(begin), bytes, static_cast<unsigned char>(bytes));
      blocks[begin] = bytes;
    } else {
      auto const one = std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
      auto const* const at = reinterpret_cast<unsigned char const*>(one->first);
      expect("contents", std::count(at, at + one->second, static_cast<unsigned char>(one->second)),
             static_cast<std::int64_t>(one->second));
      expect("release", ask(call_number::release, {one->first}), 0);
      blocks.erase(one);
    }
  }
  expect("some are refused", refused != 0, true);
  for (auto const& [begin, bytes] : blocks) expect("release", ask(call_number::release, {begin}), 0);
  // All is free again: one block of nearly everything.
  std::int64_t const most = ask(call_number::allocate, {sizeof arena - (16 << 10)});
  expect("all is free again", most > 0, true);
  expect("release a part", ask(call_number::release, {static_cast<std::uint64_t>(most) + 64}), code(error::invalid));
  expect("release", ask(call_number::release, {static_cast<std::uint64_t>(most)}), 0);
}

void mistakes() {
  unsigned char text[200] = {};
  expect("no such call", ask(static_cast<call_number>(99), {}), code(error::invalid));
  expect("a place of other shapes", ask(call_number::serve, {address(text), 1}), code(error::invalid));
  expect("too long a message", ask(call_number::mailbox_send, {0, 1, address(text), 121}), code(error::invalid));
  expect("no such port", ask(call_number::mailbox_open, {ports}), code(error::no_mailbox));
  expect("a closed port", ask(call_number::mailbox_try, {5, address(text), 8}), code(error::no_mailbox));
  expect("open", ask(call_number::mailbox_open, {5}), 0);
  expect("open again", ask(call_number::mailbox_open, {5}), code(error::no_mailbox));
  expect("nothing there", ask(call_number::mailbox_try, {5, address(text), 8}), code(error::none_there));
  // To the own tile, of all lengths.
  for (std::uint64_t bytes = 0; bytes <= message_bytes_max; ++bytes) {
    unsigned char sent[message_bytes_max];
    for (std::uint64_t k = 0; k < bytes; ++k) sent[k] = static_cast<unsigned char>(k * 3 + bytes);
    expect("send", ask(call_number::mailbox_send, {cluster::own_number(), 5, address(sent), bytes}), 0);
    std::int64_t const came = ask(call_number::mailbox_receive, {5, address(text), sizeof text});
    expect("length", came & 0xffff, static_cast<std::int64_t>(bytes));
    expect("bytes", std::equal(sent, sent + bytes, text), true);
  }
  expect("close", ask(call_number::mailbox_close, {5}), 0);
  std::uint64_t const before = cluster::cycle();
  expect("sleep", ask(call_number::sleep, {20'000}), 0);
  std::uint64_t const ps = (cluster::cycle() - before) * cluster::information(registers::information::clock_ps);
  expect("for 20 us", ps >= 19'900'000 && ps < 60'000'000, true);
}

// More calls at once than the kernel has memory for: all harts wait in it together, again and again.
void crowd() {
  std::vector<std::thread> all;
  auto const waits = [] {
    for (int k = 0; k < 20; ++k) expect("sleep in a crowd", ask(call_number::sleep, {5'000}), 0);
  };
  for (std::uint64_t hart = 1; hart < cluster::information(registers::information::harts); ++hart)
    all.emplace_back(waits);
  waits();
  for (auto& one : all) one.join();
}

constexpr std::uint64_t messages = 20;

void send_all(std::uint64_t to, std::uint64_t hart) {
  for (std::uint64_t k = 0; k < messages; ++k) {
    std::uint64_t said[15];
    for (std::uint64_t i = 0; i < 15; ++i) said[i] = (hart << 32U | k) * (i + 1);
    std::uint64_t const bytes = 16 + 8 * (k % 14);
    if (ask(call_number::mailbox_send, {to, 1, address(said), bytes}) != 0) ++wrong;
  }
}

void receive_all(std::uint64_t senders, std::uint64_t harts) {
  std::map<std::uint64_t, std::uint64_t> next;  // by tile and hart
  for (std::uint64_t k = 0; k < senders * harts * messages; ++k) {
    std::uint64_t said[15];
    std::int64_t const came = ask(call_number::mailbox_receive, {1, address(said), sizeof said});
    std::uint64_t const from = static_cast<std::uint64_t>(came) >> 16U << 16U | said[0] >> 32U;
    std::uint64_t const number = said[0] & 0xffffffffU;
    if (number != next[from]++) ++wrong;
    if (static_cast<std::uint64_t>(came & 0xffff) != 16 + 8 * (number % 14)) ++wrong;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(came & 0xffff) / 8; ++i)
      if (said[i] != said[0] * (i + 1)) ++wrong;
  }
  std::printf("%lu senders, %d wrong\n", static_cast<unsigned long>(next.size()), wrong.load());
}

// Cycles of a call once its code is in the caches: the least of several.
template <class Operation>
void cost(char const* what, Operation operation) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int k = 0; k < 8; ++k) {
    std::uint64_t const before = cluster::cycle();
    operation();
    least = std::min(least, cluster::cycle() - before);
  }
  std::printf("%s %lu\n", what, static_cast<unsigned long>(least));
}

// Copy 1 sends to copy 0, which only receives.
void costs(std::uint64_t copy, std::uint64_t first) {
  std::uint64_t said[15] = {};
  if (copy == 0) {
    ask(call_number::mailbox_open, {1});
    do ask(call_number::mailbox_receive, {1, address(said), sizeof said});
    while (said[0] == 0);
    return;
  }
  ask(call_number::mailbox_open, {1});
  ask(call_number::manage, {address(arena), sizeof arena});
  cost("no call", [] { ask(call_number::none, {}); });
  cost("allocate and release", [] {
    auto const block = static_cast<std::uint64_t>(ask(call_number::allocate, {256}));
    ask(call_number::release, {block});
  });
  cost("open and close a port", [] {
    ask(call_number::mailbox_open, {2});
    ask(call_number::mailbox_close, {2});
  });
  cost("send 40 bytes to the own tile and receive", [&] {
    ask(call_number::mailbox_send, {cluster::own_number(), 1, address(said), 40});
    ask(call_number::mailbox_receive, {1, address(said), sizeof said});
  });
  cost("send 40 bytes to another tile", [&] { ask(call_number::mailbox_send, {first, 1, address(said), 40}); });
  cost("send 120 bytes to another tile", [&] { ask(call_number::mailbox_send, {first, 1, address(said), 120}); });
  said[0] = 1;
  ask(call_number::mailbox_send, {first, 1, address(said), 8});
}

}  // namespace

int main(int count, char**) {
  std::uint64_t const copy = cluster::information(registers::information::program);
  std::uint64_t const copies = cluster::information(registers::information::programs);
  std::uint64_t const harts = std::min<std::uint64_t>(cluster::information(registers::information::harts), 3);
  std::uint64_t first = 0;
  while (cluster::row(first, registers::information::row_program) != 1) ++first;
  if (count > 1) return costs(copy, first), 0;
  if (copy == 0) {
    expect("open", ask(call_number::mailbox_open, {1}), 0);
    memory();
    mistakes();
    crowd();
    receive_all(copies - 1, harts);
    return wrong == 0 ? 0 : 1;
  }
  // The port may not be open yet: the message is refused, and sent again when there is room.
  std::vector<std::thread> all;
  for (std::uint64_t hart = 1; hart < harts; ++hart) all.emplace_back(send_all, first, hart);
  send_all(first, 0);
  for (auto& one : all) one.join();
  return wrong == 0 ? 0 : 1;
}
