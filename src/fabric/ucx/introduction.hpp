// introduction: what each place sends to all others before the job starts, as bytes.
//
// Errors   read_introduction: tess::error if the bytes come from another version of Tessera.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fabric/ucx/window.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct introduction {
  segment_place where;
  std::vector<std::byte> address;
  std::string identity;
};

inline constexpr char introduction_mark[8] = {'t', 'e', 's', 's', 'u', 'c', 'x', '1'};

[[nodiscard]] inline std::vector<std::byte> write_introduction(introduction const& i) {
  std::uint64_t const sizes[2] = {i.address.size(), i.identity.size()};
  std::vector<std::byte> bytes;
  auto const append = [&](void const* data, std::size_t n) {
    auto const* const first = static_cast<std::byte const*>(data);
    bytes.insert(bytes.end(), first, first + n);
  };
  append(introduction_mark, sizeof introduction_mark);
  append(sizes, sizeof sizes);
  append(&i.where, sizeof i.where);
  append(i.address.data(), i.address.size());
  append(i.identity.data(), i.identity.size());
  return bytes;
}

[[nodiscard]] inline introduction read_introduction(std::span<std::byte const> bytes, place_id from) {
  introduction i;
  std::uint64_t sizes[2];
  std::size_t const fixed = sizeof introduction_mark + sizeof sizes + sizeof i.where;
  bool sound = bytes.size() >= fixed && std::memcmp(bytes.data(), introduction_mark, sizeof introduction_mark) == 0;
  if (sound) {
    std::memcpy(sizes, bytes.data() + sizeof introduction_mark, sizeof sizes);
    sound = sizes[0] <= bytes.size() && sizes[1] <= bytes.size() && fixed + sizes[0] + sizes[1] == bytes.size();
  }
  if (!sound)
    throw error("place " + std::to_string(from), "runs another version of Tessera", "the same program at all places");
  std::memcpy(&i.where, bytes.data() + sizeof introduction_mark + sizeof sizes, sizeof i.where);
  auto const* const address = bytes.data() + fixed;
  i.address.assign(address, address + sizes[0]);
  i.identity.assign(reinterpret_cast<char const*>(address + sizes[0]), sizes[1]);
  return i;
}

/// The first place whose program is not that of place 0; 0: all have the same program.
[[nodiscard]] inline place_id first_different(std::vector<introduction> const& known) {
  for (std::size_t p = 1; p < known.size(); ++p)
    if (known[p].identity != known[0].identity) return static_cast<place_id>(p);
  return 0;
}

[[nodiscard]] inline error other_program(place_id p, std::vector<introduction> const& known) {
  return {"place " + std::to_string(p) + " on " + known[p].where.host, "runs " + known[p].identity,
          "the program of place 0: " + known[0].identity};
}

}  // namespace tess::detail
