// flit_engine: builds the parts of a network and runs them through the two halves of a cycle.
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

flit_engine::flit_engine(network_parameters const& parameters, delivery& complete) : shape_(parameters) {
  topology const& layout = shape_.layout();
  routers_.reserve(layout.routers());
  for (std::uint32_t i = 0; i < layout.routers(); ++i)
    routers_.emplace_back(shape_, i, links_, events_, packets_, workspace_, memory_);
  injectors_.reserve(layout.nodes());
  ejectors_.reserve(layout.nodes());
  for (std::uint32_t node = 0; node < layout.nodes(); ++node) {
    injectors_.emplace_back(shape_, node, links_, events_, packets_, memory_);
    ejectors_.emplace_back(shape_, node, links_, packets_, complete);
  }
}

void flit_engine::enqueue(packet const& sent, bool delivered, std::span<std::uint32_t const> path) {
  for (std::uint32_t const link : path) links_.add_packet(link);
  injectors_[sent.source].enqueue(packets_.add(sent, delivered));
}

void flit_engine::receive(std::uint64_t cycle) {
  schedule::cycle_events& due = events_.at(cycle);
  for (schedule::credit_arrival const& credit : due.credits) {
    link_ends const& ends = shape_.ends(credit.link);
    links_.credit_arrived(credit.link);
    if (ends.from_node)
      injectors_[ends.source].receive_credit(credit.channel);
    else
      routers_[ends.source].receive_credit(ends.source_port, credit.channel);
  }
  for (schedule::flit_arrival const& one : due.flits) {
    link_ends const& ends = shape_.ends(one.link);
    if (ends.to_node)
      ejectors_[ends.target].receive(one.arrived, one.channel, cycle);
    else
      routers_[ends.target].receive(one.arrived, ends.target_port, one.channel, cycle);
  }
  events_.handled(due.credits.size() + due.flits.size());
  due.credits.clear();
  due.flits.clear();
}

void flit_engine::advance(std::uint64_t cycle) {
  events_.for_each_active_node([&](std::uint32_t node) { injectors_[node].step(cycle); });
  events_.for_each_active_router([&](std::uint32_t number) { routers_[number].step(cycle); });
  schedule::cycle_events& due = events_.at(cycle);
  for (schedule::finished_route const& one : due.routes) routers_[one.router].finish_routing(one.port, one.channel);
  events_.handled(due.routes.size());
  due.routes.clear();
}

}  // namespace tess::machine
