// event_lines: accesses and configuration of lines.
#include "machine/cni/event_lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using word = response_unit::word;
constexpr std::size_t word_at(std::uint64_t offset) noexcept {
  return offset / word_bytes;
}
word word_of(std::span<std::byte const> bytes, std::size_t number) noexcept {
  word value = 0;
  std::memcpy(&value, bytes.data() + number * word_bytes, sizeof value);
  return value;
}
void put_word(std::span<std::byte> bytes, std::size_t number, word value) noexcept {
  std::memcpy(bytes.data() + number * word_bytes, &value, sizeof value);
}

}  // namespace

event_lines::event_lines(std::unique_ptr<response_unit> responses, l2_private& in, region const& own,
                         region_table const& regions, event_host& host)
    : responses_(std::move(responses)), l2_(in), lines_(in.array()), own_(own), regions_(regions), host_(host) {
  // The simulated tile takes everything at once.
  response_unit::inputs& always = responses_->in;
  always.ring_ready = always.check_ready = always.job_ready = always.result_ready = true;
}

line_index event_lines::find(std::uint64_t address) const noexcept {
  if (!own_.holds(address)) return no_line;
  return lines_.find_if(address, [&](line_index line) { return lines_.type(line) != cache_array::cacheable; });
}

event_lines::line_code event_lines::code_of(std::uint64_t address) const noexcept {
  line_index const line = find(address);
  return line == no_line ? registers::cni::cacheable : static_cast<line_code>(lines_.type(line));
}

std::byte* event_lines::at(std::uint64_t address) noexcept {
  line_index const line = find(address);
  return line == no_line ? nullptr : lines_.at(line, address);
}

std::uint64_t* event_lines::sharers(std::uint64_t address) noexcept {
  line_index const line = find(address);
  return line != no_line && lines_.type(line) == registers::cni::scratchpad ? &lines_.metadata(line) : nullptr;
}

bool event_lines::is_plain(std::uint64_t address, std::uint64_t bytes) const noexcept {
  std::uint64_t const last = address + bytes - 1;
  if (last < address) return false;
  for (std::uint64_t line = address & ~(registers::cni::line_bytes - 1); line <= last;
       line += registers::cni::line_bytes) {
    if (code_of(line) != registers::cni::scratchpad) return false;
  }
  return true;
}

bool event_lines::read(std::uint64_t address, std::span<std::byte> into) {
  if (!is_plain(address, into.size())) return false;
  for (std::size_t done = 0; done < into.size();) {
    std::size_t const here = std::min<std::size_t>(
        into.size() - done, registers::cni::line_bytes - (address + done) % registers::cni::line_bytes);
    std::memcpy(into.data() + done, at(address + done), here);
    done += here;
  }
  return true;
}

access_result event_lines::write(std::uint64_t address, std::span<std::byte const> from, by whom) {
  line_index const line = find(address);
  if (line == no_line) return wrong(registers::cni::fault::not_configured);
  if (lines_.type(line) != registers::cni::scratchpad) return store_event(line, address, from, whom);
  if (!is_plain(address, from.size())) return wrong(registers::cni::fault::not_configured);
  for (std::size_t done = 0; done < from.size();) {
    std::size_t const here = std::min<std::size_t>(
        from.size() - done, registers::cni::line_bytes - (address + done) % registers::cni::line_bytes);
    std::memcpy(at(address + done), from.data() + done, here);
    host_.changed(address + done, here);
    done += here;
  }
  return {};
}

access_result event_lines::store_event(line_index line, std::uint64_t address, std::span<std::byte const> from,
                                       by whom) {
  response_unit::inputs& in = responses_->in;
  response_unit::outputs const& out = responses_->out;
  std::span<std::byte const> const words = lines_.data(line);
  in.access_valid = true;
  in.store = {.code = static_cast<line_code>(lines_.type(line)),
              .whom = whom,
              .offset = static_cast<std::uint32_t>(address % registers::cni::line_bytes),
              .bytes = static_cast<std::uint32_t>(from.size()),
              .value = 0,
              .tag = lines_.metadata(line)};
  std::memcpy(&in.store.value, from.data(), std::min<std::size_t>(from.size(), word_bytes));
  for (std::size_t i = 0; i < in.store.words.size(); ++i) in.store.words[i] = word_of(words, i);
  in.room_for_command = host_.has_room(true);
  in.room_for_event = host_.has_room(false);
  responses_->step();
  in.access_valid = false;
  while (!out.result_valid) {
    bool const asks_ring = out.ring_valid;
    bool const asks_check = out.check_valid;
    if (asks_ring) serve_ring(from);
    if (asks_check) in.check_allowed = regions_.may_write(out.check_address, out.check_bytes);
    if (out.job_valid) host_.take(job_of(from));
    responses_->step();
    in.ring_answer_valid = asks_ring;
    in.check_answer_valid = asks_check;
  }
  response_unit::result const& ended = out.ended;
  if (ended.outcome == access_outcome::done) {
    put_word(lines_.data(line), ended.number, ended.value);
    change(line, ended.tag);
  }
  access_result const told{ended.outcome, ended.why};
  responses_->step();
  return told;
}

void event_lines::serve_ring(std::span<std::byte const> stored) {
  response_unit::inputs& in = responses_->in;
  response_unit::ring_access const& asked = responses_->out.ring;
  in.ring_plain = is_plain(asked.address, asked.bytes);
  if (!in.ring_plain) return;
  std::byte* const place = at(asked.address);
  switch (asked.what) {
    case response_unit::ring_action::put:
      std::memcpy(place, stored.data(), asked.bytes);
      return host_.changed(asked.address, asked.bytes);
    case response_unit::ring_action::look:
      std::memcpy(&in.ring_word, place, word_bytes);
      return;
    case response_unit::ring_action::take:
      std::memcpy(item_.data(), place, asked.bytes);
      return;
  }
}

interface_job event_lines::job_of(std::span<std::byte const> stored) const {
  response_unit::job const& made = responses_->out.made;
  std::array<word, response_unit::line_words> words = responses_->in.store.words;
  interface_job job;
  switch (made.kind) {
    case response_unit::job_kind::command: {
      words[responses_->in.store.offset / word_bytes] = responses_->in.store.value;
      word const code = words[word_at(registers::cni::command_what)] & 0xffU;
      bool const copies = code == registers::cni::copy;
      job.what = copies ? interface_job::kind::copy : interface_job::kind::store;
      job.of_command = true;
      job.no_retry = code == registers::cni::message_once;
      job.bytes = words[word_at(registers::cni::command_what)] >> 8U;
      job.destination = words[word_at(registers::cni::command_destination)];
      job.acknowledgement = words[word_at(registers::cni::command_acknowledgement)];
      if (copies)
        job.source = words[word_at(registers::cni::command_source)];
      else
        std::memcpy(job.data.data(), &words[word_at(registers::cni::command_data)], job.bytes);
      return job;
    }
    case response_unit::job_kind::notify:
      job.what = interface_job::kind::notify;
      put_word(job.data, 0, words[word_at(registers::cni::counter_preset)]);
      std::copy_n(&words[word_at(registers::cni::counter_notify)], job.targets.size(), job.targets.begin());
      return job;
    case response_unit::job_kind::add:
      job.what = interface_job::kind::add;
      job.destination = made.destination;
      job.bytes = word_bytes;
      put_word(job.data, 0, 1);
      return job;
    case response_unit::job_kind::answer:
      job.what = interface_job::kind::answer;
      job.destination = made.destination;
      job.bytes = made.bytes;
      if (made.item == response_unit::item_source::store) std::ranges::copy(stored, job.data.begin());
      if (made.item == response_unit::item_source::ring) std::copy_n(item_.begin(), made.bytes, job.data.begin());
      if (made.tagged) put_word(job.data, made.bytes / word_bytes - 1, made.tag);
      return job;
  }
  return job;
}

void event_lines::show_tag(line_index line, std::uint64_t tag) {
  std::span<std::byte> const words = lines_.data(line);
  constexpr std::uint32_t match_bits = 31;
  constexpr std::uint64_t match_mask = (std::uint64_t{1} << match_bits) - 1;
  switch (static_cast<line_code>(lines_.type(line))) {
    case registers::cni::counter:
      return put_word(words, word_at(registers::cni::counter_add), tag);
    case registers::cni::queue:
      put_word(words, word_at(registers::cni::queue_head), tag & 0xffff'ffffU);
      return put_word(words, word_at(registers::cni::queue_tail), tag >> 32U);
    case registers::cni::match_queue: {
      std::uint64_t const waiting = ((tag >> match_bits) - tag) & match_mask;
      bool const requests = (tag >> (2 * match_bits) & 1U) != 0;
      return put_word(words, word_at(registers::cni::match_balance), requests ? ~waiting + 1 : waiting);
    }
    default:
      return;
  }
}

void event_lines::change(line_index line, std::uint64_t tag) {
  lines_.metadata(line) = tag;
  host_.changed(lines_.address_of(line), registers::cni::line_bytes);
}

line_index event_lines::place_for(std::uint64_t address) const noexcept {
  region_table::entry const* const in = regions_.find(address);
  if (in == nullptr || in->code != registers::cni::own_scratchpad) return no_line;
  line_index const place = lines_.first_of(address) + static_cast<line_index>(in->way);
  return lines_.type(place) == cache_array::cacheable ? place : no_line;
}

bool event_lines::has_places(std::uint64_t address, std::uint64_t end) const {
  std::vector<line_index> places;
  for (std::uint64_t line = address; line < end; line += registers::cni::line_bytes) {
    if (find(line) != no_line) continue;
    places.push_back(place_for(line));
    if (places.back() == no_line) return false;
  }
  std::ranges::sort(places);
  // Entries of the region table may map two lines to one location.
  if (std::ranges::adjacent_find(places) != places.end()) return false;
  std::uint32_t const ways = lines_.shape().ways;
  return std::ranges::all_of(places, [&](line_index place) {
    line_index const first = place / ways * ways;
    auto const taken = std::ranges::upper_bound(places, first + ways - 1) - std::ranges::lower_bound(places, first);
    std::ptrdiff_t left = 0;
    for (line_index line = first; line < first + ways; ++line)
      left += lines_.type(line) == cache_array::cacheable ? 1 : 0;
    return left > taken;  // the last way of a set always stays a cache way
  });
}

void event_lines::become(std::uint64_t address, line_code code) {
  line_index line = find(address);
  // L1s drop it, and sleepers on it are notified.
  if (line != no_line) host_.changed(address, registers::cni::line_bytes);
  if (line == no_line) {
    line = place_for(address);
    l2_.vacate(line);
    lines_.assign(line, address);
  }
  lines_.metadata(line) = 0;
  lines_.type(line) = static_cast<std::uint8_t>(code);
  lines_.state(line) = code == registers::cni::cacheable ? cache_array::invalid : configured;
}

bool event_lines::configure(std::uint64_t address, std::uint64_t bytes, std::uint64_t code) {
  std::uint64_t const end = address + bytes;
  bool const inside = own_.holds(address) && bytes != 0 && bytes <= own_.end() - address;
  if (!inside || (address | bytes) % registers::cni::line_bytes != 0 || code > registers::cni::match_queue)
    return false;
  if (code != registers::cni::cacheable && !has_places(address, end)) return false;
  for (std::uint64_t line = address; line < end; line += registers::cni::line_bytes) {
    if (code == registers::cni::cacheable && find(line) == no_line) continue;
    become(line, static_cast<line_code>(code));
    if (code != registers::cni::cacheable) std::ranges::fill(lines_.data(find(line)), std::byte{});
  }
  return true;
}

std::optional<event_lines::line_view> event_lines::examine(std::uint64_t address) {
  if (!own_.holds(address) || address % registers::cni::line_bytes != 0) return std::nullopt;
  line_index const line = find(address);
  if (line == no_line) return line_view{address, registers::cni::cacheable, 0};
  auto const code = static_cast<line_code>(lines_.type(line));
  return line_view{address, code, code == registers::cni::scratchpad ? 0 : lines_.metadata(line)};
}

bool event_lines::restore(std::uint64_t address, std::uint64_t code, std::uint64_t tag) {
  if (!own_.holds(address) || address % registers::cni::line_bytes != 0 || code > registers::cni::match_queue)
    return false;
  if (code == registers::cni::cacheable) return configure(address, registers::cni::line_bytes, code);
  if (find(address) == no_line && !configure(address, registers::cni::line_bytes, registers::cni::scratchpad))
    return false;
  become(address, static_cast<line_code>(code));
  if (code == registers::cni::scratchpad) return true;
  line_index const line = find(address);
  show_tag(line, tag);
  change(line, tag);
  return true;
}

std::optional<event_lines::line_view> event_lines::next(std::uint64_t address) {
  std::uint64_t const first = std::max(address, own_.base) + (registers::cni::line_bytes - 1);
  for (std::uint64_t line = first & ~(registers::cni::line_bytes - 1); own_.holds(line);
       line += registers::cni::line_bytes) {
    auto const seen = examine(line);
    if (seen->code > registers::cni::scratchpad) return seen;
  }
  return std::nullopt;
}

}  // namespace tess::machine
