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

char const* reason_of(int result) noexcept {
  switch (result) {
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    case ISAL_INVALID_WRAPPER:
      return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INVALID_LOOKBACK:
      return "a distance that is too far back";
    case ISAL_INVALID_BLOCK:
      return "an invalid block";
    case ISAL_INVALID_SYMBOL:
      return "an invalid symbol";
    default:
      return "unknown reason";
  }
}

class gunzip_stream final : public byte_stream {
 public:
  // wrapper: ISAL_GZIP or ISAL_DEFLATE.
  gunzip_stream(std::unique_ptr<byte_stream> compressed, std::string file, std::uint32_t wrapper)
      : compressed_(std::move(compressed)),
        file_(std::move(file)),
        input_(kept_bytes + input_bytes),
        wrapper_(wrapper) {
    begin_member();
  }

  [[nodiscard]] std::size_t read(std::span<char> to) override {
    auto const wanted =
        static_cast<std::uint32_t>(std::min<std::size_t>(to.size(), std::numeric_limits<std::uint32_t>::max()));
    state_->next_out = reinterpret_cast<std::uint8_t*>(to.data());
    state_->avail_out = wanted;
    while (state_->avail_out == wanted && damage_.empty() && advance()) {
    }
    // Text before the damage is delivered first, so errors in the text are reported in its order.
    bool const delivers = state_->avail_out != wanted;
    if (!delivers && !damage_.empty()) throw input_error(file_, 0, damage_, expected_);
    return wanted - state_->avail_out;
  }

 private:
  // isal_inflate takes up to eight bytes of input in advance, and gives those behind a member back.
  static constexpr std::size_t kept_bytes = sizeof(inflate_state::read_in);

  // Continues; false at the end. Output may be held back for lack of space, so isal_inflate is called once more without
  // input.
  bool advance() {
    if (between_members_ && wrapper_ == ISAL_DEFLATE) return false;
    bool const has_input = state_->avail_in != 0 || refill();
    if (!has_input && between_members_) return false;
    std::uint32_t const room = state_->avail_out;
    inflate_some();
    bool const stuck = !has_input && !between_members_ && state_->avail_out == room;
    if (stuck && damage_.empty()) damaged("gzip data is truncated", "a complete .gz file (copy or download it again)");
    return true;
  }

  bool refill() {
    if (state_->next_in != nullptr) std::copy_n(state_->next_in - kept_bytes, kept_bytes, input_.data());
    state_->next_in = input_.data() + kept_bytes;
    std::span const room(reinterpret_cast<char*>(state_->next_in), input_bytes);
    state_->avail_in = static_cast<std::uint32_t>(compressed_->read(room));
    return state_->avail_in != 0;
  }

  void inflate_some() {
    if (between_members_) {
      std::uint8_t const* const next = state_->next_in;
      if (next[0] != 0x1f || (state_->avail_in > 1 && next[1] != 0x8b)) return corrupt(ISAL_INVALID_WRAPPER);
      begin_member();
    }
    int const result = isal_inflate(state_.get());
    if (result < 0) return corrupt(result);
    if (state_->block_state != ISAL_BLOCK_FINISH) return;
    between_members_ = true;
    auto const unused = static_cast<std::uint32_t>(state_->read_in_length / 8);
    state_->next_in -= unused;
    state_->avail_in += unused;
  }

  void begin_member() {
    auto const [next, bytes] = std::pair(state_->next_in, state_->avail_in);
    auto const [to, room] = std::pair(state_->next_out, state_->avail_out);
    isal_inflate_init(state_.get());
    state_->crc_flag = wrapper_;
    state_->next_in = next;
    state_->avail_in = bytes;
    state_->next_out = to;
    state_->avail_out = room;
    between_members_ = false;
  }

  void corrupt(int result) {
    damaged(fmt::format("gzip data is corrupt ({})", reason_of(result)), "data written by gzip");
  }

  void damaged(std::string what, std::string_view expected) {
    damage_ = std::move(what);
    expected_ = expected;
  }

  std::unique_ptr<byte_stream> compressed_;
  std::string file_;
  std::vector<std::uint8_t> input_;
  std::uint32_t wrapper_;
  std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  bool between_members_ = false;
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
