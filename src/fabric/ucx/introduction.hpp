// introduction: what a place says of itself to all others before the job starts, as bytes.
//
// Errors   read_introduction: tess::error if the bytes come from another version of Tessera.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/ucx/doorbell.hpp"
#include "fabric/ucx/window.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct introduction {
  segment_place where;
  segment_place board;  ///< of the host's first place; its file is -1 elsewhere
  bell_place bell;
  std::vector<std::byte> address;
  std::string identity;
};

/// The same in memory of somebody else.
struct introduction_view {
  segment_place where;
  segment_place board;
  bell_place bell;
  std::span<std::byte const> address;
  std::string_view identity;
};

inline constexpr char introduction_mark[8] = {'t', 'e', 's', 's', 'u', 'c', 'x', '3'};

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
  append(&i.board, sizeof i.board);
  append(&i.bell, sizeof i.bell);
  append(i.address.data(), i.address.size());
  append(i.identity.data(), i.identity.size());
  return bytes;
}

[[nodiscard]] inline introduction_view read_introduction(std::span<std::byte const> bytes, place_id from) {
  introduction_view i;
  std::uint64_t sizes[2];
  std::size_t const fixed = sizeof introduction_mark + sizeof sizes + sizeof i.where + sizeof i.board + sizeof i.bell;
  bool sound = bytes.size() >= fixed && std::memcmp(bytes.data(), introduction_mark, sizeof introduction_mark) == 0;
  if (sound) {
    std::memcpy(sizes, bytes.data() + sizeof introduction_mark, sizeof sizes);
    sound = sizes[0] <= bytes.size() && sizes[1] <= bytes.size() && fixed + sizes[0] + sizes[1] == bytes.size();
  }
  if (!sound)
    throw error("place " + std::to_string(from), "runs another version of Tessera", "the same program at all places");
  auto const* at = bytes.data() + sizeof introduction_mark + sizeof sizes;
  std::memcpy(&i.where, at, sizeof i.where);
  std::memcpy(&i.board, at + sizeof i.where, sizeof i.board);
  std::memcpy(&i.bell, at + sizeof i.where + sizeof i.board, sizeof i.bell);
  i.address = bytes.subspan(fixed, sizes[0]);
  i.identity = {reinterpret_cast<char const*>(bytes.data() + fixed + sizes[0]), sizes[1]};
  return i;
}

[[nodiscard]] inline error other_program(place_id p, introduction_view const& its, introduction_view const& of_first) {
  return {"place " + std::to_string(p) + " on " + its.where.host, "runs " + std::string(its.identity),
          "the program of place 0: " + std::string(of_first.identity)};
}

}  // namespace tess::detail
