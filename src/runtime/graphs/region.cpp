// region: chunks of objects from the worker's free lists or the segment; checks of objects; the region of make().
#include "tess/detail/objects/region.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/graphs/quarantine.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/job/job.hpp"
#include "tess/array.hpp"
#include "tess/memory.hpp"
#include "tess/object.hpp"

namespace tess::detail {

namespace {

// The layout that the accelerators of the simulated machine read.
namespace layout = machine::registers::objects;
static_assert(sizeof(type_record) == layout::record_bytes && offsetof(type_record, bytes) == layout::record_size &&
              offsetof(type_record, kind) == layout::record_kind &&
              offsetof(type_record, alignment) == layout::record_alignment &&
              offsetof(type_record, mask) == layout::record_mask);
static_assert(static_cast<int>(block_kind::data_array) == layout::data_array &&
              static_cast<int>(block_kind::pointer_array) == layout::pointer_array);

// The free lists of frames serve these; larger chunks come from the segment and go back at once.
constexpr std::uint64_t pooled_bytes = nursery::chunk_bytes_max;
constexpr std::uint64_t first_growth = 2032;
constexpr std::uint64_t growth_max = std::uint64_t{1} << 20;
/// Distances in a header have 32 bits, in units of 8 bytes.
constexpr std::uint64_t chunk_bytes_max = std::uint64_t{1} << 35;

/// Both are multiples of 8.
void zero_words(std::byte* begin, std::byte* end) noexcept {
  // The front of a block is a few words: on the machine a call takes longer than they do.
  constexpr std::ptrdiff_t few = transition_bytes != 0 ? 128 : 0;
  if (end - begin > few) {
    std::memset(begin, 0, static_cast<std::size_t>(end - begin));
    return;
  }
  for (auto* word = reinterpret_cast<std::uint64_t*>(begin); word != reinterpret_cast<std::uint64_t*>(end); ++word) {
    *word = 0;
    asm volatile("" : : : "memory");  // keeps this from becoming a call
  }
}

chunk* allocate_chunk(std::uint64_t bytes) {
  if (bytes >= chunk_bytes_max)
    throw error("object", std::to_string(bytes) + " bytes in one block or graph", "less than 32 GiB");
  void* const memory = bytes > pooled_bytes              ? to_local(segment_allocate(bytes))
                       : the_job->options.collected_heap ? this_worker().graphs.small_chunks.allocate(bytes)
                                                         : self->frames.allocate(bytes, frame_pool::kind::raw);
  return ::new (memory) chunk{chunk::live, nullptr, nullptr, bytes};
}

}  // namespace

void free_chunk(chunk* c) noexcept {
  // Only tiles have a system that gives out chunks.
  if constexpr (transition_bytes != 0) {
    place_graphs& of_place = this_place().graphs;
    std::span<std::byte> const of_system = of_place.of_system;
    auto const* const begin = reinterpret_cast<std::byte const*>(c);
    if (begin >= of_system.data() && begin < of_system.data() + of_system.size()) return of_place.units->release(c);
  }
  if (c->bytes > pooled_bytes)
    segment_release(to_global(c));
  else if (the_job->options.collected_heap)
    nursery::release(c);
  else
    self->frames.release(c);
}

region* region::make(std::uint64_t bytes) {
  std::uint64_t const all = bytes == 0 ? first_growth : blocks_begin() + bytes;
  chunk* const c = allocate_chunk(all);
  auto* const r = ::new (c + 1) region(c, !self->single);
  c->owner = r;
  // A copied graph fills its chunk.
  r->used_ = bytes == 0 ? blocks_begin() : all;
  r->growth_ = first_growth;
  return r;
}

region* region::adopt(void* memory, std::uint64_t bytes) noexcept {
  chunk* const c = ::new (memory) chunk{chunk::live, nullptr, nullptr, bytes};
  auto* const r = ::new (c + 1) region(c, !self->single);
  c->owner = r;
  r->used_ = bytes;
  r->growth_ = first_growth;
  return r;
}

region* region::make_lines(std::uint64_t bytes) {
  // The segment allocates whole lines; smaller chunks share lines with other blocks.
  constexpr std::uint64_t line = 64;
  std::uint64_t const all = std::max(blocks_begin() + bytes, pooled_bytes + 1);
  return make((all + line - 1) / line * line - blocks_begin());
}

region* region::make_growing(std::uint64_t bytes) {
  region* const r = make(std::max(bytes, first_growth - blocks_begin()));
  r->used_ = blocks_begin();
  return r;
}

void region::end(region* r) noexcept {
  // Outside the job its segments are unmapped, or must not be touched.
  if (self == nullptr) return;
  if (r->kept()) {
    r->ended_.store(true, std::memory_order_release);
    return;
  }
  free_region(r);
}

void region::free_region(region* r) noexcept {
  for (chunk* c = r->first(); c != nullptr;) {
    chunk* const next = c->next;
    c->magic = chunk::dead;
    quarantine_chunk(c);
    c = next;
  }
}

void region::grow(std::uint64_t bytes) {
  growth_ = std::min(growth_max, growth_ * 2);
  // A large object gets a chunk of its own.
  chunk* const c = allocate_chunk(std::max(growth_, sizeof(chunk) + array_front_bytes + 16 + bytes));
  c->owner = this;
  c->next = last_->next;
  last_->next = c;
  last_ = c;
  used_ = sizeof(chunk);
}

void* region::allocate_alone(type_record const& type, std::uint32_t type_index, std::uint64_t bytes, bool filled) {
  bool const array = type.kind != block_kind::object;
  block_place at = place_block(used_, bytes, type.alignment, array);
  if (at.end > last_->bytes) {
    grow(bytes);
    at = place_block(used_, bytes, type.alignment, array);
  }
  auto* const base = reinterpret_cast<std::byte*>(last_);
  std::byte* const object = base + at.object;
  zero_words(base + used_, base + (filled ? at.object : at.end));
  used_ = at.end;
  header_of(object) = {type_index, static_cast<std::uint32_t>(at.object / 8)};
  if (array) array_bytes_of(object) = bytes;
  return object;
}

std::uint64_t region::bytes() noexcept {
  std::uint64_t sum = 0;
  for (chunk const* c = first(); c != nullptr; c = c->next) sum += c->bytes;
  return sum;
}

region* region_of(void const* object) {
  check_object(object, "keep");
  return chunk_of(object)->owner;
}

void discard_region(region* r) {
  if (!r->kept()) throw error("discard", "a region that was not kept", "what keep() returned, once");
  if (r->unkeep()) region::free_region(r);
}

void check_object(void const* object, char const* where) {
  place_state const& p = this_place();
  auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(object) - p.memory.base);
  if (offset >= p.memory.bytes || offset % 8 != 0)
    throw error(where, "an address outside the objects of place " + std::to_string(p.id),
                "an object made by tess::make, or a copied one, of this place");
#if defined(TESS_CHECKED) && TESS_CHECKED
  check_not_quarantined(object, where);
  object_header const h = header_of(object);
  if (std::uint64_t{h.units} * 8 > offset || find_type(h.type) == nullptr || chunk_of(object)->magic != chunk::live)
    throw error(where, "not the start of a live object: its region ended, or it points into the middle of one",
                "an object whose call, arena or graph<> still lives; keep() what must last longer");
#endif
}

region& place_region() {
  finish_scope& s = *this_place().finishes.system;
  return region_of_scope(s);
}

region& region_of_scope(finish_scope& s) {
  if (region* const r = s.objects()) return *r;
  region* const made = region::make(0);
  if (s.offer_objects(made)) return *made;
  region::end(made);
  return *s.objects();
}

region& current_region() {
  return region_of_scope(self->current->scope->objects_scope());
}

void finish_scope::end_objects() noexcept {
  region::end(objects_.exchange(nullptr, std::memory_order_acq_rel));
}

void throw_index(std::uint64_t index, std::uint64_t count) {
  throw error("tess::array", "index " + std::to_string(index), "one below its size, " + std::to_string(count));
}

}  // namespace tess::detail

namespace tess {

string arena::make_string(std::string_view text) {
  return string(*region_, text);
}

}  // namespace tess
