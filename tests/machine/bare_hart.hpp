// bare_hart: a hart on flat memory with a program in it and no operating system, for tests that look inside.
#pragma once

#include <span>

#include "assembler.hpp"
#include "machine/flat/flat_memory.hpp"
#include "machine/hart/engine.hpp"
#include "machine/linux/elf.hpp"

namespace tess::machine {

class bare_hart {
 public:
  static constexpr std::uint64_t memory_bytes = std::uint64_t{16} << 20U;

  explicit bare_hart(std::span<std::byte const> file, handler* const* handlers = engine<flat_memory>::handlers(),
                     block_rules rules = {})
      : memory(memory_bytes), code(memory, handlers, rules) {
    elf_image const image = read_elf(file, "program", memory_bytes);
    for (auto const& s : image.segments) {
      memory.set_rights(s.address / 4096 * 4096, (s.address + s.memory_bytes + 4095) / 4096 * 4096, s.rights);
      std::memcpy(memory.at(s.address), s.contents.data(), s.contents.size());
    }
    h.code = &code;
    h.jump(image.entry);
  }

  // Runs until the hart stops for another reason than the end of a quantum.
  stop run_to_stop(std::uint64_t most_cycles = std::uint64_t{1} << 32U) {
    return engine<flat_memory>::run(h, memory.fast(), h.now() + most_cycles);
  }

  flat_memory memory;
  code_cache code;
  hart h;
};

}  // namespace tess::machine
