// network_interface: a tile's cache-integrated network interface: its lines, its region table, its list of jobs.
//
//   One mechanism: an access to a line with events changes the line's tag, and its consequence is a job in the list.
//   The list is served round-robin, one packet at a time: a copy goes to the end of the list after each packet, so that
//   short jobs pass. A copy is run at its source. Each written packet is acknowledged: at the tile where it was
//   written, by its answer, or by that tile to a third one. A full queue refuses items, and the sender's adapter sends
//   them again. Commands and jobs of events have separate places in the list, so that neither blocks the other. Jobs of
//   acknowledgements and notifications always have a place: the number of packets in flight limits the former, and the
//   latter are never refused. Stores and messages use the virtual network of requests, data of copies that of
//   responses, acknowledgements the third.
//
// Units     bytes, global addresses, cycles of the tile's clock.
// Errors    a fault of a transfer is recorded in `faults` of the tile that began it, and nothing is written.
// Threads   one.
// Source    CNI (IJPP 2012), section 3; docs/internals/machine.md, 9. The paper has no refusals.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "machine/adapter/adapter.hpp"
#include "machine/cni/align_unit.hpp"
#include "machine/cni/combining_buffer.hpp"
#include "machine/cni/event_lines.hpp"
#include "machine/cni/job_unit.hpp"
#include "machine/cni/piece_unit.hpp"
#include "machine/config/description.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

class network_interface final : private event_host {
 public:
  struct fault_record {
    std::uint64_t count = 0;
    registers::cni::fault last = registers::cni::fault::none;
    std::uint64_t address = 0;
    std::uint64_t notify = 0;  ///< The word that is incremented; null: none.
  };

  struct statistics {
    std::uint64_t commands = 0;      ///< Commands of the tile's harts, except for those refused as wrong.
    std::uint64_t events = 0;        ///< Jobs of stores to lines with events: answers, notifications, additions.
    std::uint64_t copied_bytes = 0;  ///< By copies whose source is at this tile, also for other tiles.
  };

  /// `on_write` is called when bytes of the scratchpad have changed. `here`: the tile, whose caches and TLM copies
  /// read. `memory`: null if the tile has none.
  network_interface(kernel& k, machine_description const& description, address_map const& map, l2_private& in,
                    adapter& way, home& here, memory_port* memory, std::uint32_t tile,
                    std::function<void(std::uint64_t, std::size_t)> on_write);

  [[nodiscard]] event_lines& lines() noexcept { return lines_; }
  [[nodiscard]] event_lines const& lines() const noexcept { return lines_; }
  [[nodiscard]] region_table& regions() noexcept { return regions_; }
  [[nodiscard]] fault_record& faults() noexcept { return faults_; }
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  [[nodiscard]] std::size_t jobs() const noexcept { return waiting_jobs_; }
  [[nodiscard]] bool idle() const noexcept { return commands_ + others_ == 0; }
  /// Lines were configured or restored: stores that wait for a full line try again.
  void reconfigured() { wake_stalled(); }
  /// Addresses to which own harts wait to store: a full queue, or a line whose job finds no place in the list.
  [[nodiscard]] std::vector<std::uint64_t> waited_for() const;

  // For the tile's harts, at kernel time.
  /// The code of the region table's entry for stores to another tile's scratchpad; 0: there is none.
  [[nodiscard]] std::uint64_t remote_code(std::uint64_t address) const noexcept;
  /// Stores to a line with events. `full`: nothing has happened; try again when `again` happens.
  [[nodiscard]] access_outcome store_event(std::uint64_t address, std::span<std::byte const> value, event& again);
  /// Posts a store to another tile's scratchpad. False: try again when `again` happens.
  [[nodiscard]] bool post(std::uint64_t address, std::span<std::byte const> value, event& again);
  /// Have all posted stores completed? False: as before.
  [[nodiscard]] bool drain(event& again) { return combining_.drain(again); }

  // As a home.
  /// Serves another tile's access to the scratchpad, at once, and sets its status.
  void serve(transaction& request);
  /// `request` has been written here, or refused for good: handles its acknowledgement as far as this tile is
  /// concerned.
  void acknowledge(transaction& request);
  /// Another tile's copy, whose source is here. False: there is no place.
  [[nodiscard]] bool take_copy(transaction& request);

 private:
  /// A packet in flight, or waiting for its data from memory.
  struct outgoing : event {
    explicit outgoing(network_interface& owner_) : event(nullptr), owner(owner_) {}
    network_interface& owner;
    interface_job* of = nullptr;
    std::uint64_t from = 0;  ///< A copy's source.
    transaction sent;
    transaction read;  ///< A copy's read of the caches or the TLM here.
  };
  struct step_event : event {
    explicit step_event(network_interface& owner_)
        : event([](event& self) { static_cast<step_event&>(self).owner.step(); }), owner(owner_) {}
    network_interface& owner;
  };

  // event_host
  void changed(std::uint64_t address, std::size_t bytes) override { on_write_(address, bytes); }
  [[nodiscard]] bool has_room(bool for_command) const override;
  void take(interface_job const& job) override;

  /// Translates a command's addresses and finds their homes. False: it is wrong, which has been reported.
  [[nodiscard]] bool prepare(interface_job& command);
  [[nodiscard]] std::optional<std::uint64_t> whole_name(std::uint64_t address, std::uint64_t bytes) const noexcept;
  void enter(interface_job const& job);
  // The list of jobs, all cycles at once: they are a part of `job_cycles`.
  void list_new(interface_job const& job);
  void list_again(interface_job& job, piece_unit::entry const& left);
  [[nodiscard]] interface_job& next_turn();
  void list_end(interface_job& job);
  void settle_list();
  [[nodiscard]] bool copies_stop() const noexcept { return copy_packets_ >= description_.adapter.dma_packets; }
  [[nodiscard]] bool may_go() const noexcept { return list_->out.others || (list_->out.copies && !copies_stop()); }
  void plan();
  void step();
  /// `left`: of a copy, before the packet and then after it.
  void send_next(interface_job& job, piece_unit::entry& left);
  void send_piece(interface_job& job, piece_unit::entry& left);
  /// Bytes of the copy's next packet.
  [[nodiscard]] std::uint64_t next_piece(piece_unit::entry& left, bool by_lines);
  /// Reads the packet's data; then it is launched.
  void read_piece(outgoing& packet, std::uint64_t from);
  void send_store(interface_job& job, std::uint64_t to, std::uint64_t bytes);
  void send_command(interface_job& job);
  [[nodiscard]] bool has_more(interface_job const& job) const noexcept;
  /// A packet of the job, to be filled and sent.
  [[nodiscard]] outgoing& packet_of(interface_job& job);
  void launch(outgoing& packet);
  /// Its data from the words of the source to those of the destination.
  void align(outgoing& packet);
  void ended(outgoing& packet);
  void fail(interface_job& job, registers::cni::fault why, std::uint64_t where);
  void end_if_done(interface_job& job);
  void report(registers::cni::fault why, std::uint64_t where);
  /// Stores a word of an acknowledgement, which is never delayed; returns the fault, or none.
  [[nodiscard]] registers::cni::fault deliver(std::uint64_t address, std::uint64_t value);
  /// The value stored at the acknowledgement's address: the number of bytes, negative if refused for good.
  [[nodiscard]] static std::uint64_t acknowledged(transaction const& of) noexcept {
    return of.status == remote_outcome::refused ? ~of.bytes + 1 : of.bytes;
  }
  [[nodiscard]] interface_job store_of(std::uint64_t address, std::uint64_t value) const;
  void wake_stalled();

  kernel& kernel_;
  machine_description const& description_;
  address_map const& map_;
  adapter& adapter_;
  home& home_;
  memory_port* memory_;
  clock_domain clock_;
  std::uint32_t tile_;
  local_window window_;
  std::function<void(std::uint64_t, std::size_t)> on_write_;
  region_table regions_;
  event_lines lines_;
  combining_buffer combining_;
  std::unique_ptr<piece_unit> pieces_;
  std::unique_ptr<align_unit> aligner_;
  fault_record faults_;
  statistics counted_;
  std::unique_ptr<job_unit> list_;
  std::vector<interface_job> all_jobs_;  ///< By their numbers in the list.
  std::deque<interface_job> held_;       ///< They have no number yet: in hardware they wait in the network.
  std::size_t waiting_jobs_ = 0;
  std::uint32_t commands_ = 0;  ///< Jobs that have not ended: commands,
  std::uint32_t others_ = 0;    ///< and jobs of events.
  std::uint32_t copy_packets_ = 0;
  bool planned_ = false;
  step_event step_{*this};
  struct stalled_store {
    event* again;
    std::uint64_t address;
  };
  std::vector<stalled_store> stalled_;
  std::deque<outgoing> all_packets_;
  std::vector<outgoing*> spare_packets_;
};

}  // namespace tess::machine
