// generate: parsing of specifications, and the three edge streams.
#include "graph/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "graph/error.hpp"
#include "graph/kronecker.hpp"
#include "kernels/random_word.hpp"

namespace graph {

namespace {

using kernels::splitmix;

constexpr std::string_view kron_prefix = "kron:";
constexpr std::string_view uniform_prefix = "uniform:";
constexpr std::string_view grid_prefix = "grid:";
constexpr std::uint64_t scale_max = 31;
constexpr std::uint64_t edgefactor_default = 16;

// One specification, read from left to right.
class spec_reader {
 public:
  spec_reader(std::string_view spec, std::string_view prefix, std::string form)
      : spec_(spec), rest_(spec.substr(prefix.size())), form_(std::move(form)) {}

  std::uint64_t number(std::string_view thing, std::uint64_t min, std::uint64_t max) {
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(rest_.begin(), rest_.end(), value);
    if (error == std::errc::invalid_argument) fail(fmt::format("{} as {}", quoted(rest_), thing), form_);
    if (error != std::errc{} || value < min || value > max) {
      fail(fmt::format("{} {}", thing, std::string_view(rest_.begin(), end)), fmt::format("{} to {}", min, max));
    }
    rest_ = {end, rest_.end()};
    return value;
  }

  // Whether `byte` comes next; consumes it if so.
  bool take(char byte) {
    if (!rest_.starts_with(byte)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void end() const {
    if (!rest_.empty()) fail(fmt::format("{} too much", quoted(rest_)), form_);
  }

  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    throw input_error(spec_, 0, what, expected);
  }

  [[nodiscard]] std::string const& form() const { return form_; }

 private:
  std::string_view spec_;
  std::string_view rest_;
  std::string form_;
};

generator parse_random(std::string_view spec, std::string_view prefix, generator_kind kind) {
  spec_reader reader(spec, prefix, fmt::format("{}SCALE[,EDGEFACTOR[,SEED]]", prefix));
  generator result{.kind = kind};
  result.scale = static_cast<std::uint32_t>(reader.number("scale", 1, scale_max));
  result.vertices_count = std::uint64_t{1} << result.scale;
  std::uint64_t edgefactor = edgefactor_default;
  if (reader.take(',')) edgefactor = reader.number("edge factor", 1, edges_count_max >> result.scale);
  if (reader.take(',')) result.seed = reader.number("seed", 0, std::numeric_limits<std::uint64_t>::max());
  reader.end();
  result.edges_count = edgefactor << result.scale;
  return result;
}

generator parse_grid(std::string_view spec) {
  spec_reader reader(spec, grid_prefix, "grid:WIDTHxHEIGHT");
  generator result{.kind = generator_kind::grid};
  result.width = reader.number("width", 1, vertices_count_max);
  if (!reader.take('x')) reader.fail("no height", reader.form());
  std::uint64_t const height = reader.number("height", 1, vertices_count_max / result.width);
  reader.end();
  result.vertices_count = result.width * height;
  result.edges_count = (result.width - 1) * height + result.width * (height - 1);
  return result;
}

// A bijection of the numbers of `scale` bits: adding, multiplying by odd numbers modulo 2^scale and xor-shifting to
// the right are all invertible. Kronecker vertices with few ones in their number have many edges; this scatters them.
class permutation {
 public:
  permutation(std::uint32_t scale, std::uint64_t key)
      : mask_((std::uint64_t{1} << scale) - 1),
        shift_((scale + 1) / 2),
        offset_(splitmix(key, 0)),
        first_factor_(splitmix(key, 1) | 1),
        second_factor_(splitmix(key, 2) | 1) {}

  [[nodiscard]] std::uint32_t operator()(std::uint64_t vertex) const noexcept {
    std::uint64_t x = (vertex + offset_) * first_factor_ & mask_;
    x ^= x >> shift_;
    x = x * second_factor_ & mask_;
    x ^= x >> shift_;
    return static_cast<std::uint32_t>(x);
  }

 private:
  std::uint64_t mask_;
  std::uint32_t shift_;
  std::uint64_t offset_;
  std::uint64_t first_factor_;
  std::uint64_t second_factor_;
};

// The number of 64-bit hashes an edge takes: two digits each.
template <std::uint32_t Hashes>
void generate_kron(generator const& from, std::uint64_t first, std::span<edge> edges) {
  std::uint32_t const surplus_levels = 2 * Hashes * levels_per_digit - from.scale;
  std::uint64_t const key = splitmix(from.seed, 0);
  permutation const permute(from.scale, splitmix(from.seed, 1));
  for (std::size_t j = 0; j < edges.size(); ++j) {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    for (std::uint32_t k = 0; k < Hashes; ++k) {
      std::uint64_t const random = splitmix(key, (first + j) * Hashes + k);
      std::uint32_t const high = draw_digits(static_cast<std::uint32_t>(random >> 32));
      std::uint32_t const low = draw_digits(static_cast<std::uint32_t>(random));
      source = source << 8 | (high & 0xf0) | low >> 4;
      target = target << 8 | (high & 0x0f) << 4 | (low & 0x0f);
    }
    edges[j] = {permute(source >> surplus_levels), permute(target >> surplus_levels), 1};
  }
}

void generate_uniform(generator const& from, std::uint64_t first, std::span<edge> edges) {
  std::uint64_t const key = splitmix(from.seed, 2);
  std::uint32_t const surplus_bits = 32 - from.scale;
  for (std::size_t j = 0; j < edges.size(); ++j) {
    std::uint64_t const random = splitmix(key, first + j);
    edges[j] = {static_cast<std::uint32_t>(random >> 32) >> surplus_bits,
                static_cast<std::uint32_t>(random) >> surplus_bits, 1};
  }
}

// All horizontal edges row by row, then all vertical ones.
void generate_grid(generator const& from, std::uint64_t first, std::span<edge> edges) {
  std::uint64_t const per_row = from.width - 1;
  std::uint64_t const horizontal_count = from.vertices_count / from.width * per_row;
  for (std::size_t j = 0; j < edges.size(); ++j) {
    std::uint64_t const i = first + j;
    bool const horizontal = i < horizontal_count;
    // A row has one vertex more than horizontal edges.
    std::uint64_t const source = horizontal ? i + i / per_row : i - horizontal_count;
    std::uint64_t const target = source + (horizontal ? 1 : from.width);
    edges[j] = {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target), 1};
  }
}

}  // namespace

bool names_generator(std::string_view spec) {
  return spec.starts_with(kron_prefix) || spec.starts_with(uniform_prefix) || spec.starts_with(grid_prefix);
}

generator parse_generator(std::string_view spec) {
  if (spec.starts_with(kron_prefix)) return parse_random(spec, kron_prefix, generator_kind::kron);
  if (spec.starts_with(uniform_prefix)) return parse_random(spec, uniform_prefix, generator_kind::uniform);
  if (spec.starts_with(grid_prefix)) return parse_grid(spec);
  throw input_error(spec, 0, "unknown generator", "kron:SCALE, uniform:SCALE or grid:WIDTHxHEIGHT");
}

void generate(generator const& from, std::uint64_t first, std::span<edge> edges) {
  switch (from.kind) {
    case generator_kind::uniform:
      return generate_uniform(from, first, edges);
    case generator_kind::grid:
      return generate_grid(from, first, edges);
    case generator_kind::kron:
      break;
  }
  constexpr std::array by_hashes{generate_kron<1>, generate_kron<2>, generate_kron<3>, generate_kron<4>};
  by_hashes[(from.scale - 1) / (2 * levels_per_digit)](from, first, edges);
}

std::uint32_t random_weight(generator const& from, std::uint32_t u, std::uint32_t v) noexcept {
  auto const [low, high] = std::minmax(u, v);
  std::uint64_t const random = splitmix(splitmix(from.seed, 3), std::uint64_t{low} << 32 | high);
  // The high half times the range: no division.
  return static_cast<std::uint32_t>(1 + ((random >> 32) * random_weight_max >> 32));
}

}  // namespace graph
