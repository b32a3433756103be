// program_host: what runs a program on a tile has, whatever the program: the tile's memory as the program addresses it,
// its rights, and its code.
//
// Threads   one.
#pragma once

#include <memory>

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
  void tell_profiles() { code_.tell_profiles(); }
  /// The same: they have logs of commits, or observers.
  void tell_commits() { code_.tell_commits(); }

  /// Its code is that of the other one, which has decoded blocks of it.
  void share_code(program_host const& with) { code_.share(with.code_); }

  /// The text at an address of the program, for a name.
  [[nodiscard]] virtual std::string text_at(std::uint64_t address) = 0;
  [[nodiscard]] parked_regions& parked() noexcept { return parked_; }
  /// What a debugger shows of memory and code, without time; posted stores of the hart itself have happened. False:
  /// there is no memory.
  bool look_at(std::uint64_t address, std::span<std::byte> into, timed_hart const& as) const;
  /// Writes wherever the bytes are. False: there is no memory at all of it.
  bool change(std::uint64_t address, std::span<std::byte const> from);
  /// The global address; nothing: it is none of memory.
  [[nodiscard]] std::optional<std::uint64_t> memory_at(std::uint64_t address) const;
  [[nodiscard]] decoded instruction_at(std::uint64_t pc) const { return word_at(*this, pc); }

  // hart_environment
  std::uint64_t counter(hart const& h) const override;

 protected:
  /// `bytes` of the local window may have rights; at first none has. With [mmu] a program may have its addresses
  /// translated.
  program_host(grid& g, std::uint32_t tile_number, elf_image const& image, std::uint64_t bytes, block_rules rules,
               bool translates = false);
  ~program_host() = default;
  /// The global address of one of the program; nothing: it has no memory there, nor anything else.
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint64_t address) const {
    return tables_ && address < sv39::user_end ? tables_->physical(address) : window_.global(address);
  }

  grid& grid_;
  clock_domain cycles_;
  tile& tile_;
  elf_image const& image_;
  local_window window_;
  page_rights rights_;
  std::unique_ptr<page_tables> tables_;  ///< Null: the program's addresses are those of the window.
  code_cache code_;
  std::string trouble_;

 private:
  parked_regions parked_;  ///< Those of its threads.

  // code_source
  bool halfword(std::uint64_t pc, std::uint16_t& into) const override;
};

}  // namespace tess::machine
