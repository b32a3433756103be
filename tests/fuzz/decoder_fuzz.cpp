// decoder_fuzz: a hart executes any word or raises an illegal instruction, and never accesses memory outside the
// program's.
//
//   An input is code of 16- and 32-bit words at the start of a page. A writable page follows, and registers point into
//   it. Instructions that stop the hart are skipped, until the end of the code or a limit of cycles.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "machine/flat/flat_memory.hpp"
#include "machine/hart/code_cache.hpp"
#include "machine/hart/engine.hpp"
#include "machine/hart/hart.hpp"
#include "machine/linux/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t code_begin = 16 * page;
constexpr std::uint64_t data_begin = 17 * page;
constexpr std::uint64_t memory_bytes = 64 * page;
constexpr std::uint64_t cycles_max = 4096;
constexpr std::byte untouched{0x5a};

void require(bool promise) {
  if (!promise) std::abort();
}

struct fixture {
  fixture() : memory(memory_bytes), code(memory, engine<flat_memory>::handlers(), {}) {
    memory.set_rights(code_begin, code_begin + page, right_read | right_execute);
    memory.set_rights(data_begin, data_begin + page, right_read | right_write);
    // Next to them: an inaccessible page.
    std::fill_n(memory.at(data_begin + page), page, untouched);
    std::fill_n(memory.at(code_begin - page), page, untouched);
  }
  flat_memory memory;
  code_cache code;
};

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  static fixture on;
  size = std::min<std::size_t>(size, page);
  std::memset(on.memory.at(code_begin), 0, page);
  std::memcpy(on.memory.at(code_begin), bytes, size);
  std::memset(on.memory.at(data_begin), 0, page);
  on.code.clear();
  hart h;
  h.code = &on.code;
  // Odd registers hold data, even ones addresses near the middle of the page.
  for (unsigned i = 1; i < 32; ++i) h.x[i] = i % 2 == 0 ? data_begin + page / 2 + i * 8 : i * 0x0123'4567'89ab'cdefU;
  h.jump(code_begin);
  // Every stop skips two bytes, so this ends.
  std::uint64_t next = code_begin;
  while (h.now() < cycles_max && next < code_begin + size) {
    stop const why = engine<flat_memory>::run(h, on.memory.fast(), cycles_max);
    if (why == stop::quantum) break;
    require(why != stop::none && why != stop::lookup);
    h.reserved = {};
    next += 2;
    h.jump(next);
  }
  require(h.x[0] == 0);
  require(std::memcmp(on.memory.at(code_begin), bytes, size) == 0);
  for (std::uint64_t const beside : {code_begin - page, data_begin + page}) {
    std::byte const* const at = on.memory.at(beside);
    require(std::all_of(at, at + page, [](std::byte each) { return each == untouched; }));
  }
  return 0;
}
