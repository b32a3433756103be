// saved: writes sections, maps them, and verifies them by threads.
#include "graph/saved.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include "graph/error.hpp"
#include "graph/name_table.hpp"
#include "graph/new_file.hpp"
#include "graph/parallel.hpp"

namespace graph {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::array<char, 8> saved_magic{'\x89', 'T', 'G', 'R', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t order_mark = 0x01020304;
constexpr std::uint64_t piece_bytes = 1 << 20;
constexpr hash_seed checksum_seed{0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U};
constexpr std::string_view whole_file = "a .tgr file as it was saved (copy or make it again)";

enum saved_flags : std::uint64_t { directed = 1, weighted = 2, has_in_rows = 4, integer_labels = 8, text_labels = 16 };

enum section_kind : std::size_t { offsets, targets, weights, in_offsets, in_targets, in_weights, names, text, kinds };

struct section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct saved_header {
  std::array<char, 8> magic = saved_magic;
  std::uint32_t version = saved_version;
  std::uint32_t order = order_mark;
  std::uint64_t flags = 0;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  std::uint64_t self_loops = 0;
  std::uint64_t file_bytes = 0;
  std::array<section, kinds> sections{};
};
static_assert(sizeof(saved_header) == 248);

std::string_view bytes_of(void const* from, std::uint64_t bytes) {
  return {static_cast<char const*>(from), bytes};
}
template <class T>
std::string_view bytes_of(std::span<T> values) {
  return bytes_of(values.data(), values.size_bytes());
}

// Each thread takes some pieces; the result is the checksum of theirs.
std::uint64_t checksum_of(std::string_view bytes, unsigned threads) {
  std::uint64_t const pieces = (bytes.size() + piece_bytes - 1) / piece_bytes;
  std::vector<std::uint64_t> sums(pieces);
  auto const used = static_cast<unsigned>(std::clamp<std::uint64_t>(pieces, 1, threads));
  on_threads(used, [&](unsigned t) {
    for (std::uint64_t i = part_begin(pieces, t, used); i < part_begin(pieces, t + 1, used); ++i)
      sums[i] = detail::hash(bytes.substr(i * piece_bytes, piece_bytes), checksum_seed);
  });
  return detail::hash(bytes_of(std::span<std::uint64_t const>(sums)), checksum_seed);
}

std::string header_page(saved_header const& header) {
  std::string page(page_bytes, '\0');
  std::memcpy(page.data(), &header, sizeof header);
  std::size_t const at = page_bytes - sizeof(std::uint64_t);
  std::uint64_t const sum = detail::hash(std::string_view(page).substr(0, at), checksum_seed);
  std::memcpy(page.data() + at, &sum, sizeof sum);
  return page;
}

// A file's pages as long as something uses them.
class mapped_file {
 public:
  explicit mapped_file(std::string const& path) {
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) throw input_error(path, 0, std::generic_category().message(errno), "a file that can be read");
    struct stat about{};
    bool const regular = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    bytes_ = regular ? static_cast<std::uint64_t>(about.st_size) : 0;
    if (bytes_ >= page_bytes) memory_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    int const problem = errno;
    ::close(descriptor);
    if (!regular) throw input_error(path, 0, "not a regular file", "a .tgr file");
    if (bytes_ < page_bytes)
      throw input_error(path, 0, fmt::format("a file of {} bytes", bytes_), "a saved graph, which has at least a page");
    if (memory_ == MAP_FAILED)
      throw input_error(path, 0, std::generic_category().message(problem), "a file that can be mapped into memory");
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;
  ~mapped_file() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  [[nodiscard]] std::string_view bytes() const noexcept { return {static_cast<char const*>(memory_), bytes_}; }

 private:
  void* memory_ = MAP_FAILED;
  std::uint64_t bytes_ = 0;
};

saved_header header_of(std::string_view bytes, std::string const& path) {
  auto const fail = [&](std::string_view what, std::string_view expected) {
    throw input_error(path, 0, what, expected);
  };
  saved_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != saved_magic) fail("not a saved graph", "a file that `tess graph convert` or save() wrote");
  if (header.order != order_mark)
    fail("words with the bytes in another order", "a graph saved on a machine with the order of this one");
  if (header.version != saved_version)
    fail(fmt::format("version {} of saved graphs", header.version), fmt::format("{} (make it again)", saved_version));
  std::uint64_t sum = 0;
  std::size_t const at = page_bytes - sizeof sum;
  std::memcpy(&sum, bytes.data() + at, sizeof sum);
  if (sum != detail::hash(bytes.substr(0, at), checksum_seed)) fail("its header is damaged", whole_file);
  if (header.file_bytes != bytes.size())
    fail(fmt::format("a file of {} bytes", bytes.size()),
         fmt::format("{} bytes, as its header says", header.file_bytes));
  if (header.vertices > vertices_count_max) fail(fmt::format("{} vertices", header.vertices), "less than 2^32");
  return header;
}

// The arrays of one file, whose extents are verified.
class saved_sections {
 public:
  saved_sections(saved_header const& header, std::string_view bytes, std::string const& path)
      : header_(header), bytes_(bytes), path_(path) {
    bool const in = (header.flags & has_in_rows) != 0;
    bool const reals = (header.flags & weighted) != 0;
    std::uint64_t const ends = (header.vertices + 1) * sizeof(std::uint64_t);
    expect(offsets, ends);
    expect(targets, header.entries, sizeof(std::uint32_t));
    expect(weights, reals ? header.entries : 0, sizeof(double));
    expect(in_offsets, in ? ends : 0);
    expect(in_targets, in ? header.entries : 0, sizeof(std::uint32_t));
    expect(in_weights, in && reals ? header.entries : 0, sizeof(double));
    bool const texts = (header.flags & text_labels) != 0;
    bool const integers = (header.flags & integer_labels) != 0;
    if ((texts && integers) || (in && (header.flags & directed) == 0)) fail("flags that contradict each other");
    expect(names, texts ? ends : integers ? header.vertices * sizeof(std::int64_t) : 0);
    if (!texts) expect(text, 0);
    for (section const& each : header.sections) {
      bool const inside =
          each.offset % page_bytes == 0 && each.offset <= bytes.size() && each.bytes <= bytes.size() - each.offset;
      if (!inside) fail("a section lies beyond its end");
    }
  }

  template <class T>
  [[nodiscard]] std::span<T const> array(section_kind kind) const {
    section const& where = header_.sections[kind];
    return {reinterpret_cast<T const*>(bytes_.data() + where.offset), where.bytes / sizeof(T)};
  }
  [[nodiscard]] std::string_view bytes(section_kind kind) const {
    return bytes_.substr(header_.sections[kind].offset, header_.sections[kind].bytes);
  }
  [[noreturn]] void fail(std::string_view what) const { throw input_error(path_, 0, what, whole_file); }

 private:
  void expect(section_kind kind, std::uint64_t count, std::uint64_t element_bytes = 1) const {
    std::uint64_t const bytes = header_.sections[kind].bytes;
    if (bytes % element_bytes != 0 || bytes / element_bytes != count)
      fail("a section of another size than its header says");
  }

  saved_header const& header_;
  std::string_view bytes_;
  std::string const& path_;
};

// Rows that can be used without looking at them again. Returns the self-loops.
std::uint64_t verify_rows(saved_sections const& sections, csr_rows const& rows, std::uint64_t entries,
                          unsigned threads) {
  std::uint64_t const vertices = rows.vertices();
  if (rows.offsets.front() != 0 || rows.offsets.back() != entries) sections.fail("rows that do not cover the entries");
  auto const used = static_cast<unsigned>(std::clamp<std::uint64_t>(entries / 65536, 1, threads));
  std::vector<std::uint64_t> loops(used);
  on_threads(used, [&](unsigned t) {
    std::uint64_t found = 0;
    for (std::uint64_t v = part_begin(vertices, t, used); v < part_begin(vertices, t + 1, used); ++v) {
      std::uint64_t const begin = rows.offsets[v];
      std::uint64_t const end = rows.offsets[v + 1];
      if (begin > end || end > entries) sections.fail("rows that do not follow each other");
      std::uint64_t least = 0;
      for (std::uint64_t e = begin; e < end; ++e) {
        std::uint64_t const target = rows.targets[e];
        if (target < least) sections.fail(fmt::format("a row that is not in order, that of vertex {}", v));
        if (target == v) ++found;
        least = target + 1;
      }
      if (least > vertices) sections.fail(fmt::format("an edge from {} to no vertex", v));
    }
    loops[t] = found;
  });
  std::uint64_t sum = 0;
  for (std::uint64_t const each : loops) sum += each;
  return sum;
}

void verify_ends(saved_sections const& sections) {
  auto const ends = sections.array<std::int64_t>(names);
  auto const size = static_cast<std::int64_t>(sections.bytes(text).size());
  bool const valid = ends.front() == 0 && ends.back() == size && std::ranges::is_sorted(ends);
  if (!valid) sections.fail("names that do not follow each other");
}

struct opened {
  std::shared_ptr<mapped_file const> memory;
  saved_header header;
  csr graph;
};

opened open_file(std::string const& path, unsigned threads) {
  opened made;
  made.memory = std::make_shared<mapped_file const>(path);
  made.header = header_of(made.memory->bytes(), path);
  saved_header const& header = made.header;
  saved_sections const sections(header, made.memory->bytes(), path);
  csr& graph = made.graph;
  graph.directed = (header.flags & directed) != 0;
  graph.self_loops = header.self_loops;
  graph.out = {sections.array<std::uint64_t>(offsets), sections.array<std::uint32_t>(targets),
               sections.array<double>(weights)};
  graph.out_memory = made.memory;
  if (verify_rows(sections, graph.out, header.entries, threads) != header.self_loops)
    sections.fail("another number of self-loops than its header says");
  if (!graph.directed && (header.entries + header.self_loops) % 2 != 0)
    sections.fail("an edge without directions that is in one row only");
  if ((header.flags & has_in_rows) != 0) {
    graph.in = {sections.array<std::uint64_t>(in_offsets), sections.array<std::uint32_t>(in_targets),
                sections.array<double>(in_weights)};
    graph.in_memory = made.memory;
    if (verify_rows(sections, graph.in, header.entries, threads) != header.self_loops)
      sections.fail("another number of self-loops than its header says");
  }
  if ((header.flags & text_labels) != 0) {
    verify_ends(sections);
    graph.names =
        std::make_shared<dictionary>(sections.array<char>(text), sections.array<std::int64_t>(names), graph.out_memory);
  }
  if ((header.flags & integer_labels) != 0)
    graph.names = std::make_shared<dictionary>(sections.array<std::int64_t>(names), graph.out_memory);
  return made;
}

// The same for the edge from u to v of out-rows as for that of in-rows; sums do not depend on the order.
std::uint64_t digest_of_rows(csr_rows const& rows, bool turned, unsigned threads) {
  std::vector<std::uint64_t> sums(threads);
  on_threads(threads, [&](unsigned t) {
    for (std::uint64_t v = part_begin(rows.vertices(), t, threads); v < part_begin(rows.vertices(), t + 1, threads);
         ++v)
      for (std::uint64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
        std::uint64_t const ends = turned ? std::uint64_t{rows.targets[e]} << 32U | v : v << 32U | rows.targets[e];
        std::uint64_t const weight = rows.weights.empty() ? 0 : std::bit_cast<std::uint64_t>(rows.weights[e]);
        sums[t] += detail::fold(ends ^ checksum_seed.first, weight ^ checksum_seed.second);
      }
  });
  std::uint64_t sum = 0;
  for (std::uint64_t const each : sums) sum += each;
  return sum;
}

}  // namespace

void save(csr const& graph, std::string const& path, unsigned wanted) {
  static_assert(std::endian::native == std::endian::little);
  unsigned const threads = threads_for(wanted);
  std::array<std::string_view, kinds> contents{};
  saved_header header;
  std::array<std::uint64_t, 1> const no_offsets{0};
  contents[offsets] =
      graph.out.offsets.empty() ? bytes_of(std::span<std::uint64_t const>(no_offsets)) : bytes_of(graph.out.offsets);
  contents[targets] = bytes_of(graph.out.targets);
  contents[weights] = bytes_of(graph.out.weights);
  contents[in_offsets] = bytes_of(graph.in.offsets);
  contents[in_targets] = bytes_of(graph.in.targets);
  contents[in_weights] = bytes_of(graph.in.weights);
  header.flags = (graph.directed ? directed : 0U) | (graph.weighted() ? weighted : 0U) |
                 (graph.in.offsets.empty() ? 0U : has_in_rows);
  if (graph.names && graph.names->are_integers()) {
    header.flags |= integer_labels;
    contents[names] = bytes_of(graph.names->integers());
  } else if (graph.names) {
    header.flags |= text_labels;
    contents[names] =
        bytes_of(graph.names->offsets().empty() ? std::span<std::int64_t const>() : graph.names->offsets());
    contents[text] = bytes_of(graph.names->text());
  }
  header.vertices = graph.vertices();
  header.entries = graph.out.entries();
  header.self_loops = graph.self_loops;
  std::uint64_t end = page_bytes;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    header.sections[kind] = {end, contents[kind].size(), checksum_of(contents[kind], threads)};
    end += (contents[kind].size() + page_bytes - 1) / page_bytes * page_bytes;
  }
  header.file_bytes = end;
  new_file file(path);
  file.write_at(0, header_page(header));
  for (std::size_t kind = 0; kind < kinds; ++kind) file.write_at(header.sections[kind].offset, contents[kind]);
  file.set_size(end);  // the last section may not fill its page
  file.finish();
}

csr open_saved(std::string const& path, unsigned threads) {
  return open_file(path, threads_for(threads)).graph;
}

csr check_saved(std::string const& path, unsigned wanted) {
  unsigned const threads = threads_for(wanted);
  opened const file = open_file(path, threads);
  csr const& graph = file.graph;
  saved_sections const sections(file.header, file.memory->bytes(), path);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (checksum_of(sections.bytes(static_cast<section_kind>(kind)), threads) != file.header.sections[kind].checksum)
      sections.fail("a checksum is wrong");
  for (double const weight : graph.out.weights)
    if (!std::isfinite(weight)) sections.fail("a weight that is no finite number");
  std::uint64_t const out = digest_of_rows(graph.out, false, threads);
  if (!graph.directed && digest_of_rows(graph.out, true, threads) != out)
    sections.fail("an edge without directions that is in one row only");
  if (!graph.in.offsets.empty() && digest_of_rows(graph.in, true, threads) != out)
    sections.fail("rows of in-edges that are not those of the out-edges");
  if (graph.names) graph.names->check(path);
  return graph;
}

}  // namespace graph
