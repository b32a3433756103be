// batch_planner: the timing of a few packets that share links only with each other; simulated once, reused ever after.
//
//   The result follows from the packets' start times relative to each other, their sources, targets and sizes, and the
//   round-robin pointers on their paths. These are the key of a table of plans. A plan that is missing is computed by
//   simulating the packets alone, flit by flit. The same few combinations occur again and again: for example, a line
//   that is written back and the request for the next line.
//
// Cost      about 0.3 us for a known plan. The table holds at most 8192 plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/network/crossing_log.hpp"
#include "machine/network/fast_path/fast_packets.hpp"
#include "machine/network/fast_path/isolated_run.hpp"
#include "machine/network/fast_path/link_set.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

struct batch_plan {
  std::vector<packet_timing> timings;  ///< [packet], in cycles since the packet's start.
  std::vector<std::uint64_t> in_use;   ///< [link of the batch]: cycles from the first start to its last credit.
  std::u16string pointers;             ///< Round-robin pointers on these links after the batch.
};

class batch_planner {
 public:
  static constexpr std::size_t packets_max = 4;

  /// All three must outlive this.
  batch_planner(flit_engine& engine, fast_packets& packets, isolated_run& isolation);

  /// The plan for these packets, given in ascending order, and brings the network's pointers and flit counts to the
  /// state after the batch. Returns nullptr and changes nothing if no plan is known and computing one does not pay.
  /// Plans stay valid.
  [[nodiscard]] batch_plan const* find(std::span<std::uint64_t const> numbers);

  /// The links and virtual channels of the last batch passed to find(), and the pointers before it.
  [[nodiscard]] std::vector<std::uint32_t> const& links() const noexcept { return links_.members(); }
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  [[nodiscard]] std::u16string_view pointers_before() const noexcept {
    return std::u16string_view(key_).substr(pointers_at_);
  }

 private:
  static constexpr std::size_t plans_max = 1U << 13U;

  void make_key(std::span<std::uint64_t const> numbers);
  [[nodiscard]] batch_plan compute(std::span<std::uint64_t const> numbers);
  [[nodiscard]] packet_timing recorded_timing(std::size_t position, fast_packet const& of) const;

  flit_engine& engine_;
  fast_packets& packets_;
  isolated_run& isolation_;
  crossing_log log_;
  std::unordered_map<std::u16string, batch_plan> plans_;
  std::uint64_t reused_ = 0;  ///< How often a known plan was found.
  link_set links_;
  std::uint32_t channels_ = 0;
  std::u16string key_;
  std::size_t pointers_at_ = 0;  ///< Position of the pointers in the key.
};

}  // namespace tess::machine
