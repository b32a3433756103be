// blocks: chooses the way of a copy by where the bytes are.
#include "shmem/tile/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "fabric/tile/pieces.hpp"
#include "fabric/tile/registers.hpp"
#include "shmem/tile/interface.hpp"
#include "shmem/tile/pes.hpp"
#include "tess/machine/xbgas_begin.hpp"

namespace tess::shmem::blocks {

namespace hw = detail::tile_registers;
namespace xbgas = machine::xbgas;
namespace adapter = machine::registers::adapter;
using detail::each_word;
using machine::registers::unit;

namespace {

constexpr std::uint64_t line = 64;  // no cache has longer ones
constexpr std::size_t dma_bytes_min = 256;
constexpr std::size_t interface_bytes_min = 64;
constexpr std::size_t piece_bytes = 4096;
constexpr std::size_t harts_max = 16;

/// Two pieces of each hart, by turns: the next one is prepared while one is copied. In front of .bss, so that it is in
/// the tile-local memory however large the program's .bss is.
struct alignas(line) buffer {
  std::byte piece[2][piece_bytes];
};
[[gnu::section(".data.tess_shmem")]] constinit std::array<buffer, harts_max> buffers{};

std::uint64_t number(void const* address) {
  return reinterpret_cast<std::uint64_t>(address);
}
/// Buffer of this hart; null: it is none of the first, or not in tile-local memory.
buffer* own_buffer() {
  std::uint64_t const hart = hw::information_field(hw::information::hart);
  if (hart >= harts_max) return nullptr;
  buffer* const mine = &buffers[hart];
  return number(mine + 1) <= all_pes.tlm_bytes() ? mine : nullptr;
}
bool in_tlm(std::uint64_t address, std::size_t bytes) {
  return address < all_pes.tlm_bytes() && bytes <= all_pes.tlm_bytes() - address;
}

// DMA ----------------------------------------------------------------------------------------------------------------

void wait_for_dma() {
  std::uint64_t const window = hw::own_window(unit::adapter);
  while (hw::is_busy(window)) {
  }
}
/// Whole lines, by global addresses.
void begin_dma(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
  std::uint64_t const window = hw::own_window(unit::adapter);
  wait_for_dma();
  hw::store(window + adapter::operation, adapter::copy);
  hw::store(window + adapter::address, from);
  hw::store(window + adapter::bytes, bytes);
  hw::store(window + adapter::operand, to);
  hw::store(window + adapter::counter, 0);
  hw::ring(window);
}
std::uint64_t own_tlm(void const* address) {
  return all_pes.of(all_pes.own()).tlm + number(address);
}

// Words --------------------------------------------------------------------------------------------------------------

template <class T>
T load(std::byte const* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void put_words(int pe, std::uint64_t address, std::byte const* source, std::size_t bytes) {
  std::uint64_t const object = pe_table::object_of(pe);
  each_word(address, bytes, [&]<class T>(std::size_t done) {
    auto* const to = reinterpret_cast<T*>(address + done);
    T const value = load<T>(source + done);
    if constexpr (sizeof(T) >= 4)
      xbgas::post_swap(object, to, value);
    else
      xbgas::put(object, to, value);
    return sizeof(T);
  });
}

/// Aligned words of 8 bytes, so many of which are under way.
void get_long_words(std::uint64_t object, std::uint64_t address, std::byte* target, std::size_t words) {
  constexpr std::size_t most = 32;
  auto const* const from = reinterpret_cast<std::uint64_t const*>(address);
  xbgas::ticket begun[most];
  auto const store = [&](std::size_t at, std::uint64_t value) { std::memcpy(target + 8 * at, &value, sizeof value); };
  auto const begin = [&](std::size_t at) {
    begun[at % most] = xbgas::begin_get(object, from + at);
    // The program has all tickets.
    if (begun[at % most] == xbgas::no_ticket) [[unlikely]]
      store(at, xbgas::get(object, from + at));
  };
  auto const take = [&](std::size_t at) {
    if (begun[at % most] != xbgas::no_ticket) [[likely]]
      store(at, xbgas::take<std::uint64_t>(begun[at % most]));
  };
  std::size_t const ahead = std::min(words, most);
  for (std::size_t at = 0; at < ahead; ++at) begin(at);
  for (std::size_t at = ahead; at < words; ++at) {
    take(at - most);
    begin(at);
  }
  for (std::size_t at = words - ahead; at < words; ++at) take(at);
}

void get_words(int pe, std::uint64_t address, std::byte* target, std::size_t bytes) {
  std::uint64_t const object = pe_table::object_of(pe);
  auto const get_edge = [&](std::uint64_t at, std::size_t length) {
    each_word(at, length, [&]<class T>(std::size_t done) {
      T const value = xbgas::get(object, reinterpret_cast<T const*>(at + done));
      std::memcpy(target + (at - address) + done, &value, sizeof value);
      return sizeof(T);
    });
  };
  std::size_t const head = std::min<std::size_t>(bytes, (8 - address % 8) % 8);
  std::size_t const words = (bytes - head) / 8;
  get_edge(address, head);
  if (words != 0) get_long_words(object, address + head, target + head, words);
  get_edge(address + head + 8 * words, bytes - head - 8 * words);
}

// Lines by DMA -------------------------------------------------------------------------------------------------------

void put_lines(int pe, std::uint64_t address, std::byte const* source, std::size_t bytes, buffer& through) {
  std::size_t const head = (line - address % line) % line;
  put_words(pe, address, source, head);
  std::size_t const lines = (bytes - head) / line * line;
  std::uint64_t const to = all_pes.of(pe).tlm + address + head;
  std::byte const* const from = source + head;
  if (number(from) % line == 0 && in_tlm(number(from), lines)) {
    begin_dma(own_tlm(from), to, lines);
  } else {
    for (std::size_t done = 0; done < lines; done += piece_bytes) {
      std::byte* const piece = through.piece[done / piece_bytes % 2];
      std::size_t const now = std::min(piece_bytes, lines - done);
      // The piece before the last one has left: begin_dma waited for it.
      std::memcpy(piece, from + done, now);
      begin_dma(own_tlm(piece), to + done, now);
    }
  }
  put_words(pe, address + head + lines, from + lines, bytes - head - lines);
  // The source or the buffer is free.
  wait_for_dma();
}

void get_lines(int pe, std::uint64_t address, std::byte* target, std::size_t bytes, buffer& through) {
  std::uint64_t const tlm = all_pes.of(pe).tlm;
  std::uint64_t const end = address + bytes;
  std::size_t const head = (line - address % line) % line;
  std::size_t const lines = (bytes - head) / line * line;
  if ((number(target) + head) % line == 0 && in_tlm(number(target) + head, lines)) {
    begin_dma(tlm + address + head, own_tlm(target + head), lines);
    get_words(pe, address, target, head);
    get_words(pe, address + head + lines, target + head + lines, bytes - head - lines);
    return wait_for_dma();
  }
  auto const piece_from = [&](std::uint64_t begin) {
    return std::min<std::uint64_t>(piece_bytes, (end - begin + line - 1) / line * line);
  };
  std::uint64_t begin = address / line * line;
  unsigned which = 0;
  begin_dma(tlm + begin, own_tlm(through.piece[which]), piece_from(begin));
  while (begin < end) {
    std::uint64_t const piece_end = begin + piece_from(begin);
    wait_for_dma();
    if (piece_end < end) begin_dma(tlm + piece_end, own_tlm(through.piece[1 - which]), piece_from(piece_end));
    std::uint64_t const first = std::max(begin, address);
    std::memcpy(target + (first - address), through.piece[which] + (first - begin), std::min(piece_end, end) - first);
    begin = piece_end;
    which = 1 - which;
  }
}

}  // namespace

void open() {
  interface::open();
}

void put(int pe, std::uint64_t address, std::byte const* source, std::size_t bytes) {
  if (bytes >= interface_bytes_min && interface::is_open())
    return interface::copy(all_pes.own(), number(source), pe, address, bytes);
  buffer* const through = bytes >= dma_bytes_min && in_tlm(address, bytes) ? own_buffer() : nullptr;
  if (through != nullptr) return put_lines(pe, address, source, bytes, *through);
  put_words(pe, address, source, bytes);
}

void get(int pe, std::uint64_t address, std::byte* target, std::size_t bytes) {
  // Many programs expect to get what they put.
  complete();
  if (bytes >= interface_bytes_min && interface::is_open())
    return interface::copy(pe, address, all_pes.own(), number(target), bytes);
  // Whole lines are read, which the last line of the memory is, too.
  buffer* const through = bytes >= dma_bytes_min && in_tlm(address, bytes) ? own_buffer() : nullptr;
  if (through != nullptr) return get_lines(pe, address, target, bytes, *through);
  get_words(pe, address, target, bytes);
}

void complete() {
  xbgas::complete_all();
}

}  // namespace tess::shmem::blocks
