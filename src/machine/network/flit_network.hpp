// flit_network: routers, links and node interfaces, as if advanced cycle by cycle; wormhole switching with credits.
//
//   A packet waits at its source node, enters its router flit by flit, and holds in every router one virtual channel
//   from when its head is granted it until its tail has left. A flit moves on only with a credit: room in the buffer
//   ahead. Allocation is by iSLIP with one iteration, both for virtual channels and for the switch.
//   Within a cycle the routers do not see each other: what one sends arrives traversal + link + 1 cycles later at the
//   earliest. So links and switches need no work of their own: a flit is put into the list of the cycle in which it
//   arrives. Routers without flits cost nothing.
//   A node takes in one flit a cycle. A packet is delivered with its tail; with receive_packets > 0 the node must
//   release() it before more than that many can come. What finds no room stays in the network and holds others back.
//   Where packets meet nobody, or only each other, nothing is moved: when they arrive is known before (express.cpp,
//   convoy.cpp, landing.cpp). It is the same cycle in which their last flits would.
//
// Units     cycles of the network's clock.
// Cost      about 0.1 us for a packet that meets nobody, 0.3 us for one that joins a convoy, 0.1 us for a flit and
//           router otherwise. No allocation once the buffers have grown to their size.
// Threads   one.
// Test      against BookSim2's curves (tests/machine/network/booksim_test.cpp), and with everything moved flit by flit
//           against what flies (express_test.cpp).
// Source    N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Trans. Networking 7, 1999;
//           L. Peh, W. Dally, "A delay model and speculative architecture for pipelined routers", HPCA 2001.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine/network/link_paths.hpp"
#include "machine/network/lone_way.hpp"
#include "machine/network/parameters.hpp"
#include "machine/network/topology.hpp"

namespace tess::machine {

struct packet {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint32_t flits = 1;
  std::uint8_t network = 0;    ///< Virtual network.
  std::uint64_t cookie = 0;    ///< The sender's; the network carries it.
  std::uint64_t created = 0;   ///< When it was handed to its node, in cycles.
  std::uint64_t injected = 0;  ///< When its head left the node.
  std::uint32_t hops = 0;      ///< Links between routers so far.
};

class flit_network {
 public:
  using deliver_function = std::function<void(packet const&, std::uint64_t cycle)>;

  /// `deliver` is called for every packet in the cycle of its last flit, in the order of their targets; it may send and
  /// release. Without `express`, and where routers speculate, every flit is moved by itself: the same cycles.
  flit_network(network_parameters const& made_of, deliver_function deliver, bool express = true);

  [[nodiscard]] network_parameters const& made_of() const noexcept { return made_of_; }
  [[nodiscard]] topology const& layout() const noexcept { return topology_; }

  /// Adds it to the line at its source; it counts from `sent.created`, before which no cycle is stepped any more. Any
  /// number may wait there. The first cycle that must be stepped for it is returned.
  std::uint64_t send(packet const& sent);
  /// Packets of one virtual network that wait at a node, also in part, before this cycle is stepped.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept;
  /// The node has done with a packet that was delivered to it. Only for receive_packets > 0.
  void release(std::uint32_t node, std::uint32_t network, std::uint64_t cycle);

  /// All that happens in this cycle; cycles must grow, and none may be left out while it is busy().
  void step(std::uint64_t cycle);
  /// Something would happen in the next cycle.
  [[nodiscard]] bool busy() const noexcept { return any(active_routers_) || any(active_nodes_); }
  /// Something is on its way: a later cycle may be busy.
  [[nodiscard]] bool flying() const noexcept { return flying_ != 0 || express_inside_ != 0; }
  /// The next cycle after the last one in which something happens; only while busy() or flying().
  [[nodiscard]] std::uint64_t next_cycle() const noexcept;
  [[nodiscard]] std::uint64_t packets_inside() const noexcept { return packets_inside_; }

  /// Flits that left by this port before this cycle, for statistics; the cycle is the next one to be stepped.
  [[nodiscard]] std::uint64_t link_flits(std::uint32_t router, std::uint32_t port, std::uint64_t cycle) const noexcept;

 private:
  static constexpr std::uint32_t channels_max = 32;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint8_t unassigned = 0xff;

  struct flit {
    std::uint32_t packet;
    bool head;
    bool tail;
  };
  /// A virtual channel of a router's input.
  struct input_channel {
    std::uint8_t output = 0;                   ///< Port that its packet leaves by.
    std::uint8_t output_channel = unassigned;  ///< The channel it holds there.
    std::uint8_t first = 0;                    ///< Of the ring in its buffer.
    std::uint8_t count = 0;
    std::uint16_t grant_pointer = 0;  ///< iSLIP, VC allocation, as input: port × channels + channel of an output.
    std::uint32_t may_take = 0;       ///< Output channels its packet may be given.
    std::uint32_t port = 0;           ///< Index of the input port that it belongs to.
  };
  struct input_port {
    std::uint32_t waiting = 0;   ///< Channels whose head waits for an output channel.
    std::uint32_t ready = 0;     ///< Channels that hold an output channel and have a flit.
    std::uint32_t upstream = 0;  ///< Where credits go: output port index, or node.
    std::uint32_t router = 0;
    std::uint8_t port = 0;  ///< Of its router.
    bool from_node = false;
    std::uint8_t next_output = 0;   ///< iSLIP, switch allocation, as input.
    std::uint8_t next_channel = 0;  ///< Which of its channels goes first to an output.
  };
  struct output_port {
    std::uint32_t free = 0;       ///< Channels that no packet holds.
    std::uint32_t credited = 0;   ///< Channels with a credit.
    std::uint32_t target = none;  ///< Input port index, or node.
    bool to_node = false;
    std::uint8_t next_input = 0;  ///< iSLIP, switch allocation, as output.
  };
  struct output_channel {
    std::uint16_t next_input = 0;  ///< iSLIP, VC allocation, as output: port × channels + channel of an input.
    std::uint8_t credits = 0;
  };
  struct router {
    std::uint64_t waiting_ports = 0;
    std::uint64_t ready_ports = 0;
  };
  /// Packets of one virtual network that wait at a node.
  struct source_line {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::uint32_t length = 0;
    std::uint32_t flits_left = 0;  ///< Of the first packet; 0: not begun.
    std::uint8_t channel = 0;      ///< That the first packet takes, once begun.
    std::uint8_t last_channel = unassigned;
  };
  /// A channel from a router to its node: packets come flit by flit, one packet at a time.
  struct arriving_channel {
    bool admitted = false;   ///< Its packet has a place.
    std::vector<flit> held;  ///< Those that wait for one.
  };
  struct node_interface {
    std::vector<source_line> lines;
    std::uint32_t free = 0;  ///< Channels of the router's local input that no packet of ours holds.
    std::uint32_t credited = 0;
    std::vector<std::uint8_t> credits;
    std::uint32_t next_line = 0;  ///< Round robin among lines of equal priority.
    std::vector<arriving_channel> arriving;
    std::vector<std::uint32_t> places;  ///< Per virtual network: packets it can still take in.
  };
  struct stored_packet : packet {
    std::uint32_t next = none;
    bool delivered = false;  ///< Its target has been told of it; only flits and credits are left.
  };
  struct flying_flit {
    flit moved;
    std::uint32_t target;  ///< Input port index, or node.
    std::uint8_t channel;
    bool to_node;
  };
  struct flying_credit {
    std::uint32_t target;  ///< Output port index, or node.
    std::uint8_t channel;
    bool to_node;
  };
  /// What arrives in one cycle.
  struct cycle_list {
    std::vector<flying_flit> flits;
    std::vector<flying_credit> credits;
    std::vector<std::uint32_t> routed;  ///< Input channels whose route is known at the end of the cycle.
  };
  struct channel_request {
    std::uint16_t input;  ///< port × channels + channel.
    std::uint8_t port;
    std::uint8_t channel;
    std::uint8_t output;
    std::uint32_t wanted;  ///< Output channels that are free.
    std::uint32_t granted;
  };

  /// Who still comes over a link: from a node (they follow the output ports in number), to a router or to a node.
  struct link_use {
    std::uint64_t free_from = 0;  ///< Express packets have left it behind.
    std::uint32_t packets = 0;    ///< Moved flit by flit, whose tail has not passed.
    std::uint32_t owed = 0;       ///< Credits on their way, and flits that they will be for.
  };
  /// Pointers of a router as they were before a packet.
  struct hop {
    std::uint16_t input_channel_grant;
    std::uint16_t output_channel_next;
    std::uint8_t channel;         ///< That it came by.
    std::uint8_t output_channel;  ///< That it left by.
    std::uint8_t output_next_input;
    std::uint8_t input_next_output;
    std::uint8_t input_next_channel;
  };
  struct express_packet {
    packet carried;
    lone_way const* way = nullptr;
    std::uint64_t start = 0;           ///< Cycle in which its head leaves the node.
    std::vector<std::uint32_t> links;  ///< On its way.
    std::vector<hop> hops;
    std::uint32_t next_line = 0;  ///< Of its node, as they were before it.
    std::uint8_t last_channel = unassigned;
    bool delivered = false;
    bool landed = false;                  ///< It is moved flit by flit now.
    std::uint64_t first_of_convoy = 0;    ///< Its number; one that flies alone has its own.
    std::u16string before;                ///< Of a convoy's first: all pointers on its links as they were before it.
    std::vector<std::uint32_t> together;  ///< These links.
    std::uint32_t channels = 0;           ///< Whose pointers these are.
  };
  /// What comes of packets that meet, in cycles since each one's start; uses of links since the first one's.
  struct convoy_plan {
    std::vector<lone_way> ways;
    std::vector<std::uint64_t> until;  ///< By link: its last credit is back.
    std::u16string after;              ///< The pointers.
  };
  /// Of a flit over a link, or from its node, while a plan is worked out.
  struct passage {
    std::size_t packet;
    std::uint32_t link;
    std::uint64_t cycle;
  };
  struct express_arrival {
    std::uint64_t cycle;
    std::uint64_t number;
  };
  static constexpr std::uint32_t express_flits_max = 256;
  static bool later(express_arrival const& a, express_arrival const& b) noexcept { return a.cycle > b.cycle; }

  // flit_network.cpp
  void take_in_all(std::uint64_t cycle);
  void deliver_all(std::uint64_t cycle);
  void move_all(std::uint64_t cycle);
  void connect();
  void allocate(std::uint32_t router_index, std::uint64_t cycle);
  void take_in(flying_flit const& arrived, std::uint64_t cycle);
  void take_in(flying_credit const& arrived);
  void begin_packet(std::uint32_t input_index, std::uint64_t first_cycle);
  void set_route(std::uint32_t input_index);
  static bool any(std::span<std::uint64_t const> bits) noexcept;
  cycle_list& list_at(std::uint64_t cycle) noexcept { return calendar_[cycle & calendar_mask_]; }

  // node_interface.cpp
  void inject(std::uint32_t node, std::uint64_t cycle);
  [[nodiscard]] std::uint32_t most_urgent_line(std::uint32_t lines, std::uint32_t next) const noexcept;
  bool inject_from(std::uint32_t node, std::uint32_t network, std::uint64_t cycle);
  [[nodiscard]] std::uint8_t choose_channel(node_interface const& from, std::uint32_t network) const noexcept;
  void arrive(std::uint32_t node, std::uint8_t channel, flit arrived, std::uint64_t cycle);
  void drain(std::uint32_t node, std::uint8_t channel, std::uint64_t cycle);
  void sink(std::uint32_t node, std::uint8_t channel, flit arrived, std::uint64_t cycle);
  [[nodiscard]] std::uint32_t receive_limit(std::uint32_t network) const noexcept {
    return made_of_.virtual_networks[network].receive_packets;
  }
  void queue(packet const& sent, bool delivered, std::span<std::uint32_t const> links);
  [[nodiscard]] std::uint32_t store(packet const& sent);
  void forget(std::uint32_t stored) noexcept;

  // express.cpp
  [[nodiscard]] bool meets_nobody(lone_way const& way, std::uint64_t start) const noexcept;
  std::uint64_t fly(packet const& sent, lone_way const& way, std::uint64_t start);
  void pass(express_packet& by, std::size_t router);
  void take_express_arrivals(std::uint64_t cycle);
  [[nodiscard]] express_packet& express_at(std::uint64_t number) noexcept {
    return express_[number & (express_.size() - 1)];
  }
  [[nodiscard]] express_packet const& express_at(std::uint64_t number) const noexcept {
    return express_[number & (express_.size() - 1)];
  }
  express_packet& new_express();
  void forget_express(std::uint64_t cycle) noexcept;
  [[nodiscard]] std::uint32_t input_of(express_packet const& of, std::size_t router) const noexcept;

  // convoy.cpp
  static constexpr std::size_t convoy_max = 4;
  static constexpr std::size_t plans_max = 1U << 13U;
  [[nodiscard]] std::optional<std::uint64_t> join(packet const& sent, std::uint64_t start);
  [[nodiscard]] convoy_plan const* find_plan();
  [[nodiscard]] convoy_plan work_out_plan();
  [[nodiscard]] lone_way recorded_way(std::size_t packet) const;
  void follow(convoy_plan const& plan);
  template <class F>
  void for_each_pointer(std::uint32_t link, std::uint32_t channels, F&& f);
  void read_pointers(std::span<std::uint32_t const> links, std::uint32_t channels, std::u16string& into);
  void write_pointers(std::span<std::uint32_t const> links, std::uint32_t channels, std::u16string_view from);
  void record(flit const& moved, std::uint32_t link, std::uint64_t cycle) {
    passages_.push_back({static_cast<std::size_t>(packets_[moved.packet].cookie), link, cycle});
  }

  // landing.cpp
  void land_those_on(std::span<std::uint32_t const> links, std::uint64_t cycle);
  void find_landing(std::span<std::uint32_t const> links);
  void take_back(express_packet& of);
  void replay(std::uint64_t cycle);
  void swap_moving() noexcept;
  void set_routers_aside();
  void restore_routers() noexcept;
  void join_moving(std::uint64_t cycle);

  // channel_allocation.cpp
  void allocate_channels(std::uint32_t router_index);
  /// All of allocate_channels() and take_granted_channels(), if one channel waits; otherwise false.
  bool give_lone_channel(std::uint32_t router_index);
  void grant_channels(std::uint32_t router_index, std::uint32_t output);
  void accept_channel(std::uint32_t router_index, channel_request& asked);
  void take_granted_channels(std::uint32_t router_index);

  // switch_allocation.cpp
  void allocate_switch(std::uint32_t router_index);
  /// As the three steps below, if every port asks with one channel and all for different outputs; otherwise false.
  bool grant_all(std::uint32_t router_index);
  void request_switch(std::uint32_t router_index, std::uint32_t port);
  void offer_channel(std::uint32_t port, std::uint32_t channel, std::uint32_t output, std::uint64_t& seen);
  void grant_switch(std::uint32_t router_index);
  void accept_switch(std::uint32_t router_index);
  [[nodiscard]] std::uint64_t most_urgent_inputs(std::uint32_t output) const noexcept;
  [[nodiscard]] std::uint64_t most_urgent_outputs(std::uint32_t port) const noexcept;
  [[nodiscard]] bool may_traverse(std::uint32_t router_index, std::uint32_t port, std::uint32_t channel) const;
  void traverse(std::uint32_t router_index, std::uint32_t port, std::uint32_t channel, std::uint64_t cycle);

  network_parameters made_of_;
  topology topology_;
  deliver_function deliver_;
  std::uint32_t ports_;
  std::uint32_t channels_;                      ///< Of all virtual networks.
  std::vector<std::uint32_t> channel_masks_;    ///< [virtual network][channel_half]
  std::vector<std::uint8_t> channel_networks_;  ///< Virtual network of a channel.
  bool one_priority_ = true;

  std::vector<router> routers_;
  std::vector<input_port> inputs_;               ///< [router][port]
  std::vector<output_port> outputs_;             ///< [router][port]
  std::vector<input_channel> input_channels_;    ///< [router][port][channel]
  std::vector<output_channel> output_channels_;  ///< [router][port][channel]
  std::vector<flit> buffers_;                    ///< [router][port][channel][buffer_flits]
  std::vector<node_interface> interfaces_;
  std::vector<std::uint64_t> active_routers_;  ///< Bits: have a channel that waits or is ready.
  std::vector<std::uint64_t> active_nodes_;    ///< Bits: have a packet that waits.
  std::vector<std::uint64_t> link_flits_;      ///< [router][port]

  std::vector<cycle_list> calendar_;
  std::uint64_t calendar_mask_;
  std::uint64_t flying_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t next_ = 0;         ///< No cycle before this one is stepped any more.
  bool gathering_ = false;         ///< Packets that are whole go to delivered_.
  bool delivering_ = false;        ///< What is sent now leaves in this cycle.
  std::vector<packet> delivered_;  ///< In this cycle.

  bool with_express_;
  lone_ways ways_;
  std::vector<link_use> links_;
  link_paths paths_;
  std::span<std::uint32_t const> path_;  ///< Links of the packet that is being sent.
  std::vector<express_packet> express_;  ///< A ring, by number; those from express_first_ on are remembered.
  std::uint64_t express_first_ = 0;
  std::uint64_t express_end_ = 0;
  std::uint64_t express_inside_ = 0;         ///< Not delivered yet.
  std::vector<express_arrival> arrivals_;    ///< A heap, earliest first; those of landed packets are stale.
  std::vector<std::uint64_t> landing_;       ///< Numbers of those that are to be landed.
  std::vector<std::uint8_t> landing_links_;  ///< By link.
  /// What moves while those that land catch up.
  struct moving {
    std::vector<cycle_list> calendar;
    std::vector<std::uint64_t> active_routers;
    std::vector<std::uint64_t> active_nodes;
    std::uint64_t flying = 0;
  };
  moving aside_;
  std::unordered_map<std::u16string, convoy_plan> plans_;  ///< By all that they follow from.
  std::uint64_t plans_followed_ = 0;
  std::u16string key_;
  std::size_t key_head_ = 0;                 ///< Behind it come the pointers.
  std::vector<std::uint32_t> convoy_links_;  ///< Of those that are to fly together.
  std::uint32_t convoy_channels_ = 0;
  bool recording_ = false;
  std::vector<passage> passages_;
  std::vector<std::uint64_t> credited_;  ///< By link: when the last credit was back.
  std::vector<std::pair<std::uint32_t, router>> routers_aside_;

  std::vector<stored_packet> packets_;
  std::uint32_t free_packets_ = none;
  std::uint64_t packets_inside_ = 0;

  // Of the router that is being allocated.
  std::vector<channel_request> requests_;
  std::vector<channel_request> granted_channels_;  ///< Requests with one granted channel.
  std::vector<std::uint8_t> switch_channel_;       ///< [port][output]: which channel asks.
  std::vector<std::uint64_t> switch_requests_;     ///< [output]: input ports that ask.
  std::vector<std::uint64_t> switch_grants_;       ///< [input]: outputs that granted.
  std::uint64_t requested_outputs_ = 0;
  std::uint64_t granted_inputs_ = 0;
  struct switch_winner {
    std::uint8_t port;
    std::uint8_t channel;
  };
  std::vector<switch_winner> winners_;
};

}  // namespace tess::machine
