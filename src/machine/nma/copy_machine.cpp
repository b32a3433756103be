// copy_machine: the states, one method or case for each; all of them see the registers as they were before the edge.
#include "machine/nma/copy_machine.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "machine/kernel/assert.hpp"
#include "machine/nma/address_hash.hpp"

namespace tess::machine {
namespace {

using registers::graph_fault;
namespace objects = registers::objects;

constexpr std::array<std::uint64_t, nma_unit::lanes_max> zeros{};
constexpr unsigned offset_bits = 40;
constexpr unsigned position_bits = offset_bits - 3;

}  // namespace

copy_machine::copy_machine(nma_description const& description)
    : state_cycles_(description.state_cycles),
      lanes_(description.burst_bytes / word_bytes),
      posted_writes_(description.posted_writes),
      single_(description.stream_bursts),
      queue_(description.queue_entries),
      original_(description.burst_bytes),
      copy_(description.burst_bytes),
      stream_(description.stream_bursts, description.burst_bytes) {}

void copy_machine::step() {
  bool const taken = out.access_valid && in.access_ready;
  bool const writes = out.access.writes;
  held_ = out.access_valid && !taken && !writes;
  bool const head_full = stream_.head_full();
  bool const complete = stream_.complete();
  bool const found = found_;
  bool const drained = under_way_ == 0;
  under_way_ = under_way_ + (taken && writes ? 1 : 0) - (in.written ? 1 : 0);
  if (in.answer_valid) arrived();
  bool const puts = in.job_valid && out.job_ready;
  bool const takes = out.job_begins;
  if (takes) job_ = queue_[queue_head_];
  if (puts) {
    std::uint32_t const tail = queue_head_ + queued_;
    queue_[tail < queue_.size() ? tail : tail - queue_.size()] = in.job;
  }
  if (takes) queue_head_ = queue_head_ + 1 == queue_.size() ? 0 : queue_head_ + 1;
  queued_ = queued_ + (puts ? 1 : 0) - (takes ? 1 : 0);
  if (pause_ != 0) {
    --pause_;
  } else if (state_ == state::drain) {
    if (drained) go(state::result);
  } else {
    advance_state(taken, head_full, complete, found);
  }
  refresh();
}

/// An answer of the stream; single ones are for the states that wait.
void copy_machine::arrived() {
  if (in.answer_tag == single_) return;
  if (stream_.live(in.answer_tag)) {
    if (state_ == state::stream) {
      stream_.keep(in.answer_tag, in.answer_words);
    } else if (!found_) {
      for (std::uint32_t lane = 0; lane < stream_.words_of(in.answer_tag); ++lane) {
        if (in.answer_words[lane] != child_) continue;
        found_ = true;
        known_at_ = stream_.offset_of(in.answer_tag) + (lane + in.map_entries) * word_bytes;
        break;
      }
    }
  }
  stream_.arrived(in.answer_tag);
}

void copy_machine::advance_state(bool taken, bool head_full, bool complete, bool found) {
  bool const answered = in.answer_valid && in.answer_tag == single_;
  switch (state_) {
    case state::idle:
      if (out.job_begins) go(state::start);
      break;
    case state::start:
      start();
      break;
    case state::table:
      if (job_.objects == 0 || slot_mask_ >= in.map_entries) return fail(graph_fault::map_full);
      go(state::clear);
      break;
    case state::clear:
      if (!taken) break;
      range_at_ += out.access.words * word_bytes;
      range_left_ -= out.access.words;
      if (range_left_ == 0) charge(state::advance);
      break;
    case state::advance:
      place_original();
      go(state::locate);
      break;
    case state::locate:
      if (wild()) return fail(graph_fault::wild_pointer);
      step_original(0 - objects::header);
      go(state::header);
      break;
    case state::header:
      if (auto const* const value = load(original_, original_at_)) {
        header_ = static_cast<std::uint32_t>(*value);
        back_ = false;
        step_original(objects::header - objects::array_bytes);
        charge(state::type);
      }
      break;
    case state::type:
      if (header_ >= in.types_count) return fail(graph_fault::bad_descriptor);
      record_at_ = in.types_address + std::uint64_t{header_} * objects::record_bytes;
      go(state::type_ask);
      break;
    case state::type_ask:
      if (in.record_ready) go(state::type_wait);
      break;
    case state::type_wait:
      if (in.record_answer_valid) see_type();
      break;
    case state::size:
      size();
      break;
    case state::check:
      check();
      break;
    case state::room:
      room();
      break;
    case state::insert:
      insert();
      break;
    case state::insert_original:
      if (taken) go(state::insert_copy);
      break;
    case state::insert_copy:
      if (!taken) break;
      ++count_;
      if (dst_ != 0) return go(state::parent_word);
      begin_front();
      break;
    case state::parent_word:
      if (!store(final_copy())) break;
      place_copy(dst_, objects::position);
      go(state::parent_position);
      break;
    case state::parent_position:
      store_then(position_, objects::position - objects::index, state::parent_index);
      break;
    case state::parent_index:
      if (store(index_)) begin_front();
      break;
    case state::array_bytes:
      store_then(bytes_, objects::array_bytes - objects::parent_src, state::parent_src);
      break;
    case state::parent_src:
      store_then(src_, objects::parent_src - objects::parent_dst, state::parent_dst);
      break;
    case state::parent_dst:
      store_then(dst_, objects::parent_dst - objects::header, state::copy_header);
      break;
    case state::copy_header:
      if (store(header_ | (object_ - job_.target) / word_bytes << 32U)) begin_copy();
      break;
    case state::stream:
      read_ahead(head_full);
      break;
    case state::word:
      load_word();
      break;
    case state::copy:
      copy_word();
      break;
    case state::mask_ask:
      if (in.record_ready) go(state::mask_wait);
      break;
    case state::mask_wait:
      if (!in.record_answer_valid) break;
      if (in.record_fault) return fail(graph_fault::bad_descriptor);
      mask_ = in.record_words[0];
      mask_valid_ = true;
      go(state::word);
      break;
    case state::descriptor:
      if (auto const* const value = load(original_, original_at_)) {
        word_ = *value;
        what_ = word_kind::elements;
        step_original(0 - word_bytes);
        go(state::copy);
      }
      break;
    case state::point:
      if (store(word_)) stored();
      break;
    case state::find:
      find_child();
      break;
    case state::search:
      if (taken) stream_.issued();
      if (found && !out.access_valid) {
        go(state::known);
      } else if (!found && complete) {
        charge(state::advance);
      }
      break;
    case state::probe:
      if (taken) go(state::probe_wait);
      break;
    case state::probe_wait:
      if (!answered) break;
      word_ = in.answer_words[0];
      go(state::probed);
      break;
    case state::probed:
      probed();
      break;
    case state::known:
      if (taken) go(state::known_wait);
      break;
    case state::known_wait:
      if (!answered) break;
      word_ = in.answer_words[0];
      go(state::point);
      break;
    case state::leave:
      place_copy(dst_, objects::parent_src);
      go(state::retreat);
      break;
    case state::retreat:
      if (auto const* const value = load(copy_, copy_at_)) {
        child_ = *value;
        step_copy(objects::parent_src - objects::parent_dst);
        go(state::up);
      }
      break;
    case state::up:
      if (auto const* const value = load(copy_, copy_at_)) {
        word_ = *value;
        go(state::up_check);
      }
      break;
    case state::up_check:
      up_check();
      break;
    case state::up_header:
      if (auto const* const value = load(copy_, copy_at_)) {
        header_ = static_cast<std::uint32_t>(*value);
        back_ = true;
        place_original();
        step_copy(objects::header - objects::position);
        charge(state::type);
      }
      break;
    case state::up_position:
      if (auto const* const value = load(copy_, copy_at_)) {
        word_ = *value;
        step_copy(objects::position - objects::index);
        go(state::up_index);
      }
      break;
    case state::up_index:
      if (auto const* const value = load(copy_, copy_at_)) {
        if (word_ >> position_bits != 0) return fail(graph_fault::wild_pointer);
        position_ = word_;
        index_ = *value & 3U;
        step_copy(objects::index - objects::array_bytes);
        go(state::size);
      }
      break;
    case state::fetch:
      if (taken) go(state::fetch_wait);
      break;
    case state::fetch_wait:
      if (!answered) break;
      line_->fill(in.answer_words);
      go(next_);
      break;
    case state::clean:
      if (taken) copy_.written(copy_.first_run());
      if (copy_.dirty()) break;
      copy_.take(copy_at_);
      go(fetches_ ? state::fetch : next_);
      break;
    case state::drain:
      break;
    case state::result:
      if (in.result_ready) go(state::idle);
      break;
  }
}

void copy_machine::start() {
  fault_ = graph_fault::none;
  used_ = job_.sound ? job_.begins : job_.target;
  objects_ = root_ = dst_ = src_ = count_ = 0;
  child_ = job_.root;
  original_.clear();
  copy_.clear();
  // 2^(ceil(log2 n) + 1) slots.
  std::uint64_t const below = job_.objects - 1U;
  slot_mask_ = (below == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(below)) << 1U | 1U;
  range_at_ = in.map_offset;
  range_left_ = slot_mask_ + 1;
  if (!job_.sound) {
    fault_ = graph_fault::bad_request;
    return go(state::result);
  }
  if (job_.root == 0) return fail(graph_fault::null_pointer);
  if (!job_.hashed) return charge(state::advance);
  go(state::table);
}

void copy_machine::see_type() {
  auto const [size, kind, mask] = in.record_words;
  auto const alignment = kind >> 8U & 0xffU;
  type_bytes_ = size & 0xffff'ffffU;
  kind_ = static_cast<objects::kind_code>(kind & 3U);
  aligned_16_ = alignment == 16;
  mask_at_ = mask;
  mask_valid_ = false;
  bool const known = (kind & 0xffU) <= objects::pointer_array && (alignment == 8 || alignment == 16);
  bool const whole = is_array() || type_bytes_ % word_bytes == 0;
  if (in.record_fault || !known || !whole) return fail(graph_fault::bad_descriptor);
  go(back_ ? state::up_position : state::size);
}

void copy_machine::size() {
  bytes_ = type_bytes_;
  if (is_array()) {
    bool const at_begin = back_ ? object_ == lowest() : child_ == job_.source_base + objects::front_bytes;
    if (at_begin) return fail(graph_fault::wild_pointer);
    auto const* const value = back_ ? load(copy_, copy_at_) : load(original_, original_at_);
    if (value == nullptr) return;
    bytes_ = *value;
  }
  if (back_) {
    step_copy(objects::array_bytes);
  } else {
    step_original(objects::array_bytes);
  }
  go(state::check);
}

void copy_machine::check() {
  bool const ragged = kind_ == objects::pointer_array && bytes_ % word_bytes != 0;
  // The elements of a data array were copied before anything else, so none is a parent.
  if (ragged || (back_ && kind_ == objects::data_array)) return fail(graph_fault::bad_descriptor);
  if (bytes_ > job_.source_end - child_) return fail(graph_fault::wild_pointer);
  words_ = (bytes_ + word_bytes - 1) / word_bytes;
  if (!back_) {
    object_ = used_ + (is_array() ? objects::array_front_bytes : objects::front_bytes);
    if (aligned_16_) object_ = (object_ + word_bytes) & ~std::uint64_t{15};
  }
  go(state::room);
}

void copy_machine::room() {
  std::uint64_t const end = object_ + words_ * word_bytes;
  if (!back_) {
    if (end > job_.ends) return fail(graph_fault::buffer_full);
    used_ = end;
    ++objects_;
    return charge(state::insert);
  }
  if (end > used_ || position_ > words_) return fail(graph_fault::wild_pointer);
  src_ = child_;
  dst_ = object_;
  left_ = words_ - position_;
  step_original(position_ * word_bytes);
  step_copy(position_ * word_bytes);
  charge(left_ == 0 ? state::leave : state::word);
}

void copy_machine::insert() {
  if (count_ >= (job_.hashed ? slot_mask_ : in.map_entries)) return fail(graph_fault::map_full);
  inserts_ = true;
  slot_ = job_.hashed ? address_hash::of(child_) & slot_mask_ : count_;
  if (job_.hashed) return charge(state::probe);
  go(state::insert_original);
}

/// The words in front of the copy's header, from the lowest on.
void copy_machine::begin_front() {
  place_copy(object_, is_array() ? objects::array_bytes : objects::parent_src);
  go(is_array() ? state::array_bytes : state::parent_src);
}

void copy_machine::begin_copy() {
  if (dst_ == 0) root_ = object_;
  src_ = child_;
  dst_ = object_;
  position_ = 0;
  index_ = 0;
  left_ = words_;
  step_copy(objects::header);
  range_at_ = object_;
  range_left_ = words_;
  if (words_ == 0) return charge(state::leave);
  if (kind_ != objects::data_array) return charge(state::word);
  stream_.begin(original_at_, words_ * word_bytes);
  go(state::stream);
}

void copy_machine::read_ahead(bool head_full) {
  bool const taken = out.access_valid && in.access_ready;
  if (taken && !out.access.writes) stream_.issued();
  if (taken && out.access.writes) {
    range_at_ += out.access.words * word_bytes;
    range_left_ -= out.access.words;
    out_full_ = false;
    if (range_left_ == 0) charge(state::leave);
  } else if (!out_full_ && head_full) {
    stream_.take_head();
    out_full_ = true;
  }
}

void copy_machine::load_word() {
  if (mask_missing()) {
    record_at_ = mask_at_ + position_ / objects::mask_words * word_bytes;
    return go(state::mask_ask);
  }
  auto const* const value = load(original_, original_at_);
  if (value == nullptr) return;
  see_word(*value);
  go(state::copy);
}

/// The word at `position` has been loaded: what is it?
void copy_machine::see_word(std::uint64_t value) {
  std::uint64_t code = objects::data;
  if (index_ != 0) {
    --index_;
  } else {
    code = kind_ == objects::pointer_array ? objects::pointer : mask_ >> position_ % objects::mask_words * 2 & 3U;
  }
  word_ = code == objects::transient ? 0 : value;
  what_ = code == objects::pointer      ? word_kind::pointer
          : code == objects::descriptor ? word_kind::descriptor
                                        : word_kind::data;
  ++position_;
  if (position_ % objects::mask_words == 0) mask_valid_ = false;
  step_original(word_bytes);
}

void copy_machine::copy_word() {
  if (what_ == word_kind::data || (word_ == 0 && what_ != word_kind::descriptor)) {
    if (store(word_)) stored();
    return;
  }
  if (what_ == word_kind::elements) return fail(graph_fault::null_pointer);
  if (what_ == word_kind::descriptor) {
    if (left_ < objects::descriptor_words) return fail(graph_fault::bad_descriptor);
    index_ = objects::descriptor_words - 1;
    if (word_ == 0) {
      step_original(word_bytes);
      return go(state::descriptor);
    }
  }
  child_ = word_;
  charge(state::find);
}

void copy_machine::stored() {
  --left_;
  step_copy(word_bytes);
  if (left_ == 0) return charge(state::leave);
  bool const loads = state_ == state::copy && !mask_missing() && original_.has(original_at_);
  if (loads) see_word(original_.word(original_at_));
  charge(loads ? state::copy : state::word);
}

/// A child that is no place for an object is in no map.
void copy_machine::find_child() {
  inserts_ = false;
  found_ = false;
  if (job_.hashed) {
    slot_ = address_hash::of(child_) & slot_mask_;
    return charge(state::probe);
  }
  stream_.begin(in.map_offset, count_ * word_bytes);
  go(state::search);
}

void copy_machine::probed() {
  bool const found = word_ == child_;
  if (!found && word_ != 0) {
    slot_ = (slot_ + 1) & slot_mask_;
    // A table always has an empty slot, unless somebody else writes there.
    if (slot_ == (address_hash::of(child_) & slot_mask_)) return fail(graph_fault::map_full);
    return charge(state::probe);
  }
  if (inserts_) return go(state::insert_original);
  if (!found) return charge(state::advance);
  known_at_ = copy_entry();
  go(state::known);
}

void copy_machine::up_check() {
  // The root's parent is null, and so wild.
  if (word_ == 0 && wild()) return finish();
  // The copy of a parent is before that of its child: so ways back end, whatever somebody writes into copies.
  bool const sound = word_ % word_bytes == 0 && word_ >= lowest() && word_ < dst_;
  if (!sound || wild()) return fail(graph_fault::wild_pointer);
  object_ = word_;
  place_copy(object_, objects::header);
  go(state::up_header);
}

void copy_machine::fail(graph_fault what) noexcept {
  fault_ = what;
  finish();
}

void copy_machine::finish() noexcept {
  next_ = state::drain;
  fetches_ = false;
  go(state::clean);
}

std::uint64_t const* copy_machine::load(line_register& by, std::uint64_t offset) noexcept {
  if (by.has(offset)) return by.words() + (offset / word_bytes & (lanes_ - 1));
  next_ = state_;
  line_ = &by;
  fetches_ = true;
  bool const has_line = by.has_line(offset);
  if (!has_line && &by == &original_) by.take(offset);
  go(!has_line && &by == &copy_ ? state::clean : state::fetch);
  return nullptr;
}

bool copy_machine::store(std::uint64_t value) noexcept {
  if (copy_.has_line(copy_at_)) {
    copy_.store(copy_at_, value);
    return true;
  }
  next_ = state_;
  fetches_ = false;
  go(state::clean);
  return false;
}

void copy_machine::request_write(std::uint64_t offset, std::uint64_t const* data, std::uint32_t words,
                                 std::uint32_t lane) {
  out.access_valid = true;
  out.access = {.writes = true, .tag = 0, .offset = offset, .words = words, .lane = lane, .data = data};
}

void copy_machine::request_read(std::uint64_t offset, std::uint32_t words, std::uint32_t tag) {
  out.access_valid = true;
  out.access = {.writes = false, .tag = tag, .offset = offset, .words = words, .lane = 0, .data = nullptr};
}

void copy_machine::refresh() {
  out.job_ready = queued_ < queue_.size();
  out.job_begins = out.access_valid = out.record_valid = out.result_valid = out.quiet = false;
  if (pause_ != 0) return;
  switch (state_) {
    case state::idle:
      out.job_begins = queued_ != 0;
      out.quiet = queued_ == 0;
      break;
    case state::clear:
      if (has_room())
        request_write(range_at_, zeros.data(),
                      static_cast<std::uint32_t>(std::min(std::uint64_t{lanes_}, range_left_)));
      out.quiet = !out.access_valid;
      break;
    case state::insert_original:
    case state::insert_copy: {
      bool const original = state_ == state::insert_original;
      single_word_[0] = original ? child_ : final_copy();
      if (has_room()) request_write(original ? original_entry() : copy_entry(), single_word_.data(), 1);
      out.quiet = !out.access_valid;
      break;
    }
    case state::type_ask:
    case state::mask_ask:
      out.record_valid = true;
      out.record_address = record_at_;
      out.record_whole = state_ == state::type_ask;
      break;
    case state::stream:
      if (out_full_ && has_room() && !held_) {
        request_write(range_at_, stream_.out(), stream_.out_words());
      } else if (stream_.can_issue()) {
        request_read(stream_.offset(), stream_.words(), stream_.tag());
      }
      out.quiet = !out.access_valid && (out_full_ || !stream_.head_full());
      break;
    case state::search:
      if (stream_.can_issue() && (!found_ || held_)) request_read(stream_.offset(), stream_.words(), stream_.tag());
      out.quiet = !out.access_valid && !found_ && !stream_.complete();
      break;
    case state::probe:
      request_read(original_entry(), 1, single_);
      break;
    case state::known:
      request_read(known_at_, 1, single_);
      break;
    case state::fetch:
      request_read((line_ == &copy_ ? copy_at_ : original_at_) & ~(lanes_ * word_bytes - 1), lanes_, single_);
      break;
    case state::clean:
      if (copy_.dirty() && has_room()) {
        auto const [lane, words] = copy_.first_run();
        request_write(copy_.line() + lane * word_bytes, copy_.words(), words, lane);
      }
      out.quiet = copy_.dirty() && !out.access_valid;
      break;
    case state::drain:
      out.quiet = under_way_ != 0;
      break;
    case state::result: {
      bool const good = fault_ == graph_fault::none;
      out.result_valid = true;
      out.result = {.fault = fault_,
                    .root = good ? job_.final_shift + root_ : 0,
                    .bytes = used_ - job_.target,
                    .objects = objects_};
      break;
    }
    case state::type_wait:
    case state::mask_wait:
    case state::probe_wait:
    case state::known_wait:
    case state::fetch_wait:
      out.quiet = true;
      break;
    default:
      break;
  }
}

}  // namespace tess::machine
