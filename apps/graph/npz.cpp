// npz: arrays of any integers and floats become the three columns of edges.
#include "graph/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "graph/edge.hpp"
#include "graph/error.hpp"
#include "graph/npy.hpp"
#include "graph/text_source.hpp"

namespace graph {

namespace {

// One array, with the bytes that it lies in.
struct npy_array {
  std::string label;
  std::string bytes;
  npy_header header;

  template <class T>
  [[nodiscard]] T at(std::uint64_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + header.data_offset + i * sizeof value, sizeof value);
    return value;
  }
  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    throw input_error(label, 0, what, expected);
  }
};

std::optional<npy_array> array_of(zip_reader const& zip, std::string const& file, std::string const& name) {
  zip_member const* const member = zip.find(name + ".npy");
  if (member == nullptr) return std::nullopt;
  npy_array array{.label = file + ": " + member->name, .bytes = zip.read(*member), .header = {}};
  array.header = parse_npy_header(array.bytes, array.label);
  std::uint64_t const room = array.bytes.size() - array.header.data_offset;
  std::uint64_t const elements = array.header.elements();
  std::uint64_t const element_bytes = array.header.kind == 'U' ? 4 * array.header.bytes : array.header.bytes;
  if (element_bytes == 0 || elements != room / element_bytes || room % element_bytes != 0)
    array.fail(fmt::format("{} bytes of elements", room), "as many as its shape says");
  if (array.header.swapped && array.header.bytes > 1)
    array.fail("numbers with the most significant byte first", "the least significant first (array.newbyteorder)");
  return array;
}

npy_array needed_array(zip_reader const& zip, std::string const& file, std::string const& name) {
  auto array = array_of(zip, file, name);
  if (!array) throw input_error(file, 0, fmt::format("no array {}", name), "a file of scipy.sparse.save_npz");
  return *std::move(array);
}

// f(i, value) for every element, as the widest type of its kind.
template <class F>
void for_each_number(npy_array const& array, F const& f) {
  auto const all = [&]<class T>(T) {
    std::uint64_t const count = array.header.elements();
    for (std::uint64_t i = 0; i < count; ++i) f(i, array.at<T>(i));
  };
  char const kind = array.header.kind;
  std::uint32_t const bytes = array.header.bytes;
  if (kind == 'f' && bytes == 8) return all(double{});
  if (kind == 'f' && bytes == 4) return all(float{});
  if (kind == 'i' && bytes == 8) return all(std::int64_t{});
  if (kind == 'i' && bytes == 4) return all(std::int32_t{});
  if (kind == 'i' && bytes == 2) return all(std::int16_t{});
  if (kind == 'i' && bytes == 1) return all(std::int8_t{});
  if (kind == 'u' && bytes == 8) return all(std::uint64_t{});
  if (kind == 'u' && bytes == 4) return all(std::uint32_t{});
  if (kind == 'u' && bytes == 2) return all(std::uint16_t{});
  if ((kind == 'u' || kind == 'b') && bytes == 1) return all(std::uint8_t{});
  array.fail(fmt::format("elements {}{}", kind, bytes), "integers, true and false, or floats of 4 or 8 bytes");
}

std::vector<std::uint64_t> positions_of(npy_array const& array, std::uint64_t max) {
  if (array.header.kind != 'i' && array.header.kind != 'u') array.fail("no integers", "integers");
  std::vector<std::uint64_t> positions(array.header.elements());
  for_each_number(array, [&](std::uint64_t i, auto value) {
    if (value < 0 || static_cast<std::uint64_t>(value) > max)
      array.fail(fmt::format("element {} is {}", i, value), fmt::format("0 to {}", max));
    positions[i] = static_cast<std::uint64_t>(value);
  });
  return positions;
}

std::vector<std::uint32_t> indices_of(npy_array const& array, std::uint64_t vertices) {
  if (array.header.kind != 'i' && array.header.kind != 'u') array.fail("no integers", "integers");
  std::vector<std::uint32_t> indices(array.header.elements());
  for_each_number(array, [&](std::uint64_t i, auto value) {
    if (value < 0 || static_cast<std::uint64_t>(value) >= vertices)
      array.fail(fmt::format("element {} is {}", i, value), fmt::format("less than {}", vertices));
    indices[i] = static_cast<std::uint32_t>(value);
  });
  return indices;
}

std::vector<double> weights_of(npy_array const& array) {
  std::vector<double> weights(array.header.elements());
  bool ones = true;
  for_each_number(array, [&](std::uint64_t i, auto value) {
    weights[i] = static_cast<double>(value);
    if (!std::isfinite(weights[i]))
      array.fail(fmt::format("element {} is {}", i, value), "a finite number as a weight");
    ones = ones && weights[i] == 1;
  });
  return ones ? std::vector<double>{} : weights;
}

std::string matrix_format(zip_reader const& zip, std::string const& file) {
  npy_array const array = needed_array(zip, file, "format");
  bool const texts = array.header.kind == 'S' || array.header.kind == 'U';
  if (!texts || array.header.elements() != 1) array.fail("no text", "csr, csc or coo");
  std::string format = array.bytes.substr(array.header.data_offset);
  std::erase(format, '\0');
  return format;
}

// The row of each entry, from the positions where rows begin.
std::vector<std::uint32_t> rows_of_entries(npy_array const& array, std::uint64_t vertices, std::uint64_t entries) {
  std::vector<std::uint64_t> const begins = positions_of(array, entries);
  bool const valid = begins.size() == vertices + 1 && begins.front() == 0 && begins.back() == entries &&
                     std::ranges::is_sorted(begins);
  if (!valid)
    array.fail("rows that do not follow each other", fmt::format("{} positions up to {}", vertices + 1, entries));
  std::vector<std::uint32_t> rows(entries);
  for (std::uint64_t v = 0; v < vertices; ++v)
    std::fill(rows.begin() + static_cast<std::ptrdiff_t>(begins[v]),
              rows.begin() + static_cast<std::ptrdiff_t>(begins[v + 1]), static_cast<std::uint32_t>(v));
  return rows;
}

}  // namespace

edge_columns read_npz(zip_reader const& zip, std::string const& name) {
  std::string const format = matrix_format(zip, name);
  if (format != "csr" && format != "csc" && format != "coo")
    throw input_error(name, 0, fmt::format("a matrix of format {}", graph::quoted(format)),
                      "csr, csc or coo (.tocsr())");
  std::vector<std::uint64_t> const shape = positions_of(needed_array(zip, name, "shape"), vertices_count_max);
  if (shape.size() != 2 || shape[0] != shape[1]) {
    throw input_error(name, 0,
                      shape.size() == 2 ? fmt::format("a matrix of {} rows and {} columns", shape[0], shape[1])
                                        : std::string("no matrix"),
                      "a square matrix");
  }
  edge_columns edges;
  edges.vertices = shape[0];
  if (format == "coo") {
    edges.sources = indices_of(needed_array(zip, name, "row"), edges.vertices);
    edges.targets = indices_of(needed_array(zip, name, "col"), edges.vertices);
  } else {
    edges.targets = indices_of(needed_array(zip, name, "indices"), edges.vertices);
    edges.sources = rows_of_entries(needed_array(zip, name, "indptr"), edges.vertices, edges.targets.size());
    if (format == "csc") std::swap(edges.sources, edges.targets);
  }
  npy_array const data = needed_array(zip, name, "data");
  if (edges.sources.size() != edges.targets.size() || data.header.elements() != edges.sources.size())
    throw input_error(name, 0, "arrays of different lengths", "an index and a value for each entry");
  edges.weights = weights_of(data);
  return edges;
}

edge_columns read_npz(std::string const& path) {
  file_status const status = status_of(path);
  zip_reader const zip(path, status.version.size_bytes, [path, status](std::uint64_t offset) {
    return std::make_unique<file_stream>(path, offset, status.version);
  });
  return read_npz(zip, path);
}

}  // namespace graph
