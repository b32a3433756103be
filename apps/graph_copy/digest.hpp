// digest: a hash that is equal for isomorphic graphs of objects, computed at places that cannot see each other's
// objects.
//
//   A walk from the root numbers each object and array when it is first met, in the order of the references, and mixes
//   numbers, values and lengths into 128 bits. Two graphs give the same sequence exactly if there is a mapping between
//   them that keeps roots, values, references, sharing and cycles. It follows the C++ types, not the runtime's masks.
//
// Threads  any.
// Cost     a hash table with every object; no recursion.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "tess/object.hpp"

namespace graph_copy {

struct digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t objects = 0;
  std::uint64_t arrays = 0;

  bool operator==(digest const&) const = default;
};

class digest_walk {
 public:
  template <class Root>
  explicit digest_walk(Root const* root) {
    object(root);
    while (!pending_.empty()) {
      auto const next = pending_.front();
      pending_.pop_front();
      next.visit(*this, next.object);
    }
  }

  [[nodiscard]] digest result() const noexcept { return found_; }

  void value(std::int64_t v) { mix(static_cast<std::uint64_t>(v)); }

  template <class T>
  void object(T const* o) {
    if (number(o, found_.objects))
      pending_.push_back({o, [](digest_walk& walk, void const* p) { static_cast<T const*>(p)->visit(walk); }});
  }
  void values(tess::array<std::int64_t> const& a) {
    mix(a.size());
    if (number(a.data(), found_.arrays))
      for (std::int64_t const v : a) value(v);
  }
  template <class T>
  void objects(tess::array<T*> const& a) {
    mix(a.size());
    if (number(a.data(), found_.arrays))
      for (T const* const o : a) object(o);
  }

 private:
  struct pending {
    void const* object;
    void (*visit)(digest_walk&, void const*);
  };

  // Mixes in the address's number, 0 for null; true if it is new.
  bool number(void const* address, std::uint64_t& count) {
    if (address == nullptr) {
      mix(0);
      return false;
    }
    auto const [at, is_new] = numbers_.try_emplace(address, numbers_.size() + 1);
    mix(at->second);
    if (is_new) ++count;
    return is_new;
  }

  // Two multiplicative hashes of the sequence with odd constants.
  void mix(std::uint64_t word) noexcept {
    found_.high = (found_.high ^ word) * 0x9E3779B97F4A7C15;
    found_.high ^= found_.high >> 29U;
    found_.low = (found_.low + word) * 0xD6E8FEB86659FD93;
    found_.low ^= found_.low >> 32U;
  }

  digest found_;
  std::unordered_map<void const*, std::uint64_t> numbers_;
  std::deque<pending> pending_;
};

template <class Root>
[[nodiscard]] digest digest_of(Root const* root) {
  return digest_walk(root).result();
}

}  // namespace graph_copy
