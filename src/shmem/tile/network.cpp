// network: start, the heap, and the ways of words and blocks.
#include "shmem/tile/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "shmem/call.hpp"
#include "shmem/group.hpp"
#include "shmem/tile/blocks.hpp"
#include "shmem/tile/interface.hpp"
#include "shmem/tile/messages.hpp"
#include "shmem/tile/pes.hpp"
#include "shmem/tile/waiting.hpp"
#include "tess/machine/xbgas.hpp"
#include "tess/machine/xbgas_begin.hpp"

namespace tess::shmem {

namespace hw = detail::tile_registers;
namespace xbgas = machine::xbgas;

namespace {

/// The flags of all teams, at the same address in every tile.
alignas(64) constinit std::array<std::byte, sizeof(team_area) * teams_max> system_area{};

/// Rounds of two: of 65,536 PEs.
constexpr std::size_t meeting_rounds_max = 16;
/// Told by others, where all meet by flags: how often they have met, in each round.
alignas(64) constinit std::array<std::uint64_t, meeting_rounds_max> told{};
std::uint64_t meetings = 0;

/// At PE 0: where the heaps of all PEs may begin.
constinit std::uint64_t heap_begin = 0;

int pe_at(std::uint64_t there) {
  return detail::place_of(there);
}
std::uint64_t address_at(std::uint64_t there) {
  return detail::offset_of(there);
}

/// Returns the old value.
void apply(word_request const& word, std::uint64_t (&old)[2]) {
  int const pe = pe_at(word.address);
  std::uint64_t const address = address_at(word.address);
  if (messages::used && pe != all_pes.own()) [[unlikely]] {
    constexpr std::size_t piece = 8;
    for (std::size_t at = 0; at < word.bytes; at += piece)
      old[at / piece] =
          messages::ask(word.op, std::min<std::size_t>(word.bytes - at, piece), address + at,
                        word.operands[word.op == word_op::compare_swap ? 1 : at / piece], word.operands[0], pe);
    return;
  }
  namespace extended = machine::extended_address;
  auto* const pointer = reinterpret_cast<std::byte*>(address | pe_table::object_of(pe) << extended::address_bits);
  detail::apply_request(pointer, word, old);
}

}  // namespace

std::byte* own_system() noexcept {
  return system_area.data();
}

bool network::wanted() {
  char const* const timing = std::getenv("TESS_TIMING");
  return timing != nullptr && std::string_view(timing) == "on";
}

network::network() {
  all_pes.open();
  pe_ = all_pes.own();
  pes_ = all_pes.count();
  // Messages are for programs; the first meetings go by instructions.
  meet();
  make_heap();
  blocks::open();
  messages::open();
  meet();
  messages::begin();
}

void network::make_heap() {
  constexpr std::uint64_t page = 4096;
  constexpr std::uint64_t unit = std::uint64_t{1} << 20U;
  constexpr std::uint64_t stack_bytes = 8 * unit;
  auto const here = reinterpret_cast<std::uint64_t>(sbrk(0));
  bool const in_ddr = hw::information_field(hw::information::node) != 0;
  auto const end = std::max((here + page - 1) / page * page, in_ddr ? all_pes.tlm_bytes() : 0);
  // Copies that have used more memory so far have their heap behind it, and so have all.
  std::uint64_t const distance = all_pes.of(0).distance;
  auto* const first = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uint64_t>(&heap_begin) + distance);
  static_cast<void>(xbgas::fetch_max_unsigned(pe_table::object_of(0), first, end + distance));
  meet();
  std::uint64_t const begin = xbgas::get(pe_table::object_of(0), first) - distance;
  // The stack is at the end of the PE's memory; the other half is the program's. All have as much as PE 0.
  auto const stack = (reinterpret_cast<std::uint64_t>(&here) + distance) / unit * unit - distance;
  std::uint64_t const room = stack - stack_bytes - begin;
  heap_bytes_ = room / 2 / page * page;
  auto* const address = reinterpret_cast<void*>(begin + heap_bytes_);
  if (stack < stack_bytes + begin || heap_bytes_ == 0 || brk(address) != 0)
    fail("no memory of a tile is left for the symmetric heap", "a smaller program");
  heap_ = reinterpret_cast<std::byte*>(begin);
}

std::uint64_t network::in_system(int pe, std::uint64_t offset) const noexcept {
  return all_pes.there(pe, system_area.data() + offset);
}
std::uint64_t network::in_statics(int pe, std::uint64_t offset) const noexcept {
  return all_pes.there(pe, shmem::own.data + offset);
}
std::uint64_t network::in_heap(int pe, std::uint64_t offset) const noexcept {
  return all_pes.there(pe, heap_ + offset);
}

void* network::flat(int pe, void const* address) const noexcept {
  return reinterpret_cast<void*>(all_pes.global(pe, detail::offset_of(all_pes.there(pe, address))));
}

void network::meet() {
  ++meetings;
  for (int round = 0; 1 << round < pes_; ++round) {
    int const next = (pe_ + (1 << round)) % pes_;
    std::uint64_t& mine = told[static_cast<std::size_t>(round)];
    std::uint64_t const there = reinterpret_cast<std::uint64_t>(&mine) + all_pes.of(next).distance;
    if (messages::used)
      messages::raise(there, meetings, next);
    else
      xbgas::put(pe_table::object_of(next), reinterpret_cast<std::uint64_t*>(there), meetings);
    wait_for([&] { return *static_cast<std::uint64_t volatile*>(&mine) >= meetings; }, &mine);
  }
}

void network::meet_all() {
  if (interface::is_open() && !messages::used) return interface::meet();
  meet();
}

void network::put(tess_shmem_pending&, std::uint64_t there, void const* source, std::size_t bytes) {
  int const pe = pe_at(there);
  blocks::put(pe, address_at(there), static_cast<std::byte const*>(source), bytes);
  // Another thread's quiet is for this hart's words, too, but knows of its own only.
  if (messages::used || shmem::own.threads == SHMEM_THREAD_MULTIPLE) blocks::complete();
  if (messages::used) messages::wake(pe);
}
void network::put_later(tess_shmem_pending& of, std::uint64_t there, void const* source, std::size_t bytes) {
  put(of, there, source, bytes);
}
void network::put_now(std::uint64_t there, void const* source, std::size_t bytes) {
  put(given_, there, source, bytes);
  blocks::complete();
}
void network::get(tess_shmem_pending&, std::uint64_t there, void* target, std::size_t bytes) {
  blocks::get(pe_at(there), address_at(there), static_cast<std::byte*>(target), bytes);
}
void network::get_later(tess_shmem_pending& of, std::uint64_t there, void* target, std::size_t bytes) {
  get(of, there, target, bytes);
}

void network::post(tess_shmem_pending&, word_request const& word) {
  std::uint64_t old[2];
  apply(word, old);
}
void network::fetch(word_request const& word, std::uint64_t (&old)[2]) {
  apply(word, old);
}
void network::fetch_later(tess_shmem_pending&, word_request const& word, void* to) {
  std::uint64_t old[2];
  apply(word, old);
  std::memcpy(to, old, word.bytes);
}
void network::quiet(tess_shmem_pending&) {
  blocks::complete();
}

void network::raise(std::uint64_t there, std::uint64_t value) {
  int const pe = pe_at(there);
  if (messages::used)
    messages::raise(address_at(there), value, pe);
  else
    // What it tells of is complete; several flags may be on their way.
    xbgas::post_swap(pe_table::object_of(pe), reinterpret_cast<std::uint64_t*>(address_at(there)), value);
}

void network::progress() {
  if (messages::used) messages::serve();
}

void network::end_others(int code) {
  hw::store(hw::unit(machine::registers::unit::information) + hw::information::end_run,
            static_cast<std::uint64_t>(code & 0xff));
}

void progress_network() {
  own.network->progress();
}

}  // namespace tess::shmem
