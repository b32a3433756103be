// batch_planner: looks plans up by their key, and computes missing ones from a recorded simulation.
#include "machine/network/fast_path/batch_planner.hpp"

#include <algorithm>

#include "machine/kernel/assert.hpp"
#include "machine/network/fast_path/arbiter_pointers.hpp"

namespace tess::machine {

batch_planner::batch_planner(flit_engine& engine, fast_packets& packets, isolated_run& isolation)
    : engine_(engine),
      packets_(packets),
      isolation_(isolation),
      log_(engine.shape(), engine.packets()),
      links_(engine.shape().links()) {}

void batch_planner::make_key(std::span<std::uint64_t const> numbers) {
  links_.clear();
  channels_ = 0;
  key_.assign(1, static_cast<char16_t>(numbers.size()));
  std::uint64_t const first = packets_[numbers.front()].start;
  for (std::uint64_t const number : numbers) {
    fast_packet const& one = packets_[number];
    channels_ |= engine_.shape().allowed_channels(one.carried.network, channel_half::all);
    links_.insert(one.path);
    for (std::uint64_t const part :
         {one.start - first, std::uint64_t{one.carried.source}, std::uint64_t{one.carried.target},
          std::uint64_t{one.carried.flits}, std::uint64_t{one.carried.network}}) {
      MACHINE_ASSERT(part < 0x10000);
      key_.push_back(static_cast<char16_t>(part));
    }
  }
  pointers_at_ = key_.size();
  append_pointers(engine_, links_.members(), channels_, key_);
}

batch_plan const* batch_planner::find(std::span<std::uint64_t const> numbers) {
  make_key(numbers);
  if (auto const known = plans_.find(key_); known != plans_.end()) {
    ++reused_;
    batch_plan const& plan = known->second;
    restore_pointers(engine_, links_.members(), channels_, plan.pointers);
    for (std::uint64_t const number : numbers) {
      fast_packet const& one = packets_[number];
      for (std::uint32_t const link : one.path) engine_.links().count_flits(link, one.carried.flits);
    }
    return &plan;
  }
  // If plans are rarely reused, computing more of them does not pay.
  if (plans_.size() >= plans_max || plans_.size() > 64 + 2 * reused_) return nullptr;
  return &plans_.emplace(key_, compute(numbers)).first->second;
}

batch_plan batch_planner::compute(std::span<std::uint64_t const> numbers) {
  log_.clear();
  engine_.links().record(&log_);
  isolation_.run_to_end(numbers);
  engine_.links().record(nullptr);

  batch_plan plan;
  std::uint64_t const first = packets_[numbers.front()].start;
  std::uint64_t settled = 0;
  for (std::uint32_t const link : links_.members()) {
    plan.in_use.push_back(log_.last_credit(link) - first);
    settled = std::max(settled, plan.in_use.back());
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    fast_packet const& one = packets_[numbers[i]];
    plan.timings.push_back(recorded_timing(i, one));
    // All packets of a batch are retired together.
    plan.timings.back().settled = first + settled - one.start;
  }
  append_pointers(engine_, links_.members(), channels_, plan.pointers);
  return plan;
}

packet_timing batch_planner::recorded_timing(std::size_t position, fast_packet const& of) const {
  network_parameters const& parameters = engine_.shape().parameters();
  packet_timing timing;
  for (std::uint32_t const link : of.path) {
    std::vector<std::uint64_t> cycles;
    for (crossing_log::crossing const& one : log_.crossings()) {
      if (one.cookie == position && one.link == link) cycles.push_back(one.cycle - of.start);
    }
    MACHINE_ASSERT(cycles.size() == of.carried.flits);
    if (engine_.shape().ends(link).from_node) {
      timing.head_left = cycles.front();
      timing.source_free = cycles.back() + 1;
    } else {
      timing.crossed.insert(timing.crossed.end(), cycles.begin(), cycles.end());
      timing.arrived = cycles.back() + parameters.traversal_cycles + parameters.link_cycles + 1;
    }
  }
  return timing;
}

}  // namespace tess::machine
