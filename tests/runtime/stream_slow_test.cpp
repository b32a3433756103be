// stream_slow_test: streams between thousands of places, whose segments take the system many seconds to map.
#include "runtime/stream_job.hpp"

namespace tess {
namespace {

TEST(stream, two_thousand_places_share_64_KiB) {
  test::many_places_share(2000, 64 * 1024);
}

}  // namespace
}  // namespace tess
