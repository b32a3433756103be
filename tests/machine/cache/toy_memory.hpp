// toy_memory: lines in a map; each access takes a random time, so accesses may be reordered. A fetch reads at its start
// or at its end.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "machine/cache/l2_private.hpp"

namespace tess::machine {

class toy_memory : public line_memory {
 public:
  toy_memory(kernel& k, std::uint64_t slowest_ps, unsigned seed) : kernel_(k), slowest_ps_(slowest_ps), draw_(seed) {}

  void fetch(line_fetch& request, event& done) override {
    ++fetches;
    access begun{.address = request.address, .into = request.into, .done = &done};
    if (draw_() % 2 == 0) {
      for (std::size_t i = 0; i < request.into.size(); ++i) begun.early.push_back(bytes_[request.address + i]);
    }
    begin(std::move(begun));
  }
  void write_back(std::uint64_t address, std::span<std::byte const> line, bool, event& done) override {
    ++write_backs;
    begin({.address = address, .written = {line.begin(), line.end()}, .done = &done});
  }

  void clear(std::uint64_t address) override {
    for (std::uint64_t i = 0; i < 32; ++i) bytes_[address + i] = std::byte{};
  }

  std::byte& at(std::uint64_t address) { return bytes_[address]; }

  int fetches = 0;
  int write_backs = 0;

 private:
  struct access {
    std::uint64_t address = 0;
    std::span<std::byte> into{};
    std::vector<std::byte> early{};
    std::vector<std::byte> written{};
    event* done = nullptr;
  };
  struct arrival : event {
    arrival(toy_memory& owner_, access begun_)
        : event([](event& self) { static_cast<arrival&>(self).arrive(); }), owner(owner_), begun(std::move(begun_)) {}
    void arrive() {
      for (std::size_t i = 0; i < begun.into.size(); ++i)
        begun.into[i] = begun.early.empty() ? owner.bytes_[begun.address + i] : begun.early[i];
      for (std::size_t i = 0; i < begun.written.size(); ++i) owner.bytes_[begun.address + i] = begun.written[i];
      begun.done->happens(*begun.done);
    }
    toy_memory& owner;
    access begun;
  };
  void begin(access begun) {
    kernel_.after(1 + draw_() % slowest_ps_, arrivals_.emplace_back(*this, std::move(begun)));
  }

  kernel& kernel_;
  std::uint64_t slowest_ps_;
  std::mt19937_64 draw_;
  std::deque<arrival> arrivals_;
  std::map<std::uint64_t, std::byte> bytes_;
};

}  // namespace tess::machine
