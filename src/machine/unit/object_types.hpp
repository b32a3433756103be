// object_types: the program's section `tess_types`, as the accelerators of a tile read it from their tile's memory.
//
//   An object's header holds the index of a record; the record holds the object's size and the address of its mask.
//   Both are in the static image, which the loader puts into every tile's memory, so a unit reads its own tile's copy.
//
// Units     addresses are global; time is that of the tile's bus and its memory.
// Errors    nothing for an index beyond the section, or an invalid record.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 2; docs/internals/machine.md, 8; registers.hpp, `objects`.
#pragma once

#include <optional>

#include "machine/kernel/kernel.hpp"
#include "machine/tile/tile.hpp"

namespace tess::machine {

struct object_type {
  std::uint64_t bytes = 0;  ///< Size of an object.
  registers::objects::kind_code kind = registers::objects::object;
  std::uint64_t alignment = 8;
  std::uint64_t mask = 0;  ///< Its address, for mask_word().

  [[nodiscard]] bool is_array() const noexcept { return kind != registers::objects::object; }
  [[nodiscard]] std::uint64_t front_bytes() const noexcept {
    return is_array() ? registers::objects::array_front_bytes : registers::objects::front_bytes;
  }
};

class object_types {
 public:
  object_types(kernel& k, machine_description const& description, tile& at)
      : kernel_(k), tile_(at), local_(description.window_of_units(at.number())) {}

  /// The address of the section in the local window; set by the loader.
  void place(std::uint64_t address, std::uint64_t bytes) noexcept {
    address_ = address;
    count_ = bytes / registers::objects::record_bytes;
  }

  /// Reads a record: from its first word to the one with the mask.
  [[nodiscard]] task<std::optional<object_type>> read(std::uint32_t index);
  /// Word `number` of a type's mask; nothing: it is outside of all memory.
  [[nodiscard]] task<std::optional<std::uint64_t>> mask_word(object_type const& of, std::uint64_t number);

  // For units that read records and masks themselves.
  [[nodiscard]] std::uint64_t address() const noexcept { return address_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// What is read of a record: from its first word to the one with the mask.
  static constexpr std::uint64_t read_bytes = registers::objects::record_mask + sizeof(std::uint64_t);
  /// When an access that begins now ends.
  [[nodiscard]] picoseconds access(std::uint64_t bytes) { return tile_.device_access(tile::place::tlm, bytes); }
  /// What is there now; nothing: it is outside of all memory.
  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) const;

 private:
  [[nodiscard]] task<> pass(std::uint64_t bytes);

  kernel& kernel_;
  tile& tile_;
  local_window local_;
  std::uint64_t address_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tess::machine
