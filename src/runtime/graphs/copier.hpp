// copier: what the copiers share: owned regions, the type of a root that is one pointer, how regions are asked.
//
//   `nemesys` measures, asks for a region at the receiver, and writes the copy there with its final pointers: by stores
//   where there is a window, else by one put. `message_passing` serialises, and puts the stream. `pegasus` sends where
//   the root lies, and the receiver copies object by object (pegasus.cpp). What is small goes in the message.
#pragma once

#include <utility>

#include "tess/detail/at_objects.hpp"

namespace tess::detail {

class owned_region {
 public:
  explicit owned_region(region* r) noexcept : region_(r) {}
  owned_region(owned_region const&) = delete;
  owned_region& operator=(owned_region const&) = delete;
  ~owned_region() {
    if (region_ != nullptr) region::end(region_);
  }
  region* operator->() const noexcept { return region_; }
  [[nodiscard]] region* get() const noexcept { return region_; }
  [[nodiscard]] region* release() noexcept { return std::exchange(region_, nullptr); }

 private:
  region* region_;
};

/// Ends a region of this place that another one asked for.
void end_asked_region(std::uint64_t address);

/// A root block with one pointer to anything.
[[nodiscard]] type_record const& any_root_type() noexcept;

/// An answer that is an exception with a graph; false: it carries none, or stays at its place.
[[nodiscard]] bool reply_thrown_graph(place_id target, std::uint64_t slot, bool left_tasks,
                                      std::exception_ptr const& thrown);

/// `pegasus`, at the receiver: copies what the root at `root` of place `source` leads to. Gives the region's address.
[[nodiscard]] task<std::uint64_t> pull_graph(place_id source, std::uint64_t root, std::uint64_t source_segment,
                                             std::uint32_t root_type);

}  // namespace tess::detail
