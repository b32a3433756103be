// source_line: the line of the program that contains an address, if the program was compiled with -g.
//
// Cost      starts a process (llvm-symbolizer or addr2line).
#pragma once

#include <string>

namespace tess::shmem {

/// As " (file.c:12)"; empty if it cannot be found out.
[[nodiscard]] std::string source_line(void* return_address);

}  // namespace tess::shmem
