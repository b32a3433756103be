// memset_unit: fills a range of its memory tile's DDR, near memory: only the command crosses the network.
#pragma once

#include "machine/unit/command_unit.hpp"
#include "machine/unit/completion.hpp"

namespace tess::machine {

class memset_unit final : public command_unit {
 public:
  // Fields of a window. The registers of a real unit belong in registers.hpp.
  static constexpr std::uint64_t address = 0;
  static constexpr std::uint64_t bytes = 8;
  static constexpr std::uint64_t value = 16;  ///< Written to every word.
  static constexpr std::uint64_t counter = 24;
  static constexpr std::uint64_t burst_bytes = 64;

  memset_unit(kernel& k, machine_description const& description, tile& at)
      : command_unit(description.harts_of(at.number())), kernel_(k), tile_(at), completion_(description, at) {}

 private:
  // The doorbell: check all fields, then start a process.
  registers::command_status begin(window& by) override {
    region const* const in = tile_.map().find(by.field(address));
    bool const here = in != nullptr && in->kind == region_kind::partition && in->memory_tile == tile_.number();
    bool const bursts = (by.field(address) | by.field(bytes)) % burst_bytes == 0;
    if (!here || !bursts || by.field(bytes) > in->end() - by.field(address)) return registers::command_status::wrong;
    if (!completion_.counter(by.field(counter))) return registers::command_status::wrong;
    kernel_.start(run(by, in->memory_offset + (by.field(address) - in->base)));
    return registers::command_status::accepted;
  }

  // Bursts are written one after another through the memory's port, which is shared; the port determines the time.
  process run(window& by, std::uint64_t offset) {
    std::array<std::uint64_t, burst_bytes / sizeof(std::uint64_t)> burst{};
    burst.fill(by.field(value));
    for (std::uint64_t done = 0; done < by.field(bytes); done += burst_bytes) {
      happened written;
      tile_.memory()->write(offset + done, std::as_bytes(std::span(burst)), written);
      co_await written;
    }
    by.status = registers::command_status::idle;
    co_await completion_.acknowledge(*completion_.counter(by.field(counter)), 0);
  }

  kernel& kernel_;
  tile& tile_;
  completion completion_;
};

}  // namespace tess::machine
