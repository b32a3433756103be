// program_host: instruction timing, the counters of a hart, and the fetch of code.
#include "machine/timed/program_host.hpp"

#include <cstring>

#include "machine/hart/engine.hpp"
#include "machine/isa/zicsr.hpp"
#include "machine/unit/interrupts.hpp"

namespace tess::machine {

namespace {

/// Memory below is the system's (system_program.hpp).
constexpr std::uint64_t first_address = std::uint64_t{1} << 16U;

}  // namespace

block_rules rules_of(machine_description const& description) {
  hart_description const& harts = description.harts;
  auto const beyond = [](std::uint32_t cycles) { return static_cast<std::uint8_t>(cycles - 1); };
  block_rules rules;
  rules.fetch_line_bytes = description.l1_instruction.line_bytes;
  rules.costs = {.multiply = beyond(harts.multiply_cycles),
                 .divide = beyond(harts.divide_cycles),
                 .float_add = beyond(harts.float_add_cycles),
                 .float_multiply = beyond(harts.float_multiply_cycles),
                 .float_divide = beyond(harts.float_divide_cycles),
                 .branch_taken = static_cast<std::uint8_t>(harts.branch_taken_cycles),
                 .load_use = static_cast<std::uint8_t>(harts.load_use_cycles)};
  if (description.pipeline) {
    rules.issues = true;
    rules.narrow_load = static_cast<std::uint8_t>(description.pipeline->narrow_load_cycles);
  }
  return rules;
}

program_host::program_host(grid& g, std::uint32_t tile_number, elf_image const& image, std::uint64_t bytes,
                           block_rules rules, bool translates)
    : grid_(g),
      cycles_(g.description.tile_clock_ps),
      tile_(*g.tiles[tile_number]),
      image_(image),
      window_(g.description.window(tile_number)),
      rights_(bytes, translates ? page_rights::kept::by_range : page_rights::kept::by_page),
      tables_(translates
                  ? std::make_unique<page_tables>(tile_, window_, g.clock, g.description.tile_clock_ps, first_address)
                  : nullptr),
      code_(*this, engine<hart_memory>::handlers(), rules) {}

std::uint64_t program_host::counter(hart const& h) const {
  if (h.request.address == csr_time) return cycles_.cycles(h.now()) / interrupts::tick_ps;
  if (h.request.address == csr_instret) return h.retired - 1;
  return h.now();
}

std::optional<std::uint64_t> program_host::memory_at(std::uint64_t address) const {
  auto const name = global(address);
  region const* const in = name ? grid_.map.find(*name) : nullptr;
  if (in == nullptr || in->kind == region_kind::device) return std::nullopt;
  return name;
}

bool program_host::look_at(std::uint64_t address, std::span<std::byte> into, timed_hart const& as) const {
  for (std::size_t done = 0; done < into.size(); ++done) {
    auto const name = memory_at(address + done);
    if (!name) return false;
    std::byte const* const at = grid_.tiles[grid_.map.find(*name)->tile]->peek(*name);
    if (at == nullptr) return false;
    into[done] = *at;
    as.memory().overlay_posted(at, into.subspan(done, 1));
  }
  return true;
}

bool program_host::change(std::uint64_t address, std::span<std::byte const> from) {
  for (std::size_t done = 0; done < from.size(); ++done)
    if (!memory_at(address + done)) return false;
  for (std::size_t done = 0; done < from.size(); ++done) {
    std::uint64_t const name = *memory_at(address + done);
    tile& home = *grid_.tiles[grid_.map.find(name)->tile];
    home.poke(name, from.subspan(done, 1));
    home.snoop(name, 1, nullptr, cycles_.count(grid_.clock.now()) + 1);
  }
  return true;
}

bool program_host::halfword(std::uint64_t pc, std::uint16_t& into) const {
  auto const name = global(pc);
  if (pc % 2 != 0 || !rights_.allow(pc, right_execute)) return false;
  if (tables_ && !name) {
    into = 0;  // what a page has that was never touched
    return true;
  }
  if (!name) return false;
  std::byte const* const at = tile_.peek(*name);
  if (at == nullptr) return false;
  std::memcpy(&into, at, sizeof into);
  return true;
}

}  // namespace tess::machine
