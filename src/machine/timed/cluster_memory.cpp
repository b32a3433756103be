// cluster_memory: the boundary between read-only and writable pages, and the size of both parts.
#include "machine/timed/cluster_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/hart/hart.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {
namespace {

bool writable(elf_segment const& one) {
  return (one.rights & right_write) != 0;
}

}  // namespace

std::uint64_t program_memory_bytes(machine_description const& description, elf_image const& image,
                                   std::string const& name) {
  if (!description.has_clusters()) return description.program_bytes();
  cluster_description const& cluster = description.cluster;
  // Segments are sorted by address.
  auto const first = std::ranges::find_if(image.segments, writable);
  if (std::any_of(first, image.segments.end(), [](elf_segment const& one) { return !writable(one); }))
    throw elf_error(fmt::format("{}: text or constants lie behind data; link what is written last", name));
  std::uint64_t const data = first == image.segments.end() ? page_up(image.end) : page_down(first->address);
  std::uint64_t const images =
      first == image.segments.begin() ? 0 : page_up((first - 1)->address + (first - 1)->memory_bytes);
  if (std::max(images, data) > cluster.image_bytes) {
    throw elf_error(
        fmt::format("{}: text and constants end at {:#x}; the image memory of a cluster of {} ends at {:#x}", name,
                    std::max(images, data), description.name, cluster.image_bytes));
  }
  std::uint64_t const data_bytes = page_up(image.end) - data;
  // The page below the stack stays unmapped.
  std::uint64_t const room = cluster.scratchpad_bytes - cluster.stack_bytes - user_page_bytes;
  if (data_bytes > room) {
    throw elf_error(
        fmt::format("{}: {} bytes of data and {} of stack do not fit in a cluster of {}, which has {}; at "
                    "most {} bytes of data do",
                    name, data_bytes, cluster.stack_bytes, description.name, cluster.scratchpad_bytes, room));
  }
  return data + cluster.scratchpad_bytes;
}

}  // namespace tess::machine
