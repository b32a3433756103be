// system_program: what the system's hart of a tile runs in machine mode: an operating system, or a bare program.
//
//   Its image is in the tile-local memory, below that of the programs, and it may access all of the tile. Nothing is
//   emulated: the program has registers, interrupts and the tile's units, and a trap enters its handler. It starts with
//   its number in the tile in a0.
//
// Errors    elf_error: the image does not fit. A program that traps in its own trap handler's first instruction ends
//           the run.
// Threads   one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/timed/tile_program.hpp"

namespace tess::machine {

class system_program final : private user_memory, public program_host {
 public:
  /// Images of programs begin at this address, and that of the system ends here.
  static constexpr std::uint64_t end_of_image = std::uint64_t{1} << 16U;

  /// `beside`: the programs of the tile.
  system_program(grid& g, std::uint32_t tile_number, elf_image const& image, std::vector<tile_program*> beside,
                 std::function<void()> failed);

  [[nodiscard]] std::uint64_t instructions() const noexcept { return hart_.context.retired; }
  [[nodiscard]] timed_hart const& system_hart() const noexcept { return hart_; }
  [[nodiscard]] timed_hart& system_hart() noexcept { return hart_; }

  [[nodiscard]] std::string text_at(std::uint64_t address) override {
    return text_in(*this, address, hart_regions::name_max);
  }

 private:
  // user_memory, for reports
  bool read(std::uint64_t address, std::span<std::byte> into) override;
  bool write(std::uint64_t address, std::span<std::byte const> from) override;
  void place(std::uint64_t address, std::span<std::byte const> from) override;
  void set_rights(std::uint64_t, std::uint64_t, std::uint8_t) override {}
  [[nodiscard]] bool allows(std::uint64_t address, std::uint8_t right) const override {
    return rights_.allow(address, static_cast<access_right>(right));
  }
  void clear(std::uint64_t, std::uint64_t) override {}
  // hart_environment
  after system_call(timed_hart&) override { return after::goes_on; }
  void trapped(timed_hart& of) override;
  [[nodiscard]] std::uint64_t horizon(timed_hart const& of) const override;

  timed_hart hart_;
  std::vector<tile_program*> beside_;
  std::function<void()> failed_;
};

}  // namespace tess::machine
