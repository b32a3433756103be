// checkpoint_file: blocks of a mebibyte by zlib; pages without memory are not read.
#include "machine/checkpoint/checkpoint_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/output_file.hpp"
#include "machine/kernel/fixed_heap.hpp"
#include "machine/linux/file_access.hpp"

namespace tess::machine {
namespace {

constexpr std::array<char, 8> file_name{'T', 'E', 'S', 'S', 'C', 'P', '0', '1'};
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t pages_in_block = block_bytes / fixed_heap::page_bytes;
constexpr std::uint32_t header_bytes_max = std::uint32_t{1} << 20U;
constexpr int level = 1;

struct block_head {
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint32_t packed;
};
static_assert(sizeof(block_head) == 16);

template <class T>
std::string_view bytes_of(T const& value) {
  return {reinterpret_cast<char const*>(&value), sizeof value};
}

std::uint32_t sum_of(std::uint32_t before, void const* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(::crc32_z(before, static_cast<Bytef const*>(bytes), size));
}

/// Which pages of the heap may be other than zero.
class touched_pages {
 public:
  explicit touched_pages(std::span<std::byte const> of)
      : first_(reinterpret_cast<std::uintptr_t>(of.data()) / fixed_heap::page_bytes),
        map_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  /// A bit for each page of a block.
  [[nodiscard]] bool any(std::uint64_t first, std::uint64_t count, std::array<bool, pages_in_block>& into) const {
    std::array<std::uint64_t, pages_in_block> entries{};
    auto const wanted = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    auto const at = static_cast<off_t>((first_ + first) * sizeof(std::uint64_t));
    bool const known =
        map_.get() >= 0 && ::pread(map_.get(), entries.data(), count * sizeof(std::uint64_t), at) == wanted;
    constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62U;
    for (std::uint64_t i = 0; i < count; ++i) into[i] = !known || (entries[i] & present_or_swapped) != 0;
    return std::ranges::any_of(std::span(into).first(count), [](bool one) { return one; });
  }

 private:
  std::uintptr_t first_;
  host_file map_;
};

bool all_zero(std::span<std::byte const> bytes) {
  return bytes.front() == std::byte{} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// Reads a file from its beginning, and knows whether all of it was there.
class checkpoint_reader {
 public:
  explicit checkpoint_reader(std::string const& name) : name_(name), file_(::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_.get() < 0) throw checkpoint_error{fmt::format("{}: {}", name, std::generic_category().message(errno))};
    std::array<char, 8> found{};
    read(found.data(), found.size());
    if (std::memcmp(found.data(), file_name.data(), 6) != 0)
      throw checkpoint_error{name_ + " is no checkpoint; tess run --machine M --checkpoint-at CYCLE writes one"};
    if (found != file_name) throw checkpoint_error{name_ + " was written by another version of Tessera"};
  }
  void read(void* into, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      ssize_t const got = ::read(file_.get(), static_cast<char*>(into) + done, bytes - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw checkpoint_error{fmt::format("{}: {}", name_, std::generic_category().message(errno))};
      if (got == 0) damaged("it ends too early");
      done += static_cast<std::size_t>(got);
    }
  }
  template <class T>
  T read() {
    T value{};
    read(&value, sizeof value);
    return value;
  }
  [[noreturn]] void damaged(std::string_view how) const {
    throw checkpoint_error{fmt::format("{} is damaged: {}; write the checkpoint again", name_, how)};
  }
  void expect_end() {
    char more = 0;
    if (::read(file_.get(), &more, 1) != 0) damaged("there is more behind its end");
  }

 private:
  std::string name_;
  host_file file_;
};

checkpoint_header read_header(checkpoint_reader& from) {
  auto const bytes = from.read<std::uint32_t>();
  auto const sum = from.read<std::uint32_t>();
  if (bytes > header_bytes_max) from.damaged("its header is too long");
  std::string text(bytes, '\0');
  from.read(text.data(), text.size());
  if (sum_of(0, text.data(), text.size()) != sum) from.damaged("the sum of its header is wrong");
  try {
    auto const json = nlohmann::json::parse(text);
    return {.build = json.at("build"),
            .machine = json.at("machine"),
            .description = json.at("description"),
            .program = json.at("program"),
            .cycle = json.at("cycle"),
            .bytes = json.at("bytes")};
  } catch (nlohmann::json::exception const& wrong) {
    from.damaged(wrong.what());
  }
}

}  // namespace

std::string build_id() {
  std::string result;
  ::dl_iterate_phdr(
      [](dl_phdr_info* about, std::size_t, void* into) {
        // The first one is the executable.
        for (ElfW(Phdr) const& header : std::span(about->dlpi_phdr, about->dlpi_phnum)) {
          if (header.p_type != PT_NOTE) continue;
          auto const* at = reinterpret_cast<char const*>(about->dlpi_addr + header.p_vaddr);
          char const* const end = at + header.p_memsz;
          while (at + sizeof(ElfW(Nhdr)) <= end) {
            auto const* const note = reinterpret_cast<ElfW(Nhdr) const*>(at);
            auto const padded = [](std::uint32_t bytes) { return (bytes + 3U) & ~3U; };
            auto const* const contents = reinterpret_cast<unsigned char const*>(note + 1) + padded(note->n_namesz);
            if (note->n_type == NT_GNU_BUILD_ID)
              for (std::uint32_t i = 0; i < note->n_descsz; ++i)
                *static_cast<std::string*>(into) += fmt::format("{:02x}", contents[i]);
            at = reinterpret_cast<char const*>(contents) + padded(note->n_descsz);
          }
        }
        return 1;
      },
      &result);
  return result;
}

std::uint64_t write_checkpoint(std::string const& file, checkpoint_header header, std::span<std::byte const> bytes) {
  detail::output_file out{file};
  header.bytes = bytes.size();
  std::string const text =
      nlohmann::json{{"build", header.build},     {"machine", header.machine}, {"description", header.description},
                     {"program", header.program}, {"cycle", header.cycle},     {"bytes", header.bytes}}
          .dump();
  out.write({file_name.data(), file_name.size()});
  out.write(bytes_of(static_cast<std::uint32_t>(text.size())));
  out.write(bytes_of(sum_of(0, text.data(), text.size())));
  out.write(text);
  std::uint64_t written = file_name.size() + 2 * sizeof(std::uint32_t) + text.size();

  touched_pages const pages{bytes};
  std::vector<Bytef> packed(::compressBound(block_bytes));
  std::array<bool, pages_in_block> touched{};
  std::uint32_t sum = 0;
  std::uint64_t blocks = 0;
  auto const put = [&](block_head const& head) {
    out.write(bytes_of(head));
    out.write({reinterpret_cast<char const*>(packed.data()), head.packed});
    sum = sum_of(sum, &head, sizeof head);
    sum = sum_of(sum, packed.data(), head.packed);
    written += sizeof head + head.packed;
  };
  for (std::uint64_t offset = 0; offset < bytes.size(); offset += block_bytes) {
    std::uint64_t const size = std::min(block_bytes, bytes.size() - offset);
    std::uint64_t const count = size / fixed_heap::page_bytes;
    if (!pages.any(offset / fixed_heap::page_bytes, count, touched)) continue;
    // A run of touched pages is a block, so that others are not read.
    for (std::uint64_t first = 0; first < count;) {
      auto const is_used = [&](std::uint64_t page) {
        return touched[page] &&
               !all_zero(bytes.subspan(offset + page * fixed_heap::page_bytes, fixed_heap::page_bytes));
      };
      if (!is_used(first)) {
        ++first;
        continue;
      }
      std::uint64_t end = first + 1;
      while (end < count && is_used(end)) ++end;
      auto const run = bytes.subspan(offset + first * fixed_heap::page_bytes, (end - first) * fixed_heap::page_bytes);
      uLongf packed_bytes = packed.size();
      if (::compress2(packed.data(), &packed_bytes, reinterpret_cast<Bytef const*>(run.data()), run.size(), level) !=
          Z_OK)
        throw std::bad_alloc();
      put({offset + first * fixed_heap::page_bytes, static_cast<std::uint32_t>(run.size()),
           static_cast<std::uint32_t>(packed_bytes)});
      ++blocks;
      first = end;
    }
  }
  put({blocks, 0, 0});
  out.write(bytes_of(sum));
  out.close();
  return written + sizeof sum;
}

checkpoint_header read_checkpoint_header(std::string const& file) {
  checkpoint_reader from{file};
  return read_header(from);
}

void read_checkpoint(std::string const& file) {
  checkpoint_reader from{file};
  checkpoint_header const header = read_header(from);
  if (header.bytes < fixed_heap::page_bytes || header.bytes % fixed_heap::page_bytes != 0)
    from.damaged("its size is wrong");
  std::span<std::byte> const into = fixed_heap::reserve(header.bytes);
  std::vector<Bytef> packed;
  std::uint32_t sum = 0;
  for (std::uint64_t blocks = 0;; ++blocks) {
    auto const head = from.read<block_head>();
    sum = sum_of(sum, &head, sizeof head);
    if (head.bytes == 0) {
      if (head.offset != blocks || head.packed != 0) from.damaged("blocks are missing");
      break;
    }
    bool const fits = head.offset < into.size() && head.bytes <= into.size() - head.offset;
    if (!fits || head.bytes > block_bytes || head.packed > ::compressBound(block_bytes))
      from.damaged("a block is out of place");
    packed.resize(head.packed);
    from.read(packed.data(), packed.size());
    sum = sum_of(sum, packed.data(), packed.size());
    uLongf bytes = head.bytes;
    auto* const to = reinterpret_cast<Bytef*>(&into[head.offset]);
    if (::uncompress(to, &bytes, packed.data(), packed.size()) != Z_OK || bytes != head.bytes)
      from.damaged("a block cannot be unpacked");
  }
  if (from.read<std::uint32_t>() != sum) from.damaged("the sum of its blocks is wrong");
  from.expect_end();
  fixed_heap::adopt(into);
}

}  // namespace tess::machine
