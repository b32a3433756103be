// rules: the earliest cycle of each DRAM command, from a table of timing rules and the commands issued so far.
//
//   A rule says: at this level, `following` comes at least this many cycles after the window-th last `preceding`. The
//   table of ddr3.cpp holds all knowledge of DDR3, that of bank_groups.cpp what later standards add; this class only
//   keeps, for every bank, group, rank and the channel, the earliest cycle of each command, and advances it at every
//   issue.
//
// Units     cycles of the DRAM's clock.
// Errors    issue() before earliest() is a bug of the controller: asserted in every build.
// Cost      earliest() is a maximum of four numbers, issue() visits the rules of one command (about ten).
// Source    JEDEC 79-3F; the form of the table: Ramulator 2 (Luo et al., IEEE CAL 2023).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/dram/parameters.hpp"

namespace tess::machine {

enum class dram_command : std::uint8_t { activate, precharge, precharge_all, read, write, refresh };
inline constexpr std::size_t dram_commands = 6;

/// The scope of a rule: commands to one bank, to one group of banks, to one rank, or to different ranks of the channel.
enum class dram_level : std::uint8_t { bank, group, rank, other_rank };

struct dram_rule {
  dram_level level;
  dram_command preceding;
  dram_command following;
  std::uint32_t cycles;
  std::uint32_t window = 1;
};

struct dram_address {
  std::uint32_t rank = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  ///< In units of accesses.
};

[[nodiscard]] std::vector<dram_rule> ddr3_rules(dram_timing const& timing);
/// Those of DDR3, and what DDR4 and later ones add if banks are in groups.
[[nodiscard]] std::vector<dram_rule> rules_of(dram_parameters const& parameters);
/// The row, bank and rank of a byte; addresses beyond the size wrap.
[[nodiscard]] dram_address locate(dram_parameters const& parameters, std::uint64_t address) noexcept;

class dram_rules {
 public:
  static constexpr std::uint32_t window_max = 4;

  dram_rules(dram_parameters const& parameters, std::vector<dram_rule> const& rules);

  [[nodiscard]] std::uint64_t earliest(dram_command command, dram_address const& at) const noexcept {
    auto const i = static_cast<std::size_t>(command);
    std::uint64_t const found = std::max({in_bank_[at.rank * banks_ + at.bank].earliest[i],
                                          in_rank_[at.rank].earliest[i], from_other_rank_[at.rank].earliest[i]});
    return groups_ == 1 ? found : std::max(found, in_group_[group_of(at)].earliest[i]);
  }
  void issue(dram_command command, dram_address const& at, std::uint64_t cycle);

 private:
  /// State of one bank, of one rank, or of all ranks but one.
  struct instance {
    std::array<std::uint64_t, dram_commands> earliest{};
    /// The last times of each command that a rule with a window needs, latest first; times are stored plus one, 0 means
    /// never.
    std::array<std::array<std::uint64_t, window_max>, dram_commands> issued{};
  };
  /// Consequences of a command, at one level.
  struct consequences {
    std::vector<dram_rule> of_last;     ///< Rules of a window of one.
    std::vector<dram_rule> of_earlier;  ///< Rules with longer windows.
  };
  [[nodiscard]] std::size_t group_of(dram_address const& at) const noexcept {
    return at.rank * groups_ + at.bank % groups_;
  }
  static void follow(instance& at, consequences const& all, dram_command command, std::uint64_t cycle);

  std::uint32_t banks_;
  std::uint32_t groups_;
  std::array<consequences, dram_commands> of_bank_;  ///< By preceding command.
  std::array<consequences, dram_commands> of_group_;
  std::array<consequences, dram_commands> of_rank_;
  std::array<consequences, dram_commands> of_other_rank_;
  std::vector<instance> in_bank_;          ///< [rank][bank]
  std::vector<instance> in_group_;         ///< [rank][group]
  std::vector<instance> in_rank_;          ///< [rank]
  std::vector<instance> from_other_rank_;  ///< [rank]: constraints from commands to other ranks.
};

}  // namespace tess::machine
