// gunzip: decompresses by zlib.
#include "graph/gunzip.hpp"

#include <utility>

#include "graph/error.hpp"

#if GRAPH_HAS_ZLIB
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

namespace graph {

namespace {

constexpr std::size_t input_bytes = 1 << 16;
// inflateInit2: the largest window; 16 more demand the wrapper of gzip, and a negative value none.
constexpr int gzip_only = 15 + 16;
constexpr int no_wrapper = -15;

class gunzip_stream final : public byte_stream {
 public:
  gunzip_stream(std::unique_ptr<byte_stream> compressed, std::string file, int wrapper)
      : compressed_(std::move(compressed)), file_(std::move(file)), input_(input_bytes), raw_(wrapper == no_wrapper) {
    if (inflateInit2(&zlib_, wrapper) != Z_OK) throw std::bad_alloc();
  }
  ~gunzip_stream() override { inflateEnd(&zlib_); }

  [[nodiscard]] std::size_t read(std::span<char> to) override {
    auto const wanted = static_cast<uInt>(std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max()));
    zlib_.next_out = reinterpret_cast<Bytef*>(to.data());
    zlib_.avail_out = wanted;
    while (zlib_.avail_out == wanted && damage_.empty() && advance()) {
    }
    // Text before the damage is delivered first, so errors in the text are reported in its order.
    bool const delivers = zlib_.avail_out != wanted;
    if (!delivers && !damage_.empty()) throw input_error(file_, 0, damage_, expected_);
    return wanted - zlib_.avail_out;
  }

 private:
  // Continues; false at the end. zlib may hold back output for lack of space, so it is called once more without input.
  bool advance() {
    if (raw_ && between_members_) return false;
    bool const has_input = zlib_.avail_in != 0 || refill();
    if (!has_input && between_members_) return false;
    uInt const room = zlib_.avail_out;
    inflate_some();
    bool const stuck = !has_input && !between_members_ && zlib_.avail_out == room;
    if (stuck && damage_.empty()) damaged("gzip data is truncated", "a complete .gz file (copy or download it again)");
    return true;
  }

  bool refill() {
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = static_cast<uInt>(compressed_->read(input_));
    return zlib_.avail_in != 0;
  }

  void inflate_some() {
    if (between_members_) {
      inflateReset(&zlib_);
      between_members_ = false;
    }
    int const result = ::inflate(&zlib_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      char const* const reason = zlib_.msg != nullptr ? zlib_.msg : "unknown reason";
      damaged(fmt::format("gzip data is corrupt ({})", reason), "data written by gzip");
    }
  }

  void damaged(std::string what, std::string_view expected) {
    damage_ = std::move(what);
    expected_ = expected;
  }

  std::unique_ptr<byte_stream> compressed_;
  std::string file_;
  std::vector<char> input_;
  bool raw_;  // one member, without a wrapper
  z_stream zlib_{};
  bool between_members_ = false;
  std::string damage_;  // what is wrong with the data that follows, or empty
  std::string_view expected_;
};

}  // namespace

std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream> compressed, std::string file) {
  return std::make_unique<gunzip_stream>(std::move(compressed), std::move(file), gzip_only);
}

std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream> compressed, std::string file) {
  return std::make_unique<gunzip_stream>(std::move(compressed), std::move(file), no_wrapper);
}

}  // namespace graph

#else

namespace graph {

std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream>, std::string file) {
  throw input_error(file, 0, "compressed, and this program is built without zlib", "the file as gunzip writes it");
}

std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream>, std::string file) {
  throw input_error(file, 0, "compressed, and this program is built without zlib", "a file that is not compressed");
}

}  // namespace graph

#endif
