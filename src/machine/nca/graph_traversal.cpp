// graph_traversal: marks on the way down, write-backs on the way up.
#include "machine/nca/graph_traversal.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using registers::graph_fault;

constexpr std::uint64_t no_mask = ~std::uint64_t{0};

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept {
  return (bytes + word_bytes - 1) / word_bytes * word_bytes;
}
/// The low bit of each two-bit code of a mask: set for 01, a pointer, and 11, a descriptor.
constexpr std::uint64_t low_mask = 0x5555'5555'5555'5555;

}  // namespace

graph_traversal::graph_traversal(kernel& k, machine_description const& description, tile& at, object_types& types)
    : kernel_(k),
      tile_(at),
      types_(types),
      clock_(description.tile_clock_ps),
      partition_(*at.map().of(region_kind::partition, at.number())),
      line_bytes_(description.l2.line_bytes),
      state_ps_(description.nca.state_cycles * description.tile_clock_ps),
      stack_max_(description.nca.stack_entries),
      line_(line_bytes_) {}

task<graph_measured> graph_traversal::run(std::uint64_t root) {
  epoch_ += 2;
  measured_ = {};
  stack_.clear();
  line_address_ = 0;
  mask_number_ = no_mask;
  acknowledgements written;
  acknowledged_ = &written;
  try {
    if (root == 0) throw fault{graph_fault::null_pointer};
    co_await walk(root);
  } catch (fault const& found) {
    measured_.error = found.what;
  }
  co_await written;
  co_return measured_;
}

task<> graph_traversal::walk(std::uint64_t root) {
  check(root, registers::objects::front_bytes, 0);
  (void)co_await is_new(root);
  now_ = co_await open(root);
  count(now_);
  for (;;) {
    co_await find_target(now_);
    if (now_.position * word_bytes < now_.bytes) {
      std::uint64_t const target = co_await load(now_.object + now_.position * word_bytes);
      now_.position = now_.next;
      co_await find_target(now_);
      co_await follow(target);
      continue;
    }
    co_await write_back(now_);
    if (stack_.empty()) co_return;
    co_await use_stack();
    stack_entry const top = stack_.back();
    stack_.pop_back();
    now_ = co_await open(top.object);
    now_.position = top.position;
  }
}

task<> graph_traversal::follow(std::uint64_t object) {
  check(object, registers::objects::front_bytes, 0);
  if (!co_await is_new(object)) co_return;
  place const child = co_await open(object);
  count(child);
  if (child.type.kind == registers::objects::data_array) {
    co_await write_back(child);
    co_return;
  }
  if (now_.position * word_bytes < now_.bytes) {
    if (stack_.size() >= stack_max_) throw fault{graph_fault::stack_full};
    co_await use_stack();
    stack_.push_back({now_.object, now_.position});
  } else {
    co_await write_back(now_);
  }
  mask_number_ = no_mask;
  now_ = child;
}

task<> graph_traversal::find_target(place& in) {
  for (co_await find_pointer(in); in.position * word_bytes < in.bytes; co_await find_pointer(in)) {
    if (co_await load(in.object + in.position * word_bytes) != 0) co_return;
    in.position = in.next;
  }
}

task<> graph_traversal::find_pointer(place& in) {
  co_await step();
  std::uint64_t const words = in.bytes / word_bytes;
  in.next = in.position + 1;
  if (in.type.kind == registers::objects::data_array) in.position = words;
  if (in.type.is_array()) co_return;
  while (in.position < words) {
    std::uint64_t const number = in.position / registers::objects::mask_words;
    if (number != mask_number_) {
      auto const mask = co_await types_.mask_word(in.type, number);
      if (!mask) throw fault{graph_fault::bad_descriptor};
      mask_ = *mask;
      mask_number_ = number;
    }
    std::uint64_t const left = mask_ & low_mask & ~std::uint64_t{0} << in.position % registers::objects::mask_words * 2;
    if (left != 0) {
      auto const bit = static_cast<unsigned>(std::countr_zero(left));
      in.position = number * registers::objects::mask_words + bit / 2;
      bool const describes = (mask_ >> bit & 3U) == registers::objects::descriptor;
      in.next = in.position + (describes ? registers::objects::descriptor_words : 1);
      co_return;
    }
    in.position = (number + 1) * registers::objects::mask_words;
  }
}

void graph_traversal::count(place const& seen) noexcept {
  ++measured_.objects;
  measured_.bytes += seen.type.front_bytes() + seen.bytes + (seen.type.alignment - word_bytes);
}

task<graph_traversal::place> graph_traversal::open(std::uint64_t object) {
  co_await step();
  std::uint64_t const header = co_await load(object - registers::objects::header);
  auto const type = co_await types_.read(static_cast<std::uint32_t>(header));
  if (!type) throw fault{graph_fault::bad_descriptor};
  std::uint64_t bytes = type->bytes;
  if (type->is_array()) {
    check(object, registers::objects::array_front_bytes, 0);
    bytes = co_await load(object - registers::objects::array_bytes);
    if (type->kind == registers::objects::pointer_array && bytes % word_bytes != 0)
      throw fault{graph_fault::bad_descriptor};
  }
  check(object, type->front_bytes(), bytes);
  mask_number_ = no_mask;
  co_return place{.object = object, .type = *type, .bytes = padded(bytes)};
}

void graph_traversal::check(std::uint64_t object, std::uint64_t front, std::uint64_t bytes) const {
  bool const inside = object % word_bytes == 0 && object >= partition_.base + front && object < partition_.end() &&
                      bytes <= partition_.end() - object;
  if (!inside) throw fault{graph_fault::wild_pointer};
}

task<bool> graph_traversal::is_new(std::uint64_t object) {
  std::uint64_t const at = object - registers::objects::parent_src;
  if (co_await load(at) == epoch_) co_return false;
  co_await mark(at);
  co_return true;
}

task<> graph_traversal::write_back(place const& done) {
  std::uint64_t const begin = done.object - done.type.front_bytes();
  std::uint64_t const end = done.object + done.bytes;
  l2_private& l2 = tile_.l2();
  for (std::uint64_t line = l2.line_address(begin); line < end; line += line_bytes_) {
    co_await kernel_.delay(clock_.period_ps());
    if (!l2.leaves(line)) continue;
    acknowledged_->expect();
    l2.write_back_line(line, *acknowledged_);
  }
}

task<std::uint64_t> graph_traversal::load(std::uint64_t address) {
  std::uint64_t const line = tile_.l2().line_address(address);
  if (line != line_address_) {
    std::byte* at = tile_.l2().look_up(line, false);
    while (at == nullptr) {
      happened there;
      tile_.l2().bring(line, there);
      co_await there;
      at = tile_.l2().look_up(line, false);
    }
    std::copy_n(at, line_bytes_, line_.begin());
    line_address_ = line;
    co_await kernel_.until(tile_.device_access(tile::place::l2, line_bytes_));
  }
  std::uint64_t value = 0;
  std::memcpy(&value, line_.data() + address % line_bytes_, sizeof value);
  co_return value;
}

task<> graph_traversal::mark(std::uint64_t address) {
  // Among coherent caches a mark is a store like any other: the line may move on with it.
  bool const stores = tile_.coherent();
  auto const find = [&] { return stores ? tile_.l2().look_up(address, true) : tile_.l2().look_up_to_mark(address); };
  std::byte* at = find();
  while (at == nullptr) {
    happened there;
    tile_.l2().bring(address, there, stores);
    co_await there;
    at = find();
  }
  std::memcpy(at, &epoch_, sizeof epoch_);
  if (tile_.l2().line_address(address) == line_address_)
    std::memcpy(line_.data() + address % line_bytes_, &epoch_, sizeof epoch_);
  co_await kernel_.until(tile_.device_access(tile::place::l2, word_bytes));
}

task<> graph_traversal::use_stack() {
  co_await kernel_.until(tile_.device_access(tile::place::tlm, sizeof(stack_entry)));
}

task<> graph_traversal::step() {
  co_await kernel_.delay(state_ps_);
}

}  // namespace tess::machine
