// make_places: the heaps, accelerators and workers of each place.
#include "runtime/job/make_places.hpp"

#include <memory>

#include "runtime/events/collective.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/job/placement.hpp"
#include "tess/detail/events/event_lines.hpp"
#include "tess/detail/objects/region.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// The system's memory for graphs that arrive: a half of the place's own.
constexpr std::uint64_t system_share = 2;

std::unique_ptr<place_state> make_place(job_state& j, place_id id, numa_policy policy) {
  auto p = std::make_unique<place_state>();
  p->id = id;
  p->memory = j.fabric->segment(id);
  place_segment const memory = p->memory;
  unsigned const first = (id - j.first_place) * j.options.workers;
  place_segment_pages({memory.base, memory.bytes}, policy, j.threads[j.workers[first]->thread].cpu);
  if (!j.fabric->extend_segment(id, 0, symmetric_begin)) throw out_of_memory(id, symmetric_begin, memory.bytes);
  new (memory.base + collective_offset) collective_state;
  p->heaps.symmetric_used = symmetric_begin;
  // What the runtime keeps there, but not the null pointer.
  if (j.allocations != nullptr) j.allocations->add(id, 64, symmetric_begin - 64);
  auto commit = [f = j.fabric.get(), id](std::uint64_t offset, std::uint64_t bytes) {
    return f->extend_segment(id, offset, bytes);
  };
  p->heaps.own = std::make_unique<heap>(memory.base, memory.bytes / 2, memory.bytes, commit);
  if (id == 0) p->heaps.symmetric = std::make_unique<heap>(memory.base, symmetric_begin, memory.bytes / 2, commit);
  if (graph_units* const units = j.fabric->capabilities().graphs()) {
    p->graphs.buffers = std::make_unique<message_buffers>(units->message_memory());
    p->graphs.units = units;
    units->serve(receiver_of_graphs());
    if (units->system_allocates()) {
      std::uint64_t const bytes = memory.bytes / 2 / system_share;
      std::uint64_t const offset = p->heaps.own->allocate(bytes);
      if (offset == 0) throw out_of_memory(id, bytes, p->heaps.own->left_bytes());
      p->graphs.of_system = {memory.base + offset, bytes};
      units->manage(p->graphs.of_system, region::blocks_begin(), j.options.collected_heap);
    }
  }
  p->finishes.system = std::make_unique<finish_scope>(finish_scope::scope_kind::system, 0, j.options.workers > 1);
  for (unsigned w = 0; w < j.options.workers; ++w) p->workers.push_back(j.workers[first + w].get());
  return p;
}

}  // namespace

void make_places(job_state& j) {
  numa_policy const policy = read_numa_policy(j.options.numa);
  for (unsigned i = 0; i < j.local_places; ++i)
    j.places.push_back(make_place(j, static_cast<place_id>(j.first_place + i), policy));
  open_windows(j);
  event_lines = j.fabric->capabilities().event_lines();
  for (auto const& w : j.workers) {
    w->handler.scope = j.place(w->place).finishes.system.get();
    w->segment = j.place(w->place).memory.base;
  }
}

}  // namespace tess::detail
