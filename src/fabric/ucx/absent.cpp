// absent: the error of a build without UCX or PMIx when places in several processes are wanted.
#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void absent() {
  throw error("--fabric ucx", "this build has no UCX and PMIx",
              "./tess setup cluster (libucx-dev, libpmix-dev), then build again");
}

}  // namespace

std::unique_ptr<process_wireup> make_wireup(std::chrono::milliseconds, std::string) {
  absent();
}

std::unique_ptr<fabric> make_ucx_fabric(thread_map const&, ucx_options const&, std::unique_ptr<process_wireup>) {
  absent();
}

}  // namespace tess::detail
