// link_paths: the walk along a route.
#include "machine/network/link_paths.hpp"

namespace tess::machine {

void link_paths::follow_route(known& into) const {
  into.links.clear();
  into.links.push_back(topology_.routers() * topology_.ports() + into.source);
  for (std::uint32_t router = topology_.attachment(into.source).router;;) {
    std::uint32_t const port = topology_.route(router, into.target).port;
    into.links.push_back(router * topology_.ports() + port);
    if (topology_.node_at(router, port) != link_end::nowhere) return;
    router = topology_.neighbour(router, port).router;
  }
}

}  // namespace tess::machine
