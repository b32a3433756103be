// regions: bases, strides, and the check for overlaps.
#include "machine/config/regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using std::string_view;

void check_overlap(toml_table const& at, string_view key, machine_description const& made) {
  if (auto const both = address_map::overlap(made.regions)) {
    auto const& [one, other] = *both;
    if (one.base == other.base && one.kind == other.kind && one.tile == other.tile) {
      at.fail(key, to_text(one) + " reaches into the local window or beyond 2^64",
              fmt::format("a base of at least {:#x}", local_window_end));
    }
    at.fail(key, to_text(other) + " overlaps " + to_text(one), fmt::format("a base of at least {:#x}", one.end()));
  }
}

void read_scratchpads(toml_table& from, machine_description& made) {
  std::uint64_t const bytes = made.l2.way_bytes * (made.l2.ways - 1);
  std::uint64_t const base = from.number("scratchpad_base", {local_window_end}, "the address of tile 0's scratchpad");
  std::uint64_t const stride = from.power_of_two("scratchpad_stride", {1, gib}, "bytes from tile to tile");
  made.cni->scratchpad_stride = stride;
  if (stride < bytes) {
    from.fail("scratchpad_stride", fmt::format("{} bytes for scratchpads of {}", stride, bytes),
              fmt::format("a power of two of at least {}", bytes));
  }
  std::uint64_t all = stride;
  while (all < stride * made.tiles()) all *= 2;
  if (base % all != 0) {
    from.fail("scratchpad_base", "regions of all scratchpads have no common mask",
              fmt::format("a multiple of {:#x}", all));
  }
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    made.regions.push_back(
        {.kind = region_kind::scratchpad, .tile = tile, .base = base + tile * stride, .size_bytes = bytes});
  }
  check_overlap(from, "scratchpad_base", made);
}

}  // namespace

void read_addresses(toml_table from, machine_description& made, std::uint64_t& uncached_offset) {
  std::uint64_t const tlm_base = from.number("tlm_base", {local_window_end}, "the address of tile 0's TLM");
  std::uint64_t const tlm_stride = from.number("tlm_stride", {made.tlm_bytes}, "bytes from tile to tile");
  std::uint64_t const device_base = from.number("device_base", {local_window_end}, "the address of tile 0's devices");
  std::uint64_t const device_stride =
      from.number("device_stride", {registers::devices_bytes}, "bytes from tile to tile");
  uncached_offset = from.number("uncached_offset", {4096}, "bytes from a partition to its uncached view");
  for (auto const& [key, value] : {std::pair{"tlm_base", tlm_base},
                                   {"tlm_stride", tlm_stride},
                                   {"device_base", device_base},
                                   {"device_stride", device_stride},
                                   {"uncached_offset", uncached_offset}}) {
    if (value % 4096 != 0)
      from.fail(key, fmt::format("{} = {:#x} is no multiple of a page", key, value), "a multiple of 4096");
  }
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    made.regions.push_back(
        {.kind = region_kind::tlm, .tile = tile, .base = tlm_base + tile * tlm_stride, .size_bytes = made.tlm_bytes});
    made.regions.push_back({.kind = region_kind::device,
                            .tile = tile,
                            .base = device_base + tile * device_stride,
                            .size_bytes = device_stride});
  }
  check_overlap(from, "device_base", made);
  if (made.cni) read_scratchpads(from, made);
  from.finish();
}

namespace {

/// Atomics interfaces beside memories are those of their nodes.
void check_node(toml_table const& from, string_view key, machine_description const& made, region const& added) {
  if (!made.has_nodes() || added.tile == added.memory_tile) return;
  from.fail(key,
            fmt::format("node ({}, {}) has its memory elsewhere, but [rae] is beside it", added.tile % made.width,
                        added.tile / made.width),
            "that of the node, or rae.beside = \"l2\"");
}

/// For a partition whose tile, memory, base and size are known: its offset in the memory, and its uncached view.
void add_partition(toml_table const& from, machine_description& made, region added, std::uint64_t uncached_offset,
                   std::vector<std::uint64_t>& used) {
  if (made.is_memory(added.tile) && added.size_bytes < made.local_tail_bytes + made.nma.map_bytes) {
    from.fail("size_bytes", fmt::format("it has no room for the copy map of {} bytes", made.nma.map_bytes),
              fmt::format("at least {}", made.local_tail_bytes + made.nma.map_bytes));
  }
  if (added.base % 4096 != 0 || added.size_bytes % 4096 != 0) {
    from.fail("base", "base or size is no multiple of a page", "multiples of 4096");
  }
  added.memory_offset = used[added.memory_tile];
  used[added.memory_tile] += added.size_bytes;
  if (used[added.memory_tile] > made.memory.size_bytes) {
    from.fail("size_bytes",
              fmt::format("the partitions of memory ({}, {}) need {} bytes", added.memory_tile % made.width,
                          added.memory_tile / made.width, used[added.memory_tile]),
              fmt::format("at most {}: ranks x banks x rows x row_bytes of [dram]", made.memory.size_bytes));
  }
  made.regions.push_back(added);
  added.kind = region_kind::partition_uncached;
  added.base += uncached_offset;
  made.regions.push_back(added);
}

/// The first of the nearest memory tiles.
std::uint32_t nearest_memory(machine_description const& made, std::uint32_t tile) {
  auto const apart = [](std::uint32_t one, std::uint32_t other) { return one < other ? other - one : one - other; };
  return std::ranges::min(made.memory.tiles, {}, [&](std::uint32_t memory) {
    return apart(tile % made.width, memory % made.width) + apart(tile / made.width, memory / made.width);
  });
}

}  // namespace

void read_partition(toml_table& from, machine_description& made, std::uint64_t uncached_offset,
                    std::vector<std::uint64_t>& used) {
  auto const [x, y] = from.coordinates("tile", made.width, made.height);
  auto const [memory_x, memory_y] = from.coordinates("memory", made.width, made.height);
  region added{.kind = region_kind::partition, .tile = y * made.width + x};
  added.memory_tile = memory_y * made.width + memory_x;
  added.base = from.number("base", {local_window_end}, "");
  added.size_bytes = from.number("size_bytes", {made.local_tail_bytes == 0 ? 4096 : made.local_tail_bytes}, "bytes");
  if (!made.is_memory(added.memory_tile)) {
    from.fail("memory", fmt::format("({}, {}) is no memory tile", memory_x, memory_y), "one of memory.tiles");
  }
  if (made.has_clusters() && added.tile != added.memory_tile) {
    from.fail("tile", fmt::format("cluster ({}, {}) cannot have its partition elsewhere", x, y), "that of the memory");
  }
  check_node(from, "memory", made, added);
  if (std::ranges::any_of(made.regions, [&](region const& other) {
        return other.kind == region_kind::partition && other.tile == added.tile;
      })) {
    from.fail("tile", fmt::format("tile ({}, {}) has two partitions", x, y), "one for each tile");
  }
  add_partition(from, made, added, uncached_offset, used);
  check_overlap(from, "base", made);
  from.finish();
}

void read_partitions(toml_table from, machine_description& made, std::uint64_t uncached_offset,
                     std::vector<std::uint64_t>& used) {
  if (made.has_clusters()) from.fail("base", "a tile without DDR has no partition", "[[partition]] for each memory");
  std::uint64_t const base = from.number("base", {local_window_end}, "the address of tile 0's partition");
  std::uint64_t const least = std::max<std::uint64_t>(made.local_tail_bytes, 4096);
  std::uint64_t const size = from.number("size_bytes", {least, gib}, "bytes, in the nearest memory");
  std::uint64_t const stride = from.number("stride", {size, 512 * gib}, "bytes from tile to tile");
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    region const added{.kind = region_kind::partition,
                       .tile = tile,
                       .base = base + tile * stride,
                       .size_bytes = size,
                       .memory_tile = nearest_memory(made, tile)};
    check_node(from, "base", made, added);
    add_partition(from, made, added, uncached_offset, used);
  }
  check_overlap(from, "base", made);
  from.finish();
}

void check_partitions(toml_table const& root, machine_description const& made) {
  auto const partitions = std::ranges::count(made.regions, region_kind::partition, &region::kind);
  std::size_t const needed = made.has_clusters() ? made.memory.tiles.size() : made.tiles();
  if (static_cast<std::size_t>(partitions) != needed) {
    root.fail("partition", fmt::format("{} partitions for {} tiles", partitions, needed),
              made.has_clusters() ? "one for each of memory.tiles" : "one for each tile");
  }
}

}  // namespace tess::machine
