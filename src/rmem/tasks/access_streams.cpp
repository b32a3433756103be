// access_streams: a stream begins with any access, and is replaced when it is the least recently used.
#include "tess/detail/remote_memory/access_streams.hpp"

#include <algorithm>
#include <cstdlib>

namespace tess::rmem::detail {

namespace {
/// Larger steps make no stream: two random accesses are seldom that close.
constexpr std::int64_t step_max = 64;
/// This many equal steps establish a stream.
constexpr std::uint32_t steps_enough = 2;
}  // namespace

bool access_streams::stream::is_established() const noexcept {
  return steps >= steps_enough;
}

access_streams::result access_streams::record(std::uint64_t page) {
  ++accesses_;
  auto const distance = [page](stream const& s) { return static_cast<std::int64_t>(page - s.last); };
  stream* near = nullptr;
  for (stream& s : streams_) {
    if (s.last == no_page) continue;
    if (s.last == page) {
      s.used = accesses_;
      return {};
    }
    if (s.step != 0 && distance(s) == s.step) {
      near = &s;
      break;
    }
    // A single access may be the first of a stream.
    if (s.step == 0 && std::abs(distance(s)) <= step_max &&
        (near == nullptr || std::abs(distance(s)) < std::abs(distance(*near))))
      near = &s;
  }
  if (near == nullptr) {
    *std::ranges::min_element(streams_, {}, &stream::used) = {.last = page, .used = accesses_};
    return {};
  }
  stream& s = *near;
  result found{.continued = &s};
  if (distance(s) == s.step) {
    ++s.steps;
    if (s.steps > steps_enough) found.left = s.last;
    s.prefetched = std::max<std::int64_t>(0, s.prefetched - 1);
  } else {
    s.step = distance(s);
    s.steps = 1;
    s.prefetched = 0;
  }
  s.last = page;
  s.used = accesses_;
  return found;
}

}  // namespace tess::rmem::detail
