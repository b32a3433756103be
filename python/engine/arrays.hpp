// arrays: numpy arrays from C++ memory and back, without copies.
//
//   An array that the engine returns owns its vector, or keeps the object alive in whose memory it lies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace engine {

namespace nb = nanobind;

template <class T>
using array_in = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using array_out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<T const> span_of(array_in<T> const& array) {
  return {array.data(), array.size()};
}

// Moves the vector into the array.
template <class T, class Allocator>
array_out<T> array_of(std::vector<T, Allocator> values) {
  auto* const kept = new std::vector<T, Allocator>(std::move(values));
  nb::capsule const owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
  return array_out<T>(kept->data(), {kept->size()}, owner);
}

// A read-only view of memory that `owner` keeps.
template <class T>
nb::ndarray<nb::numpy, T const, nb::ndim<1>> view_of(std::span<T const> values, nb::handle owner) {
  return {values.data(), {values.size()}, owner};
}

}  // namespace engine
