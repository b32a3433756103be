// lines: stores to event lines, and their answers.
#include "fabric/tile/lines.hpp"

#include <bit>
#include <numeric>

#include "fabric/tile/registers.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace cni = machine::registers::cni;
namespace layout = tile_layout;

namespace {

constexpr std::uint64_t tag_word = layout::answer_bytes - 8;
/// Tag of requests that spin: any value but the word's old one.
constexpr std::uint64_t spinning_tag = 1;
constexpr unsigned object_places = 1U << layout::log2_object_items;

/// Until the interface has written there.
std::uint64_t wait_for(std::uint64_t address) noexcept {
  std::uint64_t value = 0;
  while ((value = hw::load(address)) == 0) {
  }
  return value;
}

void fence() noexcept {
  asm volatile("fence rw, rw" ::: "memory");
}

}  // namespace

tile_lines::tile_lines(tile_places const& places, tile_interface& interface) : places_(places), interface_(interface) {
  if (!interface.present()) return;
  std::uint64_t const answers = interface.line(layout::answers);
  hw::store(answers + cni::queue_buffer, interface.line(layout::answer_items));
  hw::store(answers + cni::queue_shape, cni::shape_of(layout::log2_items, 1));
  hw::store(answers + cni::queue_notify, reinterpret_cast<std::uint64_t>(&tile_memory::own().calls));
  requests_.resize(requests_max);
  free_tags_.resize(requests_max);
  std::iota(free_tags_.rbegin(), free_tags_.rend(), 0U);
  under_way_.resize(index_of(places.places(), 1, false));
  of_line_max_ = object_places / places.places();
  // With more places than a queue has slots for requests, one might be refused, and those behind it would wait.
  if (of_line_max_ != 0) free_objects_.store(~std::uint32_t{0}, std::memory_order_relaxed);
}

std::uint64_t tile_lines::object(place_id at, std::uint32_t line) const noexcept {
  return interface_.line(at, layout::objects + (line & ~bounded_bit) - 1);
}
std::uint64_t tile_lines::room(place_id at, std::uint32_t line) const noexcept {
  return (line & bounded_bit) == 0 ? 0 : interface_.line(at, layout::rooms + (line & ~bounded_bit) - 1);
}

void tile_lines::configure(unsigned number, bool of_room, std::uint32_t words_max) const noexcept {
  std::uint64_t const queue = interface_.line((of_room ? layout::rooms : layout::objects) + number);
  std::uint64_t const items =
      interface_.line(layout::object_items + (2 * number + (of_room ? 1 : 0)) * layout::object_lines);
  bool const ends = words_max == 0;
  tile_interface::configure(queue, 1, ends ? cni::cacheable : cni::match_queue);
  tile_interface::configure(items, layout::object_lines, ends ? cni::cacheable : cni::scratchpad);
  if (ends) return;
  hw::store(queue + cni::match_buffer, items);
  hw::store(queue + cni::match_shape,
            cni::shape_of(layout::log2_object_items, 1) | cni::tagged | std::uint64_t{words_max} << cni::limit_shift);
}

std::uint32_t tile_lines::make(std::uint32_t words_max, bool bounded) noexcept {
  for (std::uint32_t free = free_objects_.load(std::memory_order_relaxed); free != 0;) {
    auto const i = static_cast<unsigned>(std::countr_zero(free));
    std::uint32_t const bit = std::uint32_t{1} << i;
    free = free_objects_.fetch_and(~bit, std::memory_order_acquire);
    if ((free & bit) == 0) continue;
    configure(i, false, words_max);
    if (!bounded) return i + 1;
    configure(i, true, words_max);
    for (std::uint32_t word = 0; word < words_max; ++word)
      TESS_ASSERT(put_once(room(places_.own(), (i + 1) | bounded_bit), 0));
    return (i + 1) | bounded_bit;
  }
  return 0;
}

void tile_lines::release(std::uint32_t line) noexcept {
  unsigned const i = (line & ~bounded_bit) - 1;
  configure(i, false, 0);
  if ((line & bounded_bit) != 0) configure(i, true, 0);
  free_objects_.fetch_or(std::uint32_t{1} << i, std::memory_order_release);
}

bool tile_lines::is_awaited(std::uint32_t line) const noexcept {
  auto const waits = [](std::uint64_t queue) {
    return static_cast<std::int64_t>(hw::load(queue + cni::match_balance)) < 0;
  };
  std::uint64_t const of_room = room(places_.own(), line);
  return waits(object(places_.own(), line)) || (of_room != 0 && waits(of_room));
}

bool tile_lines::put_once(std::uint64_t queue, std::uint64_t word) const noexcept {
  std::uint64_t const answer =
      interface_.line(layout::hart_words) + hw::information_field(hw::information::hart) * layout::answer_bytes;
  hw::store(answer, 0);
  interface_.send(cni::message_once, queue + cni::match_data, word, answer);
  return static_cast<std::int64_t>(wait_for(answer)) > 0;
}

bool tile_lines::take_once(std::uint64_t queue, std::uint64_t& word) const noexcept {
  std::uint64_t const answer =
      interface_.line(layout::hart_words) + hw::information_field(hw::information::hart) * layout::answer_bytes;
  hw::store(answer + tag_word, 0);
  fence();
  hw::store(queue + cni::match_request, cni::tagged_request(answer, spinning_tag) | cni::no_wait);
  if ((wait_for(answer + tag_word) & cni::none) != 0) return false;
  word = hw::load(answer);
  // What the sender wrote before its put is visible to what follows.
  fence();
  return true;
}

bool tile_lines::try_put(place_id at, std::uint32_t line, std::uint64_t word) noexcept {
  std::uint64_t const of_room = room(at, line);
  std::uint64_t nothing = 0;
  if (of_room != 0 && !take_once(of_room, nothing)) return false;
  bool const done = put_once(object(at, line), word);
  TESS_ASSERT(done || of_room == 0);
  return done;
}

bool tile_lines::try_take(place_id at, std::uint32_t line, std::uint64_t& word) noexcept {
  if (!take_once(object(at, line), word)) return false;
  std::uint64_t const of_room = room(at, line);
  TESS_ASSERT(of_room == 0 || put_once(of_room, 0));
  return true;
}

void tile_lines::put(place_id at, std::uint32_t line, std::uint64_t word, callback callback, void* context) {
  ask({.line = index_of(at, line, true),
       .queue = room(at, line),
       .then = object(at, line),
       .word = word,
       .callback = callback,
       .context = context});
}

void tile_lines::take(place_id at, std::uint32_t line, callback callback, void* context) {
  ask({.line = index_of(at, line, false),
       .queue = object(at, line),
       .then = room(at, line),
       .word = 0,
       .callback = callback,
       .context = context});
}

void tile_lines::ask(request const& wanted) {
  outstanding_.fetch_add(1, std::memory_order_seq_cst);
  std::lock_guard const lock(mutex_);
  if (under_way_[wanted.line] == of_line_max_) return waiting_[wanted.line].push_back(wanted);
  ++under_way_[wanted.line];
  send(wanted);
}

/// Under the lock.
void tile_lines::send(request const& wanted) {
  if (free_tags_.empty()) return without_tag_.push_back(wanted);
  std::uint32_t const tag = free_tags_.back();
  free_tags_.pop_back();
  requests_[tag] = wanted;
  fence();
  hw::store(wanted.queue + cni::match_request,
            cni::tagged_request(interface_.line(layout::answers) + cni::queue_put, tag));
}

/// The request with this tag; the next ones are sent.
tile_lines::request tile_lines::take_back(std::uint32_t tag) {
  std::lock_guard const lock(mutex_);
  request const answered = requests_[tag];
  free_tags_.push_back(tag);
  if (!without_tag_.empty()) {
    request const next = without_tag_.front();
    without_tag_.pop_front();
    send(next);
  }
  auto const of = under_way_[answered.line] == of_line_max_ ? waiting_.find(answered.line) : waiting_.end();
  if (of == waiting_.end()) {
    --under_way_[answered.line];
    return answered;
  }
  request const next = of->second.front();
  of->second.pop_front();
  if (of->second.empty()) waiting_.erase(of);
  send(next);
  return answered;
}

bool tile_lines::nothing_answered() const noexcept {
  if (outstanding_.load(std::memory_order_seq_cst) == 0) return true;
  return hw::load(interface_.line(layout::answers) + cni::queue_tail) == taken_.load(std::memory_order_seq_cst);
}

bool tile_lines::deliver_answers() {
  bool answered_one = false;
  while (!nothing_answered() && !delivering_.exchange(true, std::memory_order_acquire)) {
    if (nothing_answered()) {
      delivering_.store(false, std::memory_order_release);
      break;
    }
    std::uint64_t const taken = taken_.load(std::memory_order_relaxed);
    std::uint64_t const item = interface_.line(layout::answer_items) + taken % requests_max * layout::answer_bytes;
    std::uint64_t const word = hw::load(item);
    auto const tag = static_cast<std::uint32_t>(hw::load(item + tag_word));
    std::uint64_t const next = (taken + 1) & 0xffff'ffffU;
    hw::store(interface_.line(layout::answers) + cni::queue_head, next);
    taken_.store(next, std::memory_order_seq_cst);
    delivering_.store(false, std::memory_order_release);
    request const answered = take_back(tag);
    outstanding_.fetch_sub(1, std::memory_order_seq_cst);
    fence();
    if (answered.then != 0) TESS_ASSERT(put_once(answered.then, answered.word));
    answered.callback(answered.context, word);
    answered_one = true;
  }
  return answered_one;
}

}  // namespace tess::detail
