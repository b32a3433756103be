// stream_slow_test: thousands of places, whose segments alone take the system many seconds.
#include "runtime/stream_job.hpp"

namespace tess {
namespace {

TEST(stream, two_thousand_places_share_64_KiB) {
  test::many_places_share(2000, 64 * 1024);
}

}  // namespace
}  // namespace tess
