// program_host: what runs a program on a tile has, whatever the program: the tile's memory as the program addresses it,
// its rights, and its code.
//
// Threads   one.
#pragma once

#include "machine/hart/code_cache.hpp"
#include "machine/regions/region_log.hpp"
#include "machine/tile/grid.hpp"
#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

/// The instruction timing of a hart from the machine file; 1 is the default.
[[nodiscard]] block_rules rules_of(machine_description const& description);

class program_host : private code_source, public hart_environment {
 public:
  program_host(program_host const&) = delete;
  program_host& operator=(program_host const&) = delete;

  [[nodiscard]] std::uint32_t tile_number() const noexcept { return tile_.number(); }
  [[nodiscard]] std::string const& trouble() const noexcept { return trouble_; }

  [[nodiscard]] elf_image const& image() const noexcept { return image_; }
  /// Before the run: its harts have profiles.
  void tell_profiles() noexcept { code_.tell_profiles(); }
  /// The same: they have logs of commits.
  void tell_commits() noexcept { code_.tell_commits(); }

  /// The text at an address of the program, for a name.
  [[nodiscard]] virtual std::string text_at(std::uint64_t address) = 0;
  [[nodiscard]] parked_regions& parked() noexcept { return parked_; }

  // hart_environment
  std::uint64_t counter(hart const& h) const override;

 protected:
  /// `bytes` of the local window may have rights; at first none has.
  program_host(grid& g, std::uint32_t tile_number, elf_image const& image, std::uint64_t bytes, block_rules rules);
  ~program_host() = default;

  grid& grid_;
  clock_domain cycles_;
  tile& tile_;
  elf_image const& image_;
  local_window window_;
  page_rights rights_;
  code_cache code_;
  std::string trouble_;

 private:
  parked_regions parked_;  ///< Those of its threads.

  // code_source
  bool halfword(std::uint64_t pc, std::uint16_t& into) const override;
};

}  // namespace tess::machine
