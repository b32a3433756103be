// crossing_log: records when each flit left over each link, and when the last credit returned.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/packet.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class crossing_log {
 public:
  struct crossing {
    std::uint64_t cookie;  ///< Cookie of the flit's packet.
    std::uint32_t link;
    std::uint64_t cycle;  ///< The cycle in which it left.
  };

  /// The pool must outlive this.
  crossing_log(network_shape const& shape, packet_pool& packets) : packets_(packets), last_credit_(shape.links()) {}

  void clear() noexcept { crossings_.clear(); }
  [[gnu::cold, gnu::noinline]] void flit_left(flit const& sent, std::uint32_t link, std::uint64_t cycle) {
    crossings_.push_back({packets_[sent.packet].cookie, link, cycle});
  }
  [[gnu::cold, gnu::noinline]] void credit_returned(std::uint32_t link, std::uint64_t cycle) noexcept {
    last_credit_[link] = cycle;
  }

  [[nodiscard]] std::vector<crossing> const& crossings() const noexcept { return crossings_; }
  [[nodiscard]] std::uint64_t last_credit(std::uint32_t link) const noexcept { return last_credit_[link]; }

 private:
  packet_pool& packets_;
  std::vector<crossing> crossings_;
  std::vector<std::uint64_t> last_credit_;  ///< [link]
};

}  // namespace tess::machine
