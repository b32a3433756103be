// source_line: the line of the program that contains an address, if the program was compiled with -g.
//
// Cost      starts a process (llvm-symbolizer or addr2line).
#pragma once

#include <cstdint>
#include <string>

namespace tess::shmem {

/// An address of code, without where it was loaded.
struct place_in_file {
  std::string file;  ///< /proc/self/exe is the program's; empty: not known
  std::uintptr_t offset = 0;
};
[[nodiscard]] place_in_file find_in_file(void* return_address);

/// As " (file.c:12)"; empty if it cannot be found out.
[[nodiscard]] std::string source_line(place_in_file const& at);
[[nodiscard]] std::string source_line(void* return_address);

}  // namespace tess::shmem
