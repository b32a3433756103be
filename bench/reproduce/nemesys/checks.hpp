// checks: graphs of every shape, copied by the units and compared with their originals; and faults, which are reported.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "graphs.hpp"

namespace bench::nemesys {

/// Offset of the first block of a chunk; the memory before it belongs to the owner.
inline constexpr std::uint64_t first_block = 64;

class checks {
 public:
  checks(heap& objects, heap& copies) : objects_(objects), copies_(copies) {}

  /// Measures, copies by both maps, and compares.
  void same(char const* name, std::uint64_t root, std::uint64_t count) {
    measured const size = write_back(root);
    bool good = size.how.error == registers::graph_fault::none && size.objects == count;
    for (auto const map : {registers::nma::linear, registers::nma::hashed}) {
      std::uint64_t const room = (size.bytes + first_block + 63) / 64 * 64;
      std::uint64_t const chunk = copies_.chunk(room);
      range(registers::ranges::invalidate, chunk, room);
      ended const how = copy(root, chunk, room, first_block, count, map);
      range(registers::ranges::invalidate, chunk, room);
      good = good && how.error == registers::graph_fault::none && compare(root, copy_of_root(root, chunk)) == count;
    }
    say(name, good);
  }
  void faults(char const* name, std::uint64_t root, registers::graph_fault expected, std::uint64_t room = 4096) {
    // Without the traversal by the NCA, which comes first otherwise: the NMA must detect the fault itself.
    range(registers::ranges::flush, objects_.begin(), objects_.used());
    std::uint64_t const chunk = copies_.chunk(room);
    say(name, copy(root, chunk, room, first_block, 64, registers::nma::hashed).error == expected);
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static std::uint64_t type_of(std::uint64_t object) { return word(object - layout::header) & 0xffff'ffff; }
  static bool is_array(std::uint64_t object) { return type_of(object) >= data_array; }
  static std::uint64_t words_of(std::uint64_t object) {
    if (is_array(object)) return word(object - layout::array_bytes) / 8;
    return type_of(object) == node ? 2 : type_of(object) == branch ? 7 : plain_words[type_of(object)];
  }
  static std::uint64_t copy_of_root(std::uint64_t root, std::uint64_t chunk) {
    return chunk + first_block + (is_array(root) ? layout::array_front_bytes : layout::front_bytes);
  }
  static bool leads(std::uint64_t object, std::uint64_t place) {
    if (type_of(object) == pointer_array) return true;
    return (type_of(object) == node && place == 1) || (type_of(object) == branch && place >= 1 && place <= 3);
  }
  /// Number of objects if all are alike; otherwise 0.
  static std::uint64_t compare(std::uint64_t root, std::uint64_t copied) {
    std::map<std::uint64_t, std::uint64_t> pairs{{root, copied}};
    std::vector<std::uint64_t> left{root};
    while (!left.empty()) {
      std::uint64_t const object = left.back();
      std::uint64_t const other = pairs[object];
      left.pop_back();
      if (type_of(object) != type_of(other) || words_of(object) != words_of(other)) return 0;
      for (std::uint64_t i = 0; i < words_of(object); ++i) {
        std::uint64_t const a = word(object + i * 8);
        std::uint64_t const b = word(other + i * 8);
        bool const zeroed = type_of(object) == branch && i == 6;
        if (zeroed ? b != 0 : (!leads(object, i) || a == 0) && a != b) return 0;
        if (!leads(object, i) || a == 0) continue;
        auto const [pair, is_new] = pairs.emplace(a, b);
        if (pair->second != b || b == a) return 0;
        if (is_new) left.push_back(a);
      }
    }
    return pairs.size();
  }
  void say(char const* name, bool good) {
    std::printf("%s %s\n", name, good ? "as it should be" : "WRONG");
    failed_ = failed_ || !good;
  }

  heap& objects_;
  heap& copies_;
  bool failed_ = false;
};

inline std::uint64_t make_branch(heap& in, std::uint64_t left, std::uint64_t right, std::uint64_t elements) {
  std::uint64_t const made = in.make(branch, 7);
  word(made) = made;
  word(made + 8) = left;
  word(made + 16) = right;
  word(made + 24) = elements;
  word(made + 32) = elements == 0 ? 0 : word(elements - layout::array_bytes) / 8;
  word(made + 40) = elements == 0 ? 0 : word(elements - layout::array_bytes);
  word(made + 48) = 77;
  return made;
}

inline int check_all(heap& objects, heap& copies) {
  using registers::graph_fault;
  checks all(objects, copies);
  all.same("one object", make_plain(objects, 5), 1);
  all.same("an array", make_array(objects, 1000), 1);
  all.same("an empty array", objects.make(data_array, 0, true), 1);
  std::uint64_t const list = make_list(objects, 200);
  all.same("a list", list, 200);
  std::uint64_t last = list;
  while (word(last + 8) != 0) last = word(last + 8);
  word(last + 8) = list;
  all.same("a ring", list, 200);
  std::uint64_t const elements = objects.make(pointer_array, 3, true);
  std::uint64_t const shared = make_branch(objects, list, 0, elements);
  std::uint64_t const top = make_branch(objects, shared, shared, elements);
  word(elements) = top;
  word(elements + 16) = top;
  all.same("sharing and cycles", top, 203);
  all.same("a wide array", make_objects(objects, 500), 501);
  all.same("a deep list", make_list(objects, 2000), 2000);
  all.faults("no root", 0, graph_fault::null_pointer);
  std::uint64_t const bad = make_list(objects, 3);
  all.faults("a buffer that is too small", bad, graph_fault::buffer_full, 128);
  word(bad + 8) = 0x1000;
  all.faults("a local address in a graph", bad, graph_fault::wild_pointer);
  word(bad + 8) = 0;
  word(bad - layout::header) = types_count;
  all.faults("an unknown type", bad, graph_fault::bad_descriptor);
  return all.failed() ? 1 : 0;
}

}  // namespace bench::nemesys
