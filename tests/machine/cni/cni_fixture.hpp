// cni_fixture: a machine with cache-integrated network interfaces and no harts; tests enter regions as programs do, and
// issue the stores of harts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "../at_rest.hpp"
#include "../with_hardware.hpp"
#include "machine/tile/grid.hpp"

namespace tess::machine::test {

namespace of = registers::cni;

struct nothing : event {
  nothing() : event([](event& self) { ++static_cast<nothing&>(self).times; }) {}
  int times = 0;
};
/// Awaited by a process that was told to retry; each waiter waits once.
struct again : event {
  again() : event([](event& self) { static_cast<again&>(self).happen(); }) {}
  void happen() {
    happened = true;
    if (waiting) waiting.resume();
  }
  [[nodiscard]] bool await_ready() const noexcept { return happened; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
  bool happened = false;
  std::coroutine_handle<> waiting;
};

class interfaces {
 public:
  explicit interfaces(std::string const& name = "cni-4")
      : g(with_hardware(read_machine(TESS_MACHINES "/" + name + ".toml"))) {
    for (std::uint32_t tile = 0; tile < g.description.tiles(); ++tile) open(tile);
  }

  network_interface& at(std::uint32_t tile) { return *g.tiles[tile]->interface(); }
  std::uint64_t scratchpad(std::uint32_t tile, std::uint64_t offset = 0) {
    return g.map.of(region_kind::scratchpad, tile)->base + offset;
  }
  [[nodiscard]] std::uint64_t way_bytes() const { return g.description.l2.way_bytes; }
  /// A line in the way for events.
  std::uint64_t line(std::uint32_t tile, std::uint64_t number) {
    return scratchpad(tile, (g.description.l2.ways - 2) * way_bytes() + number * of::line_bytes);
  }
  std::uint64_t partition(std::uint32_t tile) { return g.map.of(region_kind::partition, tile)->base; }
  std::uint64_t uncached(std::uint32_t tile) { return g.map.of(region_kind::partition_uncached, tile)->base; }
  std::uint64_t tlm(std::uint32_t tile) { return g.map.of(region_kind::tlm, tile)->base; }

  /// The regions that open() in tess/machine/cni.hpp enters; the data region is scratchpad.
  void open(std::uint32_t tile) {
    std::uint64_t const ways = g.description.l2.ways - 1;
    std::uint64_t const stride = g.description.cni->scratchpad_stride;
    std::uint64_t all = stride;
    while (all < stride * g.description.tiles()) all *= 2;
    std::size_t entry = 0;
    for (std::uint64_t way = 0; way < ways; ++way) {
      enter(tile, entry++, scratchpad(tile, way * way_bytes()), ~(way_bytes() - 1), of::own_scratchpad, way);
    }
    enter(tile, entry++, scratchpad(0, (ways - 1) * way_bytes()), ~(all - 1) | (stride - way_bytes()),
          of::remote_events);
    enter(tile, entry++, scratchpad(0), ~(all - 1), of::remote_scratchpad);
    enter(tile, entry++, partition(0), ~((std::uint64_t{1} << 40U) - 1), of::memory);
    std::uint64_t const uncached_bits = ~((std::uint64_t{1} << 40U) - 1);
    enter(tile, entry++, uncached(0) & uncached_bits, uncached_bits, of::memory);
    EXPECT_TRUE(at(tile).lines().configure(scratchpad(tile), (ways - 1) * way_bytes(), of::scratchpad));
  }
  /// All tile-local memories as well.
  void open_tlms(std::uint32_t tile) {
    std::uint64_t const bits = ~((std::uint64_t{1} << 40U) - 1);
    enter(tile, at(tile).regions().entries().size() - 1, tlm(0) & bits, bits, of::memory);
  }
  void enter(std::uint32_t tile, std::size_t entry, std::uint64_t match, std::uint64_t mask, std::uint64_t code,
             std::uint64_t way = 0) {
    region_table::entry& one = at(tile).regions().entries()[entry];
    one = {match, mask, code, way, false};
    EXPECT_TRUE(at(tile).regions().enable(one, g.description.l2.ways)) << "tile " << tile << ", entry " << entry;
  }
  void configure(std::uint64_t address, of::line_code code, std::uint64_t bytes = of::line_bytes) {
    EXPECT_TRUE(at(g.map.find(address)->tile).lines().configure(address, bytes, code)) << std::hex << address;
  }

  /// A store by the tile's own hart.
  access_outcome store(std::uint64_t address, std::uint64_t value) {
    return at(g.map.find(address)->tile).store_event(address, std::as_bytes(std::span(&value, 1)), fresh());
  }
  void must_store(std::uint64_t address, std::uint64_t value) {
    EXPECT_EQ(store(address, value), access_outcome::done) << std::hex << address;
  }
  /// A store by a hart of another tile; it waits in that tile's interface, not here.
  void post(std::uint32_t from, std::uint64_t address, std::uint64_t value) {
    while (!at(from).post(address, std::as_bytes(std::span(&value, 1)), fresh())) {
      ASSERT_FALSE(g.clock.idle());
      g.clock.run_on(g.clock.next_due());
    }
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    std::byte const* const here = g.tiles[g.map.find(address)->tile]->peek(address);
    EXPECT_NE(here, nullptr) << std::hex << address;
    if (here != nullptr) std::memcpy(&value, here, sizeof value);
    return value;
  }

  /// A byte of a scratchpad, of a TLM, or of DDR. The cached address reads memory behind all caches, the uncached
  /// address reads through the caches of the home tile.
  std::byte& byte_at(std::uint64_t address) {
    region const& in = *g.map.find(address);
    if (in.kind == region_kind::scratchpad || in.kind == region_kind::tlm) return *g.tiles[in.tile]->peek(address);
    if (in.kind == region_kind::partition_uncached)
      return *g.tiles[in.tile]->peek(partition(in.tile) + (address - in.base));
    return *g.tiles[in.memory_tile]->memory()->bytes().at(in.memory_offset + (address - in.base));
  }

  // Commands of a tile through the command buffer at line 255.
  std::uint64_t commands(std::uint32_t tile) { return line(tile, way_bytes() / of::line_bytes - 1); }
  void copy(std::uint32_t by, std::uint64_t to, std::uint64_t from, std::uint64_t bytes,
            std::uint64_t acknowledged = 0) {
    std::uint64_t const buffer = command_buffer(by);
    must_store(buffer + of::command_source, from);
    must_store(buffer + of::command_what, of::what_of(of::copy, bytes));
    must_store(buffer + of::command_destination, to);
    must_store(buffer + of::command_acknowledgement, acknowledged);
  }
  void message(std::uint32_t by, std::uint64_t to, std::vector<std::uint64_t> const& words,
               std::uint64_t acknowledged = 0, of::command_code code = of::message) {
    std::uint64_t const buffer = command_buffer(by);
    must_store(buffer + of::command_what, of::what_of(code, 8 * words.size()));
    for (std::size_t i = 0; i < words.size(); ++i) must_store(buffer + of::command_data + 8 * i, words[i]);
    must_store(buffer + of::command_destination, to);
    must_store(buffer + of::command_acknowledgement, acknowledged);
  }
  std::uint64_t command_buffer(std::uint32_t by) {
    std::uint64_t const buffer = commands(by);
    if (at(by).lines().code_of(buffer) != of::command_buffer) configure(buffer, of::command_buffer);
    return buffer;
  }
  void queue(std::uint64_t at_line, of::line_code code, std::uint64_t buffer, std::uint64_t log2_items,
             std::uint64_t log2_words) {
    configure(at_line, code);
    must_store(at_line + of::queue_buffer, buffer);
    must_store(at_line + of::queue_shape, of::shape_of(log2_items, log2_words));
  }
  /// Expects exactly one fault of this kind at this tile since the last call.
  void expect_fault(std::uint32_t tile, of::fault why, std::uint64_t address) {
    network_interface::fault_record& faults = at(tile).faults();
    EXPECT_EQ(faults.count, 1U);
    EXPECT_EQ(faults.last, why);
    EXPECT_EQ(faults.address, address) << std::hex << faults.address << " instead of " << address;
    faults.count = 0;
  }
  void expect_no_fault() {
    for (std::uint32_t tile = 0; tile < g.description.tiles(); ++tile) {
      EXPECT_EQ(at(tile).faults().count, 0U)
          << "tile " << tile << ", fault " << static_cast<int>(at(tile).faults().last) << " at " << std::hex
          << at(tile).faults().address;
    }
  }
  void run() {
    g.clock.run();
    expect_at_rest(g);
  }

  /// Registered for retries but never retries; each waits once.
  nothing& fresh() { return told.emplace_back(); }
  [[nodiscard]] std::size_t times_told() const {
    return static_cast<std::size_t>(std::ranges::count(told, 1, &nothing::times));
  }
  // Operations of a hart, as processes: like the store, they wait until they are done.
  task<> hart_stores(std::uint64_t address, std::uint64_t value) {
    for (;;) {
      again told_so;
      auto const bytes = std::as_bytes(std::span(&value, 1));
      if (at(g.map.find(address)->tile).store_event(address, bytes, told_so) != access_outcome::full) co_return;
      co_await told_so;
    }
  }
  task<> hart_posts(std::uint32_t from, std::uint64_t address, std::uint64_t value) {
    for (;;) {
      again told_so;
      if (at(from).post(address, std::as_bytes(std::span(&value, 1)), told_so)) co_return;
      co_await told_so;
    }
  }

  grid g;
  std::deque<nothing> told;
};

}  // namespace tess::machine::test
