// npy: parses the one dictionary that numpy writes, and writes it.
#include "graph/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "graph/error.hpp"

namespace graph {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

// What follows a key of the dictionary, without blanks.
std::string_view npy_value(std::string_view dictionary, std::string_view key, std::string const& name) {
  std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) throw input_error(name, 0, fmt::format("no {} in its header", key), "a .npy file");
  at = dictionary.find(':', at) + 1;
  while (at < dictionary.size() && dictionary[at] == ' ') ++at;
  return dictionary.substr(at);
}

}  // namespace

std::uint64_t npy_header::elements() const noexcept {
  std::uint64_t product = 1;
  for (std::uint64_t const extent : shape) {
    if (extent != 0 && product > std::numeric_limits<std::uint64_t>::max() / extent)
      return std::numeric_limits<std::uint64_t>::max();
    product *= extent;
  }
  return product;
}

npy_header parse_npy_header(std::string_view bytes, std::string const& name) {
  auto const fail = [&](std::string_view what, std::string_view expected) {
    throw input_error(name, 0, what, expected);
  };
  if (!bytes.starts_with(npy_magic) || bytes.size() < 12) fail("no array of numpy", "a .npy file");
  auto const byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  std::size_t const major = byte(6);
  std::size_t const begin = major == 1 ? 10 : 12;
  std::size_t const length = byte(8) | byte(9) << 8U | (major == 1 ? 0 : byte(10) << 16U | byte(11) << 24U);
  if (major < 1 || major > 3) fail(fmt::format("version {} of .npy", major), "1 to 3");
  if (bytes.size() - begin < length) fail("its header is cut off", "a whole .npy file");
  std::string_view const dictionary = bytes.substr(begin, length);
  npy_header header;
  header.data_offset = begin + length;
  std::string_view const descr = npy_value(dictionary, "descr", name);
  if (descr.size() < 5 || descr[0] != '\'') fail(fmt::format("elements {}", graph::quoted(descr)), "numbers or texts");
  header.kind = descr[2];
  header.swapped = descr[1] == '>';
  auto const [stop, problem] = std::from_chars(descr.data() + 3, descr.data() + descr.size(), header.bytes);
  bool const known = std::string_view("<>|=").find(descr[1]) != std::string_view::npos &&
                     std::string_view("iufbSU").find(descr[2]) != std::string_view::npos;
  if (!known || problem != std::errc{} || stop == descr.data() + descr.size() || *stop != '\'')
    fail(fmt::format("elements {}", graph::quoted(descr.substr(0, descr.find('\'', 1) + 1))), "numbers or texts");
  if (npy_value(dictionary, "fortran_order", name).starts_with("True") && header.shape.size() > 1)
    fail("an array in the order of Fortran", "one in the order of C");
  std::string_view shape = npy_value(dictionary, "shape", name);
  if (!shape.starts_with('(')) fail("no shape in its header", "a .npy file");
  shape.remove_prefix(1);
  while (!shape.starts_with(')')) {
    std::uint64_t extent = 0;
    auto const [end, wrong] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (wrong != std::errc{} || header.shape.size() == 8) fail("no shape in its header", "a .npy file");
    header.shape.push_back(extent);
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    while (shape.starts_with(',') || shape.starts_with(' ')) shape.remove_prefix(1);
    if (shape.empty()) fail("no shape in its header", "a .npy file");
  }
  return header;
}

std::string npy_begin(std::string_view descr, std::uint64_t rows) {
  static_assert(std::endian::native == std::endian::little);
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, rows);
  std::size_t const fixed = npy_magic.size() + 4;
  while ((fixed + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  std::string begin(npy_magic);
  begin += {'\x01', '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8U)};
  return begin + dictionary;
}

}  // namespace graph
