// make_places: memory, heaps and windows of the places of this process.
#include "runtime/job/make_places.hpp"

#include <algorithm>
#include <memory>

#include "runtime/events/collective.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/job/placement.hpp"
#include "tess/detail/event_lines.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// With a delay, or on request, words of other places take their time: the tables show no windows, not even that of the
/// own place, whose workers know it by themselves.
void keep_from_windows(job_state& j) {
  settings const& s = j.options;
  if (!s.delay.any() && !s.no_window) return;
  bool const delayed = !s.no_window && std::ranges::find(j.atomic_windows, no_window) == j.atomic_windows.end();
  if (delayed) j.delayed_windows = j.atomic_windows;
  for (auto const& w : j.workers) {
    if (j.load_windows[w->place] != no_window) w->own_window = j.atomic_windows[w->place];
    if (!delayed) continue;
    w->delayed_windows = j.delayed_windows.data();
    w->delayed.set(static_cast<std::uint64_t>(s.delay.time.count()), static_cast<std::uint64_t>(s.delay.jitter.count()),
                   s.seed * 1000003 + w->notify_id());
  }
  std::ranges::fill(j.load_windows, no_window);
  std::ranges::fill(j.atomic_windows, no_window);
}

std::unique_ptr<place_state> make_place(job_state& j, place_id id, numa_policy policy) {
  auto p = std::make_unique<place_state>();
  p->id = id;
  p->memory = j.fabric->segment(id);
  place_segment const memory = p->memory;
  unsigned const first = (id - j.first_place) * j.options.workers;
  place_segment_pages({memory.base, memory.bytes}, policy, j.threads[j.workers[first]->thread].cpu);
  if (!j.fabric->extend_segment(id, 0, symmetric_begin)) throw out_of_memory(id, symmetric_begin, memory.bytes);
  new (memory.base + collective_offset) collective_state;
  p->symmetric_used = symmetric_begin;
  auto commit = [f = j.fabric.get(), id](std::uint64_t offset, std::uint64_t bytes) {
    return f->extend_segment(id, offset, bytes);
  };
  p->own = std::make_unique<heap>(memory.base, memory.bytes / 2, memory.bytes, commit);
  if (id == 0) p->symmetric = std::make_unique<heap>(memory.base, symmetric_begin, memory.bytes / 2, commit);
  if (graph_units* const units = j.fabric->capabilities().graphs()) {
    p->buffers = std::make_unique<message_buffers>(units->message_memory());
    p->units = units;
    units->serve(receiver_of_graphs());
  }
  p->system = std::make_unique<finish_scope>(finish_scope::scope_kind::system, 0, j.options.workers > 1);
  for (unsigned w = 0; w < j.options.workers; ++w) p->workers.push_back(j.workers[first + w].get());
  return p;
}

}  // namespace

void make_places(job_state& j) {
  numa_policy const policy = read_numa_policy(j.options.numa);
  for (unsigned i = 0; i < j.options.places; ++i) {
    auto const id = static_cast<place_id>(i);
    if (i >= j.first_place && i < j.first_place + j.local_places) j.places.push_back(make_place(j, id, policy));
    place_window const window = j.fabric->window(id);
    auto const entry = [](std::byte* base) {
      return base == nullptr ? no_window : reinterpret_cast<std::uint64_t>(base);
    };
    j.load_windows.push_back(entry(window.load));
    j.atomic_windows.push_back(entry(window.atomic));
    j.segment_bytes.push_back(j.fabric->segment(id).bytes);
  }
  keep_from_windows(j);
  job.load_window = j.load_windows.data();
  job.atomic_window = j.atomic_windows.data();
  job.segment_bytes = j.segment_bytes.data();
  event_lines = j.fabric->capabilities().event_lines();
  for (auto const& w : j.workers) {
    w->handler.scope = j.place(w->place).system.get();
    w->segment = j.place(w->place).memory.base;
  }
}

}  // namespace tess::detail
