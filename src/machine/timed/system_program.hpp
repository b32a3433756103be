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

class system_program final : private user_memory, private code_source, public hart_environment {
 public:
  /// Images of programs begin at this address, and that of the system ends here.
  static constexpr std::uint64_t end_of_image = std::uint64_t{1} << 16U;

  /// `beside`: the programs of the tile.
  system_program(grid& g, std::uint32_t tile_number, elf_image const& image, std::vector<tile_program*> beside,
                 std::function<void()> failed);

  [[nodiscard]] std::string const& trouble() const noexcept { return trouble_; }
  [[nodiscard]] std::uint64_t instructions() const noexcept { return hart_.context.retired; }
  [[nodiscard]] std::uint32_t tile_number() const noexcept { return tile_.number(); }
  [[nodiscard]] timed_hart const& system_hart() const noexcept { return hart_; }
  [[nodiscard]] timed_hart& system_hart() noexcept { return hart_; }

 private:
  // user_memory, for reports
  bool read(std::uint64_t address, std::span<std::byte> into) override;
  bool write(std::uint64_t address, std::span<std::byte const> from) override;
  void place(std::uint64_t address, std::span<std::byte const> from) override;
  void set_rights(std::uint64_t, std::uint64_t, std::uint8_t) override {}
  void clear(std::uint64_t, std::uint64_t) override {}
  // code_source
  bool halfword(std::uint64_t pc, std::uint16_t& into) const override;
  // hart_environment
  after system_call(timed_hart&) override { return after::goes_on; }
  std::uint64_t counter(hart const& h) const override { return counter_of(h, cycles_); }
  void trapped(timed_hart& of) override;
  [[nodiscard]] std::uint64_t horizon(timed_hart const& of) const override;

  grid& grid_;
  clock_domain cycles_;
  tile& tile_;
  elf_image const& image_;
  local_window window_;
  page_rights rights_;
  code_cache code_;
  timed_hart hart_;
  std::vector<tile_program*> beside_;
  std::function<void()> failed_;
  std::string trouble_;
};

}  // namespace tess::machine
