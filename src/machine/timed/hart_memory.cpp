// hart_memory: accesses that miss the L1: in place, and at kernel time.
#include "machine/timed/hart_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tess::machine {

hart_memory::hart_memory(machine_description const& description, tile& at, local_window const& window,
                         page_rights const& rights, page_tables* tables)
    : tile_(at),
      window_(window),
      rights_(rights),
      data_shift_(static_cast<unsigned>(std::countr_zero(description.l1_data.line_bytes))),
      data_mask_(description.l1_data.line_bytes - 1),
      code_shift_(static_cast<unsigned>(std::countr_zero(description.l1_instruction.line_bytes))),
      data_(description.l1_data, *this, false),
      code_(description.l1_instruction, *this, true),
      data_number_(at.attach(data_)),
      code_number_(at.attach(code_)),
      sharer_shift_(static_cast<unsigned>(std::countr_zero(description.l2.line_bytes))),
      buffer_number_(at.attach(buffer_)) {
  buffer_.own_bit = std::uint64_t{1} << data_number_;
  buffer_.own = &data_;
  fetches_.fill(no_entry);
  if (tables != nullptr) mmu_.emplace(*description.mmu, *tables);
  if (description.prefetcher) prefetcher_.emplace(*description.prefetcher, description.l2.line_bytes);
}

void hart_memory::dropped(std::uint64_t address, bool code) noexcept {
  auto const forget = [&](std::uint64_t name) {
    if (code) {
      std::uint64_t& entry = fetches_[(name >> code_shift_) % fetch_entries];
      if (entry == name >> code_shift_) entry = no_entry;
    } else {
      load_entry& entry = loads_[(name >> data_shift_) % load_entries];
      if (entry.line == name >> data_shift_) entry.line = no_entry;
    }
  };
  forget(address);
  if (mmu_) {
    if (auto const own = mmu_->tables.program_address(address)) forget(*own);
    return;
  }
  if (auto const local = window_.local(address)) forget(*local);
}

void hart_memory::enter(std::uint64_t address, std::byte* in_line) noexcept {
  std::uint64_t const line = address >> data_shift_;
  loads_[line % load_entries] = {line, in_line - (address & data_mask_)};
}

std::uint64_t hart_memory::global(std::uint64_t address) const noexcept {
  if (mmu_ && address < sv39::user_end) return mmu_->physical(address);
  return window_.global(address).value_or(address);
}

bool hart_memory::is_remote(std::uint64_t address) const noexcept {
  tile::place const where = place_of(address);
  return where == tile::place::remote || where == tile::place::posted;
}

bool hart_memory::is_foreign(std::uint64_t address) const noexcept {
  region const* const in = tile_.map().find(global(address));
  bool const coherent = tile_.coherent() && in != nullptr && in->kind == region_kind::partition;
  return in != nullptr && in->tile != tile_.number() && !coherent;
}

bool hart_memory::is_device(std::uint64_t address) const noexcept {
  return place_of(address) == tile::place::device;
}

bool hart_memory::check(hart& h, std::uint64_t address, std::size_t bytes, access_right wanted) const noexcept {
  std::uint64_t const last = address + bytes - 1;
  bool const one_page = (address ^ last) >> page_rights::page_shift == 0;
  tile::place const where = place_of(address);
  bool allowed =
      rights_.allow(address, wanted) && (one_page || rights_.allow(last, wanted)) && where != tile::place::nowhere;
  // Memory may have been exhausted.
  if (mmu_ && !one_page) allowed = allowed && place_of(last) != tile::place::nowhere;
  // Each line of a scratchpad has a configuration of its own.
  bool const lines_differ = where == tile::place::scratchpad || where == tile::place::posted;
  if (lines_differ && crosses(address, bytes)) allowed = allowed && place_of(last) == where;
  if (!allowed) {
    h.request.right = wanted;
    h.stopped = stop::access;
  }
  return allowed;
}

bool hart_memory::can_guess(hart const& h) noexcept {
  std::uint64_t const first = h.request.address;
  if (h.stopped == stop::store) {
    if (guessed_.repeats) return guessed_.repeated < guessed_.happened;
    guessed_.target = target_of_guess(first, h.request.bytes);
    return guessed_.target.at != nullptr;
  }
  if (h.stopped == stop::fetch) return rights_.allow(first, right_execute) && code_.has(global(first));
  if (h.stopped != stop::load) return false;
  std::uint64_t const last = first + h.request.bytes - 1;
  auto const hits = [&](std::uint64_t at) { return rights_.allow(at, right_read) && data_.has(global(at)); };
  return hits(first) && hits(last);
}

bool hart_memory::guess_access(hart& h, event& resume) {
  if (h.stopped == stop::fetch) return serve_fetch(h, resume);
  if (h.stopped == stop::load) return serve_load(h, resume);
  auto const value = std::as_bytes(std::span(&h.request.operand, 1)).first(h.request.bytes);
  auto const free = post_guess(h.request.address, value, h.now(), guessed_.target);
  if (!free) return false;
  h.wait_until(*free);
  h.advance();
  return true;
}

l2_private::found_byte hart_memory::target_of_guess(std::uint64_t address, std::size_t bytes) noexcept {
  bool const is_full = buffer_.posted_count == write_buffer::entries || guessed_.count == guessed_.all.size();
  bool const now = !is_full && !tile_.stores_meet_l1s();
  if (!now || crosses(address, bytes) || !rights_.allow(address, right_write)) return {};
  std::uint64_t const name = global(address);
  l2_private::found_byte const found = tile_.postable(name);
  // A store that takes a line from another L1, or wakes a sleeper, is done at kernel time.
  if ((found.sharers & ~buffer_.own_bit) != 0 || tile_.is_watched(name, bytes)) return {};
  return found;
}

std::optional<std::uint64_t> hart_memory::post_guess(std::uint64_t address, std::span<std::byte const> value,
                                                     std::uint64_t ends, l2_private::found_byte to) noexcept {
  if (ends >= hits_until_) return {};
  guessed_store store{.bytes = value.size()};
  if (guessed_.repeats) {
    if (guessed_.repeated == guessed_.happened) return {};
    store = guessed_.all[guessed_.repeated++];
  } else {
    if (to.at == nullptr) return {};
    std::uint64_t const name = global(address);
    store.copy = (to.sharers & buffer_.own_bit) != 0 ? data_.find(name) : nullptr;
    if (store.copy != nullptr) copy_word(&store.before, store.copy, store.bytes);
    store.free = buffer_.free_from(ends);
    store.to_tlm = tile_.place_of(name) == tile::place::tlm;
    guessed_.all[guessed_.count++] = store;
    std::uint64_t word = 0;
    copy_word(&word, value.data(), value.size());
    buffer_.post(ends, word, to.at, value.size());
    tile_.posted(buffer_number_, buffer_.first_cycle());
  }
  if (store.copy != nullptr) copy_word(store.copy, value.data(), value.size());
  ++counted_.stores;
  if (!store.to_tlm) ++counted_.other_stores;
  counted_.store_wait_cycles += store.free - ends;
  return store.free;
}

void hart_memory::take_back(statistics const& counted) noexcept {
  counted_ = counted;
  std::size_t const left = guessed_left();
  if (left != 0) {
    buffer_.take_back(left);
    tile_.taken_back(buffer_number_, left);
  }
  for (std::size_t k = guessed_.count; k > 0; --k) {
    guessed_store const& one = guessed_.all[k - 1];
    if (one.copy != nullptr) copy_word(one.copy, &one.before, one.bytes);
  }
  guessed_.happened = guessed_.count - left;
  guessed_.repeats = true;
  guessed_.repeated = 0;
}

std::optional<std::uint64_t> hart_memory::first_guessed_store() const noexcept {
  std::size_t const left = guessed_left();
  if (left == 0) return {};
  return buffer_.posted[(buffer_.first_posted + buffer_.posted_count - left) % write_buffer::entries].cycle;
}

bool hart_memory::load_line(std::uint64_t address, std::uint64_t starts, std::uint64_t& ready) noexcept {
  std::uint64_t const name = global(address);
  ready = starts + 1;
  if (std::byte* const here = data_.load(name)) {
    enter(address, here);
    return true;
  }
  tile::place const where = tile_.place_of(name);
  std::uint64_t const line = data_.line_address(name);
  bool const own = where == tile::place::tlm || where == tile::place::l2 || where == tile::place::scratchpad;
  std::byte* const at = own ? tile_.look_up(where, line, false) : nullptr;
  if (at == nullptr) return false;
  ++counted_.load_misses;
  if (where == tile::place::tlm) ++counted_.tlm_loads;
  if (!brought_) ready = tile_.hit_cycle(where, starts, data_.shape().line_bytes);
  enter(address, data_.fill(name, at));
  filled(name, data_number_);
  return true;
}

bool hart_memory::load_in_place(hart& h, inst const* i, std::uint64_t address, std::span<std::byte> value) noexcept {
  std::uint64_t const ends = h.now(i);
  if (!is_translated(address, false) || crosses(address, value.size())) return false;
  if (!check(h, address, value.size(), right_read)) return false;
  bool const hit = data_.load(global(address)) != nullptr;
  if (hit ? ends >= hits_until_ : (prefetcher_ || !alone_until(ends))) return false;
  if (!hit) catch_up(ends);
  std::uint64_t ready = ends;
  std::uint64_t const bus_before = tile_.bus_wait_cycles();
  if (!load_line(address, ends - 1, ready)) return false;
  if (!hit) ++counted_.in_place;
  ++counted_.loads;
  if (ready != ends) delay_by_bus(h, i, ready - ends, bus_before);
  load_entry const& entry = loads_[(address >> data_shift_) % load_entries];
  copy_word(value.data(), entry.data + (address & data_mask_), value.size());
  return true;
}

std::uint64_t hart_memory::put(std::byte* at, std::uint64_t address, std::uint64_t name,
                               std::span<std::byte const> value, std::uint64_t ends) noexcept {
  copy_word(at, value.data(), value.size());
  std::uint64_t const* const known = tile_.line_sharers(name);
  std::uint64_t const sharers = known == nullptr ? 0 : *known;
  if ((sharers & buffer_.own_bit) != 0) keep(address, value);
  if ((sharers & ~buffer_.own_bit) != 0 || tile_.is_watched(name, value.size()))
    tile_.snoop(name, value.size(), &data_, ends, buffer_.rank);
  return buffer_store(ends, value.size());
}

bool hart_memory::post_of_size(hart& h, inst const* i, std::uint64_t address, std::span<std::byte const> value,
                               std::byte* at, std::uint64_t sharers) noexcept {
  std::uint64_t word = 0;
  copy_word(&word, value.data(), value.size());
  switch (value.size()) {
    case 8:
      return post<8>(h, i, address, word, at, sharers);
    case 4:
      return post<4>(h, i, address, word, at, sharers);
    case 2:
      return post<2>(h, i, address, word, at, sharers);
    default:
      return post<1>(h, i, address, word, at, sharers);
  }
}

bool hart_memory::store_in_place(hart& h, inst const* i, std::uint64_t address,
                                 std::span<std::byte const> value) noexcept {
  std::uint64_t const ends = h.now(i);
  if (guesses_ != nullptr) {
    if (ends >= hits_until_) return false;
    auto const to = guessed_.repeats ? l2_private::found_byte{} : target_of_guess(address, value.size());
    auto const free = post_guess(address, value, ends, to);
    if (free && *free != ends) delay(h, i, spent::buffer, *free - ends);
    return free.has_value();
  }
  if (!is_translated(address, false) || crosses(address, value.size())) return false;
  if (!check(h, address, value.size(), right_write)) return false;
  std::uint64_t const name = global(address);
  tile::place const where = tile_.place_of(name);
  if (where != tile::place::tlm && where != tile::place::l2 && where != tile::place::scratchpad) return false;
  bool const alone = alone_until(ends);
  if (!alone && where != tile::place::tlm) return false;
  if (tile_.is_watched(name, value.size())) return false;  // the sleeper goes on then, perhaps before this hart
  if (alone) catch_up(ends);
  std::byte* const at = tile_.look_up(where, name, true);
  if (at == nullptr) return false;
  if (where == tile::place::tlm) {
    std::uint64_t const page = address >> page_rights::page_shift;
    std::uint64_t const offset = address & page_mask;
    std::uint64_t const* const sharers = tile_.tlm_sharers(name);
    std::uint64_t const* const of_page = sharers - (offset >> sharer_shift_);
    bool const whole = tile_.tlm_sharers(name - offset) == of_page && tile_.tlm_sharers(name - offset + page_mask);
    if (whole) stores_[page % store_entries] = {page, at - offset, of_page};
    if (!alone) return post_of_size(h, i, address, value, at, *sharers);
    ++counted_.tlm_in_place;
  }
  ++counted_.stores_in_place;
  std::uint64_t const free = put(at, address, name, value, ends);
  if (free != ends) delay(h, i, spent::buffer, free - ends);
  return true;
}

bool hart_memory::fetch_in_place(hart& h, inst const* i, std::uint64_t address) noexcept {
  std::uint64_t const starts = h.now(i);
  if (!is_translated(address, true)) return false;
  if (!check(h, address, 2, right_execute)) return false;
  std::uint64_t const name = global(address);
  std::uint64_t const line = address >> code_shift_;
  if (starts >= hits_until_) return false;
  if (code_.load(name) == nullptr) {
    // With machine mode an interrupt may come before the instruction, once its line is here.
    if (!alone_until(starts) || h.privileged != nullptr) return false;
    catch_up(starts);
    tile::place const where = tile_.place_of(name);
    std::byte* const at = tile_.look_up(where, code_.line_address(name), false);
    if (at == nullptr) return false;
    ++counted_.fetch_misses;
    if (where == tile::place::tlm) ++counted_.tlm_fetches;
    ++counted_.in_place;
    std::uint64_t const bus_before = tile_.bus_wait_cycles();
    std::uint64_t const ready = tile_.hit_cycle(where, starts, code_.shape().line_bytes);
    code_.fill(name, nullptr);  // blocks are decoded from memory
    filled(name, code_number_);
    delay_by_bus(h, i, ready - starts, bus_before);
  }
  fetches_[line % fetch_entries] = line;
  return h.now(i) < ends_at_;
}

bool hart_memory::serve_fetch(hart& h, event& resume) {
  if (!check(h, h.request.address, 2, right_execute)) return true;
  std::uint64_t const name = global(h.request.address);
  if (code_.load(name) == nullptr) {
    tile::place const where = tile_.place_of(name);
    std::byte* const at = tile_.look_up(where, code_.line_address(name), false);
    if (at == nullptr) {
      brought_ = true;
      tile_.l2().bring(name, resume);
      return false;
    }
    ++counted_.fetch_misses;
    if (where == tile::place::tlm) ++counted_.tlm_fetches;
    if (!brought_) h.wait_until(tile_.hit_cycle(where, h.now(), code_.shape().line_bytes));
    code_.fill(name, nullptr);  // blocks are decoded from memory
    filled(name, code_number_);
  }
  brought_ = false;
  std::uint64_t const line = h.request.address >> code_shift_;
  fetches_[line % fetch_entries] = line;
  return true;
}

bool hart_memory::serve_load(hart& h, event& resume) {
  if (!prefetcher_ || brought_) return serve_load_lines(h, resume);
  std::uint64_t const pc = h.pc;
  std::uint64_t const name = global(h.request.address);
  bool const misses = data_.load(name) == nullptr && tile_.place_of(name) == tile::place::l2;
  bool const done = serve_load_lines(h, resume);
  if (!misses) return done;
  if (done) tile_.l2().loaded(name);
  for (std::uint64_t const wanted : prefetcher_->missed(pc, name)) tile_.prefetch(wanted);
  return done;
}

bool hart_memory::serve_load_lines(hart& h, event& resume) {
  if (!check(h, h.request.address, h.request.bytes, right_read)) return true;
  std::uint64_t value = crossing_.value;
  std::size_t done = crossing_.done;
  std::uint64_t latest = h.now();
  // The access touches one line or two.
  while (done < h.request.bytes) {
    std::uint64_t const address = h.request.address + done;
    std::uint64_t ready = 0;
    if (!load_line(address, h.now() - 1, ready)) {
      brought_ = true;
      if (tile_.loses_lines()) crossing_ = {.value = value, .done = done};
      tile_.l2().bring(global(address), resume);
      return false;
    }
    latest = std::max(latest, ready);
    std::size_t const here = std::min<std::size_t>(h.request.bytes - done, data_mask_ + 1 - (address & data_mask_));
    load_entry const& entry = loads_[(address >> data_shift_) % load_entries];
    copy_word(reinterpret_cast<std::byte*>(&value) + done, entry.data + (address & data_mask_), here);  // NOLINT
    done += here;
  }
  brought_ = false;
  crossing_ = {};
  ++counted_.loads;
  h.wait_until(latest);
  h.complete(value);
  return true;
}

bool hart_memory::serve_store(hart& h, event& resume) {
  if (!check(h, h.request.address, h.request.bytes, right_write)) return true;
  std::size_t done = crossing_.done;
  std::uint64_t free = h.now();
  std::uint64_t const first = h.request.address;
  // Both lines must be present before either is written. With directories each could be lost whenever the other one
  // arrives, forever; there each part is written when its line is present.
  std::uint64_t const last = first + h.request.bytes - 1;
  if (crosses(first, h.request.bytes) && !tile_.loses_lines()) {
    for (std::uint64_t const address : {first, last}) {
      std::uint64_t const name = global(address);
      if (tile_.place_of(name) != tile::place::l2 || tile_.l2().has(name, true)) continue;
      tile_.l2().bring(name, resume, true);
      return false;
    }
  }
  while (done < h.request.bytes) {
    std::uint64_t const address = first + done;
    std::size_t const here = std::min<std::size_t>(h.request.bytes - done, data_mask_ + 1 - (address & data_mask_));
    std::uint64_t const name = global(address);
    tile::place const where = tile_.place_of(name);
    auto const* const from = reinterpret_cast<std::byte const*>(&h.request.operand) + done;  // NOLINT
    std::byte* const at = tile_.look_up(where, name, true);
    if (at == nullptr) {
      crossing_.done = done;
      tile_.l2().bring(name, resume, true);
      return false;
    }
    if (where != tile::place::tlm) ++counted_.other_stores;
    free = std::max(free, put(at, address, name, {from, here}, h.now()));
    done += here;
  }
  crossing_ = {};
  h.wait_until(free);
  h.advance();
  return true;
}

std::byte* hart_memory::serve_atomic(hart& h, event& resume) {
  std::uint64_t const name = global(h.request.address);
  tile::place const where = tile_.place_of(name);
  bool const writes = h.stopped != stop::load_reserved;
  std::byte* const at = tile_.look_up(where, name, writes);
  if (at == nullptr) {
    tile_.l2().bring(name, resume, writes);
    return nullptr;
  }
  drain(h);
  h.wait_until(writes ? tile_.atomic_cycle(where, h.now() - 1) : tile_.hit_cycle(where, h.now() - 1, h.request.bytes));
  return at;
}

void hart_memory::changed(hart& h) {
  // The hart's own copy is invalidated as well: atomics are not done in an L1.
  tile_.snoop(global(h.request.address), h.request.bytes, nullptr, h.now());
}

void hart_memory::pass_load(hart& h) {
  ++counted_.loads;
  h.wait_until(tile_.hit_cycle(tile::place::l2, h.now() - 1, h.request.bytes));
}

void hart_memory::pass_store(hart& h) {
  ++counted_.other_stores;
  h.wait_until(buffer_store(h.now(), h.request.bytes));
}

void hart_memory::drain(hart& h) const noexcept {
  for (std::uint64_t const done : buffer_.done) h.wait_until(done);
}

void hart_memory::forget_range(std::uint64_t begin, std::uint64_t end) noexcept {
  if (guesses_ != nullptr) guesses_->loses_line();
  if (mmu_) mmu_->drop(begin, end);
  auto const forget = [&](auto& table, unsigned shift, auto&& line_of) {
    std::uint64_t const up = (std::uint64_t{1} << shift) - 1;
    std::uint64_t const first = (begin + up) >> shift;
    std::uint64_t const count = ((end + up) >> shift) - first;
    if (count < table.size()) {
      for (std::uint64_t line = first; line < first + count; ++line) {
        std::uint64_t& entry = line_of(table[line % table.size()]);
        if (entry == line) entry = no_entry;
      }
      return;
    }
    for (auto& one : table) {
      std::uint64_t& entry = line_of(one);
      if (entry - first < count) entry = no_entry;
    }
  };
  forget(loads_, data_shift_, [](load_entry& one) -> std::uint64_t& { return one.line; });
  forget(fetches_, code_shift_, [](std::uint64_t& line) -> std::uint64_t& { return line; });
  std::uint64_t const last = mmu_ ? end : std::min(end, window_.tlm_bytes);
  if (begin < last) forget_stores(begin, last);
}

void hart_memory::forget_stores(std::uint64_t begin, std::uint64_t end) noexcept {
  std::uint64_t const first_page = begin >> page_rights::page_shift;
  std::uint64_t const last_page = (end - 1) >> page_rights::page_shift;
  for (store_entry& entry : stores_) {
    if (entry.page - first_page <= last_page - first_page) entry.page = no_entry;
  }
}

void hart_memory::warm(cache_array const& data, cache_array const& code) {
  auto const fill = [this](l1_cache& into, cache_array const& from, std::uint32_t number) {
    from.by_use([&](line_index line) {
      std::uint64_t const name = from.address_of(line);
      if (tile_.line_sharers(name) == nullptr) return;  // not in the L2, which is inclusive
      into.fill(name, tile_.peek(name));
      tile_.filled(name, number);
    });
  };
  fill(data_, data, data_number_);
  fill(code_, code, code_number_);
}

void hart_memory::forget_code() {
  if (guesses_ != nullptr) guesses_->loses_line();
  code_.invalidate_all();
  fetches_.fill(no_entry);
}

}  // namespace tess::machine
