// toy_machine: caches and a directory connected by random delays only, so any two messages may be reordered.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "machine/cache/l2_private.hpp"
#include "machine/memory/blocking_directory.hpp"

namespace tess::machine {

class toy_machine : probe_sender {
 public:
  static constexpr std::uint64_t line_bytes = 64;
  static constexpr std::uint64_t base = std::uint64_t{1} << 40U;  ///< The first line's address.

  /// A message takes 1 to `slowest` ns.
  toy_machine(std::uint32_t caches, cache_shape const& shape, std::uint64_t slowest, unsigned seed)
      : memory(clock, clock_domain(1000), {.port_bytes = 64, .access_cycles = 2}, dram_of()),
        home(clock, memory, *this, 1000, line_bytes),
        slowest_(slowest),
        draw_(seed) {
    for (std::uint32_t i = 0; i < caches; ++i) tiles.push_back(std::make_unique<tile>(*this, i, shape));
  }

  /// Delays a message; then calls `arrived`.
  template <class Then>
  void travel(Then&& arrived) {
    clock.after(1000 * (1 + draw_() % slowest_), messages_.emplace_back(std::forward<Then>(arrived)));
  }

  /// The view that one cache has of the rest of the machine.
  struct tile : line_memory, snooper {
    tile(toy_machine& of_, std::uint32_t number_, cache_shape const& shape)
        : of(of_), number(number_), l2(of_.clock, shape, *this) {
      l2.keep_coherent(*this);
    }
    void invalidate(std::uint64_t, std::size_t) override { ++lost; }
    void fetch(line_fetch& wanted, event& done) override {
      request& sent = take(wanted.address, done);
      sent.carried.what = remote_operation::read;
      sent.carried.part = line_access{.right = wanted.right, .held = wanted.held};
      sent.fetched = &wanted;
      send(sent);
    }
    void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) override {
      request& sent = take(address, done);
      sent.carried.what = remote_operation::write;
      sent.carried.part = line_access{.right = kept ? line_right::exclusive : line_right::none};
      std::ranges::copy(line, sent.carried.data.begin());
      send(sent);
    }
    void clear(std::uint64_t) override {}

    struct request : event {
      explicit request(tile& at_) : event([](event& self) { static_cast<request&>(self).answered(); }), at(at_) {}
      void answered() {
        at.of.travel([this] { at.arrived(*this); });
      }
      tile& at;
      transaction carried;
      line_fetch* fetched = nullptr;
      event* done = nullptr;
    };
    request& take(std::uint64_t address, event& done) {
      request& taken = requests.emplace_back(*this);
      taken.carried.address = address;
      taken.carried.bytes = line_bytes;
      taken.carried.source = number;
      taken.done = &done;
      return taken;
    }
    void send(request& sent) {
      of.travel([this, &sent] { of.home.serve(sent.carried, sent.carried.address - base, sent); });
    }
    void arrived(request& answered) {
      if (answered.fetched != nullptr) {
        std::copy_n(answered.carried.data.begin(), answered.carried.bytes, answered.fetched->into.begin());
        answered.fetched->right = answered.carried.right();
      }
      answered.done->happens(*answered.done);
      if (answered.fetched != nullptr)
        of.travel([this, address = answered.carried.address] { of.home.unblocked(address); });
    }

    toy_machine& of;
    std::uint32_t number;
    l2_private l2;
    std::deque<request> requests;
    std::uint64_t lost = 0;
  };

  kernel clock{1000};
  memory_port memory;
  blocking_directory home;
  std::vector<std::unique_ptr<tile>> tiles;

 private:
  struct message : event {
    template <class Then>
    explicit message(Then&& then)
        : event([](event& self) { static_cast<message&>(self).arrived(); }), arrived(std::forward<Then>(then)) {}
    std::function<void()> arrived;
  };
  static dram_parameters dram_of() {
    dram_parameters small;
    small.rows = 16;
    return small;
  }
  void send_probe(transaction& probe) override {
    travel([this, &probe] {
      auto const given =
          tiles[probe.target]->l2.surrender(probe.address, probe.right(), {probe.data.data(), line_bytes});
      probe.line()->right = given.kept;
      probe.bytes = given.dirty ? line_bytes : 0;
      travel([&probe] { probe.done->happens(*probe.done); });
    });
  }

  std::uint64_t slowest_;
  std::mt19937_64 draw_;
  std::deque<message> messages_;
};

}  // namespace tess::machine
