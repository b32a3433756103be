// hart_translation: from an address of the program to a physical one: TLBs, the walk of the page tables, page faults.
#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

// An access to two pages needs both at a time. As the older one is replaced, and there are two entries at least, both
// are there in the end.
hart_memory::progress hart_memory::translate(hart& h, access_right wanted, event& resume, std::uint64_t kernel_cycle) {
  std::uint64_t const last = h.request.address + std::max<std::uint64_t>(h.request.bytes, 1) - 1;
  bool const code = wanted == right_execute;
  for (std::uint64_t const address : {h.request.address, last}) {
    if (is_translated(address, code)) continue;
    if (!rights_.allow(address, wanted)) return progress::done;  // the program ends there, or a handler begins
    return look_up_page(h, address >> sv39::page_shift, code, resume, kernel_cycle);
  }
  return progress::done;
}

hart_memory::progress hart_memory::look_up_page(hart& h, std::uint64_t page, bool code, event& resume,
                                                std::uint64_t kernel_cycle) {
  auto& under_way = mmu_->walk;
  if (under_way.page == page) return walk(h, code, resume, kernel_cycle);
  ++(code ? counted_.itlb_misses : counted_.dtlb_misses);
  if (mmu_->second.has_entries()) {
    h.wait_until(h.now() + mmu_->parameters.l2_tlb_cycles);
    std::uint64_t const target = mmu_->second.find(page);
    if (target != tlb::none) {
      enter_page(page, target, code);
      return progress::later;
    }
    ++counted_.l2_tlb_misses;
  }
  ++counted_.page_walks;
  under_way = {.page = page, .level = sv39::levels - 1, .table = mmu_->tables.root(), .began = h.now()};
  return walk(h, code, resume, kernel_cycle);
}

// Entries in the L1 take a cycle each. What is beyond is read at kernel time, in order with all other accesses.
hart_memory::progress hart_memory::walk(hart& h, bool code, event& resume, std::uint64_t kernel_cycle) {
  auto& now = mmu_->walk;
  while (true) {
    std::uint64_t const at = now.table + sv39::index_of(now.page, now.level) * sv39::entry_bytes;
    if (std::uint64_t const known = mmu_->upper.find(at); known != tlb::none) {
      now.table = known;
      --now.level;
      continue;
    }
    if (data_.load(at) == nullptr && h.now() > kernel_cycle) return progress::later;
    std::uint64_t ready = 0;
    std::byte const* const read = read_entry(at, h.now(), ready);
    if (read == nullptr) {
      now.brought = true;
      tile_.l2().bring(at, resume);
      return progress::waits;
    }
    h.wait_until(ready);
    std::uint64_t entry = 0;
    std::memcpy(&entry, read, sizeof entry);
    if (sv39::is_valid(entry) && !sv39::is_leaf(entry) && now.level > 0) {
      now.table = sv39::target_of(entry);
      --now.level;
      if (mmu_->upper.has_entries()) mmu_->upper.fill(at, now.table);
      continue;
    }
    counted_.walk_cycles += h.now() - now.began;
    std::uint64_t const page = std::exchange(now.page, tlb::none);
    if (sv39::is_valid(entry)) {
      std::uint64_t const target = sv39::target_of(entry);
      if (mmu_->second.has_entries()) mmu_->second.fill(page, target);
      enter_page(page, target, code);
    } else {
      // The instruction is executed again, and misses again.
      if (!mmu_->tables.provide(page << sv39::page_shift, rights_.of(page << sv39::page_shift))) return progress::done;
      ++counted_.page_faults;
      h.wait_until(h.now() + mmu_->parameters.page_fault_cycles);
    }
    return progress::later;
  }
}

std::byte const* hart_memory::read_entry(std::uint64_t address, std::uint64_t starts, std::uint64_t& ready) noexcept {
  ready = starts + 1;
  if (std::byte const* const here = data_.load(address)) {
    mmu_->walk.brought = false;
    return here;
  }
  tile::place const where = tile_.place_of(address);
  std::byte const* const line = tile_.look_up(where, data_.line_address(address), false);
  if (line == nullptr) return nullptr;
  if (where == tile::place::tlm) ++counted_.tlm_loads;
  if (!std::exchange(mmu_->walk.brought, false)) ready = tile_.hit_cycle(where, starts, data_.shape().line_bytes);
  std::byte const* const filled_at = data_.fill(address, line);
  filled(address, data_number_);
  return filled_at;
}

// A page that leaves the TLB leaves the tables in front of the L1, so that it is missed.
void hart_memory::enter_page(std::uint64_t page, std::uint64_t target, bool code) noexcept {
  std::uint64_t const left = (code ? mmu_->instructions : mmu_->data).fill(page, target);
  if (left == tlb::none) return;
  unsigned const shift = code ? code_shift_ : data_shift_;
  std::uint64_t const first = left << (sv39::page_shift - shift);
  for (std::uint64_t line = first; line < first + (sv39::page_bytes >> shift); ++line) {
    std::uint64_t& entry = code ? fetches_[line % fetch_entries] : loads_[line % load_entries].line;
    if (entry == line) entry = no_entry;
  }
  store_entry& stored = stores_[left % store_entries];
  if (!code && stored.page == left) stored.page = no_entry;
}

bool timed_hart::translate() {
  access_right wanted = right_read;
  switch (context.stopped) {
    case stop::fetch:
      wanted = right_execute;
      break;
    case stop::load:
    case stop::load_reserved:
      break;
    case stop::store:
    case stop::store_conditional:
    case stop::atomic:
    case stop::compare_swap:
      wanted = right_write;
      break;
    default:
      return true;
  }
  std::uint64_t const starts = context.now();
  hart_memory::progress const made = memory_.translate(context, wanted, *this, kernel_cycle());
  if (made != hart_memory::progress::done && translates_from_ == never) {
    translates_from_ = starts;
    bus_waited_before_ = bus_waited_;
  }
  if (made == hart_memory::progress::later) come_back(context.now());
  if (made != hart_memory::progress::done) return false;
  if (std::uint64_t const from = std::exchange(translates_from_, never); from != never) {
    translated_ += context.now() - from - (bus_waited_ - bus_waited_before_);
    has_waited_ = false;
  }
  return true;
}

}  // namespace tess::machine
