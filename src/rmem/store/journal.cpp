// journal: a log of entries, each of a head (magic, length, checksum of the payload, checksum of the head) and a
// payload.
#include "rmem/store/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "rmem/wire/message.hpp"

namespace tess::memd {

namespace {

constexpr std::uint64_t file_magic = 0x444d454d53534554;  // "TESSMEMD"
constexpr std::uint32_t entry_magic = 0x59544e45;         // "ENTY"
constexpr std::uint32_t layout_version = 2;
constexpr std::size_t head_bytes = 16;
constexpr std::size_t front_bytes = 36;
/// A region of 2^20 extents; no change is longer.
constexpr std::uint32_t entry_bytes_max = 32U << 20;
constexpr std::uint64_t ahead_bytes = 256 * 1024;
constexpr std::uint64_t reserved_for_freeing = 64 * 1024;

/// CRC-32C.
std::uint32_t checksum(std::span<std::byte const> bytes, std::uint32_t before = 0) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < t.size(); ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = (t[i] >> 1) ^ ((t[i] & 1) != 0 ? 0x82f63b78U : 0U);
    }
    return t;
  }();
  std::uint32_t sum = ~before;
  for (auto const b : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<std::uint32_t>(b)) & 0xff];
  return ~sum;
}

/// The first bytes of both files.
std::array<std::byte, front_bytes> front(std::uint64_t identity, std::uint64_t size, std::uint8_t server) {
  std::array<std::byte, front_bytes> to{};
  wire::store(&to[0], file_magic);
  wire::store(&to[8], layout_version);
  wire::store(&to[12], std::uint32_t{server});
  wire::store(&to[16], identity);
  wire::store(&to[24], size);
  wire::store(&to[32], checksum(std::span(to).first(32)));
  return to;
}

bool is_front(std::span<std::byte const> bytes) {
  return bytes.size() >= front_bytes && wire::load<std::uint64_t>(bytes.data()) == file_magic &&
         wire::load<std::uint32_t>(&bytes[32]) == checksum(bytes.first(32));
}

std::vector<std::byte> entry(change const& c, std::uint64_t number) {
  auto const payload = encode(c);
  std::array<std::byte, 8> sequence{};
  wire::store(sequence.data(), number);
  std::vector<std::byte> bytes(head_bytes);
  wire::store(&bytes[0], entry_magic);
  wire::store(&bytes[4], static_cast<std::uint32_t>(payload.size()));
  wire::store(&bytes[8], checksum(payload, checksum(sequence)));
  wire::store(&bytes[12], checksum(std::span(bytes).first(12)));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

bool write_all(int file, std::span<std::byte const> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    ssize_t const n = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

std::vector<std::byte> read_all(int file, std::uint64_t bytes_max) {
  std::vector<std::byte> bytes(bytes_max);
  std::size_t got = 0;
  while (got < bytes.size()) {
    ssize_t const n = pread(file, &bytes[got], bytes.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

std::uint64_t size_of(int file) {
  struct stat found{};
  return fstat(file, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

std::string reason() {
  return std::generic_category().message(errno);
}

}  // namespace

journal::journal(std::filesystem::path bytes, std::uint64_t size, std::uint8_t server, std::vector<change>& changes)
    : bytes_path_(std::move(bytes)), path_(bytes_path_.string() + ".record"), server_(server), size_(size) {
  // A FIFO or a device must neither block the server nor be changed.
  bytes_ = rmem::descriptor(
      open(bytes_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR));
  struct stat found{};
  if (!bytes_.is_open() || fstat(bytes_.number(), &found) != 0) fail("cannot be opened: " + reason());
  if (!S_ISREG(found.st_mode)) fail("is not a regular file");
  if (flock(bytes_.number(), LOCK_EX | LOCK_NB) != 0) fail("another server uses it");
  file_ = rmem::descriptor(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file_.is_open() && errno != ENOENT) fail("its journal " + path_.string() + " cannot be opened: " + reason());
  if (file_.is_open()) read(size, changes);
  bool const empty = found.st_size == 0;
  if (!empty) check_header();
  if (empty && std::ranges::any_of(changes, [](change const& c) { return c.what == change::kind::create; }))
    fail("is empty, but " + path_.string() + " has regions in it; restore the file, or remove the journal");
  if (empty) changes.clear();
  while (identity_ == 0) static_cast<void>(!getrandom(&identity_, sizeof identity_, 0));
}

void journal::fail(std::string const& what) const {
  throw std::runtime_error(bytes_path_.string() + ": " + what);
}

/// Is PATH a file of a memory server, and does the log belong to it? Other files are never touched.
void journal::check_header() const {
  std::array<std::byte, front_bytes> bytes{};
  bool const whole = pread(bytes_.number(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  if (!whole || !is_front(bytes))
    fail("is not a file of a memory server, or damaged; nothing was changed; give a --file that does not exist yet");
  if (!file_.is_open()) fail("its journal " + path_.string() + " is missing: restore it");
  if (wire::load<std::uint64_t>(&bytes[16]) != identity_)
    fail(path_.string() + " is the journal of another file; restore the right one");
}

void journal::read(std::uint64_t size, std::vector<change>& changes) {
  auto const bytes = read_all(file_.number(), size_of(file_.number()));
  std::span<std::byte const> const all(bytes);
  if (!is_front(bytes)) fail("its journal " + path_.string() + " is damaged at its beginning; restore a copy");
  if (wire::load<std::uint32_t>(&bytes[8]) != layout_version) fail(path_.string() + " is of another version of tess");
  auto const server = wire::load<std::uint32_t>(&bytes[12]);
  if (server != server_) fail("its server has --number " + std::to_string(server));
  auto const recorded = wire::load<std::uint64_t>(&bytes[24]);
  if (size < recorded) fail("was made with --size " + std::to_string(recorded) + " bytes; give as much or more");
  identity_ = wire::load<std::uint64_t>(&bytes[16]);
  std::uint64_t at = front_bytes;
  auto const damaged = [&] {
    fail("its journal " + path_.string() + " is damaged at byte " + std::to_string(at) + "; restore a copy");
  };
  while (all.size() - at >= head_bytes) {
    auto const head = all.subspan(at, head_bytes);
    if (wire::load<std::uint32_t>(head.data()) != entry_magic ||
        wire::load<std::uint32_t>(&head[12]) != checksum(head.first(12))) {
      // A loss of power can leave zeros at the end of a file that had just grown.
      if (std::ranges::all_of(all.subspan(at), [](std::byte b) { return b == std::byte{0}; })) break;
      damaged();
    }
    auto const length = wire::load<std::uint32_t>(&head[4]);
    if (length > all.size() - at - head_bytes) break;  // incomplete: it was never acknowledged
    auto const payload = all.subspan(at + head_bytes, length);
    std::array<std::byte, 8> sequence{};
    wire::store(sequence.data(), count_);
    auto c = decode(payload);
    if (!c || wire::load<std::uint32_t>(&head[8]) != checksum(payload, checksum(sequence))) damaged();
    changes.push_back(std::move(*c));
    at += head_bytes + length;
    ++count_;
  }
  end_ = at;
}

void journal::resume() {
  if (ftruncate(file_.number(), static_cast<off_t>(end_)) != 0) fail("its journal cannot be written: " + reason());
  compact_end_ = reserved_ = end_;
}

void journal::compact(std::span<change const> changes) {
  std::filesystem::path const beside = path_.string() + ".new";
  rmem::descriptor file(open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!file.is_open()) fail(beside.string() + " cannot be created: " + reason());
  auto const head = front(identity_, size_, server_);
  std::vector<std::byte> bytes(head.begin(), head.end());
  std::uint64_t count = 0;
  for (auto const& c : changes) {
    auto const one = entry(c, count++);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  if (!write_all(file.number(), bytes, 0) || fsync(file.number()) != 0 || rename(beside.c_str(), path_.c_str()) != 0) {
    std::string const why = reason();
    unlink(beside.c_str());
    fail("its journal cannot be written: " + why);
  }
  auto const parent = path_.parent_path();
  rmem::descriptor const folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) static_cast<void>(fsync(folder.number()));
  file_ = std::move(file);
  end_ = compact_end_ = reserved_ = bytes.size();
  count_ = count;
  broken_ = false;
  write_header();
  static_cast<void>(reserve(end_, true));
}

void journal::write_header() {
  auto const head = front(identity_, size_, server_);
  if (!write_all(bytes_.number(), head, 0)) fail("cannot be written: " + reason());
}

/// Allocates space ahead of `end`. False: there is none, or only the space reserved for changes that free some.
bool journal::reserve(std::uint64_t end, bool frees) {
  if (end + reserved_for_freeing > reserved_) {
    if (fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_),
                  static_cast<off_t>(end + ahead_bytes - reserved_)) == 0)
      reserved_ = end + ahead_bytes;
    else if (errno == EOPNOTSUPP)
      return true;
  }
  return end + (frees ? 0 : reserved_for_freeing) <= reserved_;
}

bool journal::append(change const& c) {
  auto const bytes = entry(c, count_);
  bool const frees = c.what == change::kind::remove || c.what == change::kind::unlink || c.what == change::kind::revoke;
  if (broken_ || bytes.size() > entry_bytes_max || !reserve(end_ + bytes.size(), frees)) return false;
  if (!write_all(file_.number(), bytes, end_)) {
    // An incomplete entry must not be read as damage.
    broken_ = ftruncate(file_.number(), static_cast<off_t>(end_)) != 0;
    return false;
  }
  end_ += bytes.size();
  ++count_;
  return true;
}

bool journal::sync() {
  // The log last, so that what it says about the bytes is true.
  return fdatasync(bytes_.number()) == 0 && fdatasync(file_.number()) == 0;
}

}  // namespace tess::memd
