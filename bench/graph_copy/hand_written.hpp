// hand_written: a copy of one type written by hand: into a buffer, sent, then its pointers are relocated.
//
//   Breadth first, with an open-addressing table from address to index, which is reused. Pointers become indices in the
//   buffer, the buffer is copied to the destination, and one pass turns indices into addresses.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace bench {

struct plain_node {
  std::uint64_t value = 0;
  plain_node* next = nullptr;
  plain_node* previous = nullptr;
  std::uint64_t weight = 0;
  template <class Visit>
  void pointers(Visit visit) {
    visit(next);
    visit(previous);
  }
};
struct plain_tree {
  std::uint64_t value = 0;
  plain_tree* left = nullptr;
  plain_tree* right = nullptr;
  std::uint64_t weight = 0;
  template <class Visit>
  void pointers(Visit visit) {
    visit(left);
    visit(right);
  }
};
struct plain_vertex {
  std::uint64_t value = 0;
  plain_vertex* edges[4] = {};
  double* numbers = nullptr;
  std::uint64_t numbers_count = 0;
  template <class Visit>
  void pointers(Visit visit) {
    for (plain_vertex*& e : edges) visit(e);
  }
};

/// Address → index from 1.
class index_table {
 public:
  void clear() {
    if (++epoch_ == 0) {
      slots_.assign(slots_.size(), {});
      epoch_ = 1;
    }
    count_ = 0;
  }
  /// The index of `key`; `next` if it is new.
  std::uint32_t find_or_add(void const* key, std::uint32_t next) {
    if (2 * count_ >= slots_.size()) grow();
    for (std::size_t i = hash(key) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      slot& s = slots_[i];
      if (s.epoch != epoch_) {
        s = {key, next, epoch_};
        ++count_;
        return next;
      }
      if (s.key == key) return s.index;
    }
  }

 private:
  struct slot {
    void const* key = nullptr;
    std::uint32_t index = 0;
    std::uint32_t epoch = 0;
  };
  static std::size_t hash(void const* key) noexcept {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(key) >> 3U) * 0x9e3779b97f4a7c15U >> 20U);
  }
  void grow() {
    std::vector<slot> const before = std::exchange(slots_, std::vector<slot>(2 * slots_.size()));
    count_ = 0;
    for (slot const& s : before)
      if (s.epoch == epoch_) find_or_add(s.key, s.index);
  }
  std::vector<slot> slots_ = std::vector<slot>(64);
  std::size_t count_ = 0;
  std::uint32_t epoch_ = 1;
};

template <class T>
class hand_written_copy {
 public:
  /// The root of the copy, in a buffer that the next copy overwrites. `count`: objects.
  T* copy(T* root, std::size_t& count) {
    table_.clear();
    found_.clear();
    buffer_.clear();
    found_.push_back(root);
    table_.find_or_add(root, 1);
    for (std::size_t i = 0; i < found_.size(); ++i) encode(*found_[i]);
    count = found_.size();
    target_.resize(buffer_.size());
    std::memcpy(target_.data(), buffer_.data(), buffer_.size() * sizeof(std::uint64_t));
    return decode();
  }

 private:
  static constexpr std::size_t words = sizeof(T) / sizeof(std::uint64_t);

  void encode(T const& source) {
    T o = source;
    o.pointers([&](T*& p) {
      if (p == nullptr) return;
      auto const next = static_cast<std::uint32_t>(found_.size() + 1);
      std::uint32_t const index = table_.find_or_add(p, next);
      if (index == next) found_.push_back(p);
      p = reinterpret_cast<T*>(std::uintptr_t{index});
    });
    append(&o, words);
    if constexpr (requires { o.numbers; }) append(source.numbers, source.numbers_count);
  }
  void append(void const* from, std::size_t count) {
    std::size_t const at = buffer_.size();
    buffer_.resize(at + count);
    if (count != 0) std::memcpy(buffer_.data() + at, from, count * sizeof(std::uint64_t));
  }
  T* decode() {
    places_.clear();
    for (std::size_t at = 0; at < target_.size();) {
      T* const o = reinterpret_cast<T*>(target_.data() + at);
      places_.push_back(o);
      at += words;
      if constexpr (requires { o->numbers; }) {
        o->numbers = reinterpret_cast<double*>(target_.data() + at);
        at += o->numbers_count;
      }
    }
    for (T* const o : places_)
      o->pointers([&](T*& p) {
        if (p != nullptr) p = places_[reinterpret_cast<std::uintptr_t>(p) - 1];
      });
    return places_[0];
  }

  index_table table_;
  std::vector<T*> found_;
  std::vector<T*> places_;
  std::vector<std::uint64_t> buffer_;
  std::vector<std::uint64_t> target_;
};

}  // namespace bench
