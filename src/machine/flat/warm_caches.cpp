// warm_caches: misses of the tables, and what leaves.
#include "machine/flat/warm_caches.hpp"

#include <bit>

#include "machine/cache/l2_private.hpp"

namespace tess::machine {
namespace {

constexpr std::uint8_t present = 1;

}  // namespace

warm_hart::l1::l1(cache_shape const& shape)
    : lines(shape), line_bits(static_cast<unsigned>(std::countr_zero(shape.line_bytes))), entered(lines.lines(), none) {
  known.fill(none);
}

bool warm_hart::l1::use(std::uint64_t address, std::uint64_t name) {
  std::uint64_t const line = address >> line_bits;
  bool const hit = lines.find(name) != no_line;
  if (!hit) {
    line_index const into = lines.victim(name, [](line_index) { return true; });
    std::uint64_t const left = entered[into];
    if (left != none && known[left % entries] == left) known[left % entries] = none;
    lines.assign(into, name);
    lines.state(into) = present;
    lines.use(into);
    entered[into] = line;
  }
  known[line % entries] = line;
  return hit;
}

void warm_hart::l1::drop(std::uint64_t address, std::uint64_t name) {
  line_index const line = lines.find(name);
  if (line == no_line) return;
  lines.state(line) = cache_array::invalid;
  entered[line] = none;
  std::uint64_t& entry = known[(address >> line_bits) % entries];
  if (entry == address >> line_bits) entry = none;
}

warm_hart::warm_hart(machine_description const& description, warm_tile& at)
    : tile_(at), data_(description.l1_data), code_(description.l1_instruction) {
  if (description.pipeline)
    pipeline_.emplace(*description.pipeline, description.branches, description.harts.branch_taken_cycles);
}

followed_lines warm_hart::known_lines() {
  auto const loads = [](void* of, std::uint64_t address) { static_cast<warm_hart*>(of)->load_line(address); };
  auto const fetches = [](void* of, std::uint64_t address) { static_cast<warm_hart*>(of)->fetch_line(address); };
  auto const stores = [](void* of, std::uint64_t address) { static_cast<warm_hart*>(of)->stored(address); };
  return {.whom = this,
          .loads = {data_.known.data(), entries - 1, data_.line_bits, loads},
          .fetches = {code_.known.data(), entries - 1, code_.line_bits, fetches},
          .stores = {tile_.newest_.data(), tile_.set_mask_, tile_.line_bits_, stores},
          .stored_beside = tile_.window_.tlm_bytes};
}

void warm_hart::load_line(std::uint64_t address) {
  if (data_.use(address, tile_.global(address))) return;
  ++tile_.counted_[warm_tile::data_misses];
  tile_.reach(address, false);
}

void warm_hart::fetch_line(std::uint64_t address) {
  if (code_.use(address, tile_.global(address))) return;
  ++tile_.counted_[warm_tile::code_misses];
  tile_.reach(address, false);
}

void warm_hart::changed(std::uint64_t address) {
  tile_.reach(address, true);
  data_.drop(address, tile_.global(address));
  if (tile_.is_shared_) tile_.snoop(address, *this);
}

warm_tile::warm_tile(machine_description const& description, local_window const& window, std::uint32_t harts)
    : window_(window),
      code_line_bytes_(description.l1_instruction.line_bytes),
      line_bits_(static_cast<unsigned>(std::countr_zero(description.l2.line_bytes))),
      set_mask_(description.l2.sets() - 1),
      l2_(description.l2),
      newest_(description.l2.sets(), warm_hart::none) {
  for (std::uint32_t number = 0; number < harts; ++number) harts_.emplace_back(description, *this);
}

void warm_tile::use(std::uint64_t address, bool writes) {
  std::uint64_t const name = global(address);
  line_index line = l2_.find(name);
  if (line == no_line) {
    ++counted_[misses];
    line = l2_.victim(name, [](line_index) { return true; });
    if (l2_.state(line) != cache_array::invalid) {
      if (l2_.state(line) == l2_private::dirty) ++counted_[written_back];
      std::uint64_t const leaves = l2_.address_of(line);
      std::uint64_t const from = window_.local(leaves).value_or(leaves);
      for (std::size_t k = 0; k < (is_shared_ ? harts_.size() : 1); ++k) {
        for (warm_hart::l1* const above : {&harts_[k].data_, &harts_[k].code_})
          for (std::uint64_t at = 0; at < l2_.shape().line_bytes; at += above->lines.shape().line_bytes)
            above->drop(from + at, leaves + at);
      }
    }
    l2_.assign(line, name);
    l2_.state(line) = l2_private::clean;
  }
  l2_.use(line);
  if (writes) l2_.state(line) = l2_private::dirty;
  bool const is_dirty = l2_.state(line) == l2_private::dirty;
  newest_[(address >> line_bits_) & set_mask_] = address >> line_bits_ << 1U | (is_dirty ? 1U : 0U);
}

void warm_tile::snoop(std::uint64_t address, warm_hart const& by) {
  for (warm_hart& one : harts_) {
    std::uint64_t const line = address >> one.data_.line_bits;
    if (&one != &by && one.data_.known[line % warm_hart::entries] == line) one.data_.drop(address, global(address));
  }
}

}  // namespace tess::machine
