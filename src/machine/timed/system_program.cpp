// system_program: loading, and what its hart needs from its surroundings.
#include "machine/timed/system_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/linux/trap_report.hpp"

namespace tess::machine {
namespace {

/// An interrupt is taken between any two instructions, so each is a block of its own, and none issues beside another.
block_rules one_by_one(block_rules rules) {
  rules.instructions_max = 1;
  rules.issues = false;
  return rules;
}

std::uint64_t all_bytes(local_window const& window) {
  return window.tlm_bytes + window.tail_bytes;
}

constexpr std::uint8_t all_rights = right_read | right_write | right_execute;

}  // namespace

system_program::system_program(grid& g, std::uint32_t tile_number, elf_image const& image,
                               std::vector<tile_program*> beside, std::function<void()> failed)
    : program_host(g, tile_number, image, all_bytes(g.description.window(tile_number)),
                   one_by_one(rules_of(g.description))),
      hart_(g.clock, g.description, tile_, window_, rights_, nullptr, *this, g.description.harts_of(tile_number) - 1),
      beside_(std::move(beside)),
      failed_(std::move(failed)) {
  if (image.end > end_of_image)
    throw elf_error(
        fmt::format("the program for the system's harts ends at {:#x}; it must end at {:#x}, where those "
                    "for the others begin",
                    image.end, end_of_image));
  rights_.set(0, all_bytes(window_), all_rights);
  for (elf_segment const& segment : image.segments) place(segment.address, segment.contents);
  std::uint32_t const number = g.description.harts_of(tile_number) - 1;
  hart_.context.code = &code_;
  hart_.become_privileged(number);
  g.units[tile_number]->lines.connect(number, hart_);
  constexpr std::size_t a0 = 10;
  hart_.context.x[a0] = number;
  hart_.context.jump(image.entry);
  for (tile_program* const one : beside_) one->add_neighbour(hart_);
  hart_.wake(0);
}

bool system_program::read(std::uint64_t address, std::span<std::byte> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    auto const name = window_.global(address + i);
    std::byte const* const at = name ? tile_.peek(*name) : nullptr;
    if (at == nullptr) return false;
    into[i] = *at;
  }
  return true;
}

bool system_program::write(std::uint64_t address, std::span<std::byte const> from) {
  place(address, from);
  return true;
}

void system_program::place(std::uint64_t address, std::span<std::byte const> from) {
  for (std::size_t i = 0; i < from.size(); ++i) *tile_.peek(*window_.global(address + i)) = from[i];
}

void system_program::trapped(timed_hart& of) {
  trouble_ = "machine: the system's hart cannot execute its trap handler:\n" +
             trap_report(of.context, *this, image_, tile_.number());
  failed_();
}

std::uint64_t system_program::horizon(timed_hart const&) const {
  // It is not ahead of any event.
  return grid_.clock.idle() ? ~std::uint64_t{0} : cycles_.count(grid_.clock.next_due());
}

}  // namespace tess::machine
