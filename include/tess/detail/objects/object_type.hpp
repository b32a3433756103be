// object_type: the runtime's description of a type of objects: a constant record, in the section `tess_types`.
//
//   Every place runs the same binary, so the index of a record in the section names the type everywhere. An object's
//   header holds that index, never an address. A shared object has its own section: bits 20-31 of the index are
//   its number; 0 is the program.
//
// Shapes  mask: two bits per word of 8 bytes, word 0 in the lowest bits: 00 data, 01 pointer, 10 transient, 11 start of
//         an array descriptor {data, count, bytes}, whose second word is 00 for an array of data, 01 for pointers.
// Source  the vtable entry of "NEMESYS" (MEMSYS 2019), section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tess/detail/platform.hpp"

namespace tess::detail {

enum class block_kind : std::uint8_t { object, data_array, pointer_array };

struct type_record;

/// The types to which a pointer may lead: these and those derived from them. Null: any.
struct accepted_types {
  type_record const* const* types = nullptr;
  std::uint32_t count = 0;
};

/// A word that holds the address of another block: a pointer, or the first word of an array descriptor.
struct slot_check {
  accepted_types accepted;
  bool descriptor = false;
};

/// A range of bytes that arrive as zeros.
struct byte_range {
  std::uint32_t offset;
  std::uint32_t bytes;
};

struct type_record {
  std::uint32_t bytes;         ///< of an object, a multiple of 8; of an array, of one element
  std::uint32_t slots_count;   ///< of an object
  std::uint32_t const* slots;  ///< offsets of its address words, ascending
  block_kind kind;
  std::uint8_t alignment;  ///< 8 or 16
  std::uint16_t transients_count;
  byte_range const* transients;
  slot_check const* checks;  ///< one per slot; of an array of pointers, one for all elements
  std::uint64_t const* mask;
  type_record const* base;
  std::string_view name;
};

extern "C" {
// NOLINTBEGIN: the linker defines these symbols.
#if TESS_IN_SHARED_OBJECT
// Null in an object without types.
[[gnu::weak, gnu::visibility("hidden")]] extern type_record const __start_tess_types[];
[[gnu::weak, gnu::visibility("hidden")]] extern type_record const __stop_tess_types[];
#else
extern type_record const __start_tess_types[];
extern type_record const __stop_tess_types[];
#endif
// NOLINTEND
}

/// Bits 0-19 of a type's index: its record; 20-31: the shared object, as numbered for handlers.
inline constexpr unsigned type_object_shift = 20;

}  // namespace tess::detail
