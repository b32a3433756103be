// x10: the classes of X10's library that a benchmark object of IMSuite refers to; all are copied with it.
//
//   A kernel's closures carry the benchmark object, with the matrix, its regions, the distribution, and the distributed
//   arrays, of which only the handle is copied: these make up the graphs of NEMESYS's table 5.
//
// Shapes   array2: [least, most] in each dimension. part: the elements [first, first + elements.size()) of one place.
// Threads  dist_array::here: any task of the place; elements shared by tasks are changed in place_atomic sections.
// Source   the X10 2.3 class library (Array, Region, Dist, DistArray, Point), by its documentation; the sizes in 32-bit
//          words that NEMESYS (MEMSYS 2019), table 5, reports are compared in docs/use/imsuite.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tess/object.hpp"
#include "tess/place.hpp"
#include "tess/place_local.hpp"

namespace imsuite::x10 {

// RectRegion: the indices of an array of one or two dimensions.
struct region {
  std::int32_t rank;
  std::array<std::int32_t, 2> least;
  std::array<std::int32_t, 2> most;
};

struct place_group {
  std::int32_t places;
};

// Dist.makeBlock: the first (n mod P) places own ceil(n / P) indices, the others floor(n / P).
struct distribution {
  region* indices;
  place_group* group;

  [[nodiscard]] std::int32_t size() const noexcept { return indices->most[0] + 1; }
  [[nodiscard]] std::int32_t begin(std::int32_t place) const noexcept {
    std::int32_t const each = size() / group->places;
    std::int32_t const more = size() % group->places;
    return place * each + (place < more ? place : more);
  }
  [[nodiscard]] tess::place_id operator()(std::int32_t i) const noexcept {
    std::int32_t const each = size() / group->places;
    std::int32_t const more = size() % group->places;
    std::int32_t const long_ones = more * (each + 1);
    return static_cast<tess::place_id>(i < long_ones ? i / (each + 1) : more + (i - long_ones) / each);
  }
};

// Array[Int]: the elements lie in the backing store.
struct int_array {
  region* indices;
  tess::array<std::int32_t> raw;

  [[nodiscard]] std::int32_t operator()(std::int32_t i) const { return raw[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::int32_t operator()(std::int32_t i, std::int32_t j) const {
    return raw[static_cast<std::size_t>(i) * static_cast<std::size_t>(indices->most[1] + 1) +
               static_cast<std::size_t>(j)];
  }
};

struct point {
  std::int32_t index;
};

template <class T>
struct part {
  std::int32_t first = 0;
  std::vector<T> elements;

  [[nodiscard]] T& operator()(std::int32_t i) { return elements[static_cast<std::size_t>(i - first)]; }
};

// DistArray: the handle of every place's part.
template <class T>
struct dist_array {
  distribution* dist;
  tess::place_local<part<T>> local;

  // Element i, which must be of this place.
  [[nodiscard]] T& operator()(std::int32_t i) const { return (*local)(i); }
};

// The boxed result of an `at` expression that is not an object.
template <class T>
struct box {
  T value;
};

}  // namespace imsuite::x10
