// copy_here: a graph copied within its place; the root is a block with one pointer to anything.
#include <vector>

#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/pegasus.hpp"
#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "tess/object.hpp"

namespace tess::detail {

namespace {

constexpr std::uint32_t any_slots[] = {0};
constinit slot_check const any_checks[] = {{}};
constexpr std::uint64_t any_mask[] = {1};

/// A pointer to an object of any type.
[[gnu::section("tess_types"), gnu::used, gnu::retain]] constinit type_record const any_root{
    8, 1, any_slots, block_kind::object, 8, 0, nullptr, any_checks, any_mask, nullptr, "one pointer"};

}  // namespace

type_record const& any_root_type() noexcept {
  return any_root;
}

namespace {

copied_graph copy_by_pull(void const* root, copy_map map, copy_counts* counts) {
  place_segment const memory = this_place().memory;
  std::uint64_t blocks = 0;
  region* const made = pull_directly({reinterpret_cast<std::uint64_t>(memory.base), memory.bytes},
                                     reinterpret_cast<std::uint64_t>(&root), any_root, map, blocks);
  if (counts != nullptr) *counts = {blocks - 1, made->bytes()};
  return {*reinterpret_cast<void* const*>(made->base() + graph_walk::root_offset(any_root)), made};
}

}  // namespace

copied_graph copy_here(void const* root, copier by, copy_map map, copy_counts* counts) {
  if (by == copier::automatic) by = copier_of_run();
  if (by == copier::pegasus) return copy_by_pull(root, map, counts);
  borrowed_walk walk;
  if (by == copier::message_passing) {
    walk->measure(&root, any_root, worker_copy_maps(), map, graph_walk::naming::numbers);
    std::vector<std::byte> const stream = serialise(*walk);
    if (counts != nullptr) *counts = {walk->blocks() - 1, stream.size()};
    deserialised const d = deserialise(stream, static_cast<std::uint32_t>(walk->blocks()), any_root);
    return {*reinterpret_cast<void* const*>(d.root), d.owner};
  }
  walk->measure(&root, any_root, worker_copy_maps(), map);
  region* const made = region::make(walk->bytes());
  walk->write(made->base(), reinterpret_cast<std::uint64_t>(made->base()));
  if (counts != nullptr) *counts = {walk->blocks() - 1, walk->bytes()};
  void* const* const copied = reinterpret_cast<void* const*>(made->base() + graph_walk::root_offset(any_root));
  return {*copied, made};
}

bool object_has_type(void const* object, type_record const& type) noexcept {
  return is_or_derives(&type_of(header_of(object).type), type);
}

}  // namespace tess::detail
