// event_lines: accesses and configuration of lines.
#include "machine/cni/event_lines.hpp"

#include <algorithm>
#include <cstring>

#include "machine/kernel/units.hpp"

namespace tess::machine {

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
  std::uint64_t const word = address % registers::cni::line_bytes / word_bytes;
  event_line changed = take_out(line);
  response const* const row = response_to(changed.code, word);
  if (row == nullptr || address % word_bytes != 0) return wrong(registers::cni::fault::wrong_access);
  if (row->owner_only && whom != by::own_hart) return wrong(registers::cni::fault::wrong_access);
  if (row->items && item_bytes(changed) == 0) return wrong(registers::cni::fault::wrong_shape);
  if (from.size() != (row->items ? item_bytes(changed) : word_bytes)) return wrong(registers::cni::fault::wrong_access);
  event_access access{.rings = *this, .word = word, .item = from, .matched = std::nullopt};
  access_result const modified = row->modify(changed, access);
  if (modified.outcome != access_outcome::done) return modified;
  if (row->condition(changed, access)) {
    interface_job const job = row->job(changed, access);
    // An acknowledgement is never refused: there are no more of them than packets were sent.
    if (whom != by::acknowledgement && !host_.has_room(job)) return {access_outcome::busy, registers::cni::fault::none};
    host_.take(job);
  }
  put_back(line, changed);
  return {};
}

event_line event_lines::take_out(line_index line) {
  event_line taken;
  taken.code = static_cast<line_code>(lines_.type(line));
  taken.tag = lines_.metadata(line);
  std::memcpy(taken.words.data(), lines_.data(line).data(), registers::cni::line_bytes);
  return taken;
}

void event_lines::put_back(line_index line, event_line const& changed) {
  event_line shown = changed;
  show_tag(shown);
  lines_.metadata(line) = shown.tag;
  std::memcpy(lines_.data(line).data(), shown.words.data(), registers::cni::line_bytes);
  host_.changed(lines_.address_of(line), registers::cni::line_bytes);
}

bool event_lines::put(std::uint64_t address, std::span<std::byte const> item) {
  if (!is_plain(address, item.size())) return false;
  std::memcpy(at(address), item.data(), item.size());
  host_.changed(address, item.size());
  return true;
}

bool event_lines::get(std::uint64_t address, std::span<std::byte> item) {
  return read(address, item);
}

bool event_lines::may_send(std::uint64_t address, std::uint64_t bytes) const {
  return regions_.may_write(address, bytes);
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
  lines_.metadata(line) = tag;
  put_back(line, take_out(line));
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
