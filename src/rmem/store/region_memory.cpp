// region_memory: where a region's bytes are, and lending a region out.
#include <algorithm>
#include <utility>

#include "rmem/store/store.hpp"

namespace tess::memd {

std::span<std::byte> store::bytes(region const& r, std::uint64_t offset, std::uint64_t size) const {
  if (r.own) return {r.own->bytes() + offset, std::min(size, r.size - offset)};
  auto const after = std::ranges::upper_bound(r.starts, offset);
  auto const index = static_cast<std::size_t>(after - r.starts.begin()) - 1;
  std::uint64_t const within = offset - r.starts[index];
  piece const& part = r.pieces[index];
  return {memory_.at(part.offset + within), std::min({size, r.size - offset, part.size - within})};
}

// Both ways piece by piece, so that not much more than the region's size is in use at any time.

namespace {
constexpr std::uint64_t step_bytes = std::uint64_t{2} << 20;
}

leased_memory* store::lend(region& r) {
  if (r.own || memory_.on_disk() || lent_ >= lent_max_) return r.own.get();
  auto own = leased_memory::make(pages::rounded(r.size));
  if (!own) return nullptr;
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    auto const& [offset, size] = r.pieces[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      piece const step{offset + at, std::min(step_bytes, size - at)};
      copy_without_holes(memory_.file(), memory_.at(0), step.offset, step.offset + step.size,
                         own->bytes() + r.starts[i] + at);
      memory_.clear(step);
    }
  }
  r.own = std::move(own);
  ++lent_;
  return r.own.get();
}

void store::recall(region& r) {
  if (!r.own) return;
  --lent_;
  auto const own = std::move(r.own);
  own->end();
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    auto const& [offset, size] = r.pieces[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      std::uint64_t const begin = r.starts[i] + at;
      std::uint64_t const end = begin + std::min(step_bytes, size - at);
      copy_without_holes(own->file(), own->bytes(), begin, end, memory_.at(offset + at));
      own->empty(begin, end - begin);
    }
  }
}

}  // namespace tess::memd
