// topology: computes coordinates, neighbours and the table of routes.
#include "machine/network/topology.hpp"

#include "machine/kernel/assert.hpp"

namespace tess::machine {

topology::topology(network_parameters const& parameters)
    : kind_(parameters.topology),
      classes_(parameters.classes),
      keeps_class_(kind_ == topology_kind::torus && classes_ != ring_classes::dateline),
      width_(parameters.width),
      height_(parameters.height),
      nodes_(parameters.nodes()),
      routers_(kind_ == topology_kind::crossbar ? 1 : nodes_),
      ports_(kind_ == topology_kind::crossbar ? nodes_ : local + 1U) {
  MACHINE_ASSERT(nodes_ > 0 && ports_ <= ports_max);
  steps_.reserve(std::size_t{routers_} * nodes_);
  for (std::uint32_t router = 0; router < routers_; ++router) {
    for (std::uint32_t target = 0; target < nodes_; ++target) steps_.push_back(step(router, target));
  }
}

link_end topology::attachment(std::uint32_t node) const noexcept {
  return kind_ == topology_kind::crossbar ? link_end{0, node} : link_end{node, local};
}

std::uint32_t topology::node_at(std::uint32_t router, std::uint32_t port) const noexcept {
  if (kind_ == topology_kind::crossbar) return port;
  return port == local ? router : link_end::nowhere;
}

link_end topology::neighbour(std::uint32_t router, std::uint32_t port) const noexcept {
  if (node_at(router, port) != link_end::nowhere) return {};
  bool const wraps = kind_ == topology_kind::torus;
  std::uint32_t const x = router % width_;
  std::uint32_t const y = router / width_;
  auto const at = [&](std::uint32_t to_x, std::uint32_t to_y, std::uint32_t into) {
    return link_end{to_y * width_ + to_x, into};
  };
  // A link that leaves to the east arrives at the next router's western port. A ring of one router has no links.
  if (port == east && width_ > 1 && (wraps || x + 1 < width_)) return at((x + 1) % width_, y, west);
  if (port == west && width_ > 1 && (wraps || x > 0)) return at((x + width_ - 1) % width_, y, east);
  if (port == south && height_ > 1 && (wraps || y + 1 < height_)) return at(x, (y + 1) % height_, north);
  if (port == north && height_ > 1 && (wraps || y > 0)) return at(x, (y + height_ - 1) % height_, south);
  return {};
}

channel_half topology::class_of(std::uint32_t at, std::uint32_t to, std::uint32_t size, bool rises) const noexcept {
  if (rises ? to < at : to > at) return channel_half::lower;
  // No shortest way crosses both datelines.
  std::uint32_t const middle = (size - 1) / 2;
  bool const crosses_middle = (at <= middle) != (to <= middle);
  return classes_ == ring_classes::balanced && !crosses_middle ? channel_half::all : channel_half::upper;
}

topology::dimension_step topology::along(std::uint32_t at, std::uint32_t to, std::uint32_t size) const noexcept {
  if (at == to) return {0, channel_half::all};
  if (kind_ != topology_kind::torus) return {to > at ? 1 : -1, channel_half::all};
  std::uint32_t const up = (to + size - at) % size;
  // Both directions can be equally long only at the first step. Alternating by position spreads packets over both.
  bool const rises = up * 2 < size || (up * 2 == size && at % 2 == 0);
  return {rises ? 1 : -1, class_of(at, to, size, rises)};
}

route_step topology::step(std::uint32_t router, std::uint32_t target) const noexcept {
  link_end const last = attachment(target);
  if (router == last.router) return {static_cast<std::uint8_t>(last.port), channel_half::all};
  dimension_step const x = along(router % width_, target % width_, width_);
  dimension_step const y = along(router / width_, target / width_, height_);
  dimension_step const& next = x.direction != 0 ? x : y;
  port_name const forward = x.direction != 0 ? east : south;
  port_name const backward = x.direction != 0 ? west : north;
  return {next.direction > 0 ? forward : backward, next.half};
}

std::uint32_t topology::distance(std::uint32_t from, std::uint32_t to) const noexcept {
  link_end const last = attachment(to);
  std::uint32_t router = attachment(from).router;
  std::uint32_t links = 0;
  for (; router != last.router; ++links) router = neighbour(router, route(router, to).port).router;
  return links;
}

}  // namespace tess::machine
