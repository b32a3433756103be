// notices: who tells whom that a place has failed.
//
//   Each notice goes down a tree with four children, whose root is the first living place behind the failed one: a
//   place that sees a failure itself tells the root only. So however many see it, all places are told along one tree.
//   Children of a failed place belong to its parent, which tells them what it has passed on before when it learns of
//   the failure. The next living place takes over from a root that fails.
//
//   Many failures at once may cut all ways in the trees: two places may each wait for what the other one knows. So each
//   place tells its neighbour behind it in the ring, too, and new neighbours tell each other all that they know.
//
// Threads  one at a time.
// Cost     a failure: two messages for each place, at most six from one place unless others failed, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tess/error.hpp"

namespace tess::detail {

/// From `me` in steps of 1 or -1 around the ring of all places, the first for which `gone` is false; `me` if none is.
template <class Gone>
[[nodiscard]] place_id ring_neighbour(place_id me, int step, place_id places, Gone const& gone) {
  place_id p = me;
  do {
    p = static_cast<place_id>(step > 0 ? (p + 1) % places : (p + places - 1) % places);
  } while (p != me && gone(p));
  return p;
}

class ucx_notices {
 public:
  static constexpr unsigned children_max = 4;

  struct message {
    place_id to, failed, root;
    bool operator==(message const&) const = default;
  };

  /// `failed`: says of a place whether it has failed, as far as this one knows.
  ucx_notices(place_id me, place_id places, std::function<bool(place_id)> failed)
      : me_(me),
        places_(places),
        after_(static_cast<place_id>((me + 1) % places)),
        before_(static_cast<place_id>((me + places - 1) % places)),
        failed_(std::move(failed)) {}

  /// This place saw it itself, and knows it from now on.
  [[nodiscard]] std::vector<message> seen(place_id failed) {
    std::vector<message> out;
    if (std::ranges::find(seen_, failed, &notice::failed) == seen_.end()) begin(failed, out);
    return out;
  }
  /// A notice arrived, and this place knows it from now on.
  [[nodiscard]] std::vector<message> told(place_id failed, place_id root) {
    std::vector<message> out;
    pass(failed, root, out);
    return out;
  }
  /// What follows for the ring and for earlier notices, when this place learns of a failure, before seen() or told().
  [[nodiscard]] std::vector<message> learned(place_id failed) {
    std::vector<message> out;
    for (notice const& n : passed_)
      if (n.failed != failed) descend(n, failed, out);
    for (notice& n : seen_)
      if (n.root == failed) {
        n.root = root_of(n.failed);
        send_to_root(n, out);
      }
    known_.push_back(failed);
    // This place is the root for the failed places right before it.
    auto const before = [&](place_id p) { return static_cast<place_id>((p + places_ - 1) % places_); };
    for (place_id f = before(me_); f != me_ && failed_(f); f = before(f))
      if (std::ranges::find(known_, f) != known_.end()) pass(f, me_, out);
    meet(1, after_, out);
    meet(-1, before_, out);
    return out;
  }

 private:
  struct notice {
    place_id failed, root;
    bool operator==(notice const&) const = default;
  };

  [[nodiscard]] place_id root_of(place_id failed) const { return ring_neighbour(failed, 1, places_, failed_); }
  /// The neighbour behind learns of each failure, and a new one on either side of all.
  void meet(int step, place_id& neighbour, std::vector<message>& out) {
    place_id const p = ring_neighbour(me_, step, places_, failed_);
    bool const is_new = std::exchange(neighbour, p) != p;
    if (p == me_) return;
    if (is_new)
      for (place_id const f : known_) out.push_back({p, f, root_of(f)});
    else if (step > 0)
      out.push_back({p, known_.back(), root_of(known_.back())});
  }
  void begin(place_id failed, std::vector<message>& out) {
    seen_.push_back({failed, root_of(failed)});
    send_to_root(seen_.back(), out);
  }
  void send_to_root(notice const& n, std::vector<message>& out) {
    if (n.root == me_)
      pass(n.failed, me_, out);
    else if (n.root != n.failed)
      out.push_back({n.root, n.failed, n.root});
  }
  void pass(place_id failed, place_id root, std::vector<message>& out) {
    notice const n{failed, root};
    if (std::ranges::find(passed_, n) != passed_.end()) return;
    passed_.push_back(n);
    add_children(n, rank(me_, root), out);
  }
  [[nodiscard]] std::uint32_t rank(place_id p, place_id root) const noexcept {
    return (std::uint32_t{p} + places_ - root) % places_;
  }
  void add_children(notice const& n, std::uint32_t parent, std::vector<message>& out) {
    for (std::uint32_t c = children_max * parent + 1; c <= children_max * (parent + 1) && c < places_; ++c) {
      auto const p = static_cast<place_id>((c + n.root) % places_);
      if (failed_(p))
        add_children(n, c, out);
      else
        out.push_back({p, n.failed, n.root});
    }
  }
  /// If all places between this one and `failed` in the tree have failed, its children are now this one's.
  void descend(notice const& n, place_id failed, std::vector<message>& out) {
    std::uint32_t const mine = rank(me_, n.root);
    std::uint32_t const from = rank(failed, n.root);
    for (std::uint32_t r = from; r != 0;) {
      r = (r - 1) / children_max;
      if (r == mine) return add_children(n, from, out);
      if (!failed_(static_cast<place_id>((r + n.root) % places_))) return;
    }
  }

  place_id me_, places_;
  place_id after_, before_;  ///< in the ring
  std::function<bool(place_id)> failed_;
  std::vector<place_id> known_;
  std::vector<notice> seen_;    ///< by this place itself, and whom it told
  std::vector<notice> passed_;  ///< down their trees
};

}  // namespace tess::detail
