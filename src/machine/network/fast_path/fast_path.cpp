// fast_path: launches uncontended packets and batches, and withdraws packets that share links with a later one.
#include "machine/network/fast_path/fast_path.hpp"

#include <algorithm>

#include "machine/kernel/assert.hpp"
#include "machine/network/fast_path/arbiter_pointers.hpp"

namespace tess::machine {
namespace {

constexpr auto later = [](auto const& a, auto const& b) noexcept { return a.cycle > b.cycle; };

}  // namespace

fast_path::fast_path(flit_engine& engine, delivery& complete, bool enabled)
    : engine_(engine),
      complete_(complete),
      enabled_(enabled && !engine.shape().parameters().speculative),
      paths_(engine.shape().layout()),
      timings_(engine.shape().parameters()),
      selected_links_(engine.shape().links()),
      isolation_(engine, packets_),
      planner_(engine, packets_, isolation_) {}

std::uint64_t fast_path::send(packet const& sent, std::uint64_t start, bool received) {
  path const links = paths_.find(sent.source, sent.target);
  packets_.retire(start);
  if (enabled_ && engine_.shape().receive_limit(sent.network) == 0 && sent.flits <= flits_max) {
    packet_timing const& timing = timings_.of(links.size() - 1, sent.flits);
    if (uncontended(links, timing, start)) return launch(sent, links, timing, start);
    if (auto const cycle = launch_in_batch(sent, links, start, received)) return *cycle;
  }
  if (!packets_.empty()) {
    select_overlapping(links);
    if (!selected_.empty()) {
      withdraw_selected();
      simulate_selected(start, received);
      packets_.retire(start);
    }
  }
  engine_.enqueue(sent, false, links);
  return start;
}

bool fast_path::uncontended(path links, packet_timing const& timing, std::uint64_t start) const noexcept {
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (engine_.links().in_use(links[i])) return false;
    if (engine_.links().reserved_until(links[i]) > start + timing.windows[i].from) return false;
  }
  return true;
}

std::uint64_t fast_path::launch(packet const& sent, path links, packet_timing const& timing, std::uint64_t start) {
  fast_packet& launched = packets_.add(sent, start, links);
  launched.carried.injected = start;
  launched.carried.hops = static_cast<std::uint32_t>(links.size() - 2);
  launched.timing = &timing;
  launched.injection = engine_.injector_at(sent.source).pass_uncontended(sent.network);
  std::uint32_t channel = launched.injection.channel;
  for (std::size_t i = 0; i < links.size(); ++i) {
    engine_.links().reserve(links[i], start + timing.windows[i].until);
    engine_.links().count_flits(links[i], sent.flits);
    link_ends const& ends = engine_.shape().ends(links[i]);
    if (ends.to_node) break;
    launched.passes.push_back(engine_.router_at(ends.target).pass_uncontended(sent, ends.target_port, channel));
    channel = launched.passes.back().output_channel;
  }
  ++in_flight_;
  add_arrival(start + timing.arrived, launched.batch);
  return start + timing.arrived;
}

void fast_path::add_arrival(std::uint64_t cycle, std::uint64_t number) {
  arrivals_.push_back({cycle, number});
  std::ranges::push_heap(arrivals_, later);
}

std::optional<std::uint64_t> fast_path::launch_in_batch(packet const& sent, path links, std::uint64_t start,
                                                        bool received) {
  if (std::ranges::any_of(links, [&](std::uint32_t link) { return engine_.links().in_use(link); })) return std::nullopt;
  select_overlapping(links);
  withdraw_selected();
  selected_.push_back(packets_.add(sent, start, links).batch);
  batch_plan const* const plan = selected_.size() <= batch_planner::packets_max ? planner_.find(selected_) : nullptr;
  if (plan == nullptr) {
    packets_.remove_last();
    selected_.pop_back();
    if (!selected_.empty()) simulate_selected(start, received);
    return std::nullopt;
  }
  apply(*plan);
  return arrivals_.front().cycle;
}

/// Puts the selected packets, of which the last one is new, on the fast path with the timing of this plan.
void fast_path::apply(batch_plan const& plan) {
  std::uint64_t const oldest = selected_.front();
  std::uint64_t const first = packets_[oldest].start;
  std::vector<std::uint32_t> const& links = planner_.links();
  for (std::size_t i = 0; i < links.size(); ++i) engine_.links().reserve(links[i], first + plan.in_use[i]);
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    fast_packet& one = packets_[selected_[i]];
    packet_timing const* const before = one.timing;
    bool const is_new = i + 1 == selected_.size();
    one.timing = &plan.timings[i];
    one.batch = oldest;
    one.withdrawn = false;
    one.passes.clear();
    one.batch_pointers.clear();
    one.carried.injected = one.start + one.timing->head_left;
    one.carried.hops = static_cast<std::uint32_t>(one.path.size() - 2);
    if (one.delivered) {
      MACHINE_ASSERT(before->arrived == one.timing->arrived);
      continue;
    }
    ++in_flight_;
    if (!is_new && before->arrived == one.timing->arrived) continue;  // the heap still has its entry
    add_arrival(one.start + one.timing->arrived, selected_[i]);
  }
  fast_packet& batch_first = packets_[oldest];
  batch_first.batch_pointers = planner_.pointers_before();
  batch_first.batch_links = links;
  batch_first.batch_channels = planner_.channels();
}

void fast_path::receive(std::uint64_t cycle) {
  while (!arrivals_.empty() && arrivals_.front().cycle <= cycle) {
    arrival const due = arrivals_.front();
    std::ranges::pop_heap(arrivals_, later);
    arrivals_.pop_back();
    if (due.number < packets_.first()) continue;
    fast_packet& whole = packets_[due.number];
    if (whole.withdrawn || whole.delivered || due.cycle != whole.start + whole.timing->arrived) continue;
    MACHINE_ASSERT(due.cycle == cycle);
    whole.delivered = true;
    --in_flight_;
    complete_.add(whole.carried, cycle);
  }
}

/// Selects all packets that use one of these links, or share a link with a selected packet.
void fast_path::select_overlapping(path links) {
  selected_.clear();
  selected_links_.insert(links);
  for (bool found = true; found;) {
    found = false;
    for (std::uint64_t i = packets_.first(); i < packets_.end(); ++i) {
      fast_packet& one = packets_[i];
      // The first packet of its batch has been retired: the whole batch is over and has no effect any more.
      if (one.withdrawn || one.batch < packets_.first()) continue;
      if (std::ranges::none_of(one.path, [&](std::uint32_t link) { return selected_links_.contains(link); })) continue;
      selected_links_.insert(one.path);
      one.withdrawn = found = true;
      selected_.push_back(i);
    }
  }
  selected_links_.clear();
  std::ranges::sort(selected_);
}

void fast_path::withdraw_selected() {
  for (auto number = selected_.rbegin(); number != selected_.rend(); ++number) withdraw(packets_[*number]);
}

void fast_path::withdraw(fast_packet& one) {
  for (std::uint32_t const link : one.path) {
    engine_.links().reserve(link, 0);
    engine_.links().uncount_flits(link, one.carried.flits);
  }
  if (!one.delivered) --in_flight_;
  if (!one.batch_pointers.empty())
    return restore_pointers(engine_, one.batch_links, one.batch_channels, one.batch_pointers);
  if (one.passes.empty()) return;  // in a batch the first packet has the pointers of all
  for (std::size_t i = one.passes.size(); i-- > 0;)
    engine_.router_at(engine_.shape().ends(one.path[i]).target).undo(one.passes[i]);
  engine_.injector_at(one.carried.source).undo(one.injection, one.carried.network);
}

void fast_path::simulate_selected(std::uint64_t cycle, bool received) {
  isolation_.replay(selected_, cycle, received);
  replayed_until_ = std::max(replayed_until_, cycle);
}

std::uint32_t fast_path::waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept {
  std::uint32_t sum = 0;
  for (std::uint64_t i = packets_.first(); i < packets_.end(); ++i) {
    fast_packet const& one = packets_[i];
    if (one.withdrawn || one.carried.source != node || one.carried.network != network) continue;
    if (one.start + one.timing->source_free > cycle) ++sum;
  }
  return sum;
}

std::uint64_t fast_path::flits_ahead(std::uint32_t link, std::uint64_t cycle) const noexcept {
  std::uint64_t sum = 0;
  for (std::uint64_t i = packets_.first(); i < packets_.end(); ++i) {
    fast_packet const& one = packets_[i];
    if (one.withdrawn) continue;
    for (std::size_t r = 0; r + 1 < one.path.size(); ++r) {
      if (one.path[r + 1] != link) continue;
      for (std::uint32_t f = 0; f < one.carried.flits; ++f)
        sum += one.start + one.timing->crossed[r * one.carried.flits + f] >= cycle ? 1 : 0;
    }
  }
  return sum;
}

}  // namespace tess::machine
