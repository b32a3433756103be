// convoy: express packets that meet each other and nobody else fly on together, as a plan that has been found before.
//
//   What a few packets do to each other follows from when and where they start, their sizes, and the pointers of the
//   routers on their ways. The first time they are moved flit by flit until nothing of them is left, with everything
//   else set aside; what came of it is kept under all that it follows from, and holds whenever that comes again, at any
//   time: a line that leaves a cache and the request for the next one meet a million times in the same few manners.
#include <algorithm>
#include <utility>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

/// Calls f with every pointer that packets of these channels move on a link, at both of its ends.
template <class F>
void flit_network::for_each_pointer(std::uint32_t link, std::uint32_t channels, F&& f) {
  std::uint32_t input_index = none;
  if (link >= outputs_.size()) {
    std::uint32_t const node = link - static_cast<std::uint32_t>(outputs_.size());
    f(interfaces_[node].next_line);
    for (source_line& line : interfaces_[node].lines) f(line.last_channel);
    link_end const at = topology_.attachment(node);
    input_index = at.router * ports_ + at.port;
  } else {
    f(outputs_[link].next_input);
    for_each_bit(channels, [&](std::uint32_t channel) { f(output_channels_[link * channels_ + channel].next_input); });
    if (!outputs_[link].to_node) input_index = outputs_[link].target;
  }
  if (input_index == none) return;
  f(inputs_[input_index].next_output);
  f(inputs_[input_index].next_channel);
  for_each_bit(channels,
               [&](std::uint32_t channel) { f(input_channels_[input_index * channels_ + channel].grant_pointer); });
}

void flit_network::read_pointers(std::span<std::uint32_t const> links, std::uint32_t channels, std::u16string& into) {
  for (std::uint32_t const link : links)
    for_each_pointer(link, channels, [&](auto const& pointer) { into.push_back(static_cast<char16_t>(pointer)); });
}

void flit_network::write_pointers(std::span<std::uint32_t const> links, std::uint32_t channels,
                                  std::u16string_view from) {
  std::size_t next = 0;
  for (std::uint32_t const link : links) {
    for_each_pointer(link, channels, [&](auto& pointer) {
      pointer = static_cast<std::remove_reference_t<decltype(pointer)>>(from[next++]);
    });
  }
}

std::optional<std::uint64_t> flit_network::join(packet const& sent, std::uint64_t start) {
  auto const unclean = [&](std::uint32_t link) { return (links_[link].packets | links_[link].owed) != 0; };
  if (std::ranges::any_of(path_, unclean)) return std::nullopt;
  find_landing(path_);
  for (auto number = landing_.rbegin(); number != landing_.rend(); ++number) take_back(express_at(*number));
  landing_.push_back(express_end_);
  express_packet& added = new_express();
  added.carried = sent;
  added.start = start;
  added.links.assign(path_.begin(), path_.end());
  added.delivered = added.landed = false;

  convoy_plan const* const plan = landing_.size() <= convoy_max ? find_plan() : nullptr;
  if (plan == nullptr) {
    --express_end_;
    landing_.pop_back();
    if (!landing_.empty()) replay(start);
    return std::nullopt;
  }
  follow(*plan);
  return arrivals_.front().cycle;
}

flit_network::convoy_plan const* flit_network::find_plan() {
  convoy_links_.clear();
  convoy_channels_ = 0;
  key_.assign(1, static_cast<char16_t>(landing_.size()));
  std::uint64_t const first = express_at(landing_.front()).start;
  for (std::uint64_t const number : landing_) {
    express_packet const& one = express_at(number);
    convoy_channels_ |= channel_masks_[one.carried.network * 3U];
    for (std::uint32_t const link : one.links) {
      if (std::exchange(landing_links_[link], 1) == 0) convoy_links_.push_back(link);
    }
    for (std::uint64_t const part :
         {one.start - first, std::uint64_t{one.carried.source}, std::uint64_t{one.carried.target},
          std::uint64_t{one.carried.flits}, std::uint64_t{one.carried.network}}) {
      MACHINE_ASSERT(part < 0x10000);
      key_.push_back(static_cast<char16_t>(part));
    }
  }
  for (std::uint32_t const link : convoy_links_) landing_links_[link] = 0;
  key_head_ = key_.size();
  read_pointers(convoy_links_, convoy_channels_, key_);
  if (auto const known = plans_.find(key_); known != plans_.end()) {
    ++plans_followed_;
    convoy_plan const& plan = known->second;
    write_pointers(convoy_links_, convoy_channels_, plan.after);
    for (std::uint64_t const number : landing_) {
      express_packet const& one = express_at(number);
      for (std::uint32_t const link : std::span(one.links).subspan(1)) link_flits_[link] += one.carried.flits;
    }
    return &plan;
  }
  // Where the same never comes again it is not worth the work.
  if (plans_.size() >= plans_max || plans_.size() > 64 + 2 * plans_followed_) return nullptr;
  return &plans_.emplace(key_, work_out_plan()).first->second;
}

void flit_network::follow(convoy_plan const& plan) {
  std::uint64_t const oldest = landing_.front();
  std::uint64_t const first = express_at(oldest).start;
  for (std::size_t i = 0; i < convoy_links_.size(); ++i) links_[convoy_links_[i]].free_from = first + plan.until[i];
  for (std::size_t k = 0; k < landing_.size(); ++k) {
    express_packet& one = express_at(landing_[k]);
    lone_way const* const before = one.way;
    bool const is_new = k + 1 == landing_.size();
    one.way = &plan.ways[k];
    one.first_of_convoy = oldest;
    one.landed = false;
    one.hops.clear();
    one.before.clear();
    one.carried.injected = one.start + one.way->begun;
    one.carried.hops = static_cast<std::uint32_t>(one.links.size() - 2);
    if (one.delivered) {
      MACHINE_ASSERT(before->arrived == one.way->arrived);
      continue;
    }
    ++packets_inside_;
    ++express_inside_;
    if (!is_new && before->arrived == one.way->arrived) continue;
    arrivals_.push_back({one.start + one.way->arrived, landing_[k]});
    std::ranges::push_heap(arrivals_, later);
  }
  express_packet& holder = express_at(oldest);
  holder.before.assign(key_, key_head_);
  holder.together = convoy_links_;
  holder.channels = convoy_channels_;
}

flit_network::convoy_plan flit_network::work_out_plan() {
  convoy_plan plan;
  plan.ways.resize(landing_.size());
  plan.until.resize(convoy_links_.size());
  std::uint64_t const first = express_at(landing_.front()).start;
  passages_.clear();
  recording_ = true;
  swap_moving();
  set_routers_aside();
  std::size_t next = 0;
  for (std::uint64_t at = first;; ++at) {
    for (; next < landing_.size() && express_at(landing_[next]).start == at; ++next) {
      packet again = express_at(landing_[next]).carried;
      again.cookie = next;
      queue(again, true, express_at(landing_[next]).links);
    }
    if (next == landing_.size() && !busy() && flying_ == 0) break;
    take_in_all(at);
    move_all(at);
  }
  swap_moving();
  restore_routers();
  recording_ = false;
  std::uint64_t over = 0;
  for (std::size_t i = 0; i < convoy_links_.size(); ++i) {
    plan.until[i] = credited_[convoy_links_[i]] - first;
    over = std::max(over, plan.until[i]);
  }
  for (std::size_t k = 0; k < landing_.size(); ++k) {
    plan.ways[k] = recorded_way(k);
    // All are remembered until nothing of any is left.
    plan.ways[k].over = first + over - express_at(landing_[k]).start;
  }
  read_pointers(convoy_links_, convoy_channels_, plan.after);
  return plan;
}

lone_way flit_network::recorded_way(std::size_t packet) const {
  express_packet const& one = express_at(landing_[packet]);
  lone_way way;
  for (std::uint32_t const link : one.links) {
    std::vector<std::uint64_t> cycles;
    for (passage const& at : passages_) {
      if (at.packet == packet && at.link == link) cycles.push_back(at.cycle - one.start);
    }
    MACHINE_ASSERT(cycles.size() == one.carried.flits);
    if (link >= outputs_.size()) {
      way.begun = cycles.front();
      way.injected = cycles.back() + 1;
    } else {
      way.crossed.insert(way.crossed.end(), cycles.begin(), cycles.end());
      way.arrived = cycles.back() + made_of_.traversal_cycles + made_of_.link_cycles + 1;
    }
  }
  return way;
}

}  // namespace tess::machine
