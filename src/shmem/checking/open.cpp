// open: a checked job begins.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "shmem/call.hpp"
#include "shmem/checking/area.hpp"
#include "shmem/checking/checks.hpp"

namespace tess::shmem::checking {

bool sees_accesses = false;

bool wanted() {
  char const* const fabric = std::getenv("TESS_FABRIC");
  return fabric != nullptr && std::string_view(fabric) == "checked";
}

void open() {
  if (own.network != nullptr) fail("a checked job over a network", "tess run --fabric checked on one host");
  open_area();
  locked const all;
  pe_line& mine = line_of(own.pe);
  mine.epoch = std::max<number>(mine.epoch, 1);
  sees_accesses = true;
}

void close() {
  sees_accesses = false;
}

}  // namespace tess::shmem::checking
