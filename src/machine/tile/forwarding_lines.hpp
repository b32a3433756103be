// forwarding_lines: a tile's part of coherence with forwarding directories: the client of its L2, and its share of the
// lines' homes.
//
//   A line's home is a tile by its address: the tile of the line's memory, or the tile of its partition, or one of all
//   tiles with harts for programs, in turn. The homes are told of every request; bytes go from the memory or the owner
//   to the requester. What a home reads and writes in another tile's memory uses the first virtual network, which has
//   one channel then, so that it stays in order.
//   A transfer (DMA) that comes to the memory asks the home first.
//
// Units     cached global addresses.
// Threads   one.
#pragma once

#include <vector>

#include "machine/adapter/adapter.hpp"
#include "machine/config/description.hpp"
#include "machine/kernel/pool.hpp"
#include "machine/memory/forwarding_directory.hpp"
#include "machine/memory/line_client.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

class forwarding_lines final : line_carrier, home_carrier {
 public:
  /// `memory`: the tile's, or null.
  forwarding_lines(kernel& k, machine_description const& description, address_map const& map, adapter& with,
                   l2_private& l2, memory_port* memory, std::uint32_t tile);

  [[nodiscard]] line_client& client() noexcept { return client_; }
  [[nodiscard]] forwarding_directory& home() noexcept { return home_; }
  [[nodiscard]] std::uint32_t home_of(std::uint64_t address) const noexcept;

  /// A line for a cache, a transfer's bytes, or what belongs to them, has come.
  void serve(transaction& request, event& finished);
  /// The same of a unit of this tile, which has the memory: read or written as a transfer does.
  void access(transaction& request, event& finished);
  [[nodiscard]] static bool concerns(transaction const& request) noexcept {
    return request.what == remote_operation::probe || request.what == remote_operation::copy_back ||
           request.serving != served_by::home || request.line() != nullptr;
  }

  /// The newest bytes of an address, in whatever tile or message they are; none: in its memory.
  [[nodiscard]] static std::byte* newest(std::uint64_t address, std::span<forwarding_lines* const> all) noexcept;
  /// Changes all copies of lines but those in memories, without time.
  static void change(overwrite const& written, std::span<forwarding_lines* const> all) noexcept;

 private:
  /// What a home writes in the memory of another tile; happens when it is written.
  struct line_write : event {
    explicit line_write(forwarding_lines& owner_)
        : event([](event& self) { static_cast<line_write&>(self).owner.written(static_cast<line_write&>(self)); }),
          owner(owner_) {}
    forwarding_lines& owner;
    transaction sent;
    std::uint64_t number = 0;  ///< Later writes have larger ones; 0: spare.
  };
  /// A transfer's access to this tile's memory, on the way to its home and back.
  struct relay : event {
    explicit relay(forwarding_lines& owner_)
        : event([](event& self) { static_cast<relay&>(self).owner.relayed(static_cast<relay&>(self)); }),
          owner(owner_),
          taken(*this) {}
    /// It was in this tile, and has taken the request or passed it on.
    struct by_home : event {
      explicit by_home(relay& of_)
          : event([](event& self) {
              relay& carried = static_cast<by_home&>(self).of;
              carried.owner.go_on(carried);
            }),
            of(of_) {}
      relay& of;
    };
    forwarding_lines& owner;
    by_home taken;
    transaction sent;
    transaction* of = nullptr;  ///< Null: spare.
    event* finished = nullptr;
  };

  void request_line(transaction& request) override;
  void tell_home(transaction& told) override;
  void send_probe(transaction& probe, std::uint32_t answered_at) override;
  void serve_memory(transaction& request, event& finished) override;
  void write_line(std::uint64_t address, std::span<std::byte const> line) override;
  void written(line_write& of);
  void send_to_home(transaction& request, event& finished);
  void go_on(relay& of);
  void relayed(relay& of);
  void access_memory(transaction& request, event& finished);
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const noexcept;
  [[nodiscard]] std::byte* being_written(std::uint64_t address) noexcept;

  kernel& kernel_;
  machine_description const& description_;
  address_map const& map_;
  adapter& adapter_;
  l2_private& l2_;
  memory_port* memory_;
  std::uint32_t tile_;
  picoseconds miss_ps_;
  std::vector<std::uint32_t> home_tiles_;
  line_client client_;
  forwarding_directory home_;
  std::uint64_t writes_ = 0;
  pool<line_write> line_writes_;
  pool<relay> relays_;
  event nothing_{[](event&) {}};
};

}  // namespace tess::machine
