// forwarding_toy: caches and one home with a forwarding directory, connected by random delays only, so any two messages
// may be reordered, but what the home sends to its memory, which is elsewhere.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "machine/cache/l2_private.hpp"
#include "machine/memory/forwarding_directory.hpp"
#include "machine/memory/line_client.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

class forwarding_toy : home_carrier {
 public:
  static constexpr std::uint64_t line_bytes = 64;
  static constexpr std::uint64_t base = std::uint64_t{1} << 40U;  ///< The first line's address.

  /// A message takes 1 to `slowest` ns.
  forwarding_toy(std::uint32_t caches, cache_shape const& shape, std::uint64_t slowest, unsigned seed)
      : memory(clock, clock_domain(1000), {.port_bytes = 64, .access_cycles = 2}, dram_of()),
        home(clock, *this, 1000, line_bytes),
        slowest_(slowest),
        draw_(seed) {
    for (std::uint32_t i = 0; i < caches; ++i) tiles.push_back(std::make_unique<tile>(*this, i, shape));
  }

  /// The view that one cache has of the rest of the machine.
  struct tile : line_memory, snooper, line_carrier {
    tile(forwarding_toy& of_, std::uint32_t number_, cache_shape const& shape)
        : of(of_), number(number_), l2(of_.clock, shape, *this), client(of_.clock, l2, *this, 1000) {
      l2.keep_coherent(*this, true);
    }
    void invalidate(std::uint64_t, std::size_t) override { ++lost; }
    void fetch(line_fetch& wanted, event& done) override { client.fetch(wanted, done); }
    void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) override {
      client.write_back(address, line, kept, done);
    }
    void give_up(std::uint64_t address, event& done) override { client.give_up(address, done); }
    void clear(std::uint64_t) override {}
    void request_line(transaction& request) override {
      request.source = number;
      of.travel([this, &request] { of.serve_home(request, [&request] { request.done->happens(*request.done); }); });
    }
    void tell_home(transaction& told) override {
      of.travel([this, &told] {
        of.home.was_copied(told);
        told.done->happens(*told.done);
      });
    }

    forwarding_toy& of;
    std::uint32_t number;
    l2_private l2;
    line_client client;
    std::uint64_t lost = 0;
  };

  /// A request at the home, and wherever it is passed on to; `answered` when its answer has travelled back.
  template <class Then>
  void serve_home(transaction& request, Then&& answered) {
    home.serve(request, after([this, &request, answered] { went_on(request, answered); }));
  }
  /// The same for the transfer engine, which is at the home.
  void serve(transaction& request, event& done) {
    serve_home(request, [&done] { done.happens(done); });
  }

  kernel clock{1000};
  memory_port memory;
  forwarding_directory home;
  std::vector<std::unique_ptr<tile>> tiles;

 private:
  struct message : event {
    template <class Then>
    explicit message(Then&& then)
        : event([](event& self) { static_cast<message&>(self).arrived(); }), arrived(std::forward<Then>(then)) {}
    std::function<void()> arrived;
  };
  template <class Then>
  event& after(Then&& then) {
    return messages_.emplace_back(std::forward<Then>(then));
  }
  picoseconds delay() { return 1000 * (1 + draw_() % slowest_); }
  template <class Then>
  void travel(Then&& arrived) {
    clock.after(delay(), after(std::forward<Then>(arrived)));
  }
  /// The same to the memory: in order.
  template <class Then>
  void travel_to_memory(Then&& arrived) {
    at_memory_ = std::max(at_memory_, clock.now() + delay());
    clock.at(at_memory_, after(std::forward<Then>(arrived)));
  }

  template <class Then>
  void went_on(transaction& request, Then answered) {
    if (request.status == remote_outcome::done) return travel(answered);
    request.status = remote_outcome::pending;
    auto const back = [this, answered]() -> event& { return after([this, answered] { travel(answered); }); };
    if (request.serving == served_by::owner)
      return travel([this, &request, back] { tiles[request.target]->client.serve(request, back()); });
    travel_to_memory([this, &request, back] {
      request.status = remote_outcome::done;
      std::span<std::byte> const data(request.data.data(), request.bytes);
      if (request.what == remote_operation::read) {
        memory.read(request.address - base, data, back());
      } else {
        memory.write(request.address - base, data, back());
      }
    });
  }

  static dram_parameters dram_of() {
    dram_parameters small;
    small.rows = 16;
    return small;
  }
  void send_probe(transaction& probe, std::uint32_t /*answered_at*/) override {
    travel([this, &probe] {
      tiles[probe.target]->client.serve(
          probe, after([this, &probe] { travel([&probe] { probe.done->happens(*probe.done); }); }));
    });
  }
  void serve_memory(transaction& request, event& finished) override {
    request.serving = served_by::memory;
    request.status = remote_outcome::passed_on;
    finished.happens(finished);
  }
  void write_line(std::uint64_t address, std::span<std::byte const> line) override {
    std::vector<std::byte> const bytes(line.begin(), line.end());
    travel_to_memory([this, address, bytes] { memory.write(address - base, bytes, nothing_); });
  }

  std::uint64_t slowest_;
  std::mt19937_64 draw_;
  picoseconds at_memory_ = 0;
  std::deque<message> messages_;
  event nothing_{[](event&) {}};
};

}  // namespace tess::machine
