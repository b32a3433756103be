// response_machine: states, and what each kind of line makes of a store.
#include "machine/cni/response_machine.hpp"

#include <algorithm>

namespace tess::machine {
namespace {

namespace of = registers::cni;
using word = response_unit::word;

constexpr word low_32 = 0xffff'ffff;
constexpr std::uint32_t log2_items_max = 20;

/// The index of a word in its line.
constexpr std::uint32_t at(std::uint64_t offset) noexcept {
  return static_cast<std::uint32_t>(offset / 8);
}

// Both kinds of queues have the buffer and the shape in the same words.
static_assert(of::queue_buffer == of::match_buffer && of::queue_shape == of::match_shape);

// Tag of a command buffer: bit w, word w has been stored.

struct command {
  bool sound = false;
  word needed = 0;  ///< The words that it needs, as bits.
};
command command_of(word what) noexcept {
  word const code = what & 0xffU;
  word const bytes = what >> 8U;
  bool const copies = code == of::copy;
  bool const sends = code == of::message || code == of::message_once;
  word const bytes_max = copies ? of::copy_bytes_max : sends ? of::message_bytes_max : 0;
  bool const sound = bytes >= 1 && bytes <= bytes_max;
  word const words = copies ? 4 : 3 + (bytes + 7) / 8;
  return {.sound = sound, .needed = sound ? (word{1} << words) - 1 : 0};
}

// Tag of a counter: the value.
// Tag of a single-reader queue: bits 0-31 head, 32-63 tail.
// Tag of a multiple-reader queue: bits 0-30 head, 31-61 tail, 62: the waiting entries are requests, not items.
constexpr word end_bits = 31;
constexpr word end_mask = (word{1} << end_bits) - 1;

}  // namespace

void response_machine::step() {
  switch (state_) {
    case state::idle:
      if (in.access_valid) accept();
      break;
    case state::decide:
      decide();
      break;
    case state::test:
      if (tag_ != 0) {
        end(access_outcome::done);
      } else if (has_room(in.room_for_event)) {
        tag_ = first_;
        state_ = state::job;
      }
      break;
    case state::check:
      if (in.check_ready) state_ = state::check_wait;
      break;
    case state::check_wait:
      if (in.check_answer_valid) check_answered();
      break;
    case state::place: {
      ends const now = ends_now();
      word const which = (ring_ == ring_action::put ? now.tail : now.head) & (shape_.items() - 1);
      first_ += which << (3 + shape_.log2_words);
      state_ = state::ring;
      break;
    }
    case state::ring:
      if (in.ring_ready) state_ = state::ring_wait;
      break;
    case state::ring_wait:
      if (in.ring_answer_valid) ring_answered();
      break;
    case state::job:
      if (in.job_ready) end(access_outcome::done);
      break;
    case state::result:
      if (in.result_ready) state_ = state::idle;
      break;
  }
  refresh();
}

void response_machine::accept() {
  access const& store = in.store;
  code_ = store.code;
  whom_ = store.whom;
  offset_ = store.offset;
  bytes_ = store.bytes;
  value_ = store.value;
  tag_ = store.tag;
  first_ = store.words[code_ == of::counter          ? at(of::counter_reload)
                       : code_ == of::command_buffer ? at(of::command_what)
                                                     : at(of::queue_buffer)];
  notify_ = store.words[at(of::queue_notify)];
  shape_ = shape_of(store);
  matched_ = false;
  state_ = state::decide;
}

response_machine::shape response_machine::shape_of(access const& store) const noexcept {
  word const said = store.words[at(of::queue_shape)];
  word const buffer = store.words[at(of::queue_buffer)];
  bool const match = store.code == of::match_queue;
  bool const tagged = match && (said & of::tagged) != 0;
  word const limit = match ? said >> of::limit_shift : 0;
  word const other_bits = (match ? said & ~of::tagged & ((word{1} << of::limit_shift) - 1) : said) >> 10U;
  shape made;
  made.log2_items = static_cast<std::uint32_t>(std::min<word>(said & 0xffU, log2_items_max));
  made.log2_words = static_cast<std::uint32_t>(said >> 8U & 3U);
  made.tagged = tagged;
  made.limited = limit != 0 && limit <= made.items();
  made.limit = made.limited ? static_cast<std::uint32_t>(limit) : 0;
  // The tag of an item of one word would be the whole item; a misaligned item would span two lines.
  made.sound = (said & 0xffU) <= log2_items_max && other_bits == 0 && !(tagged && made.log2_words == 0) &&
               buffer != 0 && buffer % made.bytes() == 0;
  return made;
}

response_machine::row response_machine::row_of() const noexcept {
  std::uint32_t const word_number = number();
  if (offset_ % 8 != 0) return row::none;
  if (is(of::command_buffer)) return row::command;
  if (is(of::counter) && made_.counters != 0) {
    if (word_number == at(of::counter_add)) return row::add;
    return word_number == at(of::counter_set) ? row::set : row::keep;
  }
  if (is(of::queue) && made_.queues != 0) {
    if (word_number == at(of::queue_put)) return row::put;
    if (word_number == at(of::queue_head)) return row::head;
    return word_number >= at(of::queue_buffer) && word_number <= at(of::queue_notify) ? row::keep : row::none;
  }
  if (is(of::match_queue) && made_.match_queues != 0) {
    if (word_number == at(of::match_data)) return row::data;
    if (word_number == at(of::match_request)) return row::request;
    return word_number == at(of::match_buffer) || word_number == at(of::match_shape) ? row::keep : row::none;
  }
  return row::none;
}

void response_machine::decide() {
  row const what = row_of();
  bool const items = what == row::put || what == row::data;
  bool const owners = what == row::command || what == row::keep || what == row::head;
  if (what == row::none || (owners && whom_ != by::own_hart))
    return end(access_outcome::wrong, of::fault::wrong_access);
  if (items && !shape_.sound) return end(access_outcome::wrong, of::fault::wrong_shape);
  if (bytes_ != (items ? shape_.bytes() : 8U)) return end(access_outcome::wrong, of::fault::wrong_access);
  ends const now = ends_now();
  switch (what) {
    case row::command: {
      word const stored = (tag_ & 0xffU) | word{1} << number();
      command const wanted = command_of(number() == 0 ? value_ : first_);
      bool const known = (stored & 1U) != 0;
      if (known && !wanted.sound) return end(access_outcome::wrong, of::fault::wrong_access);
      tag_ = stored;
      if (!known || (stored & wanted.needed) != wanted.needed) return end(access_outcome::done);
      if (!has_room(in.room_for_command)) return;
      tag_ = 0;
      state_ = state::job;
      return;
    }
    case row::add:
      tag_ += value_;
      state_ = state::test;
      return;
    case row::set:
      tag_ = value_;
      return end(access_outcome::done);
    case row::head:
      // Only existing items can be taken.
      if (((value_ - now.head) & low_32) > now.waiting) return end(access_outcome::wrong, of::fault::wrong_access);
      tag_ = (tag_ & ~low_32) | (value_ & low_32);
      return end(access_outcome::done);
    case row::put:
      if (now.waiting >= shape_.items()) return end(access_outcome::full);
      return go_to_ring(ring_action::put);
    case row::data:
      if (pairs()) return go_to_ring(ring_action::look);
      if (now.waiting >= shape_.items_max()) return end(access_outcome::full);
      return go_to_ring(ring_action::put);
    case row::request:
      if (!shape_.sound) return end(access_outcome::wrong, of::fault::wrong_shape);
      state_ = state::check;
      return;
    default:
      return end(access_outcome::done);
  }
}

/// Do such entries wait that this one is matched?
bool response_machine::pairs() const noexcept {
  ends const now = ends_now();
  return now.waiting != 0 && now.requests == (number() == at(of::match_data));
}

void response_machine::check_answered() {
  if (!in.check_allowed) return end(access_outcome::wrong, of::fault::not_allowed);
  if (pairs()) return go_to_ring(ring_action::take);
  if (shape_.tagged && (value_ & of::no_wait) != 0) {
    if (has_room(in.room_for_event)) state_ = state::job;
    return;
  }
  if (ends_now().waiting >= shape_.items()) return end(access_outcome::full);
  go_to_ring(ring_action::put);
}

void response_machine::go_to_ring(ring_action what) {
  ring_ = what;
  state_ = state::place;
}

void response_machine::ring_answered() {
  if (!in.ring_plain) return end(access_outcome::wrong, of::fault::wrong_shape);
  ends now = ends_now();
  if (ring_ == ring_action::put) {
    ++now.tail;
    now.requests = number() == at(of::match_request);
    tag_ = tag_of(now);
    // An addition is never refused. If it occupied a place, answers of two tiles to each other's queues could wait for
    // it.
    if (is(of::queue) && notify_ != 0)
      state_ = state::job;
    else
      end(access_outcome::done);
    return;
  }
  if (ring_ == ring_action::look) value_ = in.ring_word;
  ++now.head;
  if (!has_room(in.room_for_event)) return;
  tag_ = tag_of(now);
  matched_ = true;
  state_ = state::job;
}

bool response_machine::has_room(bool room) {
  // An acknowledgement is never refused: there are no more of them than packets were sent.
  if (room || whom_ == by::acknowledgement) return true;
  end(access_outcome::busy);
  return false;
}

void response_machine::end(access_outcome outcome, registers::cni::fault why) {
  outcome_ = outcome;
  why_ = why;
  state_ = state::result;
}

response_machine::ends response_machine::ends_now() const noexcept {
  if (is(of::queue)) {
    auto const head = static_cast<std::uint32_t>(tag_);
    auto const tail = static_cast<std::uint32_t>(tag_ >> 32U);
    return {.head = head, .tail = tail, .waiting = tail - head, .requests = false};
  }
  auto const head = static_cast<std::uint32_t>(tag_ & end_mask);
  auto const tail = static_cast<std::uint32_t>(tag_ >> end_bits & end_mask);
  return {.head = head,
          .tail = tail,
          .waiting = static_cast<std::uint32_t>((tail - head) & end_mask),
          .requests = (tag_ >> (2 * end_bits) & 1U) != 0};
}

word response_machine::tag_of(ends const& changed) const noexcept {
  if (is(of::queue)) return changed.head | word{changed.tail} << 32U;
  return (changed.head & end_mask) | (changed.tail & end_mask) << end_bits | word{changed.requests} << (2 * end_bits);
}

void response_machine::refresh() {
  out.access_ready = state_ == state::idle;
  out.ring_valid = state_ == state::ring;
  out.check_valid = state_ == state::check;
  out.job_valid = state_ == state::job;
  out.result_valid = state_ == state::result;
  out.quiet = state_ == state::idle || state_ == state::check_wait || state_ == state::ring_wait;
  bool const is_word = number() == at(of::match_request) || ring_ == ring_action::look;
  word const address_mask = shape_.tagged ? (word{1} << of::tag_shift) - 1 : ~word{0};
  if (out.ring_valid) out.ring = {.what = ring_, .address = first_, .bytes = shape_.bytes()};
  if (out.ring_valid && ring_ != ring_action::take && is_word) out.ring.bytes = 8;
  if (out.check_valid) {
    out.check_address = value_ & address_mask;
    out.check_bytes = shape_.bytes();
  }
  if (out.job_valid) {
    out.made = {};
    if (is(of::counter)) out.made.kind = job_kind::notify;
    if (is(of::queue)) out.made = {.kind = job_kind::add, .destination = notify_};
    if (is(of::match_queue)) {
      out.made.kind = job_kind::answer;
      out.made.destination = value_ & address_mask;
      out.made.bytes = shape_.bytes();
      out.made.item = !matched_                        ? item_source::zeros
                      : number() == at(of::match_data) ? item_source::store
                                                       : item_source::ring;
      out.made.tagged = shape_.tagged;
      if (shape_.tagged) out.made.tag = (value_ >> of::tag_shift & of::tag_max) | (matched_ ? 0 : of::none);
    }
  }
  if (!out.result_valid) return;
  // The word that shows the tag, or the one that is stored; both kinds of queues have it in the same place.
  out.ended = {.outcome = outcome_, .why = why_};
  if (outcome_ != access_outcome::done) return;
  ends const now = ends_now();
  out.ended.tag = tag_;
  row const what = row_of();
  if (what == row::add || what == row::set) {
    out.ended.number = at(of::counter_add);
    out.ended.value = tag_;
  } else if (what == row::put) {
    out.ended.number = at(of::queue_tail);
    out.ended.value = now.tail;
  } else if (what == row::head) {
    out.ended.number = at(of::queue_head);
    out.ended.value = now.head;
  } else if (what == row::data || what == row::request) {
    out.ended.number = at(of::match_balance);
    out.ended.value = now.requests ? ~word{now.waiting} + 1 : now.waiting;
  } else {
    out.ended.number = number();
    out.ended.value = value_;
  }
}

}  // namespace tess::machine
