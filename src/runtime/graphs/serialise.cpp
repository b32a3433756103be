// serialise: the writer, to a vector or to memory, and the reader, which trusts nothing.
#include "runtime/graphs/serialise.hpp"

#include <cstring>
#include <string>

#include "runtime/graphs/copy_lines.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/types.hpp"

namespace tess::detail {

namespace {

std::uint64_t padded_words(std::uint64_t bytes) noexcept {
  return (bytes + 7) & ~std::uint64_t{7};
}

struct vector_sink {
  std::vector<std::byte> bytes;
  [[nodiscard]] std::size_t size() const noexcept { return bytes.size(); }
  [[nodiscard]] std::byte* data() noexcept { return bytes.data(); }
  void append(void const* from, std::size_t count) {
    auto const* const first = static_cast<std::byte const*>(from);
    bytes.insert(bytes.end(), first, first + count);
  }
};

struct memory_sink {
  std::byte* begin;
  std::size_t used = 0;
  [[nodiscard]] std::size_t size() const noexcept { return used; }
  [[nodiscard]] std::byte* data() noexcept { return begin; }
  void append(void const* from, std::size_t count) {
    copy_lines(begin + used, static_cast<std::byte const*>(from), count);
    used += count;
  }
};

template <class Sink>
class writer {
 public:
  writer(graph_walk const& walk, Sink& out) : walk_(walk), out_(out) {}

  void write() {
    std::uint32_t const* number = walk_.targets();
    for (std::uint64_t i = 0; i < walk_.blocks(); ++i) {
      graph_walk::visited_block const f = walk_.block(i);
      type_record const& type = type_of(f.type);
      std::uint64_t const head = f.type;
      out_.append(&head, sizeof head);
      if (type.kind == block_kind::object) {
        write_object(f.source, type, number);
      } else {
        std::uint64_t const bytes = array_bytes_of(f.source);
        out_.append(&bytes, sizeof bytes);
        if (type.kind == block_kind::data_array)
          out_.append(f.source, padded_words(bytes));
        else
          for (std::uint64_t w = 0; w < bytes / 8; ++w) write_number(*number++);
      }
    }
  }

 private:
  void write_number(std::uint64_t n) { out_.append(&n, sizeof n); }

  void write_object(std::byte const* source, type_record const& type, std::uint32_t const*& number) {
    std::size_t const begin = out_.size();
    out_.append(source, type.bytes);
    for (std::uint32_t t = 0; t < type.transients_count; ++t)
      std::memset(out_.data() + begin + type.transients[t].offset, 0, type.transients[t].bytes);
    for (std::uint32_t s = 0; s < type.slots_count; ++s) {
      std::uint64_t const n = *number++;
      std::memcpy(out_.data() + begin + type.slots[s], &n, sizeof n);
    }
  }

  graph_walk const& walk_;
  Sink& out_;
};

class reader {
 public:
  reader(std::span<std::byte const> stream, std::uint32_t blocks) : stream_(stream) {
    if (blocks > stream.size() / 8) malformed("fewer blocks than announced");
    table_.reserve(blocks);
    for (std::uint32_t i = 0; i < blocks; ++i) make_block();
    if (at_ != stream_.size()) malformed("bytes behind the last block");
    for (std::byte* const object : table_) resolve(object);
  }
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  deserialised finish(type_record const& root_type) {
    if (table_.empty() || &type_of(header_of(table_.front()).type) != &root_type) malformed("another root");
    return {owner_.release(), table_.front()};
  }

 private:
  [[noreturn]] void malformed(char const* what) const {
    throw error("a serialised graph", std::string(what) + " at byte " + std::to_string(at_),
                "a stream written by the same binary");
  }
  std::uint64_t word() {
    if (stream_.size() - at_ < 8) malformed("truncated");
    std::uint64_t w;
    std::memcpy(&w, stream_.data() + at_, sizeof w);
    at_ += 8;
    return w;
  }

  void make_block() {
    std::uint64_t const index = word();
    type_record const* const type = index >> 32 == 0 ? find_type(static_cast<std::uint32_t>(index)) : nullptr;
    if (type == nullptr) malformed("an unknown type");
    std::uint64_t const bytes = type->kind == block_kind::object ? type->bytes : word();
    if (bytes > stream_.size() - at_ || padded_words(bytes) > stream_.size() - at_) malformed("truncated");
    if (type->kind != block_kind::object && bytes % type->bytes != 0) malformed("an array of broken elements");
    auto* const object =
        static_cast<std::byte*>(owner_->allocate(*type, static_cast<std::uint32_t>(index), bytes, true));
    copy_lines(object, stream_.data() + at_, padded_words(bytes));
    at_ += padded_words(bytes);
    table_.push_back(object);
  }

  void resolve(std::byte* object) {
    type_record const& type = type_of(header_of(object).type);
    if (type.kind == block_kind::object) {
      for (std::uint32_t t = 0; t < type.transients_count; ++t)
        std::memset(object + type.transients[t].offset, 0, type.transients[t].bytes);
      for (std::uint32_t s = 0; s < type.slots_count; ++s) resolve_word(object + type.slots[s], type.checks[s]);
    } else if (type.kind == block_kind::pointer_array) {
      for (std::uint64_t w = 0; w < array_bytes_of(object); w += 8) resolve_word(object + w, *type.checks);
    }
  }
  void resolve_word(std::byte* word, slot_check const& check) const {
    std::uint64_t number;
    std::memcpy(&number, word, sizeof number);
    std::uint64_t descriptor[3] = {0, 0, 0};
    if (check.descriptor) std::memcpy(descriptor, word, sizeof descriptor);
    if (number > table_.size()) malformed("a number of no block");
    std::byte* const target = number == 0 ? nullptr : table_[number - 1];
    if (target != nullptr && !accepts(check.accepted, type_of(header_of(target).type)))
      malformed("a pointer to an object of the wrong type");
    if (check.descriptor) {
      std::uint64_t bytes = 0;
      std::uint64_t const element = target == nullptr ? 0 : type_of(header_of(target).type).bytes;
      if (__builtin_mul_overflow(descriptor[1], element, &bytes) || bytes != descriptor[2] ||
          (target == nullptr ? descriptor[1] != 0 : bytes > array_bytes_of(target)))
        malformed("an array whose count is not that of its elements");
    }
    std::memcpy(word, &target, sizeof target);
  }

  std::span<std::byte const> stream_;
  std::size_t at_ = 0;
  owned_region owner_{region::make(0)};
  std::vector<std::byte*> table_;
};

}  // namespace

std::vector<std::byte> serialise(graph_walk const& walk) {
  vector_sink out;
  out.bytes.reserve(serialised_bytes_max(walk));
  writer(walk, out).write();
  return std::move(out.bytes);
}

std::uint64_t serialised_bytes_max(graph_walk const& walk) noexcept {
  return walk.bytes() + walk.blocks() * 8;
}

std::uint64_t serialise(graph_walk const& walk, std::byte* to) {
  memory_sink out{to};
  writer(walk, out).write();
  return out.size();
}

deserialised deserialise(std::span<std::byte const> stream, std::uint32_t blocks, type_record const& root_type) {
  return reader(stream, blocks).finish(root_type);
}

}  // namespace tess::detail
