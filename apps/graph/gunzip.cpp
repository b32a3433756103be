// gunzip: decompresses by ISA-L.
#include "graph/gunzip.hpp"

#include <utility>

#include "graph/error.hpp"

#if GRAPH_HAS_ISAL
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace graph {

namespace {

constexpr std::size_t input_bytes = 1 << 16;

// What is wrong, in the words of zlib where it has some.
std::string_view reason_of(int result) {
  switch (result) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid code";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
      return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    default:
      return "unknown reason";
  }
}

class gunzip_stream final : public byte_stream {
 public:
  // wrapper: ISAL_GZIP, or ISAL_DEFLATE for one member without.
  gunzip_stream(std::unique_ptr<byte_stream> compressed, std::string file, std::uint32_t wrapper)
      : compressed_(std::move(compressed)), file_(std::move(file)), input_(input_bytes), wrapper_(wrapper) {
    isal_inflate_init(&state_);
    begin_member();
  }

  [[nodiscard]] std::size_t read(std::span<char> to) override {
    if (to.empty()) return 0;
    auto const wanted =
        static_cast<std::uint32_t>(std::min<std::size_t>(to.size(), std::numeric_limits<std::int32_t>::max()));
    state_.next_out = reinterpret_cast<std::uint8_t*>(to.data());
    state_.avail_out = wanted;
    while (state_.avail_out == wanted && damage_.empty() && advance()) {
    }
    // Text before the damage is delivered first, so errors in the text are reported in its order.
    if (!damage_.empty()) deliver_held();
    bool const delivers = state_.avail_out != wanted;
    if (!delivers && !damage_.empty()) throw input_error(file_, 0, damage_, expected_);
    return wanted - state_.avail_out;
  }

 private:
  // Continues; false at the end. Output may be held back for lack of space, so it goes on without input, too.
  bool advance() {
    bool const between_members = state_.block_state == ISAL_BLOCK_FINISH;
    if (between_members && wrapper_ == ISAL_DEFLATE) return false;
    bool const has_input = state_.avail_in != 0 || refill();
    if (!has_input && between_members) return false;
    if (between_members) {
      // ISA-L would take a few bytes of something else for a member that is cut off.
      std::string_view const head(reinterpret_cast<char const*>(state_.next_in), std::min(state_.avail_in, 2U));
      if (!gzip_mark.starts_with(head)) {
        damaged(ISAL_INVALID_WRAPPER);
        return true;
      }
      isal_inflate_reset(&state_);
      begin_member();
    }
    std::uint32_t const room = state_.avail_out;
    int const result = continue_member();
    bool const stuck = !has_input && state_.block_state != ISAL_BLOCK_FINISH && state_.avail_out == room;
    if (result < 0) {
      damaged(result);
    } else if (stuck) {
      damage_ = "gzip data is truncated";
      expected_ = "a complete .gz file (copy or download it again)";
    }
    return true;
  }

  void begin_member() {
    in_header_ = wrapper_ == ISAL_GZIP;
    state_.crc_flag = in_header_ ? ISAL_GZIP_NO_HDR_VER : ISAL_DEFLATE;
    isal_gzip_header_init(&header_);
    header_.flags = 0;  // which isal_gzip_header_init() leaves as it was
  }

  // Below 0: an error. isal_inflate() alone would forget the flags of a header that two reads of the file share.
  int continue_member() {
    if (in_header_) {
      int const result = isal_read_gzip_header(&state_, &header_);
      if (result != ISAL_DECOMP_OK) return result;
      in_header_ = false;
      constexpr std::uint32_t reserved_flags = 0xe0;  // RFC 1952, 2.3.1.2
      if ((header_.flags & reserved_flags) != 0) return ISAL_INVALID_WRAPPER;
    }
    std::uint32_t const room = state_.avail_out;
    std::uint32_t const before = held();
    int const result = isal_inflate(&state_);
    // It counts a match before it finds that the distance is wrong.
    if (result == ISAL_INVALID_LOOKBACK || result == ISAL_INVALID_SYMBOL) {
      constexpr std::uint32_t match_bytes_max = 258;
      std::uint32_t const wrong = std::min(match_bytes_max, room - state_.avail_out + held() - before);
      std::uint32_t const of_held = std::min(wrong, held());
      state_.tmp_out_valid -= static_cast<std::int32_t>(of_held);
      state_.next_out -= wrong - of_held;
      state_.avail_out += wrong - of_held;
    }
    return result;
  }

  [[nodiscard]] std::uint32_t held() const noexcept {
    return static_cast<std::uint32_t>(state_.tmp_out_valid - state_.tmp_out_processed);
  }
  // What was decompressed before the damage, and for which there was no room: ISA-L has up to twice the window's bytes.
  void deliver_held() {
    std::uint32_t const count = std::min(held(), state_.avail_out);
    state_.next_out = std::copy_n(state_.tmp_out_buffer + state_.tmp_out_processed, count, state_.next_out);
    state_.tmp_out_processed += static_cast<std::int32_t>(count);
    state_.avail_out -= count;
  }

  bool refill() {
    state_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_.avail_in = static_cast<std::uint32_t>(compressed_->read(input_));
    return state_.avail_in != 0;
  }

  void damaged(int result) {
    damage_ = fmt::format("gzip data is corrupt ({})", reason_of(result));
    expected_ = "data written by gzip";
  }

  std::unique_ptr<byte_stream> compressed_;
  std::string file_;
  std::vector<char> input_;
  std::uint32_t wrapper_;
  inflate_state state_;
  isal_gzip_header header_;
  bool in_header_;
  std::string damage_;  // what is wrong with the data that follows, or empty
  std::string_view expected_;
};

}  // namespace

std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream> compressed, std::string file) {
  return std::make_unique<gunzip_stream>(std::move(compressed), std::move(file), ISAL_GZIP);
}

std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream> compressed, std::string file) {
  return std::make_unique<gunzip_stream>(std::move(compressed), std::move(file), ISAL_DEFLATE);
}

}  // namespace graph

#else

namespace graph {

std::unique_ptr<byte_stream> gunzip(std::unique_ptr<byte_stream>, std::string file) {
  throw input_error(file, 0, "compressed, and this program is built without ISA-L", "the file as gunzip writes it");
}

std::unique_ptr<byte_stream> inflate(std::unique_ptr<byte_stream>, std::string file) {
  throw input_error(file, 0, "compressed, and this program is built without ISA-L", "a file that is not compressed");
}

}  // namespace graph

#endif
