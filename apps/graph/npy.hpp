// npy: the header of numpy's array files.
//
// Source    numpy.lib.format, version 1.0: magic, version, length of the header, a dictionary as text, padded to 64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graph {

struct npy_header {
  char kind = 'f';  // of elements: i u f b S U
  std::uint32_t bytes = 8;
  bool swapped = false;  // most significant byte first
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;

  [[nodiscard]] std::uint64_t elements() const noexcept;
};

// Throws input_error (`name`) for what is no array of numbers or texts in the order of C.
[[nodiscard]] npy_header parse_npy_header(std::string_view bytes, std::string const& name);

// The begin of a file with one column; `descr` as numpy writes it, such as "<u4".
[[nodiscard]] std::string npy_begin(std::string_view descr, std::uint64_t rows);

}  // namespace graph
