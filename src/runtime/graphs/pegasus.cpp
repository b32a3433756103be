// pegasus: a queue of objects whose pointers still lead to the source.
#include "runtime/graphs/pegasus.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"

namespace tess::detail {

namespace {

/// What stands before a block, as its source has it; of an object the first word belongs to its neighbour.
using block_front = std::array<std::byte, array_front_bytes>;

struct pulled {
  std::uint64_t source;
  std::byte* copy;
};

class pull {
 public:
  pull(pull_source const& from, std::uint64_t root, type_record const& root_type, bool linear)
      : from_(from), owner_(region::make_growing(root_type.bytes + 64)), linear_(linear) {
    list_.begin();
    seen_.begin();
    copies_.push_back(
        {root, static_cast<std::byte*>(owner_->allocate(root_type, type_index_of(root_type), root_type.bytes))});
  }

  [[nodiscard]] std::size_t count() const noexcept { return copies_.size(); }
  [[nodiscard]] pulled at(std::size_t i) const noexcept { return copies_[i]; }
  [[nodiscard]] region* finish() noexcept { return owner_.release(); }

  /// The copy of what was seen before, or null.
  [[nodiscard]] std::byte* find(std::uint64_t source) const noexcept {
    std::uint32_t number = 0;
    bool const known = linear_ ? list_.find(source, number) : seen_.find(source, number);
    return known ? copies_[number - 1].copy : nullptr;
  }
  void check_source(std::uint64_t source) const {
    if (source - from_.segment >= from_.segment_bytes || source % 8 != 0)
      throw error("copying a graph", "a pointer that leads outside the objects of its place",
                  "pointers to objects made by tess::make");
  }
  std::byte* add(std::uint64_t source, block_front const& front) {
    object_header const header = header_of(front.data() + front.size());
    type_record const* const type = find_type(header.type);
    if (type == nullptr) throw error("copying a graph", "a pointer to no object", "pointers to starts of objects");
    bool const array = type->kind != block_kind::object;
    std::uint64_t const bytes = array ? array_bytes_of(front.data() + front.size()) : type->bytes;
    auto* const copy = static_cast<std::byte*>(owner_->allocate(*type, header.type, bytes));
    copies_.push_back({source, copy});
    auto const number = static_cast<std::uint32_t>(copies_.size());
    if (linear_)
      list_.insert(source, number);
    else
      seen_.insert(source, number);
    return copy;
  }

  /// Its words have come: transients are cleared. How many of them are addresses, and where.
  [[nodiscard]] static std::uint64_t settle(std::byte* copy) {
    type_record const& type = type_of(header_of(copy).type);
    if (type.kind == block_kind::pointer_array) return array_bytes_of(copy) / 8;
    for (std::uint32_t t = 0; t < type.transients_count; ++t)
      std::memset(copy + type.transients[t].offset, 0, type.transients[t].bytes);
    return type.slots_count;
  }
  [[nodiscard]] static std::byte* slot(std::byte* copy, std::uint64_t i) noexcept {
    type_record const& type = type_of(header_of(copy).type);
    return copy + (type.kind == block_kind::pointer_array ? i * 8 : type.slots[i]);
  }
  [[nodiscard]] static std::uint64_t bytes_of(std::byte* copy) noexcept {
    type_record const& type = type_of(header_of(copy).type);
    return type.kind == block_kind::object ? type.bytes : array_bytes_of(copy);
  }

 private:
  pull_source from_;
  owned_region owner_;
  bool linear_;
  linear_map list_;
  hashed_map seen_;
  std::vector<pulled> copies_;
};

void count_graph(std::uint64_t blocks, region* made) noexcept {
  cold_counts& c = this_worker().cold;
  bump(c.graphs);
  bump(c.graph_objects, blocks - 1);
  bump(c.graph_bytes, made->bytes());
}

void read_source(pull_source const& from, void* to, std::uint64_t source, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto const* const here = reinterpret_cast<std::byte const*>(source + from.distance);
  if (from.units != nullptr) {
    from.units->forget(here, bytes);
    from.units->settle();
  }
  std::memcpy(to, here, bytes);
}

task<region*> pull_by_gets(pull_source from, place_id source, std::uint64_t root, type_record const& root_type) {
  pull p(from, root, root_type, false);
  auto const get_bytes = [&](std::uint64_t address, void* to, std::size_t count) {
    return get(global_ptr<std::byte const>(source, address - from.segment),
               std::span<std::byte>(static_cast<std::byte*>(to), count));
  };
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled const o = p.at(i);
    if (std::uint64_t const bytes = pull::bytes_of(o.copy); bytes != 0) co_await get_bytes(o.source, o.copy, bytes);
    std::uint64_t const slots = pull::settle(o.copy);
    for (std::uint64_t s = 0; s < slots; ++s) {
      std::uint64_t target;
      std::memcpy(&target, pull::slot(o.copy, s), sizeof target);
      if (target == 0) continue;
      p.check_source(target);
      std::byte* copy = p.find(target);
      if (copy == nullptr) {
        alignas(8) block_front front;
        co_await get_bytes(target - sizeof front, &front, sizeof front);
        copy = p.add(target, front);
      }
      std::memcpy(pull::slot(o.copy, s), &copy, sizeof copy);
    }
  }
  std::uint64_t const blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made);
  co_return made;
}

}  // namespace

region* pull_directly(pull_source const& from, std::uint64_t root, type_record const& root_type, copy_map which,
                      std::uint64_t& blocks) {
  pull p(from, root, root_type, which == copy_map::linear);
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled const o = p.at(i);
    read_source(from, o.copy, o.source, pull::bytes_of(o.copy));
    std::uint64_t const slots = pull::settle(o.copy);
    for (std::uint64_t s = 0; s < slots; ++s) {
      std::uint64_t target;
      std::memcpy(&target, pull::slot(o.copy, s), sizeof target);
      if (target == 0) continue;
      p.check_source(target);
      std::byte* copy = p.find(target);
      if (copy == nullptr) {
        alignas(8) block_front front;
        read_source(from, &front, target - sizeof front, sizeof front);
        copy = p.add(target, front);
      }
      std::memcpy(pull::slot(o.copy, s), &copy, sizeof copy);
    }
  }
  blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made);
  return made;
}

task<std::uint64_t> pull_graph(place_id source, std::uint64_t root, std::uint64_t source_segment,
                               std::uint32_t root_type) {
  type_record const* const type = find_type(root_type);
  if (type == nullptr) throw error("copying a graph", "an unknown root", "one of the same binary");
  pull_source from{source_segment, job.segment_bytes[source]};
  // Places on tiles name each other's memory alike.
  if (source != self->place) from.units = accelerators();
  if (job.load_window[source] != no_window || source == self->place) {
    std::uint64_t const here = reinterpret_cast<std::uint64_t>(
        source == self->place ? self->segment : bytes_of_window(job.load_window[source]));
    from.distance = from.units != nullptr ? 0 : here - source_segment;
    std::uint64_t blocks = 0;
    co_return reinterpret_cast<std::uint64_t>(pull_directly(from, root, *type, copy_map::hashed, blocks));
  }
  co_return reinterpret_cast<std::uint64_t>(co_await pull_by_gets(from, source, root, *type));
}

}  // namespace tess::detail
