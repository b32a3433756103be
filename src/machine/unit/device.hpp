// device: the register interface of a tile's unit: words that are loaded and stored.
//
// Units     offsets in bytes from the unit's first register, multiples of 8.
// Errors    an invalid register: nothing, or false; the access then traps.
// Threads   one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "machine/adapter/transaction.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

class device {
 public:
  static constexpr std::uint32_t no_hart = ~std::uint32_t{0};  ///< The access comes from another tile.

  virtual ~device() = default;
  [[nodiscard]] virtual std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) = 0;
  [[nodiscard]] virtual bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) = 0;
  /// The same by another tile, or by a unit of this one.
  [[nodiscard]] virtual std::optional<std::uint64_t> load_from(std::uint32_t /*tile*/, std::uint64_t offset) {
    return load(offset, no_hart);
  }
  [[nodiscard]] virtual bool store_from(std::uint32_t /*tile*/, std::uint64_t offset, std::uint64_t value) {
    return store(offset, value, no_hart);
  }
  /// 1 to 8 words from a unit, for units of one's own only. Refused: they are sent again.
  [[nodiscard]] virtual remote_outcome message(std::uint32_t /*tile*/, std::span<std::uint64_t const> /*words*/) {
    return remote_outcome::wrong;
  }
};

}  // namespace tess::machine
