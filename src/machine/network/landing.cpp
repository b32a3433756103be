// landing: express packets that somebody may meet are put back among the flits, as they would have been there.
//
//   All that fly over a link of the one who comes, and all that share a link with one of those, are taken back: the
//   routers' pointers become what they were before the first of them was sent. Then they are moved flit by flit from
//   there to now, by the code that moves all others, with everything else set aside. It cannot be missed: it has met
//   none of them, for then they would have landed before.
#include <algorithm>
#include <utility>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

void flit_network::land_those_on(std::span<std::uint32_t const> links, std::uint64_t cycle) {
  if (express_first_ == express_end_) return;
  find_landing(links);
  if (landing_.empty()) return;
  for (auto number = landing_.rbegin(); number != landing_.rend(); ++number) take_back(express_at(*number));
  replay(cycle);
  forget_express(cycle);
}

void flit_network::find_landing(std::span<std::uint32_t const> links) {
  landing_.clear();
  for (std::uint32_t const link : links) landing_links_[link] = 1;
  for (bool more = true; more;) {
    more = false;
    for (std::uint64_t i = express_first_; i < express_end_; ++i) {
      express_packet& one = express_at(i);
      auto const marked = [&](std::uint32_t link) { return landing_links_[link] != 0; };
      // Of a convoy that is over nothing can be taken back any more, nor need it be.
      if (one.landed || one.first_of_convoy < express_first_ || std::ranges::none_of(one.links, marked)) continue;
      for (std::uint32_t const link : one.links) landing_links_[link] = 1;
      one.landed = more = true;
      landing_.push_back(i);
    }
  }
  for (std::uint32_t const link : links) landing_links_[link] = 0;
  for (std::uint64_t const number : landing_) {
    for (std::uint32_t const link : express_at(number).links) landing_links_[link] = 0;
  }
  std::ranges::sort(landing_);
}

void flit_network::take_back(express_packet& of) {
  for (std::uint32_t const link : of.links) links_[link].free_from = 0;
  for (std::uint32_t const link : std::span(of.links).subspan(1)) link_flits_[link] -= of.carried.flits;
  if (!of.delivered) {
    --packets_inside_;
    --express_inside_;
  }
  if (!of.before.empty()) return write_pointers(of.together, of.channels, of.before);
  if (of.hops.empty()) return;  // it flew behind the first of its convoy
  for (std::size_t router = of.hops.size(); router-- > 0;) {
    hop const& was = of.hops[router];
    std::uint32_t const input_index = input_of(of, router);
    std::uint32_t const output_index = of.links[router + 1];
    input_channels_[input_index * channels_ + was.channel].grant_pointer = was.input_channel_grant;
    output_channels_[output_index * channels_ + was.output_channel].next_input = was.output_channel_next;
    outputs_[output_index].next_input = was.output_next_input;
    inputs_[input_index].next_output = was.input_next_output;
    inputs_[input_index].next_channel = was.input_next_channel;
  }
  node_interface& node = interfaces_[of.carried.source];
  node.lines[of.carried.network].last_channel = of.last_channel;
  node.next_line = of.next_line;
}

void flit_network::swap_moving() noexcept {
  calendar_.swap(aside_.calendar);
  active_routers_.swap(aside_.active_routers);
  active_nodes_.swap(aside_.active_nodes);
  std::swap(flying_, aside_.flying);
}

void flit_network::set_routers_aside() {
  routers_aside_.clear();
  for (std::uint64_t const number : landing_) {
    for (std::uint32_t const link : std::span(express_at(number).links).subspan(1)) {
      router& of = routers_[link / ports_];
      if ((of.waiting_ports | of.ready_ports) == 0) continue;
      routers_aside_.emplace_back(link / ports_, std::exchange(of, {}));
    }
  }
}

void flit_network::restore_routers() noexcept {
  for (auto const& [index, was] : routers_aside_) {
    routers_[index].waiting_ports |= was.waiting_ports;
    routers_[index].ready_ports |= was.ready_ports;
  }
}

void flit_network::replay(std::uint64_t cycle) {
  swap_moving();
  set_routers_aside();
  std::uint64_t at = express_at(landing_.front()).start;
  for (auto next = landing_.begin();; ++at) {
    for (; next != landing_.end() && express_at(*next).start == at; ++next) {
      express_packet const& begun = express_at(*next);
      packet again = begun.carried;
      again.hops = 0;
      queue(again, begun.delivered, begun.links);
    }
    if (at == cycle) break;
    take_in_all(at);
    move_all(at);
  }
  if (delivering_) take_in_all(cycle);  // the others have been taken in
  swap_moving();
  join_moving(cycle);
}

void flit_network::join_moving(std::uint64_t cycle) {
  restore_routers();
  auto const append = [](auto& to, auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  };
  for (std::size_t i = 0; i < calendar_.size(); ++i) {
    append(calendar_[i].flits, aside_.calendar[i].flits);
    append(calendar_[i].credits, aside_.calendar[i].credits);
    append(calendar_[i].routed, aside_.calendar[i].routed);
  }
  auto const join = [](std::vector<std::uint64_t>& to, std::vector<std::uint64_t>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] |= std::exchange(from[i], 0);
  };
  join(active_routers_, aside_.active_routers);
  join(active_nodes_, aside_.active_nodes);
  flying_ += std::exchange(aside_.flying, 0);
  next_ = std::max(next_, cycle);
}

}  // namespace tess::machine
