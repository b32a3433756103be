// interface_pipeline: queue, look-up and interface core, cycle by cycle.
#include "machine/rae/interface_pipeline.hpp"

#include <algorithm>
#include <utility>

#include "machine/cache/copy_line.hpp"
#include "machine/kernel/assert.hpp"

namespace tess::machine {

interface_pipeline::interface_pipeline(interface_parameters const& parameters)
    : parameters_(parameters),
      line_mask_(parameters.line_bytes - 1),
      line_shift_(static_cast<unsigned>(std::countr_zero(parameters.line_bytes))),
      queue_(parameters.queue_entries),
      entries_(parameters.main_entries),
      tags_(parameters.cache_lines),
      lines_((std::size_t{parameters.cache_lines} + parameters.main_entries) * parameters.line_bytes),
      stored_(parameters.line_bytes) {
  MACHINE_ASSERT(parameters.packet_cycles >= 2 && parameters.look_up_cycles >= 1 && parameters.operation_cycles >= 2);
  used_.reserve(parameters.main_entries);
  outputs_.store_data = stored_.data();
}

std::uint32_t interface_pipeline::entry_of(std::uint64_t line) const noexcept {
  for (std::uint32_t const one : used_)
    if (entries_[one].line == line) return one;
  return none;
}

interface_pipeline::request interface_pipeline::mapped(interface_request const& packet) const noexcept {
  auto const operation = map_operation(packet.what, packet.word, packet.address, std::uint64_t{1} << packet.size);
  bool const in_one_line = (packet.address & line_mask_) + (std::uint64_t{1} << packet.size) <= parameters_.line_bytes;
  return {.operation = operation.value_or(interface_operation::load),
          .wrong = !operation || !in_one_line,
          .size = packet.size,
          .tag = packet.tag,
          .address = packet.address,
          .operand = packet.operand,
          .expected = packet.expected};
}

void interface_pipeline::step(interface_inputs const& in) {
  interface_outputs& out = outputs_;
  // What is decided in this cycle is decided by what was there at its beginning.
  bool const store_waited = out.store;
  std::size_t const hits_before = hits_count_;
  bool const claim_pending = claim_ && !claim_waits_;
  bool const walks = state_ == state::step || (state_ == state::walk && served_ < entries_[entry_].requests.size());
  bool const frozen = !walks && (active_ || claim_pending);
  bool const takes_request = in.request != nullptr && out.request_ready;
  bool const takes_claim = in.claim && out.claim_ready;
  out.answer = out.answer && !in.answer_ready;
  out.fetch = out.fetch && !in.fetch_ready;
  out.store = out.store && !in.store_ready;
  out.claim_done = out.claim_done && !in.claim_done_ready;
  out.hit = out.entered = out.merged = out.stalled = false;

  if (in.grant) {
    main_entry& to = entries_[in.grant_entry];
    MACHINE_DEBUG_ASSERT(to.used && !to.owned);
    to.owned = !in.grant_from_core || to.writes;
    to.closed = to.closed || !to.owned;
  }
  bool const store_free = !out.store;
  if (claim_ends_ && store_free) {
    claim_ends_ = false;
    out.claim_done = true;
  }
  claim_ended_ = false;
  run(in, hits_before);
  // The end of a claim is offered when no line is on its way to memory, be it the claimed one.
  if (claim_ended_) (store_free && !out.store ? out.claim_done : claim_ends_) = true;
  if (frozen) {
    look_up_ = 0;
  } else {
    look_up(hits_before, store_waited);
  }
  if (takes_claim) {
    claim_ = true;
    claim_waits_ = false;
    claim_takes_ = in.claim_takes;
    claim_line_ = in.claim_line;
  }
  if (takes_request) {
    all_decoded_ = cycle_ + parameters_.packet_cycles - 1;
    std::size_t const tail = queue_head_ + queued_;
    queue_[tail < queue_.size() ? tail : tail - queue_.size()] = {mapped(*in.request), all_decoded_};
    ++queued_;
  }
  ++cycle_;
  drive();
}

void interface_pipeline::drive() noexcept {
  interface_outputs& out = outputs_;
  bool const claim_pending = claim_ && !claim_waits_;
  out.request_ready = queued_ < queue_.size();
  out.queued = static_cast<std::uint32_t>(queued_);
  out.line_ready = state_ == state::idle && !claim_pending && (hits_count_ == 0 || hit_was_last_);
  out.claim_ready = !claim_ && !claim_ends_ && !out.claim_done;
  out.busy = (queued_ != 0 && !blocked_) || all_decoded_ > cycle_ || hits_count_ != 0 || state_ != state::idle ||
             claim_pending || claim_ends_ || out.answer || out.fetch || out.store || out.claim_done || out.hit ||
             out.entered || out.merged || out.stalled;
}

// The look-up of the queue's head.

void interface_pipeline::look_up(std::size_t hits_before, bool store_waited) {
  if (look_up_ == 0) {
    bool const reads = queued_ != 0 && queue_[queue_head_].decoded <= cycle_ && !blocked_;
    if (reads) look_up_ = parameters_.look_up_cycles;
    return;
  }
  if (look_up_ > 1) {
    --look_up_;
    return;
  }
  request const& first = queue_[queue_head_].what;
  std::uint64_t const line = line_of_address(first.address);
  std::uint32_t const entry = first.wrong ? none : entry_of(line);
  if (entry != none) return join(entry);
  if (first.wrong || in_cache(line)) {
    if (hits_before == hits_max) return;
    std::size_t const tail = (hits_head_ + hits_count_) % hits_max;
    hits_[tail] = {first, index_of(line)};
    ++hits_count_;
    outputs_.hit = !first.wrong;
    return leave_queue();
  }
  if (used_.size() == entries_.size()) return wait();
  if (outputs_.fetch || store_waited) return;
  auto const free = std::ranges::find(entries_, false, &main_entry::used);
  auto const taken = static_cast<std::uint32_t>(free - entries_.begin());
  free->used = true;
  free->owned = free->closed = free->claimed = false;
  free->writes = tess::machine::writes(first.operation);
  free->line = line;
  free->requests.assign(1, first);
  used_.push_back(taken);
  outputs_.fetch = true;
  outputs_.fetch_entry = taken;
  outputs_.fetch_line = line;
  outputs_.entered = true;
  leave_queue();
}

void interface_pipeline::join(std::uint32_t entry) {
  main_entry& joined = entries_[entry];
  request const& first = queue_[queue_head_].what;
  if (!parameters_.merge || joined.closed || joined.requests.size() == parameters_.sub_entries) return wait();
  joined.writes = joined.writes || tess::machine::writes(first.operation);
  joined.requests.push_back(first);
  outputs_.merged = true;
  leave_queue();
}

void interface_pipeline::wait() {
  look_up_ = 0;
  blocked_ = true;
  outputs_.stalled = !std::exchange(waited_, true);
}

void interface_pipeline::leave_queue() {
  look_up_ = 0;
  waited_ = false;
  if (++queue_head_ == queue_.size()) queue_head_ = 0;
  --queued_;
}

// The interface core.

void interface_pipeline::run(interface_inputs const& in, std::size_t hits_before) {
  interface_outputs& out = outputs_;
  switch (state_) {
    case state::idle: {
      bool const claim_pending = claim_ && !claim_waits_;
      if (hits_before != 0 && !(hit_was_last_ && in.line != nullptr && !claim_pending)) {
        begin_hit();
      } else if (claim_pending) {
        state_ = state::release;
      } else if (in.line != nullptr) {
        copy_line(entry_line(in.line_entry), in.line, parameters_.line_bytes);
        active_ = true;
        entry_ = in.line_entry;
        served_ = 0;
        hit_was_last_ = false;
        state_ = state::walk;
      }
      return;
    }
    case state::hit:
      if (left_ > 1) {
        --left_;
      } else if (carry_out(hit_.what, line_at(hit_.index))) {
        if (!hit_.what.wrong && tess::machine::writes(hit_.what.operation)) tags_[hit_.index].dirty = true;
        state_ = active_ ? state::walk : state::idle;
      }
      return;
    case state::walk:
      return walk(hits_before);
    case state::step:
      if (left_ > 1) {
        --left_;
      } else if (carry_out(entries_[entry_].requests[served_], entry_line(entry_))) {
        ++served_;
        state_ = state::walk;
      }
      return;
    case state::replace: {
      std::uint32_t const index = index_of(entries_[entry_].line);
      tag_word const& leaves = tags_[index];
      if (leaves.valid && leaves.dirty) {
        if (out.store) return;
        store(leaves.line, line_at(index));
      }
      state_ = state::keep;
      return;
    }
    case state::keep: {
      main_entry const& ends = entries_[entry_];
      std::uint32_t const index = index_of(ends.line);
      copy_line(line_at(index), entry_line(entry_), parameters_.line_bytes);
      tags_[index] = {ends.line, true, ends.writes};
      return end_entry();
    }
    case state::give_back:
      if (out.store) return;
      store(entries_[entry_].line, entry_line(entry_));
      return end_entry();
    case state::release:
      return release_claim();
  }
}

void interface_pipeline::begin_hit() {
  hit_ = hits_[hits_head_];
  hits_head_ = (hits_head_ + 1) % hits_max;
  --hits_count_;
  left_ = parameters_.operation_cycles - 1;
  hit_was_last_ = true;
  state_ = state::hit;
}

bool interface_pipeline::carry_out(request const& what, std::byte* line) {
  interface_outputs& out = outputs_;
  if (out.answer) return false;
  out.answer = true;
  out.answer_wrong = what.wrong;
  out.answer_tag = what.tag;
  out.answer_data = what.wrong ? 0
                               : tess::machine::carry_out(what.operation, line + (what.address & line_mask_),
                                                          std::uint64_t{1} << what.size, what.operand, what.expected);
  return true;
}

void interface_pipeline::walk(std::size_t hits_before) {
  main_entry const& entry = entries_[entry_];
  if (served_ < entry.requests.size()) {
    left_ = parameters_.operation_cycles - 1;
    state_ = state::step;
  } else if (hits_before != 0) {
    begin_hit();
  } else if (entry.owned && parameters_.retain && !entry.claimed) {
    state_ = state::replace;
  } else if (entry.owned && entry.writes) {
    state_ = state::give_back;
  } else {
    end_entry();
  }
}

void interface_pipeline::store(std::uint64_t line, std::byte const* bytes) {
  outputs_.store = true;
  outputs_.store_line = line;
  copy_line(stored_.data(), bytes, stored_.size());
}

void interface_pipeline::end_entry() {
  main_entry& ended = entries_[entry_];
  if (ended.claimed) {
    claim_ = claim_waits_ = false;
    claim_ended_ = true;
  }
  ended.used = false;
  ended.requests.clear();
  std::erase(used_, entry_);
  active_ = false;
  blocked_ = false;
  state_ = state::idle;
}

void interface_pipeline::release_claim() {
  interface_outputs& out = outputs_;
  std::uint32_t const entry = entry_of(claim_line_);
  if (entry != none && entries_[entry].owned) {
    entries_[entry].closed = entries_[entry].claimed = true;
    claim_waits_ = true;
    state_ = state::idle;
    return;
  }
  // Until then its entry may still become the owner.
  if (out.store) return;
  if (in_cache(claim_line_)) {
    std::uint32_t const index = index_of(claim_line_);
    tag_word& tag = tags_[index];
    if (tag.dirty) store(claim_line_, line_at(index));
    tag.valid = !claim_takes_;
    tag.dirty = false;
  }
  claim_ = false;
  claim_ended_ = true;
  state_ = state::idle;
}

// Observers.

std::byte* interface_pipeline::line_of(std::uint64_t line) noexcept {
  std::uint32_t const entry = entry_of(line);
  if (entry != none && entries_[entry].owned) return entry_line(entry);
  return in_cache(line) ? line_at(index_of(line)) : nullptr;
}

void interface_pipeline::each_line(std::uint64_t address, std::uint64_t bytes,
                                   std::function<void(std::span<std::byte>)> call) {
  for (std::uint32_t const one : used_) {
    if (entries_[one].line - address < bytes && entries_[one].owned) call({entry_line(one), parameters_.line_bytes});
  }
  for (std::uint32_t index = 0; index < parameters_.cache_lines; ++index) {
    if (tags_[index].valid && tags_[index].line - address < bytes) call({line_at(index), parameters_.line_bytes});
  }
}

}  // namespace tess::machine
