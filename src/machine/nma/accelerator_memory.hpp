// accelerator_memory: the accelerator's path to its memory: burst registers, posted writes and read-ahead streams.
//
//   Everything goes through the one port of the memory tile and takes turns there with other clients (near_memory). A
//   word that is not in a register costs an access of a whole burst; a write waits only if too many are in flight.
//   States of the copy machine take their cycles here, too: they are spent before its next access.
//
// Units     offsets within this memory, multiples of 8; cycles of the memory's clock.
// Threads   one.
// Source    docs/internals/machine.md, 11: the accelerator's costs are states and accesses, and nothing else.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "machine/config/description.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/nma/near_memory.hpp"
#include "machine/unit/completion.hpp"

namespace tess::machine {

/// The bytes of one burst: read once, or written word by word until another burst is needed.
struct line_register {
  static constexpr std::uint64_t bytes_max = 128;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t offset = none;
  std::uint32_t valid = 0;  ///< A bit for each word.
  std::uint32_t dirty = 0;
  std::array<std::uint64_t, bytes_max / 8> words{};
};

class accelerator_memory {
 public:
  accelerator_memory(kernel& k, machine_description const& description, tile& at);

  /// Charges one state of the machine.
  void step() noexcept { owed_ps_ += state_ps_; }
  /// Spends the time of the states charged so far.
  [[nodiscard]] task<> settle();

  /// Takes no time if the register has it.
  [[nodiscard]] std::optional<std::uint64_t> find(line_register const& in, std::uint64_t offset) const noexcept;
  [[nodiscard]] task<std::uint64_t> load(line_register& by, std::uint64_t offset);
  [[nodiscard]] task<> store(line_register& by, std::uint64_t offset, std::uint64_t value);
  /// Writes the register's dirty words to memory and empties it.
  [[nodiscard]] task<> clean(line_register& by);

  /// A single access without a register.
  [[nodiscard]] task<std::uint64_t> read_word(std::uint64_t offset);
  [[nodiscard]] task<> write(std::uint64_t offset, std::span<std::byte const> bytes);
  [[nodiscard]] task<> fill_zero(std::uint64_t offset, std::uint64_t bytes);

  [[nodiscard]] task<> copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  /// The index of the first word of this value among `count` words; nothing: there is none.
  [[nodiscard]] task<std::optional<std::uint64_t>> search(std::uint64_t offset, std::uint64_t count,
                                                          std::uint64_t value);
  /// Bytes moved through the port, in both directions.
  [[nodiscard]] std::uint64_t moved_bytes() const noexcept { return moved_bytes_; }
  /// Until all writes are in memory.
  [[nodiscard]] task<> drain();

 private:
  struct posted_write : event {
    explicit posted_write(accelerator_memory& owner_)
        : event([](event& self) { static_cast<posted_write&>(self).written(); }), owner(owner_) {}
    void written();
    accelerator_memory& owner;
  };
  struct room_awaiter {
    accelerator_memory& of;
    std::uint32_t most;
    [[nodiscard]] bool await_ready() const noexcept { return of.under_way_ <= most; }
    void await_suspend(std::coroutine_handle<> waiting) const noexcept {
      of.wanted_ = most;
      of.waiting_ = waiting;
    }
    void await_resume() const noexcept {}
  };
  /// A burst that is read ahead.
  struct stream_slot {
    std::array<std::byte, line_register::bytes_max> data{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::optional<happened> read;
  };
  /// Reads [offset, offset + bytes) ahead, burst by burst.
  class stream;

  [[nodiscard]] std::uint64_t line_of(std::uint64_t offset) const noexcept { return offset / burst_ * burst_; }
  [[nodiscard]] task<> fetch(line_register& into, std::uint64_t line);

  kernel& kernel_;
  near_memory memory_;
  picoseconds state_ps_;
  std::uint64_t burst_;
  std::uint32_t posted_max_;
  picoseconds owed_ps_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::uint32_t under_way_ = 0;
  std::uint32_t wanted_ = 0;
  std::coroutine_handle<> waiting_;
  std::deque<posted_write> all_;
  std::vector<posted_write*> spare_;
  std::deque<stream_slot> slots_;
};

}  // namespace tess::machine
