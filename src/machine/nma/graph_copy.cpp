// graph_copy: the states of Algorithm 1: advance, copyword, retreat.
#include "machine/nma/graph_copy.hpp"

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using registers::graph_fault;

constexpr std::uint64_t no_mask = ~std::uint64_t{0};
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40U;

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept {
  return (bytes + word_bytes - 1) / word_bytes * word_bytes;
}

}  // namespace

task<copy_outcome> graph_copy::run(copy_request const& request) {
  request_ = request;
  original_ = copy_ = {};
  now_ = {};
  used_ = request.first;
  objects_ = 0;
  copy_outcome result;
  std::uint64_t root = 0;
  try {
    if (request.root == 0) throw fault{graph_fault::null_pointer};
    if (!co_await map_.begin(request.map, request.objects)) throw fault{graph_fault::map_full};
    co_await advance(request.root);
    root = now_.dst;
    while (!co_await copy_words() || co_await retreat()) {
    }
  } catch (fault const& found) {
    result.error = found.what;
  }
  co_await memory_.clean(copy_);
  co_await memory_.drain();
  if (result.error == graph_fault::none) result.root = final_of(root);
  result.bytes = used_;
  result.objects = objects_;
  co_return result;
}

void graph_copy::check(std::uint64_t original, std::uint64_t front, std::uint64_t bytes) const {
  region const& in = request_.source;
  bool const inside =
      original % word_bytes == 0 && original >= in.base + front && original < in.end() && bytes <= in.end() - original;
  if (!inside) throw fault{graph_fault::wild_pointer};
}

task<object_type> graph_copy::type_of(std::uint64_t header) {
  memory_.step();
  co_await memory_.settle();
  auto const type = co_await types_.read(static_cast<std::uint32_t>(header));
  if (!type) throw fault{graph_fault::bad_descriptor};
  mask_number_ = no_mask;
  co_return *type;
}

std::uint64_t graph_copy::allocate(object_type const& type, std::uint64_t bytes) {
  std::uint64_t const object = (used_ + type.front_bytes() + type.alignment - 1) & ~(type.alignment - 1);
  if (bytes > bytes_max || object + padded(bytes) > request_.bytes) throw fault{graph_fault::buffer_full};
  used_ = object + padded(bytes);
  ++objects_;
  return request_.destination + object;
}

task<> graph_copy::advance(std::uint64_t original) {
  memory_.step();
  check(original, registers::objects::front_bytes, 0);
  std::uint64_t const header = co_await memory_.load(original_, from(original - registers::objects::header));
  object_type const type = co_await type_of(header);
  std::uint64_t bytes = type.bytes;
  if (type.is_array()) {
    check(original, registers::objects::array_front_bytes, 0);
    bytes = co_await memory_.load(original_, from(original - registers::objects::array_bytes));
    if (type.kind == registers::objects::pointer_array && bytes % word_bytes != 0)
      throw fault{graph_fault::bad_descriptor};
  }
  check(original, type.front_bytes(), bytes);
  std::uint64_t const copy = allocate(type, bytes);
  if (!co_await map_.insert(original, copy)) throw fault{graph_fault::map_full};
  if (now_.dst != 0) {
    // Leave the parent's state in its copy.
    co_await memory_.store(copy_, to(now_.dst + now_.position * word_bytes), final_of(copy));
    co_await memory_.store(copy_, to(now_.dst - registers::objects::position), now_.position + 1);
    co_await memory_.store(copy_, to(now_.dst - registers::objects::index), now_.index);
  }
  if (type.is_array()) co_await memory_.store(copy_, to(copy - registers::objects::array_bytes), bytes);
  co_await memory_.store(copy_, to(copy - registers::objects::parent_src), now_.src);
  co_await memory_.store(copy_, to(copy - registers::objects::parent_dst), now_.dst);
  std::uint64_t const units = (copy - request_.destination) / word_bytes;
  co_await memory_.store(copy_, to(copy - registers::objects::header), (header & 0xffff'ffff) | units << 32U);
  now_ = {.src = original, .dst = copy, .type = type, .words = padded(bytes) / word_bytes};
  if (type.kind == registers::objects::data_array) {
    co_await memory_.copy(to(copy), from(original), padded(bytes));
    now_.words = 0;
  }
}

task<std::uint8_t> graph_copy::mask_of_word() {
  if (now_.index > 0) {
    --now_.index;
    co_return registers::objects::data;
  }
  if (now_.type.kind == registers::objects::pointer_array) co_return registers::objects::pointer;
  std::uint64_t const number = now_.position / registers::objects::mask_words;
  if (number != mask_number_) {
    co_await memory_.settle();
    auto const mask = co_await types_.mask_word(now_.type, number);
    if (!mask) throw fault{graph_fault::bad_descriptor};
    mask_ = *mask;
    mask_number_ = number;
  }
  co_return mask_ >> now_.position % registers::objects::mask_words * 2 & 3U;
}

task<bool> graph_copy::copy_words() {
  for (; now_.position < now_.words; ++now_.position) {
    memory_.step();
    std::uint8_t const mask = co_await mask_of_word();
    std::uint64_t const at = now_.position * word_bytes;
    if (mask == registers::objects::transient) {
      co_await memory_.store(copy_, to(now_.dst + at), 0);
      continue;
    }
    std::uint64_t const value = co_await memory_.load(original_, from(now_.src + at));
    if (mask == registers::objects::data) {
      co_await memory_.store(copy_, to(now_.dst + at), value);
      continue;
    }
    if (mask == registers::objects::descriptor) {
      now_.index = registers::objects::descriptor_words - 1;
      if (now_.words - now_.position < registers::objects::descriptor_words) throw fault{graph_fault::bad_descriptor};
      // Elements outside of all memory.
      bool const none = value != 0 || co_await memory_.load(original_, from(now_.src + at + 2 * word_bytes)) == 0;
      if (!none) throw fault{graph_fault::null_pointer};
    }
    if (!co_await copy_pointer(value)) co_return false;
  }
  co_return true;
}

task<bool> graph_copy::copy_pointer(std::uint64_t value) {
  std::uint64_t const at = to(now_.dst + now_.position * word_bytes);
  if (value == 0) {
    co_await memory_.store(copy_, at, 0);
    co_return true;
  }
  check(value, registers::objects::front_bytes, 0);
  std::uint64_t const known = co_await map_.find(value);
  if (known != 0) {
    co_await memory_.store(copy_, at, final_of(known));
    co_return true;
  }
  co_await advance(value);
  co_return false;
}

task<bool> graph_copy::retreat() {
  memory_.step();
  std::uint64_t const src = co_await memory_.load(copy_, to(now_.dst - registers::objects::parent_src));
  std::uint64_t const dst = co_await memory_.load(copy_, to(now_.dst - registers::objects::parent_dst));
  if (dst == 0) co_return false;
  std::uint64_t const header = co_await memory_.load(copy_, to(dst - registers::objects::header));
  now_ = {.src = src, .dst = dst, .type = co_await type_of(header)};
  now_.position = co_await memory_.load(copy_, to(dst - registers::objects::position));
  now_.index = co_await memory_.load(copy_, to(dst - registers::objects::index));
  std::uint64_t bytes = now_.type.bytes;
  if (now_.type.is_array()) bytes = co_await memory_.load(copy_, to(dst - registers::objects::array_bytes));
  now_.words = padded(bytes) / word_bytes;
  co_return true;
}

}  // namespace tess::machine
