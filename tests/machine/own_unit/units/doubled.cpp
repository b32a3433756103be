// doubled: a unit with a declaration that cannot be, for tests: one of its parameters has the name of a key.
#include <tess/machine/unit.hpp>

namespace {
struct doubled final : tess::unit::device {
  static constexpr auto parameters = std::to_array<tess::unit::parameter>({
      {.name = "at", .unit = "", .meaning = "what the machine file says", .usual = 0},
  });
  explicit doubled(tess::unit::tile&) {}
};
}  // namespace

TESS_UNIT(doubled, "has a parameter at");
