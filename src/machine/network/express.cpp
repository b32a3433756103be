// express: a packet whose links nobody else uses meanwhile takes no work on its way: its arrival is known when it is
// sent.
//
//   Packets meet at links only: as inputs and outputs, for which routers keep their pointers, as buffers with credits,
//   and as the one way out of a node. So a packet flies if no other uses any link of its way between the cycle in which
//   its switch could be asked for it and the one in which its last credit is back. What it does to the pointers of the
//   routers is done when it is sent: its links are its own until then. Several may follow each other over a link, each
//   when the one before has left it behind.
//   Those that meet each other only may fly in convoy (convoy.cpp).
//   Where routers speculate nobody flies: a convoy there was not exact (mesh, look-ahead, buffers of one flit).
//   A packet that cannot fly is moved flit by flit, and nobody flies over its links until it has left them. Those that
//   fly there already must land (landing.cpp).
#include <algorithm>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

std::uint64_t flit_network::send(packet const& sent) {
  MACHINE_ASSERT(sent.source < topology_.nodes() && sent.target < topology_.nodes());
  MACHINE_ASSERT(sent.network < made_of_.virtual_networks.size() && sent.flits > 0);
  std::uint64_t const start = delivering_ ? now_ : std::max(sent.created, next_);
  path_ = paths_.of(sent.source, sent.target);
  forget_express(start);
  if (with_express_ && receive_limit(sent.network) == 0 && sent.flits <= express_flits_max) {
    lone_way const& way = ways_.of(path_.size() - 1, sent.flits);
    if (meets_nobody(way, start)) return fly(sent, way, start);
    if (auto const cycle = join(sent, start)) return *cycle;
  }
  land_those_on(path_, start);
  queue(sent, false, path_);
  return start;
}

bool flit_network::meets_nobody(lone_way const& way, std::uint64_t start) const noexcept {
  for (std::size_t i = 0; i < path_.size(); ++i) {
    link_use const& link = links_[path_[i]];
    if ((link.packets | link.owed) != 0 || link.free_from > start + way.uses[i].from) return false;
  }
  return true;
}

flit_network::express_packet& flit_network::new_express() {
  if (express_end_ - express_first_ == express_.size()) {
    std::vector<express_packet> larger(express_.size() * 2);
    for (std::uint64_t i = express_first_; i < express_end_; ++i)
      larger[i & (larger.size() - 1)] = std::move(express_at(i));
    express_ = std::move(larger);
  }
  return express_at(express_end_++);
}

std::uint64_t flit_network::fly(packet const& sent, lone_way const& way, std::uint64_t start) {
  std::uint64_t const number = express_end_;
  express_packet& flown = new_express();
  flown.carried = sent;
  flown.carried.injected = start;
  flown.carried.hops = static_cast<std::uint32_t>(path_.size() - 2);
  flown.way = &way;
  flown.start = start;
  flown.links.assign(path_.begin(), path_.end());
  flown.delivered = flown.landed = false;
  flown.first_of_convoy = number;
  flown.before.clear();

  node_interface& node = interfaces_[sent.source];
  source_line& line = node.lines[sent.network];
  flown.last_channel = line.last_channel;
  flown.next_line = node.next_line;
  line.last_channel = choose_channel(node, sent.network);
  if (node.lines.size() > 1) node.next_line = (sent.network + 1U) % static_cast<std::uint32_t>(node.lines.size());

  flown.hops.clear();
  for (std::size_t i = 0; i < path_.size(); ++i) links_[path_[i]].free_from = start + way.uses[i].until;
  for (std::size_t router = 0; router + 1 < path_.size(); ++router) pass(flown, router);
  ++packets_inside_;
  ++express_inside_;
  arrivals_.push_back({start + way.arrived, number});
  std::ranges::push_heap(arrivals_, later);
  return start + way.arrived;
}

std::uint32_t flit_network::input_of(express_packet const& of, std::size_t router) const noexcept {
  std::uint32_t const link = of.links[router];
  if (router > 0) return outputs_[link].target;
  link_end const at = topology_.attachment(of.carried.source);
  return at.router * ports_ + at.port;
}

/// What channel and switch allocation do for one that asks alone.
void flit_network::pass(express_packet& by, std::size_t router) {
  std::uint32_t const input_index = input_of(by, router);
  std::uint32_t const output_index = by.links[router + 1];
  std::uint32_t const r = inputs_[input_index].router;
  std::uint8_t const channel = router == 0 ? interfaces_[by.carried.source].lines[by.carried.network].last_channel
                                           : by.hops.back().output_channel;
  input_port& input = inputs_[input_index];
  output_port& output = outputs_[output_index];
  input_channel& input_state = input_channels_[input_index * channels_ + channel];
  route_step const step = topology_.route(r, by.carried.target);
  std::uint32_t const may_take = channel_masks_[by.carried.network * 3U + static_cast<std::uint32_t>(step.half)];

  // As accept_channel() has it: the pointer runs over the channels of all outputs.
  std::uint32_t const behind = input_state.grant_pointer - step.port * channels_;
  std::uint32_t const taken = round_robin(may_take, behind < channels_ ? behind : 0);
  output_channel& output_state = output_channels_[output_index * channels_ + taken];
  by.hops.push_back({input_state.grant_pointer, output_state.next_input, channel, static_cast<std::uint8_t>(taken),
                     output.next_input, input.next_output, input.next_channel});

  std::uint32_t const port = input_index - r * ports_;
  std::uint32_t const all = ports_ * channels_;
  auto const next = [all](std::uint32_t one) { return static_cast<std::uint16_t>(one + 1 == all ? 0 : one + 1); };
  output_state.next_input = next(port * channels_ + channel);
  input_state.grant_pointer = next(step.port * channels_ + taken);
  output.next_input = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
  input.next_output = static_cast<std::uint8_t>(step.port + 1U == ports_ ? 0 : step.port + 1);
  input.next_channel = static_cast<std::uint8_t>(channel + 1U == channels_ ? 0 : channel + 1);
  link_flits_[output_index] += by.carried.flits;
}

void flit_network::take_express_arrivals(std::uint64_t cycle) {
  while (!arrivals_.empty() && arrivals_.front().cycle <= cycle) {
    express_arrival const due = arrivals_.front();
    std::ranges::pop_heap(arrivals_, later);
    arrivals_.pop_back();
    if (due.number < express_first_) continue;
    express_packet& whole = express_at(due.number);
    if (whole.landed || whole.delivered || due.cycle != whole.start + whole.way->arrived) continue;
    MACHINE_ASSERT(due.cycle == cycle);
    whole.delivered = true;
    --packets_inside_;
    --express_inside_;
    delivered_.push_back(whole.carried);
  }
}

void flit_network::forget_express(std::uint64_t cycle) noexcept {
  // In order: what one has done to a router's pointers is undone only behind all that came later.
  while (express_first_ != express_end_) {
    express_packet const& oldest = express_at(express_first_);
    if (!oldest.landed && oldest.start + oldest.way->over > cycle) return;
    ++express_first_;
  }
}

std::uint32_t flit_network::waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept {
  std::uint32_t sum = interfaces_[node].lines[network].length;
  for (std::uint64_t i = express_first_; i < express_end_; ++i) {
    express_packet const& one = express_at(i);
    if (one.landed || one.carried.source != node || one.carried.network != network) continue;
    if (one.start + one.way->injected > cycle) ++sum;
  }
  return sum;
}

std::uint64_t flit_network::link_flits(std::uint32_t router, std::uint32_t port, std::uint64_t cycle) const noexcept {
  std::uint32_t const link = router * ports_ + port;
  std::uint64_t sum = link_flits_[link];
  // Those that fly have been counted for their whole way.
  for (std::uint64_t i = express_first_; i < express_end_; ++i) {
    express_packet const& one = express_at(i);
    if (one.landed) continue;
    for (std::size_t r = 0; r + 1 < one.links.size(); ++r) {
      if (one.links[r + 1] != link) continue;
      for (std::uint32_t f = 0; f < one.carried.flits; ++f)
        sum -= one.start + one.way->crossed[r * one.carried.flits + f] >= cycle ? 1 : 0;
    }
  }
  return sum;
}

}  // namespace tess::machine
