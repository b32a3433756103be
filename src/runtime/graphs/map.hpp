// map: source object → position of its copy: linear, hashed, or dense (a slot for every 16 bytes of segment).
//
//   Keys are distances from the start of the place's segment. Values are distances from the start of the destination's
//   chunk, in units of 8 bytes; 0 means that the object has no copy yet. A worker keeps its maps. Entries carry the
//   epoch of their copy, so nothing is cleared between two copies.
//
// Threads  the worker's own.
// Errors   dense_map::begin is false if the system has no address space for it.
// Source   linear and hashed as in "NEMESYS" (MEMSYS 2019), section 3.5: linear probing, 2^(ceil(log2 n) + 1) slots.
//          Its H3 hash suits hardware; ours is multiplicative: D. Knuth, "The Art of Computer Programming", volume 3,
//          section 6.4.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tess/detail/platform.hpp"

namespace tess::detail {

/// A list that is searched from its start.
class linear_map {
 public:
  /// What a walk keeps in registers for its lookups.
  [[nodiscard]] linear_map& view() noexcept { return *this; }
  void begin() noexcept { count_ = 0; }
  [[nodiscard]] bool find(std::uint64_t source, std::uint32_t& units) const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if (sources_[i] == source) {
        units = units_[i];
        return true;
      }
    return false;
  }
  void insert(std::uint64_t source, std::uint32_t units) {
    if (count_ == sources_.size()) {
      sources_.resize(2 * count_ + 32);
      units_.resize(2 * count_ + 32);
    }
    sources_[count_] = source;
    units_[count_++] = units;
  }
  void prefetch(std::uint64_t) const noexcept {}

 private:
  std::size_t count_ = 0;
  std::vector<std::uint64_t> sources_;
  std::vector<std::uint32_t> units_;
};

class hashed_map {
 public:
  hashed_map() : slots_(slots_min) {}
  [[nodiscard]] hashed_map& view() noexcept { return *this; }
  void begin() noexcept {
    count_ = 0;
    next_epoch();
    set_slots(slots_min);
  }
  [[nodiscard]] bool find(std::uint64_t source, std::uint32_t& units) const noexcept {
    for (std::size_t i = hash(source);; i = (i + 1) & mask_) {
      slot const& s = slots_[i];
      if (s.epoch != epoch_) return false;
      if (s.source != source) continue;
      units = s.units;
      return true;
    }
  }
  void insert(std::uint64_t source, std::uint32_t units) {
    if (2 * ++count_ > mask_ + 1) [[unlikely]]
      grow();
    put(source, units);
  }
  /// What the map has for `source`; if it had nothing, `units` is entered and returned.
  [[nodiscard]] std::uint32_t find_or_insert(std::uint64_t source, std::uint32_t units) {
    if (2 * (count_ + 1) > mask_ + 1) [[unlikely]]
      grow();
    std::size_t i = hash(source);
    for (; slots_[i].epoch == epoch_; i = (i + 1) & mask_)
      if (slots_[i].source == source) return slots_[i].units;
    slots_[i] = {source, units, epoch_};
    ++count_;
    return units;
  }
  void prefetch(std::uint64_t source) const noexcept { prefetch_read(&slots_[hash(source)]); }

 private:
  struct slot {
    std::uint64_t source;
    std::uint32_t units;
    std::uint32_t epoch;
  };
  static constexpr std::size_t slots_min = 16;
  static constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;  // 2^64 divided by the golden ratio

  [[nodiscard]] std::size_t hash(std::uint64_t source) const noexcept { return (source >> 3) * golden >> shift_; }
  void set_slots(std::size_t slots) noexcept {
    mask_ = slots - 1;
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  }
  void put(std::uint64_t source, std::uint32_t units) noexcept {
    std::size_t i = hash(source);
    while (slots_[i].epoch == epoch_) i = (i + 1) & mask_;
    slots_[i] = {source, units, epoch_};
  }
  void next_epoch() noexcept;
  void grow();

  std::vector<slot> slots_;
  std::vector<slot> spare_;  ///< the next table: larger, or smaller once the map has grown
  std::size_t mask_ = slots_min - 1;
  unsigned shift_ = 64 - std::countr_zero(slots_min);
  std::size_t count_ = 0;
  std::uint32_t epoch_ = 0;
};

/// One slot for every 16 bytes of the place's segment, the least distance of two objects: no search, no hash, and
/// neighbours in memory are neighbours in the map. It reserves address space and touches memory only where it is used.
class dense_map {
 public:
  dense_map() = default;
  dense_map(dense_map const&) = delete;
  dense_map& operator=(dense_map const&) = delete;
  ~dense_map();

  [[nodiscard]] bool begin(std::uint64_t segment_bytes) noexcept;

  class slots_view {
   public:
    [[nodiscard]] bool find(std::uint64_t source, std::uint32_t& units) const noexcept {
      std::uint64_t const slot = slots_[source / granule];
      units = static_cast<std::uint32_t>(slot);
      return (slot ^ epoch_) >> 32 == 0;
    }
    void insert(std::uint64_t source, std::uint32_t units) const noexcept { slots_[source / granule] = epoch_ | units; }
    void prefetch(std::uint64_t source) const noexcept { prefetch_write(&slots_[source / granule]); }

   private:
    friend dense_map;
    slots_view(std::uint64_t* slots, std::uint32_t epoch) : slots_(slots), epoch_(std::uint64_t{epoch} << 32) {}
    std::uint64_t* slots_;
    std::uint64_t epoch_;
  };
  [[nodiscard]] slots_view view() const noexcept { return {slots_, epoch_}; }
  void insert(std::uint64_t source, std::uint32_t units) const noexcept { view().insert(source, units); }

 private:
  static constexpr std::uint64_t granule = 16;
  using slot = std::uint64_t;  // low half: units; high half: the epoch that inserted them

  slot* slots_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace tess::detail
