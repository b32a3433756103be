// toy_graph: object graphs written into the memory of a grid without harts, and compared with their copies.
//
//   Types and their records are written as the loader would, into the tile-local memories. The comparison walks both
//   graphs together with a map of its own: an address must always be paired with the same address.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "machine/tile/grid.hpp"

namespace tess::machine {

namespace layout = registers::objects;

class toy_graph {
 public:
  // node {value, next, other}; holder {value, elements of data, children, scratch, link}; leaf {value} on 16 bytes.
  enum type : std::uint32_t { node, holder, leaf, data_array, pointer_array, types_count };
  static constexpr std::uint64_t types_at = 0x1000;

  toy_graph(grid& g, std::uint32_t tile) : grid_(g), home_(*g.tiles[tile]) {
    region const& partition = *g.map.of(region_kind::partition, tile);
    next_ = partition.base + (g.description.is_memory(tile) ? g.description.nma.map_bytes : 0) + 64;
    for (auto const& one : g.units) place_types(*one);
  }

  std::uint64_t& word(std::uint64_t address) { return *reinterpret_cast<std::uint64_t*>(home_.peek(address)); }

  std::uint64_t make(type of, std::uint64_t array_bytes = 0) {
    bool const array = of == data_array || of == pointer_array;
    std::uint64_t const alignment = of == leaf ? 16 : 8;
    std::uint64_t const front = array ? layout::array_front_bytes : layout::front_bytes;
    std::uint64_t const object = (next_ + front + alignment - 1) & ~(alignment - 1);
    next_ = object + (array ? (array_bytes + 7) / 8 * 8 : words_of(of) * 8);
    word(object - layout::header) = of | std::uint64_t{0x1234} << 32U;
    if (array) word(object - layout::array_bytes) = array_bytes;
    made.push_back(object);
    return object;
  }
  /// Space for a chunk behind the graph.
  std::uint64_t chunk(std::uint64_t bytes) {
    next_ = (next_ + 63) / 64 * 64;
    return std::exchange(next_, next_ + bytes + 64);
  }
  static std::uint64_t words_of(type of) { return of == node ? 3 : of == holder ? 9 : 1; }

  std::uint64_t list(std::uint64_t length) {
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
      std::uint64_t const one = make(node);
      word(one) = 1000 + i;
      word(one + 8) = first;
      first = one;
    }
    return first;
  }
  /// A graph of all types, with sharing, cycles and null pointers; the first is the root.
  std::uint64_t random(std::uint64_t objects, std::uint64_t seed) {
    std::mt19937_64 choose(seed);
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < objects; ++i) {
      auto const of = static_cast<type>(i == 0 ? 1 : choose() % types_count);
      all.push_back(make(of, of == pointer_array ? choose() % 20 * 8 : choose() % 100));
      for (std::uint64_t at = 0; at < size_of(all.back()); at += 8) word(all.back() + at) = choose();
    }
    auto const any = [&](auto&& fits) {
      for (int tries = 0; tries < 8; ++tries) {
        std::uint64_t const one = all[choose() % all.size()];
        if (fits(type_of(one))) return one;
      }
      return std::uint64_t{0};
    };
    for (std::uint64_t const one : all) {
      if (type_of(one) == node)
        word(one + 8) = any([](type) { return true; }), word(one + 16) = any([](type) { return true; });
      if (type_of(one) == pointer_array)
        for (std::uint64_t at = 0; at < size_of(one); at += 8) word(one + at) = any([](type) { return true; });
      if (type_of(one) == holder) {
        describe(one + 8, any([](type t) { return t == data_array; }));
        describe(one + 32, any([](type t) { return t == pointer_array; }));
        word(one + 64) = any([](type) { return true; });
      }
    }
    return all.front();
  }
  void describe(std::uint64_t at, std::uint64_t array) {
    word(at) = array;
    word(at + 8) = array == 0 ? 0 : size_of(array) / 8;
    word(at + 16) = array == 0 ? 0 : size_of(array);
  }
  type type_of(std::uint64_t object) { return static_cast<type>(word(object - layout::header) & 0xffff'ffff); }
  std::uint64_t size_of(std::uint64_t object) {
    type const of = type_of(object);
    return of == data_array || of == pointer_array ? word(object - layout::array_bytes) : words_of(of) * 8;
  }

  /// Objects of the copy, or 0 with test failures if it is not a copy. `moved`: distance from where its pointers refer
  /// to.
  std::uint64_t compare(std::uint64_t root, std::uint64_t copy, std::uint64_t chunk, std::uint64_t moved = 0) {
    std::map<std::uint64_t, std::uint64_t> pairs{{root, copy}};
    std::set<std::uint64_t> copies{copy};
    std::vector<std::uint64_t> left{root};
    while (!left.empty()) {
      std::uint64_t const object = left.back();
      std::uint64_t const other = pairs[object];
      left.pop_back();
      std::uint64_t const here = other + moved;
      EXPECT_EQ(type_of(here), type_of(object));
      EXPECT_EQ((word(here - layout::header) >> 32U) * 8, here - chunk);
      if (type_of(here) != type_of(object) || size_of(here) != size_of(object)) return 0;
      for (std::uint64_t at = 0; at < (size_of(object) + 7) / 8 * 8; at += 8) {
        std::uint64_t const a = word(object + at);
        std::uint64_t const b = word(here + at);
        bool const follows = leads(object, at / 8) && a != 0 && b != 0;
        std::uint64_t const expected = type_of(object) == holder && at == 56 ? 0 : a;
        EXPECT_TRUE(follows || b == expected) << at;
        if (!follows && b != expected) return 0;
        if (!follows) continue;
        auto const [pair, is_new] = pairs.emplace(a, b);
        EXPECT_EQ(pair->second, b) << "shared objects are shared";
        if (is_new) {
          EXPECT_TRUE(copies.insert(b).second) << "one copy for two objects";
          left.push_back(a);
        }
        if (pair->second != b) return 0;
      }
    }
    return pairs.size();
  }

  std::vector<std::uint64_t> made;

 private:
  bool leads(std::uint64_t object, std::uint64_t place) {
    type const of = type_of(object);
    return of == pointer_array || (of == node && place >= 1) ||
           (of == holder && (place == 1 || place == 4 || place == 8));
  }
  void place_types(tile_units& units) {
    struct record {
      std::uint64_t bytes, slots, kind, transients, checks, mask, base, name, name_bytes;
    };
    static_assert(sizeof(record) == layout::record_bytes);
    constexpr std::uint64_t masks_at = types_at + types_count * sizeof(record);
    // holder: 3 << 2 (data), 3 << 8 with 1 << 10 (pointers), 2 << 14 transient, 1 << 16 pointer.
    std::uint64_t const masks[] = {1U << 2U | 1U << 4U, 3U << 2U | 3U << 8U | 1U << 10U | 2U << 14U | 1U << 16U, 0};
    auto const kind = [](std::uint64_t k, std::uint64_t alignment) { return k | alignment << 8U; };
    record const records[] = {{24, 0, kind(0, 8), 0, 0, masks_at, 0, 0, 0},
                              {72, 0, kind(0, 8), 0, 0, masks_at + 8, 0, 0, 0},
                              {8, 0, kind(0, 16), 0, 0, masks_at + 16, 0, 0, 0},
                              {1, 0, kind(1, 8), 0, 0, 0, 0, 0, 0},
                              {8, 0, kind(2, 8), 0, 0, 0, 0, 0, 0}};
    for (auto const& one : grid_.tiles) {
      std::uint64_t const tlm = grid_.map.of(region_kind::tlm, one->number())->base;
      std::memcpy(one->peek(tlm + types_at), records, sizeof records);
      std::memcpy(one->peek(tlm + masks_at), masks, sizeof masks);
    }
    units.types.place(types_at, sizeof records);
  }

  grid& grid_;
  tile& home_;
  std::uint64_t next_;
};

}  // namespace tess::machine
