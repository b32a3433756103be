// pegasus: the copier whose receiver walks the source graph and copies it object by object.
//
//   A hash map leads from each object to its copy. Through a window the receiver reads the source in place; without one
//   it gets each object's header, then its words. On a machine without coherence the sender writes each object
//   back, and the receiver invalidates the lines of each before it reads them through its cache.
//
// Errors  tess::error for pointers outside the source's place and for unknown types.
// Source  Pegasus (DATE 2017), as "NEMESYS" (MEMSYS 2019), section 4 describes it.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "fabric/graph_units.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"

namespace tess::detail {

namespace {

/// Where a source graph lies: its addresses are those of its place, and are read here at address + distance.
struct pull_source {
  std::uint64_t segment;
  std::uint64_t segment_bytes;
  std::uint64_t distance = 0;
  graph_units* units = nullptr;  ///< without coherence: lines are invalidated before they are read
};

/// The words before a block at its source; before an object, the first of them belongs to its neighbour.
using block_front = std::array<std::byte, array_front_bytes>;

struct pulled {
  std::uint64_t source;
  std::byte* copy;
};

class object_puller {
 public:
  object_puller(pull_source const& from, std::uint64_t root, type_record const& root_type, bool linear)
      : from_(from), owner_(region::make_growing(root_type.bytes + 64)), linear_(linear) {
    list_.begin();
    seen_.begin();
    copies_.push_back(
        {root, static_cast<std::byte*>(owner_->allocate(root_type, type_index_of(root_type), root_type.bytes))});
  }

  [[nodiscard]] std::size_t count() const noexcept { return copies_.size(); }
  [[nodiscard]] pulled at(std::size_t i) const noexcept { return copies_[i]; }
  [[nodiscard]] region* finish() noexcept { return owner_.release(); }

  /// The copy of an object that was met before, or null.
  [[nodiscard]] std::byte* find(std::uint64_t source) const noexcept {
    std::uint32_t number = 0;
    bool const found = linear_ ? list_.find(source, number) : seen_.find(source, number);
    return found ? copies_[number - 1].copy : nullptr;
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

  /// Clears the transients of a copy whose words have arrived; how many of its words are addresses, and where.
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

void read_source(pull_source const& from, void* to, std::uint64_t source, std::uint64_t bytes) {
  if (bytes == 0) return;
  auto const* const here = reinterpret_cast<std::byte const*>(source + from.distance);
  if (from.units != nullptr) {
    from.units->invalidate_range(here, bytes);
    from.units->wait_for_ranges();
  }
  std::memcpy(to, here, bytes);
}

task<region*> pull_by_gets(pull_source from, place_id source, std::uint64_t root, type_record const& root_type) {
  object_puller p(from, root, root_type, false);
  auto const get_bytes = [&](std::uint64_t address, void* to, std::size_t count) {
    return get(global_ptr<std::byte const>(source, address - from.segment),
               std::span<std::byte>(static_cast<std::byte*>(to), count));
  };
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled const o = p.at(i);
    if (std::uint64_t const bytes = object_puller::bytes_of(o.copy); bytes != 0)
      co_await get_bytes(o.source, o.copy, bytes);
    std::uint64_t const slots = object_puller::settle(o.copy);
    for (std::uint64_t s = 0; s < slots; ++s) {
      std::uint64_t target;
      std::memcpy(&target, object_puller::slot(o.copy, s), sizeof target);
      if (target == 0) continue;
      p.check_source(target);
      std::byte* copy = p.find(target);
      if (copy == nullptr) {
        alignas(8) block_front front;
        co_await get_bytes(target - sizeof front, &front, sizeof front);
        copy = p.add(target, front);
      }
      std::memcpy(object_puller::slot(o.copy, s), &copy, sizeof copy);
    }
  }
  std::uint64_t const blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made->bytes());
  co_return made;
}

/// A region with the copy; its first block is the root. `blocks`: how many there are.
region* pull_directly(pull_source const& from, std::uint64_t root, type_record const& root_type, copy_map which,
                      std::uint64_t& blocks) {
  object_puller p(from, root, root_type, which == copy_map::linear);
  for (std::size_t i = 0; i < p.count(); ++i) {
    pulled const o = p.at(i);
    read_source(from, o.copy, o.source, object_puller::bytes_of(o.copy));
    std::uint64_t const slots = object_puller::settle(o.copy);
    for (std::uint64_t s = 0; s < slots; ++s) {
      std::uint64_t target;
      std::memcpy(&target, object_puller::slot(o.copy, s), sizeof target);
      if (target == 0) continue;
      p.check_source(target);
      std::byte* copy = p.find(target);
      if (copy == nullptr) {
        alignas(8) block_front front;
        read_source(from, &front, target - sizeof front, sizeof front);
        copy = p.add(target, front);
      }
      std::memcpy(object_puller::slot(o.copy, s), &copy, sizeof copy);
    }
  }
  blocks = p.count();
  region* const made = p.finish();
  count_graph(blocks, made->bytes());
  return made;
}

/// At the receiver: copies what the root at `root` of place `source` leads to. Gives the region's address.
task<std::uint64_t> pull_graph(place_id source, std::uint64_t root, std::uint64_t source_segment,
                               std::uint32_t root_type) {
  type_record const* const type = find_type(root_type);
  if (type == nullptr) throw error("copying a graph", "an unknown root", "one of the same binary");
  pull_source from{source_segment, job.segment_bytes[source]};
  // Places of a simulated machine use the same addresses for each other's memory.
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

constexpr auto pull_graph_here = [](place_id source, std::uint64_t root, std::uint64_t segment, std::uint32_t type) {
  return pull_graph(source, root, segment, type);
};

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(pull_graph_here)> = true;

namespace {

class pull_transfer final : public graph_transfer {
 public:
  pull_transfer(void const* root, type_record const& type)
      : units_(accelerators()),
        root_(root, type, units_ != nullptr ? root_copy::location::object : root_copy::location::segment),
        type_(type_index_of(type)) {}

  bool fits_message(place_id, std::size_t) override { return false; }
  std::size_t inline_bytes() const noexcept override { return 0; }
  void write_inline(std::byte*) override {}

  void snapshot() override {
    // Accelerators copy the graph itself.
    if (units_ != nullptr) return;
    type_record const& type = type_of(type_);
    borrowed_walk walk;
    walk->measure(root_.get(), type, worker_copy_maps(), copy_map::automatic);
    copied_ = owned_region(region::make(walk->bytes()));
    walk->write(copied_->base(), reinterpret_cast<std::uint64_t>(copied_->base()));
    std::memcpy(root_.get(), copied_->base() + graph_walk::root_offset(type), type.bytes);
  }

  task<sent_graph> send_ahead(place_id target) override {
    if (units_ != nullptr && target != self->place) static_cast<void>(write_back_graph(*units_, root_.get()));
    std::uint64_t const address =
        co_await at(target, pull_graph_here, self->place, reinterpret_cast<std::uint64_t>(root_.get()),
                    reinterpret_cast<std::uint64_t>(this_place().memory.base), type_);
    arrived_at(address, sent_graph::transport::region);
    co_return sent_;
  }

 private:
  graph_units* units_;
  root_copy root_;
  std::uint32_t type_;
  owned_region copied_;  ///< what snapshot() made
};

class pegasus final : public graph_copier {
 public:
  std::unique_ptr<graph_transfer> start(void const* root, type_record const& type, copy_map) const override {
    return std::make_unique<pull_transfer>(root, type);
  }
  copied_graph copy_here(void const* root, copy_map map, copy_counts* counts) const override {
    place_segment const memory = this_place().memory;
    std::uint64_t blocks = 0;
    region* const made = pull_directly({reinterpret_cast<std::uint64_t>(memory.base), memory.bytes},
                                       reinterpret_cast<std::uint64_t>(root), any_root_type(), map, blocks);
    if (counts != nullptr) *counts = {blocks - 1, made->bytes()};
    return {*reinterpret_cast<void* const*>(made->base() + graph_walk::root_offset(any_root_type())), made};
  }
};

}  // namespace

graph_copier const& pegasus_copier() noexcept {
  static constinit pegasus copier;
  return copier;
}

}  // namespace tess::detail
