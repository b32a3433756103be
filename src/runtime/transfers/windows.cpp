// windows: asks the fabric for each segment's window, and hides the windows of jobs whose words are delayed.
#include "runtime/transfers/windows.hpp"

#include <algorithm>

#include "runtime/job/job.hpp"

namespace tess::detail {

namespace {

constexpr std::size_t place_numbers = 65536;

/// With a delay, or on request, words of other places go through the runtime: the tables show no windows, not even that
/// of the own place. Its workers have that one in `own_window`.
void hide_windows(job_state& j) {
  settings const& s = j.options;
  window_tables& windows = j.windows;
  if (j.allocations != nullptr) {
    for (auto const& w : j.workers) w->checks_calls = true;
    // Words are verified first; with a delay and without windows that is done where the fabric gets them.
    if (!s.delay.any() && !s.no_window) {
      windows.verified = windows.atomic;
      for (auto const& w : j.workers) w->verifies = true;
    }
    // Addresses of places that there are not have an entry, too.
    windows.load.assign(place_numbers, no_window);
    windows.atomic.assign(place_numbers, no_window);
    return;
  }
  if (!s.delay.any() && !s.no_window) return;
  bool const delayed = !s.no_window && std::ranges::find(windows.atomic, no_window) == windows.atomic.end();
  if (delayed) windows.delayed = windows.atomic;
  for (auto const& w : j.workers) {
    if (windows.load[w->place] != no_window) w->own_window = windows.atomic[w->place];
    if (!delayed) continue;
    w->delayed_windows = windows.delayed.data();
    w->delayed.set(static_cast<std::uint64_t>(s.delay.time.count()), static_cast<std::uint64_t>(s.delay.jitter.count()),
                   s.seed * 1000003 + w->notify_id());
  }
  std::ranges::fill(windows.load, no_window);
  std::ranges::fill(windows.atomic, no_window);
}

}  // namespace

void open_windows(job_state& j) {
  auto const entry = [](std::byte* base) {
    return base == nullptr ? no_window : reinterpret_cast<std::uint64_t>(base);
  };
  for (unsigned i = 0; i < j.options.places; ++i) {
    auto const id = static_cast<place_id>(i);
    place_window const window = j.fabric->window(id);
    j.windows.load.push_back(entry(window.load));
    j.windows.atomic.push_back(entry(window.atomic));
    // The fabric would have to ask each of the others for its size; check_access does when it needs one.
    bool const known = window.load != nullptr || i - j.first_place < j.local_places;
    j.windows.segment_bytes.push_back(known ? j.fabric->segment(id).bytes : 0);
  }
  hide_windows(j);
  job.load_window = j.windows.load.data();
  job.atomic_window = j.windows.atomic.data();
  job.segment_bytes = j.windows.segment_bytes.data();
}

}  // namespace tess::detail
