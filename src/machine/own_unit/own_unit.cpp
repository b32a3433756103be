// own_unit: from the unit's requests to the parts of its tile, and back.
#include "machine/own_unit/own_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "machine/kernel/units.hpp"
#include "machine/own_unit/unit_file.hpp"

namespace tess::machine {
namespace {

constexpr std::size_t memory_bytes_max = 4096;
constexpr std::uint64_t retry_cycles = 64;  // as the adapter sends again what was refused

// Both sides have names of their own for the same operations, in the same order.
static_assert(static_cast<int>(unit::atomic::add) == static_cast<int>(atomic_operation::add));
static_assert(static_cast<int>(unit::atomic::exclusive_or) == static_cast<int>(atomic_operation::exclusive_or));
static_assert(static_cast<int>(unit::atomic::conjunction) == static_cast<int>(atomic_operation::conjunction));
static_assert(static_cast<int>(unit::atomic::disjunction) == static_cast<int>(atomic_operation::disjunction));
static_assert(static_cast<int>(unit::atomic::min) == static_cast<int>(atomic_operation::min));
static_assert(static_cast<int>(unit::atomic::maxu) == static_cast<int>(atomic_operation::maxu));

[[noreturn]] void impossible(std::string const& what) {
  throw std::invalid_argument(what);
}

unit::outcome outcome_of(transaction const& ended) noexcept {
  return ended.status == remote_outcome::done ? unit::outcome::done : unit::outcome::wrong;
}

bool is_word(std::uint64_t address, std::size_t bytes) noexcept {
  return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && address % bytes == 0;
}

}  // namespace

own_unit::own_unit(kernel& k, machine_description const& description, std::uint32_t number, tile& at, unit_watch& watch,
                   std::function<void(std::uint64_t)> raise)
    : kernel_(k),
      description_(description),
      made_of_(description.units[number]),
      number_(number),
      tile_(at),
      clock_(description.tile_clock_ps),
      watch_(watch),
      raise_(std::move(raise)),
      completion_(description, at) {
  std::uint32_t const tile = at.number();
  place_ = {.name = made_of_.name.c_str(),
            .file = made_of_.file->path().c_str(),
            .loaded_at = made_of_.file->loaded_at(),
            .x = tile % description.width,
            .y = tile / description.width,
            .has_tile = true,
            .period_ps = description.tile_clock_ps};
  known_ = {.name = made_of_.name.c_str(),
            .number = number,
            .tile = tile,
            .width = description.width,
            .height = description.height,
            .harts = description.harts_of(tile),
            .line_bytes = description.l2.line_bytes,
            .period_ps = description.tile_clock_ps,
            .memory_period_ps = description.memory_clock_ps,
            .memory_bytes = at.memory() == nullptr ? 0 : description.memory.size_bytes};
  // What it schedules happens in its tile.
  std::uint32_t const site = kernel_.go_to(network::site_of(tile));
  std::string thrown;
  {
    unit_guard const guard(place_, kernel_.now());
    try {
      unit_ = made_of_.file->declared().make(*this);
    } catch (std::exception const& wrong) {
      thrown = wrong.what();
    } catch (...) {
      thrown = "what is no std::exception";
    }
  }
  (void)kernel_.go_to(site);
  if (unit_ != nullptr) return;
  throw config_error(fmt::format("{}: the unit {} of tile ({}, {}) {}; expected values that it accepts", made_of_.where,
                                 made_of_.name, place_.x, place_.y,
                                 thrown.empty() ? "was not made" : "threw when it was made: " + thrown));
}

own_unit::~own_unit() {
  unit_guard const guard(place_, kernel_.now());
  unit_.reset();
}

// Calls of the unit.

std::optional<std::uint64_t> own_unit::load_by(unit::requester by, std::uint64_t offset) {
  std::optional<std::uint64_t> value;
  watch_.enter(place_, [&] { value = unit_->load(offset, by); });
  return value;
}

bool own_unit::store_by(unit::requester by, std::uint64_t offset, std::uint64_t value) {
  bool stored = false;
  watch_.enter(place_, [&] { stored = unit_->store(offset, value, by); });
  return stored;
}

std::optional<std::uint64_t> own_unit::load(std::uint64_t offset, std::uint32_t hart) {
  return load_by({tile_.number(), hart}, offset);
}

bool own_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) {
  return store_by({tile_.number(), hart}, offset, value);
}

std::optional<std::uint64_t> own_unit::load_from(std::uint32_t tile, std::uint64_t offset) {
  return load_by({.tile = tile}, offset);
}

bool own_unit::store_from(std::uint32_t tile, std::uint64_t offset, std::uint64_t value) {
  return store_by({.tile = tile}, offset, value);
}

remote_outcome own_unit::message(std::uint32_t from, std::span<std::uint64_t const> words) {
  unit::receipt said = unit::receipt::wrong;
  watch_.enter(place_, [&] { said = unit_->message(from, words); });
  switch (said) {
    case unit::receipt::taken:
      return remote_outcome::done;
    case unit::receipt::full:
      return remote_outcome::refused;
    case unit::receipt::wrong:
      break;
  }
  return remote_outcome::wrong;
}

void own_unit::missed(std::uint64_t line, bool for_store) {
  watch_.enter(place_, [&] {
    for (unit::miss_listener* const one : listeners_) one->missed(line, for_store);
  });
}

own_unit::call& own_unit::take(unit::completion& then) {
  call& begun = calls_.take(*this);
  begun.then = &then;
  begun.how = unit::outcome::done;
  return begun;
}

void own_unit::complete(call& ended) {
  unit::completion& then = *ended.then;
  unit::outcome const how = ended.how;
  calls_.give_back(ended);
  watch_.enter(place_, [&] { then.happened(how); });
}

void own_unit::end(unit::completion& then, unit::outcome how) {
  call& ended = take(then);
  ended.how = how;
  kernel_.after(0, ended);
}

// What the unit asks for.

std::uint64_t own_unit::value(std::string_view of_parameter) const {
  auto const& declared = made_of_.file->declared().parameters;
  auto const found = std::ranges::find(declared, of_parameter, &unit::parameter::name);
  if (found == declared.end()) impossible(fmt::format("the unit declares no parameter \"{}\"", of_parameter));
  return made_of_.values[static_cast<std::size_t>(found - declared.begin())];
}

std::uint64_t& own_unit::statistic(std::string_view name, std::string_view meaning) {
  auto const found = std::ranges::find(statistics_, name, &counted_number::name);
  if (found != statistics_.end()) return found->value;
  if (name.empty() || name == "tiles") impossible(fmt::format("a statistic cannot have the name \"{}\"", name));
  return statistics_.emplace_back(counted_number{std::string(name), std::string(meaning), 0}).value;
}

void own_unit::call_at(unit::picoseconds due, unit::completion& then) {
  if (due < kernel_.now()) impossible("a time in the past");
  kernel_.at(due, take(then));
}

void own_unit::busy(char const* what, unit::picoseconds since) {
  activity_.record(place_.name, what, since, kernel_.now());
}

std::optional<std::uint64_t> own_unit::global(std::uint64_t address) const {
  return completion_.global(address);
}

std::optional<std::uint64_t> own_unit::memory_offset(std::uint64_t address, std::uint64_t bytes) const {
  auto const name = completion_.global(address);
  region const* const in = name ? tile_.map().find(*name) : nullptr;
  bool const partition =
      in != nullptr && (in->kind == region_kind::partition || in->kind == region_kind::partition_uncached);
  if (!partition || in->memory_tile != tile_.number() || bytes > in->end() - *name) return std::nullopt;
  return in->memory_offset + (*name - in->base);
}

void own_unit::check_within_line(std::uint64_t address, std::size_t bytes) const {
  std::uint64_t const line = known_.line_bytes;
  if (bytes == 0 || address / line != (address + bytes - 1) / line)
    impossible(fmt::format("an access to {} bytes at {:#x}, which are not in one line of {}", bytes, address, line));
}

process own_unit::access_here(tile::place where, std::uint64_t address, std::span<std::byte> into,
                              std::span<std::byte const> from, unit::completion& then) {
  bool const stores = into.empty();
  std::size_t const bytes = stores ? from.size() : into.size();
  tile_.catch_up();
  std::byte* at = tile_.look_up(where, address, stores);
  while (at == nullptr) {
    happened there;
    tile_.l2().bring(address, there, stores);
    co_await there;
    tile_.catch_up();
    at = tile_.look_up(where, address, stores);
  }
  if (stores) {
    std::memcpy(at, from.data(), bytes);
  } else {
    std::memcpy(into.data(), at, bytes);
  }
  picoseconds const ends = tile_.device_access(where, bytes);
  if (stores) tile_.snoop(address, bytes, nullptr, clock_.count(ends));
  co_await kernel_.until(ends);
  watch_.enter(place_, [&] { then.happened(unit::outcome::done); });
}

process own_unit::access_home(std::unique_ptr<transaction> request, std::uint64_t* word, std::span<std::byte> into,
                              unit::completion& then) {
  co_await completion_.word(*request);
  if (word != nullptr) *word = request->operand;
  std::copy_n(request->data.begin(), into.size(), into.begin());
  unit::outcome const how = outcome_of(*request);
  watch_.enter(place_, [&] { then.happened(how); });
}

void own_unit::access_word(std::unique_ptr<transaction> request, std::uint64_t* word, std::span<std::byte> into,
                           unit::completion& then) {
  if (!is_word(request->address, request->bytes))
    impossible(fmt::format("an access to {} bytes at {:#x} of another tile or a device, which are no aligned word",
                           request->bytes, request->address));
  region const* const in = tile_.map().find(request->address);
  bool const other_cluster = in != nullptr && description_.has_clusters() && in->tile != tile_.number();
  if (in == nullptr || other_cluster || in->kind == region_kind::scratchpad) return end(then, unit::outcome::wrong);
  kernel_.start(access_home(std::move(request), word, into, then));
}

void own_unit::read(std::uint64_t address, std::span<std::byte> into, unit::completion& then) {
  auto const name = completion_.global(address);
  if (!name) return end(then, unit::outcome::wrong);
  tile::place const where = tile_.place_of(*name);
  if (where == tile::place::tlm || where == tile::place::l2) {
    check_within_line(*name, into.size());
    return kernel_.start(access_here(where, *name, into, {}, then));
  }
  auto request = std::make_unique<transaction>();
  request->what = remote_operation::read;
  request->address = *name;
  request->bytes = into.size();
  access_word(std::move(request), nullptr, into, then);
}

void own_unit::write(std::uint64_t address, std::span<std::byte const> from, unit::completion& then) {
  auto const name = completion_.global(address);
  if (!name) return end(then, unit::outcome::wrong);
  tile::place const where = tile_.place_of(*name);
  if (where == tile::place::tlm || where == tile::place::l2) {
    check_within_line(*name, from.size());
    return kernel_.start(access_here(where, *name, {}, from, then));
  }
  auto request = std::make_unique<transaction>();
  request->what = remote_operation::write;
  request->address = *name;
  request->bytes = from.size();
  std::copy_n(from.begin(), std::min(from.size(), request->data.size()), request->data.begin());
  access_word(std::move(request), nullptr, {}, then);
}

void own_unit::modify(unit::atomic how, std::uint64_t address, std::size_t bytes, std::uint64_t& word,
                      unit::completion& then) {
  if (bytes != 4 && bytes != 8) impossible(fmt::format("an atomic of {} bytes; 4 or 8", bytes));
  auto const name = completion_.global(address);
  region const* const in = name ? tile_.map().find(*name) : nullptr;
  if (in == nullptr || in->kind == region_kind::device) return end(then, unit::outcome::wrong);
  auto request = std::make_unique<transaction>();
  request->what = remote_operation::atomic;
  request->word = static_cast<atomic_operation>(how);
  request->address = *name;
  request->bytes = bytes;
  request->operand = word;
  access_word(std::move(request), &word, {}, then);
}

void own_unit::compare_swap(std::uint64_t address, std::size_t bytes, std::uint64_t expected, std::uint64_t& word,
                            unit::completion& then) {
  if (bytes != 4 && bytes != 8) impossible(fmt::format("a compare-and-swap of {} bytes; 4 or 8", bytes));
  auto const name = completion_.global(address);
  region const* const in = name ? tile_.map().find(*name) : nullptr;
  if (in == nullptr || in->kind == region_kind::device) return end(then, unit::outcome::wrong);
  auto request = std::make_unique<transaction>();
  request->what = remote_operation::compare_swap;
  request->address = *name;
  request->bytes = bytes;
  request->operand = word;
  request->expected = expected;
  access_word(std::move(request), &word, {}, then);
}

bool own_unit::has_line(std::uint64_t address) const {
  auto const name = completion_.global(address);
  return name && tile_.l2().has(*name, false);
}

bool own_unit::prefetch(std::uint64_t address) {
  auto const name = completion_.global(address);
  if (!name || tile_.place_of(*name) != tile::place::l2 || tile_.loses_lines()) return false;
  return tile_.l2().fetch_ahead(*name);
}

void own_unit::tell_misses(unit::miss_listener& to) {
  if (listeners_.empty()) tile_.l2().tell_misses(*this);
  listeners_.push_back(&to);
}

void own_unit::read_memory(std::uint64_t offset, std::span<std::byte> into, unit::completion& then) {
  if (into.empty() || into.size() > memory_bytes_max || offset > known_.memory_bytes ||
      into.size() > known_.memory_bytes - offset)
    impossible(fmt::format("a read of {} bytes at {:#x} of a memory of {}", into.size(), offset, known_.memory_bytes));
  tile_.memory()->read(offset, into, take(then));
}

void own_unit::write_memory(std::uint64_t offset, std::span<std::byte const> from, unit::completion& then) {
  if (from.empty() || from.size() > memory_bytes_max || offset > known_.memory_bytes ||
      from.size() > known_.memory_bytes - offset)
    impossible(fmt::format("a write of {} bytes at {:#x} of a memory of {}", from.size(), offset, known_.memory_bytes));
  tile_.memory()->write(offset, from, take(then));
}

process own_unit::run_put(std::unique_ptr<transaction> request, unit::completion& then) {
  happened written;
  request->done = &written;
  tile_.network_adapter().issue_data(*request);
  co_await written;
  unit::outcome const how = outcome_of(*request);
  watch_.enter(place_, [&] { then.happened(how); });
}

void own_unit::put(std::uint64_t address, std::span<std::byte const> from, unit::completion& then) {
  auto const name = completion_.global(address);
  region const* const in = name ? tile_.map().find(*name) : nullptr;
  if (from.empty() || from.size() > packet_data_max || from.size() % word_bytes != 0)
    impossible(fmt::format("a packet with {} bytes of data; whole words, at most {}", from.size(), packet_data_max));
  bool const tlm = in != nullptr && in->kind == region_kind::tlm;
  std::uint64_t const unit_of = tlm ? word_bytes : known_.line_bytes;
  bool const allowed = in != nullptr && (tlm || in->kind == region_kind::partition) &&
                       from.size() <= in->end() - *name && (*name | from.size()) % unit_of == 0 &&
                       !(description_.has_clusters() && in->tile != tile_.number());
  if (!allowed) return end(then, unit::outcome::wrong);
  auto request = std::make_unique<transaction>();
  request->what = remote_operation::write;
  request->part = dma_packet{};
  request->address = *name;
  request->bytes = from.size();
  request->target = tlm ? in->tile : in->memory_tile;
  std::ranges::copy(from, request->data.begin());
  kernel_.start(run_put(std::move(request), then));
}

process own_unit::run_send(std::unique_ptr<transaction> request, unit::completion& then) {
  for (;;) {
    happened answered;
    request->source = tile_.number();
    request->done = &answered;
    if (request->target == tile_.number()) {
      tile_.serve(*request, answered);
    } else {
      tile_.network_adapter().issue(*request);  // which sends again what is refused
    }
    co_await answered;
    if (request->status != remote_outcome::refused) break;
    co_await kernel_.delay(clock_.cycles(retry_cycles));
  }
  unit::outcome const how = outcome_of(*request);
  watch_.enter(place_, [&] { then.happened(how); });
}

void own_unit::send(std::uint32_t to_tile, std::span<std::uint64_t const> words, unit::completion& then) {
  auto request = std::make_unique<transaction>();
  if (words.empty() || words.size_bytes() > request->data.size())
    impossible(fmt::format("a message of {} words; 1 to {}", words.size(), request->data.size() / word_bytes));
  if (to_tile >= description_.tiles()) return end(then, unit::outcome::wrong);
  request->what = remote_operation::write;
  request->target = to_tile;
  request->address = tile_.map().of(region_kind::device, to_tile)->base +
                     (registers::own_units::first + number_) * registers::unit_bytes + registers::own_units::message;
  request->bytes = words.size_bytes();
  std::memcpy(request->data.data(), words.data(), words.size_bytes());
  kernel_.start(run_send(std::move(request), then));
}

bool own_unit::is_counter(std::uint64_t address) const {
  return completion_.counter(address).has_value();
}

process own_unit::run_acknowledge(std::uint64_t counter, std::uint64_t error, unit::completion& then) {
  co_await completion_.acknowledge(counter, error);
  watch_.enter(place_, [&] { then.happened(unit::outcome::done); });
}

void own_unit::acknowledge(std::uint64_t counter, std::uint64_t error, unit::completion& then) {
  auto const name = completion_.counter(counter);
  if (!name) return end(then, unit::outcome::wrong);
  kernel_.start(run_acknowledge(*name, error, then));
}

void own_unit::interrupt(std::uint64_t source) {
  if (source < registers::interrupts::source_first_free || source >= registers::interrupts::sources)
    impossible(fmt::format("a source of interrupts of number {}; {} to {}", source,
                           registers::interrupts::source_first_free, registers::interrupts::sources - 1));
  raise_(source);
}

}  // namespace tess::machine
