// traversal_machine: the states, one method or case for each; all of them see the registers as they were before the
// edge.
#include "machine/nca/traversal_machine.hpp"

#include <algorithm>
#include <bit>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using registers::graph_fault;
namespace objects = registers::objects;

/// The low bit of each two-bit code of a mask: set for 01, a pointer, and 11, a descriptor.
constexpr std::uint64_t low_mask = 0x5555'5555'5555'5555;

constexpr std::uint64_t front_of(bool is_array) noexcept {
  return is_array ? objects::array_front_bytes : objects::front_bytes;
}

}  // namespace

traversal_machine::traversal_machine(parameters const& made)
    : state_cycles_(made.state_cycles),
      stack_entries_(made.stack_entries),
      line_bytes_(made.line_bytes),
      under_way_max_(made.under_way),
      queue_(made.queue_entries) {}

void traversal_machine::step() {
  bool const taken = out.access_valid && in.access_ready;
  bool const leaves = taken && out.access.kind == traversal_access::write_back;
  bool const drained = under_way_ == 0;
  under_way_ = under_way_ + (leaves ? 1 : 0) - (in.written ? 1 : 0);
  bool const puts = in.job_valid && out.job_ready;
  bool const takes = out.job_begins;
  if (takes) {
    target_ = queue_[queue_head_].root;
    mark_ = queue_[queue_head_].mark;
  }
  if (puts) queue_[(queue_head_ + queued_) % queue_.size()] = in.job;
  if (takes) queue_head_ = queue_head_ + 1 == queue_.size() ? 0 : queue_head_ + 1;
  queued_ = queued_ + (puts ? 1 : 0) - (takes ? 1 : 0);
  if (pause_ != 0) {
    --pause_;
  } else {
    advance_state(taken, drained);
  }
  refresh();
}

void traversal_machine::advance_state(bool taken, bool drained) {
  switch (state_) {
    case state::idle:
      if (out.job_begins) go(state::start);
      break;
    case state::start:
      fault_ = graph_fault::none;
      objects_ = bytes_ = depth_ = 0;
      has_line_ = back_ = ahead_ = false;
      first_ = true;
      child_ = (target_ - in.partition_base) & offset_mask;
      far_ = (target_ - in.partition_base) > offset_mask;
      if (target_ == 0) return fail(graph_fault::null_pointer);
      go(state::visit);
      break;
    case state::visit:
      visit();
      break;
    case state::mark:
      if (taken) go(state::mark_wait);
      break;
    case state::mark_wait:
      if (!in.answer_valid) break;
      marked_ |= 1U << lane_of(child_ - objects::parent_src);
      charge(state::open);
      break;
    case state::open:
      open();
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
    case state::measure:
      measure();
      break;
    case state::become:
      object_ = child_;
      shape_ = child_shape_;
      if (!back_) position_ = 0;
      first_ = back_ = mask_valid_ = false;
      charge(state::find);
      break;
    case state::find:
      find();
      break;
    case state::mask_ask:
      if (in.record_ready) go(state::mask_wait);
      break;
    case state::mask_wait:
      if (!in.record_answer_valid) break;
      if (in.record_fault) return fail(graph_fault::bad_descriptor);
      mask_ = in.record_words[0];
      mask_valid_ = true;
      go(state::find);
      break;
    case state::locate:
      go(state::target);
      break;
    case state::target:
      target();
      break;
    case state::push:
      if (in.stack_ready) go(state::push_wait);
      break;
    case state::push_wait:
      if (!in.stack_answer_valid) break;
      ++depth_;
      go(state::become);
      break;
    case state::pop:
      pop();
      break;
    case state::pop_wait:
      if (!in.stack_answer_valid) break;
      child_ = in.stack_place.object;
      far_ = false;
      position_ = in.stack_place.position;
      --depth_;
      back_ = true;
      charge(state::open);
      break;
    case state::lines:
      begin_lines();
      break;
    case state::write_back:
      write_lines(taken);
      break;
    case state::fetch:
      if (taken) go(state::fetch_wait);
      break;
    case state::fetch_wait:
      if (!in.answer_valid) break;
      std::copy_n(in.answer_words, line_bytes_ / word_bytes, words_.begin());
      has_line_ = true;
      marked_ = 0;
      go(next_);
      break;
    case state::drain:
      if (drained) go(state::result);
      break;
    case state::result:
      if (in.result_ready) go(state::idle);
      break;
  }
}

bool traversal_machine::wild() const noexcept {
  return far_ || child_ % word_bytes != 0 || child_ < objects::front_bytes || child_ >= in.partition_bytes;
}

void traversal_machine::visit() {
  if (wild()) return fail(graph_fault::wild_pointer);
  std::uint64_t const at = child_ - objects::parent_src;
  auto const* const value = load(at);
  if (value == nullptr) return;
  bool const known = *value == mark_ || (marked_ >> lane_of(at) & 1U) != 0;
  // The root is new, whatever it has.
  if (!known || first_) return go(state::mark);
  charge(state::find);
}

void traversal_machine::open() {
  if (wild()) return fail(graph_fault::wild_pointer);
  auto const* const value = load(child_ - objects::header);
  if (value == nullptr) return;
  header_ = static_cast<std::uint32_t>(*value);
  go(state::type);
}

void traversal_machine::see_type() {
  auto const [size, kind, mask] = in.record_words;
  auto const alignment = kind >> 8U & 0xffU;
  child_bytes_ = size & 0xffff'ffffU;
  child_shape_.kind = static_cast<objects::kind_code>(kind & 3U);
  child_shape_.mask_at = mask;
  aligned_16_ = alignment == 16;
  bool const known = (kind & 0xffU) <= objects::pointer_array && (alignment == 8 || alignment == 16);
  bool const whole = child_shape_.is_array() || child_bytes_ % word_bytes == 0;
  if (in.record_fault || !known || !whole) return fail(graph_fault::bad_descriptor);
  go(state::size);
}

void traversal_machine::size() {
  if (!child_shape_.is_array()) return go(state::measure);
  if (child_ == objects::front_bytes) return fail(graph_fault::wild_pointer);
  auto const* const value = load(child_ - objects::array_bytes);
  if (value == nullptr) return;
  child_bytes_ = *value;
  if (child_shape_.kind == objects::pointer_array && child_bytes_ % word_bytes != 0)
    return fail(graph_fault::bad_descriptor);
  go(state::measure);
}

void traversal_machine::measure() {
  if (child_bytes_ > in.partition_bytes - child_) return fail(graph_fault::wild_pointer);
  child_shape_.words = (child_bytes_ + word_bytes - 1) / word_bytes;
  if (!back_) {
    ++objects_;
    bytes_ += front_of(child_shape_.is_array()) + child_shape_.words * word_bytes + (aligned_16_ ? word_bytes : 0);
  }
  if (first_ || back_) return go(state::become);
  if (child_shape_.kind == objects::data_array) return write_then(true, state::find);
  if (position_ >= shape_.words) return write_then(false, state::become);
  if (depth_ == stack_entries_) return fail(graph_fault::stack_full);
  go(state::push);
}

void traversal_machine::find() {
  child_ = (target_ - in.partition_base) & offset_mask;
  far_ = (target_ - in.partition_base) > offset_mask;
  if (shape_.kind == objects::data_array || position_ >= shape_.words) return found_none();
  if (shape_.kind == objects::pointer_array) {
    next_position_ = position_ + 1;
    return go(state::locate);
  }
  if (!mask_valid_) {
    record_at_ = shape_.mask_at + position_ / objects::mask_words * word_bytes;
    return go(state::mask_ask);
  }
  std::uint64_t const first = position_ / objects::mask_words * objects::mask_words;
  std::uint64_t const left = mask_ & low_mask & ~std::uint64_t{0} << position_ % objects::mask_words * 2;
  if (left == 0) {
    position_ = first + objects::mask_words;
    mask_valid_ = false;
    return;
  }
  auto const bit = static_cast<unsigned>(std::countr_zero(left));
  bool const describes = (mask_ >> bit & 3U) == objects::descriptor;
  position_ = first + bit / 2;
  next_position_ = position_ + (describes ? objects::descriptor_words : 1);
  go(state::locate);
}

/// There is no further pointer.
void traversal_machine::found_none() {
  if (!ahead_) return write_then(false, state::pop);
  ahead_ = false;
  go(state::visit);
}

void traversal_machine::target() {
  if (position_ >= shape_.words) return found_none();
  auto const* const value = load(object_ + position_ * word_bytes);
  if (value == nullptr) return;
  if (*value != 0 && ahead_) {
    ahead_ = false;
    return go(state::visit);
  }
  if (*value != 0) {
    target_ = *value;
    ahead_ = true;
  }
  if (next_position_ / objects::mask_words != position_ / objects::mask_words) mask_valid_ = false;
  position_ = next_position_;
  charge(state::find);
}

void traversal_machine::pop() {
  if (depth_ == 0) return go(state::drain);
  if (in.stack_ready) go(state::pop_wait);
}

void traversal_machine::begin_lines() {
  std::uint64_t const object = lines_of_child_ ? child_ : object_;
  shape const& of = lines_of_child_ ? child_shape_ : shape_;
  line_at_ = line_of(object - front_of(of.is_array()));
  line_last_ = line_of(object + of.words * word_bytes - 1);
  go(state::write_back);
}

void traversal_machine::write_lines(bool taken) {
  if (!taken) return;
  if (line_at_ == line_last_) {
    if (after_ == state::find) return charge(state::find);
    return go(after_);
  }
  line_at_ += line_bytes_;
}

std::uint64_t const* traversal_machine::load(std::uint64_t offset) noexcept {
  if (has_line_ && line_of(offset) == line_) return &words_[lane_of(offset)];
  next_ = state_;
  line_ = line_of(offset);
  has_line_ = false;
  go(state::fetch);
  return nullptr;
}

void traversal_machine::refresh() {
  out.job_ready = queued_ < queue_.size();
  out.job_begins = out.access_valid = out.record_valid = out.stack_valid = out.result_valid = out.quiet = false;
  if (pause_ != 0) return;
  switch (state_) {
    case state::idle:
      out.job_begins = queued_ != 0;
      out.quiet = queued_ == 0;
      break;
    case state::mark:
      out.access_valid = true;
      out.access = {.kind = traversal_access::mark, .offset = child_ - objects::parent_src};
      out.mark = mark_;
      break;
    case state::type_ask:
    case state::mask_ask:
      out.record_valid = true;
      out.record_address = record_at_;
      out.record_whole = state_ == state::type_ask;
      break;
    case state::push:
      out.stack_valid = out.stack_writes = true;
      out.stack_index = depth_;
      out.stack_place = {.object = object_, .position = position_};
      break;
    case state::pop:
      out.stack_valid = depth_ != 0;
      out.stack_writes = false;
      out.stack_index = depth_ - 1;
      break;
    case state::write_back:
      out.access_valid = has_room();
      out.access = {.kind = traversal_access::write_back, .offset = line_at_};
      out.quiet = !out.access_valid;
      break;
    case state::fetch:
      out.access_valid = true;
      out.access = {.kind = traversal_access::read, .offset = line_};
      break;
    case state::drain:
      out.quiet = under_way_ != 0;
      break;
    case state::result:
      out.result_valid = true;
      out.result = {.fault = fault_, .objects = objects_, .bytes = bytes_};
      break;
    case state::mark_wait:
    case state::type_wait:
    case state::mask_wait:
    case state::push_wait:
    case state::pop_wait:
    case state::fetch_wait:
      out.quiet = true;
      break;
    default:
      break;
  }
}

}  // namespace tess::machine
