"""registers_test: rtl/registers_pkg.sv is what registers.hpp says, and what it says is read correctly."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import registers  # noqa: E402


class Registers(unittest.TestCase):
    def test_package_is_up_to_date(self) -> None:
        self.assertEqual(registers.main(["--check"]), 0)

    def test_no_constant_is_missing(self) -> None:
        header = registers.HEADER.read_text(encoding="utf-8")
        package = registers.PACKAGE.read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r"^inline constexpr", header, re.MULTILINE)), package.count("localparam"))
        self.assertEqual(len(re.findall(r"^enum ", header, re.MULTILINE)), package.count("typedef enum"))

    def test_values_follow_from_expressions_and_names(self) -> None:
        text = registers.package_of(
            """namespace tess::machine::registers {
inline constexpr std::uint64_t all = std::uint64_t{1} << 24U;  // 16 MiB
inline constexpr std::uint64_t own = (std::uint64_t{1} << 40U) - all;
namespace nma {
inline constexpr std::uint64_t half =
    /// A comment in between; all of it.
    all / 2;
inline constexpr unsigned all = 7;
inline constexpr unsigned next = all + 1;
enum map_code : std::uint64_t { linear = 0, hashed = 1 };
/// Not a constant.
constexpr std::uint64_t shape_of(std::uint64_t objects) noexcept {
  return objects | std::uint64_t{map} << 56U;
}
}  // namespace nma
enum class fault : std::uint8_t {
  none,
  wrong = 4,  ///< Comment.
  worse
};
}
"""
        )
        for line in (
            "localparam logic [63:0] All = 64'd16777216;",
            "localparam logic [63:0] Own = 64'd1099494850560;",
            "localparam logic [63:0] NmaHalf = 64'd8388608;",
            "localparam logic [63:0] NmaNext = 64'd8;",
            "NmaHashed = 64'd1\n  } nma_map_code_e;",
            "FaultNone = 8'd0,",
            "FaultWorse = 8'd5\n  } fault_e;",
        ):
            self.assertIn(line, text)
        self.assertNotIn("hape", text)


if __name__ == "__main__":
    unittest.main()
