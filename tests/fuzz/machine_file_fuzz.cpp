// machine_file_fuzz: no text crashes the reader of machine files; an accepted machine is valid, and a refusal has a
// position and a reason.
//
//   An input is a machine file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "machine/config/description.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

void check(tess::machine::machine_description const& made) {
  using tess::machine::region_kind;
  require(made.width > 0 && made.height > 0 && made.tiles() <= 64 * 64);
  tess::machine::address_map const map(made.regions);  // it asserts that nothing overlaps
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    auto const window = made.window(tile);
    require(window.global(0) == map.of(region_kind::tlm, tile)->base);
    for (std::uint64_t const address : {std::uint64_t{0}, window.tlm_bytes, window.tlm_bytes + window.tail_bytes - 1}) {
      auto const name = window.global(address);
      require(!name || map.find(*name) != nullptr);
    }
  }
  for (std::uint32_t const tile : made.memory.tiles) require(tile < made.tiles());
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  std::string const text(reinterpret_cast<char const*>(bytes), size);
  try {
    check(tess::machine::parse_machine(text, "fuzz.toml"));
  } catch (tess::machine::config_error const& refused) {
    std::string const said = refused.what();
    require(said.starts_with("fuzz.toml:") && said.find("; expected ") != std::string::npos);
  }
  return 0;
}
