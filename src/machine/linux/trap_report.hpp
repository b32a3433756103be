// trap_report: what a program is told that trapped or was killed: where, why, and who called.
//
//   The callers are found by the program's call frame information. Without it, or where it is damaged, by the stack:
//   words that are addresses behind a call, of which some may be left from earlier calls; these are marked.
#pragma once

#include <string>

#include "machine/hart/hart.hpp"
#include "machine/linux/elf.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

// Of a hart that stopped at an access, an illegal instruction or a breakpoint. Several lines.
[[nodiscard]] std::string trap_report(hart const& h, user_memory& memory, elf_image const& image,
                                      std::uint32_t tile = 0);
// Of one that ended its program by a signal, as abort() does.
[[nodiscard]] std::string signal_report(int signal, hart const& h, user_memory& memory, elf_image const& image,
                                        std::uint32_t tile = 0);

}  // namespace tess::machine
