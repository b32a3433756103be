// batch_planner: the timing of a few packets that meet only each other, simulated once and reused when the same recurs.
//
//   What a few packets do to each other follows from when and where they start, their sizes, and the round-robin
//   pointers on their paths. The first time, they are simulated flit by flit with all other traffic set aside. The
//   result is kept under all that it follows from and holds whenever that recurs, at any time: a line that is written
//   back and the request for the next line meet a million times in the same few ways.
//
// Cost      about 0.3 us for a plan that is known. At most 8192 plans are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/network/crossing_log.hpp"
#include "machine/network/fast_path/express_packets.hpp"
#include "machine/network/fast_path/isolated_run.hpp"
#include "machine/network/fast_path/link_set.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

struct batch_plan {
  std::vector<packet_timing> timings;  ///< [packet], each since the packet's own start.
  std::vector<std::uint64_t> in_use;   ///< [link of the batch]: until its last credit is back, since the first start.
  std::u16string pointers;             ///< Round-robin pointers on these links after the batch.
};

class batch_planner {
 public:
  static constexpr std::size_t packets_max = 4;

  /// All three must outlive this.
  batch_planner(flit_engine& engine, express_packets& packets, isolated_run& isolation);

  /// The plan for these packets, in the order of their numbers; nullptr if there is none and it is not worth computing.
  /// With a plan the pointers and flit counts of the network are those after the batch, without one they are unchanged.
  /// Plans stay valid.
  [[nodiscard]] batch_plan const* find(std::span<std::uint64_t const> numbers);

  /// Of the last batch asked for: its links, its virtual channels, and the pointers before it.
  [[nodiscard]] std::vector<std::uint32_t> const& links() const noexcept { return links_.members(); }
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  [[nodiscard]] std::u16string_view pointers_before() const noexcept {
    return std::u16string_view(key_).substr(pointers_at_);
  }

 private:
  static constexpr std::size_t plans_max = 1U << 13U;

  void make_key(std::span<std::uint64_t const> numbers);
  [[nodiscard]] batch_plan compute(std::span<std::uint64_t const> numbers);
  [[nodiscard]] packet_timing recorded_timing(std::size_t position, express_packet const& of) const;

  flit_engine& engine_;
  express_packets& packets_;
  isolated_run& isolation_;
  crossing_log log_;
  std::unordered_map<std::u16string, batch_plan> plans_;
  std::uint64_t reused_ = 0;  ///< Times that a known plan was found.
  link_set links_;
  std::uint32_t channels_ = 0;
  std::u16string key_;
  std::size_t pointers_at_ = 0;  ///< Position of the pointers in the key.
};

}  // namespace tess::machine
