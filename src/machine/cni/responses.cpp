// responses: the table's rows, and their effects on a line's tag.
#include "machine/cni/responses.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

constexpr access_result done{};
constexpr access_result full{access_outcome::full, registers::cni::fault::none};

/// The index of a word in its line.
constexpr std::uint8_t at(std::uint64_t offset) noexcept {
  return static_cast<std::uint8_t>(offset / word_bytes);
}

access_result keep(event_line& line, event_access& by) {
  line.words[by.word] = by.value();
  return done;
}
bool never(event_line const&, event_access const&) {
  return false;
}
interface_job nothing(event_line&, event_access const&) {
  return {};
}

// Command buffers. Tag: bit w, word w has been stored.

std::uint64_t command_bytes(event_line const& line) {
  return line.words[0] >> 8U;
}
/// The words that the command needs, as bits.
std::uint64_t needed(event_line const& line) {
  std::uint64_t const data = (command_bytes(line) + word_bytes - 1) / word_bytes;
  std::uint64_t const words = (line.words[0] & 0xffU) == registers::cni::copy ? 4 : 3 + data;
  return (std::uint64_t{1} << words) - 1;
}

access_result store_word(event_line& line, event_access& by) {
  line.words[by.word] = by.value();
  line.tag |= std::uint64_t{1} << by.word;
  if (by.word != 0) return done;
  std::uint64_t const code = by.value() & 0xffU;
  bool const sends = code == registers::cni::message || code == registers::cni::message_once;
  std::uint64_t const bytes_max = code == registers::cni::copy ? registers::cni::copy_bytes_max
                                  : sends                      ? registers::cni::message_bytes_max
                                                               : 0;
  bool const sound = command_bytes(line) >= 1 && command_bytes(line) <= bytes_max;
  return sound ? done : wrong(registers::cni::fault::wrong_access);
}
bool complete(event_line const& line, event_access const&) {
  return (line.tag & 1U) != 0 && (line.tag & needed(line)) == needed(line);
}
interface_job command(event_line& line, event_access const&) {
  bool const copies = (line.words[0] & 0xffU) == registers::cni::copy;
  interface_job made;
  made.what = copies ? interface_job::kind::copy : interface_job::kind::store;
  made.of_command = true;
  made.no_retry = (line.words[0] & 0xffU) == registers::cni::message_once;
  made.bytes = command_bytes(line);
  made.destination = line.words[at(registers::cni::command_destination)];
  made.acknowledgement = line.words[at(registers::cni::command_acknowledgement)];
  if (copies)
    made.source = line.words[at(registers::cni::command_source)];
  else
    std::memcpy(made.data.data(), &line.words[at(registers::cni::command_data)], made.bytes);
  line.tag = 0;
  return made;
}

// Counters. Tag: the value.

access_result add(event_line& line, event_access& by) {
  line.tag += by.value();
  return done;
}
access_result set(event_line& line, event_access& by) {
  line.tag = by.value();
  return done;
}
bool is_zero(event_line const& line, event_access const&) {
  return line.tag == 0;
}
interface_job notify(event_line& line, event_access const&) {
  interface_job made;
  made.what = interface_job::kind::notify;
  std::memcpy(made.data.data(), &line.words[at(registers::cni::counter_preset)], word_bytes);
  std::copy_n(&line.words[at(registers::cni::counter_notify)], made.targets.size(), made.targets.begin());
  line.tag = line.words[at(registers::cni::counter_reload)];
  return made;
}

// Queues: a ring of items. Both kinds have the buffer and the shape in the same words.
static_assert(registers::cni::queue_buffer == registers::cni::match_buffer &&
              registers::cni::queue_shape == registers::cni::match_shape);

struct ring {
  std::uint64_t items = 0;  ///< 0: invalid shape.
  std::uint64_t bytes = 0;  ///< Size of an item.
  std::uint64_t buffer = 0;
  bool tagged = false;          ///< Its requests carry tags.
  std::uint64_t items_max = 0;  ///< The most items that may wait; requests may fill all places.
  [[nodiscard]] std::uint64_t item(std::uint64_t number) const noexcept { return buffer + number % items * bytes; }
};

ring ring_of(event_line const& line) {
  constexpr std::uint64_t log2_items_max = 20;
  constexpr std::uint64_t log2_words_max = 3;
  std::uint64_t const shape = line.words[at(registers::cni::queue_shape)];
  std::uint64_t const log2_items = shape & 0xffU;
  bool const tagged = line.code == registers::cni::match_queue && (shape & registers::cni::tagged) != 0;
  bool const limited = line.code == registers::cni::match_queue;
  std::uint64_t const limit = limited ? shape >> registers::cni::limit_shift : 0;
  std::uint64_t const no_words = (tagged ? registers::cni::tagged : 0) | limit << registers::cni::limit_shift;
  std::uint64_t const log2_words = (shape & ~no_words) >> 8U;
  std::uint64_t const buffer = line.words[at(registers::cni::queue_buffer)];
  if (log2_items > log2_items_max || log2_words > log2_words_max) return {};
  if (tagged && log2_words == 0) return {};  // the tag would be the whole item
  std::uint64_t const bytes = word_bytes << log2_words;
  // A misaligned item would span two lines.
  if (buffer == 0 || buffer % bytes != 0) return {};
  std::uint64_t const items = std::uint64_t{1} << log2_items;
  return {items, bytes, buffer, tagged, limit == 0 ? items : std::min(limit, items)};
}

/// Head and tail count items and wrap at the width of their fields.
struct ends {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  bool requests = false;  ///< The waiting entries are requests.
};

// Tag of a single-reader queue: bits 0-31 head, 32-63 tail.
ends single_ends(std::uint64_t tag) {
  return {tag & 0xffff'ffffU, tag >> 32U, false};
}
std::uint64_t tag_of_single(std::uint64_t head, std::uint64_t tail) {
  return (head & 0xffff'ffffU) | tail << 32U;
}

access_result enqueue(event_line& line, event_access& by) {
  ring const at_ring = ring_of(line);
  if (at_ring.items == 0) return wrong(registers::cni::fault::wrong_shape);
  auto const [head, tail, none] = single_ends(line.tag);
  if (((tail - head) & 0xffff'ffffU) >= at_ring.items) return full;
  if (!by.rings.put(at_ring.item(tail), by.item)) return wrong(registers::cni::fault::wrong_shape);
  line.tag = tag_of_single(head, tail + 1);
  return done;
}
access_result take(event_line& line, event_access& by) {
  auto const [head, tail, none] = single_ends(line.tag);
  // Only existing items can be taken.
  if (((by.value() - head) & 0xffff'ffffU) > ((tail - head) & 0xffff'ffffU))
    return wrong(registers::cni::fault::wrong_access);
  line.tag = tag_of_single(by.value(), tail);
  return done;
}

bool has_notice(event_line const& line, event_access const&) {
  return line.words[at(registers::cni::queue_notify)] != 0;
}
interface_job notice(event_line& line, event_access const&) {
  interface_job made;
  made.what = interface_job::kind::add;
  made.destination = line.words[at(registers::cni::queue_notify)];
  made.bytes = word_bytes;
  made.data[0] = std::byte{1};
  return made;
}

// Tag of a multiple-reader queue: bits 0-30 head, 31-61 tail, 62: the waiting entries are requests, not items.
constexpr std::uint64_t end_bits = 31;
constexpr std::uint64_t end_mask = (std::uint64_t{1} << end_bits) - 1;

ends match_ends(std::uint64_t tag) {
  return {tag & end_mask, tag >> end_bits & end_mask, (tag >> (2 * end_bits) & 1U) != 0};
}
std::uint64_t waiting(ends const& one) {
  return (one.tail - one.head) & end_mask;
}
std::uint64_t tag_of(ends const& one) {
  return (one.head & end_mask) | (one.tail & end_mask) << end_bits | std::uint64_t{one.requests} << (2 * end_bits);
}

/// The fields of a request's word.
struct request {
  std::uint64_t address = 0;
  std::uint64_t tag = 0;
  bool waits = true;
};
request request_of(ring const& in, std::uint64_t word) {
  if (!in.tagged) return {.address = word};
  constexpr std::uint64_t address_mask = (std::uint64_t{1} << registers::cni::tag_shift) - 1;
  return {word & address_mask, word >> registers::cni::tag_shift & registers::cni::tag_max,
          (word & registers::cni::no_wait) == 0};
}

/// `item`: empty if there is none.
interface_job answer_to(request const& wanted, ring const& in, std::span<std::byte const> item) {
  interface_job made;
  made.what = interface_job::kind::answer;
  made.destination = wanted.address;
  made.bytes = in.bytes;
  std::ranges::copy(item, made.data.begin());
  std::uint64_t const tag = item.empty() ? wanted.tag | registers::cni::none : wanted.tag;
  if (in.tagged) std::memcpy(&made.data[in.bytes - word_bytes], &tag, word_bytes);
  return made;
}

/// An item or a request without a match waits in the ring.
access_result wait_in_ring(event_line& line, event_access& by, ring const& in, ends now, bool is_request) {
  if (waiting(now) >= (is_request ? in.items : in.items_max)) return full;
  if (!by.rings.put(in.item(now.tail), by.item)) return wrong(registers::cni::fault::wrong_shape);
  ++now.tail;
  now.requests = is_request;
  line.tag = tag_of(now);
  return done;
}

access_result match_item(event_line& line, event_access& by) {
  ring const in = ring_of(line);
  if (in.items == 0) return wrong(registers::cni::fault::wrong_shape);
  ends now = match_ends(line.tag);
  if (waiting(now) == 0 || !now.requests) return wait_in_ring(line, by, in, now, false);
  std::uint64_t word = 0;
  if (!by.rings.get(in.item(now.head), std::as_writable_bytes(std::span(&word, 1)))) {
    return wrong(registers::cni::fault::wrong_shape);
  }
  by.matched = answer_to(request_of(in, word), in, by.item);
  ++now.head;
  line.tag = tag_of(now);
  return done;
}

access_result match_request(event_line& line, event_access& by) {
  ring const in = ring_of(line);
  if (in.items == 0) return wrong(registers::cni::fault::wrong_shape);
  request const wanted = request_of(in, by.value());
  if (!by.rings.may_send(wanted.address, in.bytes)) return wrong(registers::cni::fault::not_allowed);
  ends now = match_ends(line.tag);
  if (waiting(now) == 0 || now.requests) {
    if (wanted.waits) return wait_in_ring(line, by, in, now, true);
    by.matched = answer_to(wanted, in, {});
    return done;
  }
  std::array<std::byte, transaction::data_max> room{};
  std::span<std::byte> const item = std::span(room).first(in.bytes);
  if (!by.rings.get(in.item(now.head), item)) return wrong(registers::cni::fault::wrong_shape);
  by.matched = answer_to(wanted, in, item);
  ++now.head;
  line.tag = tag_of(now);
  return done;
}
bool has_matched(event_line const&, event_access const& by) {
  return by.matched.has_value();
}
interface_job matched(event_line&, event_access const& by) {
  return *by.matched;
}

// {type, words, owner only, items, modify, condition, job}
constexpr response rows[] = {
    {registers::cni::command_buffer, 0, 7, true, false, store_word, complete, command},
    {registers::cni::counter, at(registers::cni::counter_add), at(registers::cni::counter_add), false, false, add,
     is_zero, notify},
    {registers::cni::counter, at(registers::cni::counter_reload), 6, true, false, keep, never, nothing},
    {registers::cni::counter, at(registers::cni::counter_set), at(registers::cni::counter_set), false, false, set,
     never, nothing},
    {registers::cni::queue, at(registers::cni::queue_put), at(registers::cni::queue_put), false, true, enqueue,
     has_notice, notice},
    {registers::cni::queue, at(registers::cni::queue_head), at(registers::cni::queue_head), true, false, take, never,
     nothing},
    {registers::cni::queue, at(registers::cni::queue_buffer), at(registers::cni::queue_notify), true, false, keep,
     never, nothing},
    {registers::cni::match_queue, at(registers::cni::match_data), at(registers::cni::match_data), false, true,
     match_item, has_matched, matched},
    {registers::cni::match_queue, at(registers::cni::match_request), at(registers::cni::match_request), false, false,
     match_request, has_matched, matched},
    {registers::cni::match_queue, at(registers::cni::match_buffer), at(registers::cni::match_shape), true, false, keep,
     never, nothing},
};

}  // namespace

std::uint64_t event_access::value() const noexcept {
  std::uint64_t first = 0;
  std::memcpy(&first, item.data(), sizeof first);
  return first;
}

response const* response_to(registers::cni::line_code code, std::uint64_t word) noexcept {
  auto const* const found = std::ranges::find_if(
      rows, [&](response const& row) { return row.code == code && row.first <= word && word <= row.last; });
  return found == std::end(rows) ? nullptr : found;
}

std::uint64_t item_bytes(event_line const& line) noexcept {
  return ring_of(line).bytes;
}

void show_tag(event_line& line) noexcept {
  if (line.code == registers::cni::counter) line.words[at(registers::cni::counter_add)] = line.tag;
  if (line.code == registers::cni::queue) {
    auto const [head, tail, none] = single_ends(line.tag);
    line.words[at(registers::cni::queue_head)] = head;
    line.words[at(registers::cni::queue_tail)] = tail;
  }
  if (line.code == registers::cni::match_queue) {
    ends const now = match_ends(line.tag);
    line.words[at(registers::cni::match_balance)] = now.requests ? ~waiting(now) + 1 : waiting(now);
  }
}

}  // namespace tess::machine
