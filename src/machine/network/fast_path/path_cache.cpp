// path_cache: lists the links of a route, router by router.
#include "machine/network/fast_path/path_cache.hpp"

namespace tess::machine {

void path_cache::follow_route(entry& into) const {
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
