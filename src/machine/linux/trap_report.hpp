// trap_report: the report of a program that trapped or was killed: where, why, and a backtrace.
//
//   Callers are found by the program's call frame information. Where that is missing or damaged, they are guessed from
//   the stack: words that are return addresses, some of which may be left from earlier calls; these are marked.
#pragma once

#include <string>

#include "machine/hart/hart.hpp"
#include "machine/linux/elf.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

// For a hart that stopped at an access, an illegal instruction or a breakpoint. Several lines.
[[nodiscard]] std::string trap_report(hart const& h, user_memory& memory, elf_image const& image,
                                      std::uint32_t tile = 0);
// For a hart that ended its program by a signal, as abort() does.
[[nodiscard]] std::string signal_report(int signal, hart const& h, user_memory& memory, elf_image const& image,
                                        std::uint32_t tile = 0);

// Where a hart is that did not stop by itself. One line.
[[nodiscard]] std::string place_report(hart const& h, elf_image const& image, std::uint32_t tile = 0);

}  // namespace tess::machine
