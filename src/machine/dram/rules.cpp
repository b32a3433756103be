// rules: how the earliest cycles advance, and address mapping.
#include "machine/dram/rules.hpp"

#include <algorithm>
#include <bit>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

dram_rules::dram_rules(dram_parameters const& parameters, std::vector<dram_rule> const& rules)
    : banks_(parameters.banks),
      groups_(parameters.groups),
      in_bank_(std::size_t{parameters.ranks} * parameters.banks),
      in_group_(std::size_t{parameters.ranks} * parameters.groups),
      in_rank_(parameters.ranks),
      from_other_rank_(parameters.ranks) {
  for (dram_rule const& rule : rules) {
    MACHINE_ASSERT(rule.window >= 1 && rule.window <= window_max);
    auto& of_level = rule.level == dram_level::bank    ? of_bank_
                     : rule.level == dram_level::group ? of_group_
                     : rule.level == dram_level::rank  ? of_rank_
                                                       : of_other_rank_;
    consequences& of = of_level[static_cast<std::size_t>(rule.preceding)];
    (rule.window == 1 ? of.of_last : of.of_earlier).push_back(rule);
  }
}

void dram_rules::follow(instance& at, consequences const& all, dram_command command, std::uint64_t cycle) {
  for (dram_rule const& rule : all.of_last) {
    std::uint64_t& earliest = at.earliest[static_cast<std::size_t>(rule.following)];
    earliest = std::max(earliest, cycle + rule.cycles);
  }
  if (all.of_earlier.empty()) return;
  auto& issued = at.issued[static_cast<std::size_t>(command)];
  std::ranges::copy_backward(issued.begin(), issued.end() - 1, issued.end());
  issued[0] = cycle + 1;
  for (dram_rule const& rule : all.of_earlier) {
    std::uint64_t const since = issued[rule.window - 1];
    if (since == 0) continue;
    std::uint64_t& earliest = at.earliest[static_cast<std::size_t>(rule.following)];
    earliest = std::max(earliest, since - 1 + rule.cycles);
  }
}

void dram_rules::issue(dram_command command, dram_address const& at, std::uint64_t cycle) {
  MACHINE_ASSERT(cycle >= earliest(command, at));
  auto const i = static_cast<std::size_t>(command);
  follow(in_bank_[at.rank * banks_ + at.bank], of_bank_[i], command, cycle);
  if (groups_ > 1) follow(in_group_[group_of(at)], of_group_[i], command, cycle);
  follow(in_rank_[at.rank], of_rank_[i], command, cycle);
  for (std::uint32_t rank = 0; rank < in_rank_.size(); ++rank) {
    if (rank != at.rank) follow(from_other_rank_[rank], of_other_rank_[i], command, cycle);
  }
}

dram_address locate(dram_parameters const& parameters, std::uint64_t address) noexcept {
  std::uint64_t rest = address / parameters.access_bytes;
  dram_address at;
  auto const take = [&](std::uint64_t count) {
    std::uint64_t taken = 0;
    if (std::has_single_bit(count)) {  // the common case: avoids divisions
      taken = rest & (count - 1);
      rest >>= static_cast<unsigned>(std::countr_zero(count));
    } else {
      taken = rest % count;
      rest /= count;
    }
    return static_cast<std::uint32_t>(taken);
  };
  for (dram_field const field : parameters.mapping) {
    switch (field) {
      case dram_field::column:
        at.column = take(parameters.row_bytes / parameters.access_bytes);
        break;
      case dram_field::bank:
        at.bank = take(parameters.banks);
        break;
      case dram_field::rank:
        at.rank = take(parameters.ranks);
        break;
      case dram_field::row:
        at.row = take(parameters.rows);
        break;
    }
  }
  return at;
}

}  // namespace tess::machine
