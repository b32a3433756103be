// reductions: what does not depend on the type of the items.
#include "shmem/reductions.hpp"

#include <cstdint>

namespace tess::shmem {

share share_of(group const& g, std::size_t items, std::size_t item_bytes) {
  // Whole cache lines, so that no two PEs write one.
  std::size_t const line = std::max<std::size_t>(1, 64 / item_bytes);
  std::size_t const lines = (items + line - 1) / line;
  auto const size = static_cast<std::size_t>(g.size());
  auto const me = static_cast<std::size_t>(g.me());
  return {std::min(items, lines * me / size * line), std::min(items, lines * (me + 1) / size * line)};
}

void reduce_many(group& g, std::byte* dest, std::byte const* source, std::size_t items, std::size_t item_bytes,
                 combine_items combine) {
  g.meet();
  share const mine = share_of(g, items, item_bytes);
  // Pieces, because what comes from PEs without a window needs a place, and what goes to them.
  std::size_t const most = own.network == nullptr ? items : piece_items(item_bytes);
  std::vector<std::byte> piece;
  std::vector<std::byte*> targets;
  std::vector<std::byte const*> sources;
  for (std::size_t at = mine.begin; at < mine.end; at += most) {
    std::size_t const now = std::min(most, mine.end - at);
    // No segment has as many bytes as a number too large for a product.
    std::size_t const bytes = now > SIZE_MAX / item_bytes ? SIZE_MAX : now * item_bytes;
    std::byte const* const from = source + at * item_bytes;
    std::byte* const to = dest + at * item_bytes;
    seen const all(g, from, bytes);
    targets.clear();
    sources.clear();
    for (int member = 0; member < g.size(); ++member) {
      sources.push_back(all.of(member, at_member(g, from, bytes, member)));
      if (std::byte* const there = at_member(g, to, bytes, member)) targets.push_back(there);
    }
    bool const some_are_far = targets.size() != sources.size();
    if (some_are_far) {
      piece.resize(bytes);
      targets.push_back(piece.data());
    }
    combine(targets, sources, now);
    for (int member = 0; some_are_far && member < g.size(); ++member)
      if (at_member(g, to, bytes, member) == nullptr) give(g, to, piece.data(), bytes, member);
    complete_given();
  }
  g.meet();
}

}  // namespace tess::shmem
