// rae_fixture: nodes of rae-6, or tiles of another machine with [rae], without harts, with chosen parameters; requests
// of other nodes, and accesses of an owner's hart through its L2.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <coroutine>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "../at_rest.hpp"
#include "../with_hardware.hpp"
#include "machine/config/comparison.hpp"
#include "machine/tile/grid.hpp"

namespace tess::machine::test {

/// A key of the machine and its value; "machine" is which one, rae-6 if there is none.
using changes = std::vector<std::pair<std::string, std::string>>;

/// A key of [rae] by its name; a key of another table as "table.key".
inline machine_description described(changes wanted) {
  auto const chosen = std::ranges::find(wanted, "machine", &changes::value_type::first);
  std::string const name = chosen == wanted.end() ? "rae-6" : chosen->second;
  if (chosen != wanted.end()) wanted.erase(chosen);
  wanted.insert(wanted.begin(), {"l2.way_bytes", "4096"});
  std::string text = resolved_text(std::string(TESS_MACHINES) + "/" + name + ".toml");
  for (auto const& [key, value] : wanted) {
    std::size_t const dot = key.find('.');
    std::string const table = dot == std::string::npos ? "rae" : key.substr(0, dot);
    std::string const last = dot == std::string::npos ? key : key.substr(dot + 1);
    std::size_t const from = text.find("\n[" + table + "]");
    std::size_t const at = text.find("\n" + last + " = ", from);
    EXPECT_NE(at, std::string::npos) << key;
    std::size_t const begin = at + last.size() + 4;
    text.replace(begin, text.find_first_of(" \n", begin) - begin, value);
  }
  return parse_machine(text, "changed " + name);
}

/// Awaited: something happens once.
struct happening : event {
  happening() : event([](event& self) { static_cast<happening&>(self).happen(); }) {}
  void happen() {
    happened = true;
    if (waiting) std::exchange(waiting, nullptr).resume();
  }
  [[nodiscard]] bool await_ready() const noexcept { return happened; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
  bool happened = false;
  std::coroutine_handle<> waiting;
};

class nodes {
 public:
  explicit nodes(changes const& wanted = {}) : g(with_hardware(described(wanted), true)) {}

  /// `count` adds of 1 to words of one line, without a network: all come at once.
  void add_at_once(int count, std::uint64_t line) {
    for (int i = 0; i < count; ++i) {
      transaction& made = fresh(remote_operation::atomic, word(line + 8 * (static_cast<std::uint64_t>(i) % 8)), 8);
      made.word = atomic_operation::add;
      made.operand = 1;
      made.source = 1;
      g.tiles[0]->serve(made, signals.emplace_back());
    }
    run();
  }

  /// A word of the home's partition.
  std::uint64_t word(std::uint64_t offset, std::uint32_t home = 0) {
    return g.map.of(region_kind::partition, home)->base + offset;
  }
  atomics_interface& at(std::uint32_t tile) { return *g.tiles[tile]->atomics(); }
  atomics_interface::statistics counted(std::uint32_t tile = 0) { return at(tile).counted(); }

  transaction& add(std::uint32_t from, std::uint64_t address, std::uint64_t operand = 1, std::uint64_t bytes = 8) {
    transaction& made = fresh(remote_operation::atomic, address, bytes);
    made.word = atomic_operation::add;
    made.operand = operand;
    return issue(from, made);
  }
  transaction& load(std::uint32_t from, std::uint64_t address, std::uint64_t bytes = 8) {
    return issue(from, fresh(remote_operation::read, address, bytes));
  }
  transaction& store(std::uint32_t from, std::uint64_t address, std::uint64_t value, std::uint64_t bytes = 8) {
    transaction& made = fresh(remote_operation::write, address, bytes);
    std::memcpy(made.data.data(), &value, sizeof value);
    return issue(from, made);
  }
  transaction& fresh(remote_operation what, std::uint64_t address, std::uint64_t bytes) {
    transaction& made = transactions.emplace_back();
    made.what = what;
    made.address = address;
    made.bytes = bytes;
    return made;
  }
  transaction& issue(std::uint32_t from, transaction& made) {
    made.target = g.map.find(made.address)->tile;
    made.done = &signals.emplace_back();
    g.tiles[from]->network_adapter().issue(made);
    return made;
  }
  static std::uint64_t value(transaction const& read) {
    std::uint64_t brought = 0;
    std::memcpy(&brought, read.data.data(), read.bytes);
    return brought;
  }

  /// An access of the owner's hart through its L2, at once if the line is present: `change` gets the word's bytes.
  template <class Change>
  process owner(std::uint64_t address, std::uint64_t bytes, bool stores, Change change) {
    tile& home = *g.tiles[g.map.find(address)->tile];
    for (;;) {
      if (std::byte* const there = home.look_up(tile::place::l2, address, stores)) {
        change(there);
        if (stores) home.snoop(address, bytes, nullptr, 0);
        co_return;
      }
      happening come;
      home.l2().bring(address, come, stores);
      co_await come;
    }
  }
  void owner_stores(std::uint64_t address, std::uint64_t number) {
    g.clock.start(owner(address, 8, true, [number](std::byte* at) { std::memcpy(at, &number, sizeof number); }));
    run();
  }
  std::uint64_t owner_loads(std::uint64_t address) {
    std::uint64_t seen = 0;
    g.clock.start(owner(address, 8, false, [&seen](std::byte const* at) { std::memcpy(&seen, at, sizeof seen); }));
    run();
    return seen;
  }
  /// The value in memory, even if a cache has a newer one.
  std::uint64_t in_memory(std::uint64_t address) {
    region const& in = *g.map.find(address);
    std::uint64_t found = 0;
    std::memcpy(&found, g.tiles[in.memory_tile]->memory()->bytes().at(in.memory_offset + (address - in.base)), 8);
    return found;
  }
  std::uint64_t newest(std::uint64_t address) {
    std::uint64_t found = 0;
    std::memcpy(&found, g.tiles[g.map.find(address)->tile]->peek(address), sizeof found);
    return found;
  }

  void run() {
    g.clock.run();
    expect_at_rest(g);
    for (std::uint32_t tile = 0; tile < g.description.tiles(); ++tile) EXPECT_TRUE(at(tile).idle()) << "tile " << tile;
  }

  grid g;
  std::deque<transaction> transactions;
  std::deque<happening> signals;
};

}  // namespace tess::machine::test
