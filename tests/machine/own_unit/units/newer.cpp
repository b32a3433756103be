// newer: a shared object as one for a later version of the interface would be, for tests.
#include <cstdint>

extern "C" [[gnu::visibility("default")]] std::uint32_t const tess_unit_version = 99;
extern "C" [[gnu::visibility("default")]] void const* tess_unit_declaration() noexcept {
  return nullptr;
}
