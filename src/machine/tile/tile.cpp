// tile: the bus, regions of addresses, lines to and from memory, coherence, and service as a home.
#include "machine/tile/tile.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/cache/copy_line.hpp"
#include "machine/rae/interface_pipeline.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

adapter_parameters adapter_of(machine_description const& description) {
  adapter_description const& described = description.adapter;
  return {.request_cycles = described.request_cycles,
          .response_cycles = described.response_cycles,
          .header_bytes = described.header_bytes,
          .outstanding = described.outstanding,
          .dma_packet_bytes = described.dma_packet_bytes,
          .dma_packets = described.dma_packets,
          .task_queue_entries = described.task_queue_entries};
}

constexpr std::uint64_t word_bytes_max = 8;

/// The interface of a node, as the run wants it: its pipeline or its hardware.
std::unique_ptr<interface_unit> unit_of(machine_description const& description) {
  interface_parameters const parameters = parameters_of(description);
  if (description.hardware.rae == nullptr) return std::make_unique<interface_pipeline>(parameters);
  return description.hardware.rae->make<interface_unit, interface_inputs, interface_outputs>(parameters);
}

/// What uses the L2 performs posted stores before: harts, misses, range operations, the NCA, words of other tiles and
/// atomics interfaces.
bool has_plain_l2(machine_description const& description) {
  return !description.coherence && !description.cni && !description.prefetcher && !description.mmu &&
         description.units.empty();
}

/// The cached address of an uncached partition address; other addresses are returned as they are.
std::uint64_t cached_name(address_map const& map, region const& in, std::uint64_t address) {
  if (in.kind != region_kind::partition_uncached) return address;
  return map.of(region_kind::partition, in.tile)->base + (address - in.base);
}

}  // namespace

tile::tile(kernel& k, machine_description const& description, address_map const& map, network& noc, network* mail,
           std::uint32_t number)
    : kernel_(k),
      description_(description),
      map_(map),
      clock_(description.tile_clock_ps),
      number_(number),
      tlm_region_(*map.of(region_kind::tlm, number)),
      partition_(map.of(region_kind::partition, number) == nullptr ? region{}
                                                                   : *map.of(region_kind::partition, number)),
      device_base_(map.of(region_kind::device, number)->base),
      tlm_(description.tlm_bytes, host_memory::pages::large),
      l2_(k, description.l2, *this),
      adapter_(k, noc, clock_, adapter_of(description), number, *this, mail),
      arbitration_cycles_(description.bus.arbitration_cycles),
      bus_bytes_(description.bus.bytes),
      bus_shift_(static_cast<unsigned>(std::countr_zero(description.bus.bytes))),
      tlm_sharers_(description.tlm_bytes / description.l2.line_bytes),
      line_shift_(static_cast<unsigned>(std::countr_zero(description.l2.line_bytes))) {
  if (description.is_memory(number)) {
    memory_ = std::make_unique<memory_port>(
        k, clock_domain(description.memory_clock_ps),
        memory_port_parameters{description.memory.port_bytes, description.memory.access_cycles}, description.dram);
  }
  posts_to_l2_ = has_plain_l2(description);
  // Also on other machines: a lost line takes harts back, and their stores to the TLM before that must have happened.
  l2_.expect_stores(*this);
  auto const on_write = [this](std::uint64_t address, std::size_t bytes) {
    snoop(address, bytes, nullptr, clock_.cycle_from(kernel_.now()));
  };
  if (description.cni) {
    interface_ =
        std::make_unique<network_interface>(k, description, map, l2_, adapter_, *this, memory_.get(), number, on_write);
  }
  if (description.has_nodes()) {
    auto unit = unit_of(description);
    auto made = std::make_unique<node_interface>(k, description, partition_, l2_, *memory_, std::move(unit), on_write);
    node_ = made.get();
    atomics_ = std::move(made);
  } else if (description.rae) {
    atomics_ = std::make_unique<l2_interface>(k, description, partition_, static_cast<l2_port&>(*this), on_write);
  }
  if (description.coherence) {
    bool const forwards = description.coherence->protocol == coherence_protocol::forwarding;
    l2_.keep_coherent(line_watch_, forwards);
    picoseconds const look_up_ps = clock_.cycles(description.coherence->directory_cycles);
    if (forwards) {
      forwarding_ = std::make_unique<forwarding_lines>(k, description, map, adapter_, l2_, memory_.get(), number);
    } else if (memory_) {
      directory_ = std::make_unique<blocking_directory>(k, *memory_, static_cast<probe_sender&>(*this), look_up_ps,
                                                        description.l2.line_bytes);
    }
  }
}

static_assert(packet_data_max == transaction::data_max);

std::uint32_t tile::attach(snooper& l1) {
  l2_.trust_sharers();  // filled() records them
  if (description_.prefetcher) l2_.allow_prefetches(description_.prefetcher->outstanding);
  MACHINE_ASSERT(l1s_.size() < 63);  // watched_line is a bit of its own
  l1s_.push_back(&l1);
  l2_.attach(l1);
  return static_cast<std::uint32_t>(l1s_.size() - 1);
}

tile::place tile::place_elsewhere(std::uint64_t address) const noexcept {
  region const* const found = map_.find(address);
  // No hart accesses another cluster directly.
  if (found == nullptr || (description_.has_clusters() && found->tile != number_)) return place::nowhere;
  switch (found->kind) {
    case region_kind::partition:
      return place::l2;
    case region_kind::tlm:
    case region_kind::partition_uncached:
      return place::remote;
    case region_kind::device:
      return found->tile == number_ ? place::device : place::remote;
    case region_kind::scratchpad:
      return place_in_scratchpad(*found, address);
  }
  return place::nowhere;
}

tile::place tile::place_in_scratchpad(region const& in, std::uint64_t address) const noexcept {
  network_interface const& interface = *interface_;
  if (in.tile != number_) return interface.remote_code(address) != 0 ? place::posted : place::nowhere;
  switch (interface.lines().code_of(address)) {
    case registers::cni::cacheable:
      return place::nowhere;  // empty until it is configured
    case registers::cni::scratchpad:
      return place::scratchpad;
    default:
      return place::event;
  }
}

std::uint64_t tile::units() const noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < devices_.size(); ++i) bits |= std::uint64_t{devices_[i] != nullptr} << i;
  return bits;
}

std::pair<device*, std::uint64_t> tile::device_at(std::uint64_t address) const noexcept {
  std::uint64_t const offset = address - device_base_;
  std::uint64_t const unit = offset / registers::unit_bytes;
  return {unit < devices_.size() ? devices_[unit] : nullptr, offset % registers::unit_bytes};
}

std::uint64_t* tile::sharers(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return &tlm_sharers_[(address - tlm_region_.base) >> line_shift_];
  if (interface_ != nullptr && interface_->lines().holds(address)) return interface_->lines().sharers(address);
  return l2_.sharers(address);
}

void tile::filled(std::uint64_t address, std::uint32_t l1) noexcept {
  if (std::uint64_t* const known = sharers(address)) *known |= std::uint64_t{1} << l1;
  if (posted_ == 0) return;
  std::byte const* const line = postable(address >> line_shift_ << line_shift_).at;
  if (line == nullptr) return;
  auto const in_line = [&](std::byte const* at) { return static_cast<std::uint64_t>(at - line) >> line_shift_ == 0; };
  for (write_buffer const* const one : writers_)
    if (one->own_bit != std::uint64_t{1} << l1 && one->any_posted(in_line)) stores_meet_l1s_ = true;
}

std::uint32_t tile::attach(write_buffer& added) {
  MACHINE_ASSERT(writers_.size() < writers_max);
  auto const number = static_cast<std::uint32_t>(writers_.size());
  writers_.push_back(&added);
  first_posted(number, write_buffer::never);
  return number;
}

tile::bus_turn tile::first_store() const noexcept {
  // Branchless: the first one cannot be predicted.
  std::uint64_t first = first_stores_[0];
  for (std::size_t i = 1; i < writers_.size(); ++i) first = std::min(first, first_stores_[i]);
  return first;
}

void tile::execute_posted(bus_turn before) {
  while (posted_ != 0) {
    bus_turn const first = first_store();
    if (first >= before) return;
    auto const number = static_cast<std::uint32_t>(first % writers_max);
    write_buffer& of = *writers_[number];
    execute_first(of);
    --posted_;
    first_posted(number, of.first_cycle());
  }
  stores_meet_l1s_ = false;
}

inline void tile::execute_first(write_buffer& of) {
  write_buffer::posted_store const first = of.take_first();
  first.execute();
  auto const offset = static_cast<std::uint64_t>(first.at - tlm_.at(0));
  l2_private::stored const stored =
      offset < tlm_.size_bytes() ? l2_private::stored{tlm_region_.base + offset, tlm_sharers_[offset >> line_shift_]}
                                 : l2_.store_to(first.at);
  if ((stored.sharers & ~of.own_bit) != 0 || is_watched(stored.address, first.bytes)) [[unlikely]]
    snoop(stored.address, first.bytes, of.own, first.cycle, of.rank);
  of.add_done(bus(first.cycle, first.bytes));
}

void tile::perform() {
  if (posted_ == 0) return;
  // Harts whose turn in this cycle is over, as invalidated_from() has it.
  bool const by_hart = !kernel_.is_closed() && kernel_.rank() != 0;
  auto const over = [&](write_buffer const* one) { return one->rank <= kernel_.rank(); };
  catch_up(turn_of_devices() + (by_hart ? static_cast<bus_turn>(std::ranges::count_if(writers_, over)) : 0));
}

void tile::lose(std::span<std::byte const> line) {
  if (posted_ == 0) return;
  perform();
  auto const in_line = [&](std::byte const* at) { return static_cast<std::uint64_t>(at - line.data()) < line.size(); };
  for (write_buffer const* const one : writers_) {
    if (!one->any_posted(in_line)) continue;
    MACHINE_ASSERT(one->by != nullptr);
    one->by->loses_line();
  }
}

void tile::watch(watcher& sleeper, std::uint64_t address, std::uint64_t bytes) {
  watchers_.push_back({&sleeper, address, bytes});
  if (tlm_region_.holds(address)) *sharers(address) |= watched_line;
  if (drain_.waits) kernel_.take_back(drain_);
  drain_for_watchers();  // the harts of the tile have caught up
}

void tile::unwatch(watcher& sleeper) noexcept {
  auto const found = std::ranges::find(watchers_, &sleeper, &watched_word::sleeper);
  if (found == watchers_.end()) return;
  std::uint64_t const line = found->address >> line_shift_ << line_shift_;
  watchers_.erase(found);
  if (tlm_region_.holds(line) && !is_watched(line, std::uint64_t{1} << line_shift_)) *sharers(line) &= ~watched_line;
}

void tile::drain_for_watchers() {
  drain_.waits = false;
  if (posted_ == 0 || watchers_.empty()) return;
  bus_turn first = ~bus_turn{0};
  for (std::size_t number = 0; number < writers_.size(); ++number) {
    writers_[number]->each_posted([&](write_buffer::posted_store const& one) {
      if (is_watched(address_of(one.at), one.bytes)) first = std::min(first, one.cycle << writer_bits | number);
    });
  }
  if (first == ~bus_turn{0}) return;
  drain_.waits = true;
  drain_.store = first;
  drain_.rank = writers_[first % writers_max]->rank;
  drain_.site = network::site_of(number_);
  kernel_.at(clock_.cycles(first >> writer_bits), drain_);
}

void tile::drained() {
  catch_up(drain_.store + 1);
  drain_for_watchers();
}

void tile::snoop(std::uint64_t address, std::size_t bytes, snooper const* own, std::uint64_t cycle,
                 std::uint32_t rank) {
  snooped_at_ = cycle;
  snooped_by_ = rank;
  // An access within an L1 line is within one L2 line; the L2 includes the L1s.
  if (std::uint64_t* const known = sharers(address); known != nullptr && *known != 0) {
    for (std::uint64_t left = *known & ~watched_line; left != 0; left &= left - 1) {
      snooper* const l1 = l1s_[static_cast<std::size_t>(std::countr_zero(left))];
      if (l1 != own) l1->invalidate(address, bytes);
    }
  }
  snooped_by_ = 0;
  for (std::size_t i = watchers_.size(); i > 0; --i) watchers_[i - 1].sleeper->written(address, bytes, cycle);
}

void tile::discard(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t const cycle = clock_.count(kernel_.now()) + 1;
  if (tlm_region_.holds(address)) {
    tlm_.discard(address - tlm_region_.base, address - tlm_region_.base + bytes);
    std::uint64_t const line = std::uint64_t{1} << line_shift_;
    std::uint64_t const* const known = tlm_sharers(address);
    for (std::uint64_t i = 0; i < bytes >> line_shift_; ++i) {
      if (known[i] != 0) [[unlikely]]
        snoop(address + i * line, line, nullptr, cycle);
    }
    return;
  }
  region const& in = *map_.find(address);
  std::uint64_t const offset = in.memory_offset + (address - in.base);
  if (forwarding_) {
    forwarding_lines::change({.address = address, .bytes = bytes}, all_forwarding_);
    return (*all_)[in.memory_tile]->memory_->bytes().discard(offset, offset + bytes);
  }
  l2_.forget(address, bytes);
  for (std::size_t i = 0; coherent() && i < all_->size(); ++i) (*all_)[i]->l2_.forget(address, bytes);
  if (coherent()) change_on_way({.address = address, .bytes = bytes});
  if (node_ != nullptr) node_->forget(address, bytes);
  (*all_)[in.memory_tile]->memory_->bytes().discard(offset, offset + bytes);
}

void tile::clear(std::uint64_t address) {
  region const& in = *map_.find(address);
  std::byte* const line = (*all_)[in.memory_tile]->memory_->bytes().at(in.memory_offset + (address - in.base));
  std::fill_n(line, description_.l2.line_bytes, std::byte{});
}

tile::line_request& tile::line_request::owner_of(event& self) noexcept {
  return *static_cast<arrival_event&>(self).of;
}

tile::line_request& tile::take_line(std::uint64_t address, event& done) {
  if (spare_lines_.empty()) spare_lines_.push_back(&all_lines_.emplace_back(*this));
  line_request& taken = *spare_lines_.back();
  spare_lines_.pop_back();
  taken.arrival.of = &taken;
  taken.address = address;
  taken.bytes = description_.l2.line_bytes;
  taken.target = partition_.holds(address) ? partition_.memory_tile : map_.find(address)->memory_tile;
  taken.done = &taken.arrival;
  taken.requester = &done;
  taken.fetched = nullptr;
  return taken;
}

void tile::line_request::line_arrived() {
  if (what == remote_operation::unblock) return owner.spare_lines_.push_back(this);
  MACHINE_ASSERT(status == remote_outcome::done);
  event& waiter = *requester;
  if (fetched != nullptr) {
    copy_line(fetched->into.data(), data.data(), bytes);
    if (owner.coherent()) return owner.unblock(*this);
  }
  owner.spare_lines_.push_back(this);
  owner.kernel_.notify(waiter);
}

void tile::fetch(line_fetch& wanted, event& done) {
  if (forwarding_) return forwarding_->client().fetch(wanted, done);
  line_request& request = take_line(wanted.address, done);
  request.what = remote_operation::read;
  request.fetched = &wanted;
  request.part = line_access{.right = wanted.right, .held = wanted.held};
  request.via = &adapter_;
  // The miss is detected some cycles after the look-up began.
  request.happens = [](event& self) {
    auto& known = static_cast<line_request&>(self);
    known.owner.adapter_.issue(known);
  };
  kernel_.after(clock_.cycles(description_.l2_miss_cycles), request);
}

void tile::write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) {
  if (forwarding_) return forwarding_->client().write_back(address, line, kept, done);
  line_request& request = take_line(address, done);
  request.what = remote_operation::write;
  request.part = line_access{.right = kept ? line_right::exclusive : line_right::none};
  copy_line(request.data.data(), line.data(), line.size());
  adapter_.issue(request);
}

// The current bytes of an address, and a directory's requests to the tile.

std::byte* tile::in_memory(region const& in, std::uint64_t address) noexcept {
  return (*all_)[in.memory_tile]->memory_->bytes().at(in.memory_offset + (address - in.base));
}

std::byte* tile::peek_coherent(region const& in, std::uint64_t address) noexcept {
  if (forwarding_) {
    std::byte* const found = forwarding_lines::newest(address, all_forwarding_);
    return found != nullptr ? found : in_memory(in, address);
  }
  blocking_directory& home = *(*all_)[in.memory_tile]->directory_;
  std::uint32_t const owner = home.of(address).owner;
  // No cache may write it: memory is current, whatever is still in flight to it.
  if (owner == directory::nobody) return in_memory(in, address);
  l2_private& owners = (*all_)[owner]->l2_;
  auto const probed = owners.probe(address);
  if (probed.line_state != l2_private::invalid) return &probed.data[address % description_.l2.line_bytes];
  // A surrendered line is newer than an earlier write-back.
  if (std::byte* const answered = home.in_answer(address)) return answered;
  if (std::byte* const left = owners.leaving(address)) return left;
  return in_memory(in, address);
}

std::byte* tile::peek(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return tlm_.at(address - tlm_region_.base);
  std::uint64_t const offset = address % description_.l2.line_bytes;
  if (auto const probed = l2_.probe(address); probed.line_state != l2_private::invalid) return &probed.data[offset];
  if (interface_ != nullptr && interface_->lines().holds(address)) return interface_->lines().at(address);
  region const* const in = map_.find(address);
  if (in == nullptr || in->kind != region_kind::partition || all_ == nullptr) return nullptr;
  if (coherent()) return peek_coherent(*in, address);
  if (std::byte* const left = l2_.leaving(address)) return left;
  node_interface* const node = (*all_)[in->memory_tile]->node_;
  // What it has is changed by poke() only.
  if (std::byte const* const held = node == nullptr ? nullptr : node->look_up(address))
    return const_cast<std::byte*>(held);  // NOLINT: as all other bytes here
  return in_memory(*in, address);
}

void tile::poke(std::uint64_t address, std::span<std::byte const> from) {
  if (tlm_region_.holds(address)) {
    std::ranges::copy(from, tlm_.at(address - tlm_region_.base));
    return;
  }
  if (interface_ != nullptr && interface_->lines().holds(address)) {
    std::byte* const at = interface_->lines().at(address);
    if (at != nullptr) std::ranges::copy(from, at);
    return;
  }
  region const& in = *map_.find(address);
  if (forwarding_) {
    forwarding_lines::change({.address = address, .bytes = from.size(), .from = from.data()}, all_forwarding_);
    std::ranges::copy(from, in_memory(in, address));
    return;
  }
  std::byte* at = l2_.look_up(address, true);
  if (at == nullptr && coherent()) {
    at = poke_coherent(in, address, from);
  }
  if (at == nullptr) {
    if (node_interface* const node = (*all_)[in.memory_tile]->node_) node->poke(address, from);
    if (l2_.write_absent(address, from)) return;
    at = in_memory(in, address);
  }
  std::ranges::copy(from, at);
}

std::byte* tile::poke_coherent(region const& in, std::uint64_t address, std::span<std::byte const> from) {
  std::uint64_t const line = l2_.line_address(address);
  auto const& books = (*all_)[in.memory_tile]->directory_->of(address);
  if (books.owner != directory::nobody) {
    tile& owner = *(*all_)[books.owner];
    if (std::byte* const there = owner.l2_.look_up(address, true)) {
      owner.snoop(line, description_.l2.line_bytes, nullptr, clock_.count(kernel_.now()) + 1);
      return there;
    }
    owner.l2_.drop_line(line);  // it has begun to share it
  }
  // As if all caches had surrendered it.
  for (std::uint32_t const sharer : books.sharers) (*all_)[sharer]->l2_.drop_line(line);
  change_on_way({.address = address, .bytes = from.size(), .from = from.data()});
  return in_memory(in, address);
}

void tile::change_on_way(overwrite const& written) noexcept {
  for (auto const& one : *all_) {
    one->l2_.change_on_way(written);
    for (line_request& carried : one->all_lines_)
      written.apply(carried.address, std::span(carried.data).first(description_.l2.line_bytes));
    if (one->directory_) one->directory_->change_on_way(written);
  }
}

std::byte* tile::watchable(std::uint64_t address) noexcept {
  bool const of_interface = interface_ != nullptr && interface_->lines().holds(address);
  if (!coherent() || tlm_region_.holds(address) || of_interface) return peek(address);
  auto const probed = l2_.probe(address);
  return probed.line_state == l2_private::invalid ? nullptr : &probed.data[address % description_.l2.line_bytes];
}

void tile::notify_watchers(std::uint64_t address, std::size_t bytes) {
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  for (std::size_t i = watchers_.size(); i > 0; --i) watchers_[i - 1].sleeper->written(address, bytes, cycle);
}

void tile::serve_probe(transaction& request, event& finished) {
  std::uint64_t const line_bytes = description_.l2.line_bytes;
  auto const given = l2_.surrender(request.address, request.right(), {request.data.data(), line_bytes});
  request.line()->right = given.kept;
  request.bytes = given.dirty ? line_bytes : 0;
  request.status = remote_outcome::done;
  kernel_.after(clock_.cycles(description_.coherence->probe_cycles), finished);
}

void tile::unblock(line_request& arrived) {
  arrived.fetched->right = arrived.right();
  event& waiter = *arrived.requester;
  arrived.what = remote_operation::unblock;
  adapter_.issue_at_once(arrived);
  kernel_.notify(waiter);
}

// The home: words of the TLM and the L2, lines and DMA of the DDR, for this tile and for others.

void tile::serve(transaction& request, event& finished) {
  catch_up();
  if (guard_ != nullptr && request.dma() != nullptr && request.source != number_) {
    bool const enters = guard_->admits(request);
    if (!enters || request.dma()->is_end) {
      request.status = enters ? remote_outcome::done : remote_outcome::wrong;
      return kernel_.after(0, finished);
    }
  }
  if (forwarding_ && forwarding_lines::concerns(request)) return forwarding_->serve(request, finished);
  if (request.what == remote_operation::probe) return serve_probe(request, finished);
  if (request.what == remote_operation::unblock) {
    directory_->unblocked(request.address);
    return finished.happens(finished);
  }
  region const* const in = map_.find(request.address);
  bool const whole = in != nullptr && request.address + request.bytes <= in->end();
  if (whole && in->kind == region_kind::device && in->tile == number_) return serve_device(request, finished);
  if (!whole || in->kind == region_kind::device) {
    request.status = remote_outcome::wrong;
    return kernel_.after(0, finished);
  }
  if (in->kind == region_kind::scratchpad && in->tile == number_) return serve_scratchpad(request, finished);
  bool const is_tlm = in->kind == region_kind::tlm;
  // Copies of an interface bypass the caches, however short; in the uncached view they go through the caches.
  cni_message const* const message = request.cni();
  bool const through = message != nullptr && in->kind == region_kind::partition_uncached;
  bool const moves_words = message != nullptr ? !message->is_job || message->is_short : request.dma() == nullptr;
  bool const word = through || (request.bytes <= word_bytes_max && moves_words);
  // Only queues may refuse an interface's messages, so they go to the L2.
  if (in->tile == number_ && word && !is_tlm && atomics_ != nullptr && message == nullptr) {
    request.address = cached_name(map_, *in, request.address);
    return atomics_->serve(request, finished);
  }
  if (in->tile == number_ && (word || is_tlm)) {
    if (spare_words_.empty()) spare_words_.push_back(&all_words_.emplace_back(*this));
    served_word& begun = *spare_words_.back();
    spare_words_.pop_back();
    request.address = cached_name(map_, *in, request.address);
    begun.request = &request;
    begun.finished = &finished;
    begun.where = is_tlm ? place::tlm : place::l2;
    return serve_word(begun);
  }
  bool const in_memory = !is_tlm && in->kind != region_kind::scratchpad;
  // A directory and a node's interface take one line at a time; an interface's messages may cross two.
  bool const crosses = in_memory && (coherent() || node_ != nullptr) &&
                       l2_.line_address(request.address + request.bytes - 1) != l2_.line_address(request.address);
  if (in_memory && forwarding_) {
    request.address = cached_name(map_, *in, request.address);
    bool const is_here = in->memory_tile == number_ || forwarding_->home_of(request.address) == number_;
    bool const is_known = request.what == remote_operation::read || request.what == remote_operation::write;
    if (is_here && is_known) return crosses ? serve_lines(request, finished) : forwarding_->serve(request, finished);
  }
  if (in_memory && (directory_ || node_ != nullptr) && crosses) return serve_lines(request, finished);
  if (in_memory && in->memory_tile == number_ && memory_ != nullptr && !forwarding_)
    return serve_memory(request, *in, finished);
  request.status = remote_outcome::wrong;
  kernel_.after(0, finished);
}

void tile::access(transaction& request, event& finished) {
  region const* const in = forwarding_ ? map_.find(request.address) : nullptr;
  bool const by_home = in != nullptr && in->kind == region_kind::partition && in->memory_tile == number_ &&
                       request.address + request.bytes <= in->end();
  if (!by_home) return serve(request, finished);
  catch_up();
  forwarding_->access(request, finished);
}

void tile::serve_lines(transaction& request, event& finished) {
  split_access& begun = splits_.take(*this);
  begun.of = &request;
  begun.finished = &finished;
  begun.missing = begun.parts.size();
  std::uint64_t const first = l2_.line_address(request.address) + description_.l2.line_bytes - request.address;
  std::uint64_t at = 0;
  for (split_access::part& one : begun.parts) {
    transaction& sent = one.sent;
    sent.what = request.what;
    sent.part = dma_packet{};
    sent.status = remote_outcome::pending;
    sent.serving = served_by::home;
    sent.source = number_;
    sent.address = request.address + at;
    sent.bytes = at == 0 ? first : request.bytes - first;
    std::copy_n(request.data.begin() + static_cast<std::ptrdiff_t>(at), sent.bytes, sent.data.begin());
    at += sent.bytes;
  }
  for (split_access::part& one : begun.parts) access(one.sent, one);
}

void tile::part_served(split_access& of) {
  if (--of.missing > 0) return;
  transaction& request = *of.of;
  auto const& [first, second] = of.parts;
  bool const done = first.sent.status == remote_outcome::done && second.sent.status == remote_outcome::done;
  request.status = done ? remote_outcome::done : remote_outcome::wrong;
  if (request.what == remote_operation::read) {
    auto const rest = std::copy_n(first.sent.data.begin(), first.sent.bytes, request.data.begin());
    std::copy_n(second.sent.data.begin(), second.sent.bytes, rest);
  }
  event& finished = *of.finished;
  splits_.give_back(of);
  finished.happens(finished);
}

void tile::serve_scratchpad(transaction& request, event& finished) {
  interface_->serve(request);
  kernel_.at(device_access(place::l2, request.bytes), finished);
}

void tile::serve_device(transaction& request, event& finished) {
  auto const [unit, offset] = device_at(request.address);
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  bool const is_message = offset == registers::own_units::message && request.what == remote_operation::write;
  bool const sound = unit != nullptr && request.bytes == word && offset % word == 0;
  request.status = remote_outcome::wrong;
  if (is_message && unit != nullptr) {
    std::array<std::uint64_t, transaction::data_max / word> words{};
    std::memcpy(words.data(), request.data.data(), request.bytes);
    request.status = unit->message(request.source, std::span(words).first(request.bytes / word));
  } else if (sound && request.what == remote_operation::read) {
    if (auto const value = unit->load_from(request.source, offset)) {
      std::memcpy(request.data.data(), &*value, sizeof *value);
      request.status = remote_outcome::done;
    }
  } else if (sound && request.what == remote_operation::write) {
    std::uint64_t value = 0;
    std::memcpy(&value, request.data.data(), sizeof value);
    if (unit->store_from(request.source, offset, value)) request.status = remote_outcome::done;
  }
  kernel_.at(clock_.cycles(bus(clock_.cycle_from(kernel_.now()), is_message ? request.bytes : word)), finished);
}

void tile::serve_memory(transaction& request, region const& in, event& finished) {
  std::uint64_t const offset = in.memory_offset + (request.address - in.base);
  bool const reads = request.what == remote_operation::read;
  if (!reads && request.what != remote_operation::write) {
    request.status = remote_outcome::wrong;  // there are no atomics behind the caches
    return kernel_.after(0, finished);
  }
  if (directory_) {
    request.address = cached_name(map_, in, request.address);
    return directory_->serve(request, offset, finished);
  }
  if (node_ != nullptr) return claim_line(request, in, finished);
  access_memory(request, in, finished);
}

void tile::access_memory(transaction& request, region const& in, event& finished) {
  std::uint64_t const offset = in.memory_offset + (request.address - in.base);
  request.status = remote_outcome::done;
  std::span<std::byte> const data(request.data.data(), request.bytes);
  if (request.what == remote_operation::read) {
    memory_->read(offset, data, finished);
  } else {
    memory_->write(offset, data, finished);
  }
}

void tile::claim_line(transaction& request, region const& in, event& finished) {
  // The own L2 owns the line from now on; all others read a snapshot.
  bool const own_fetch = request.source == number_ && request.right() != line_right::none;
  bool const takes = request.what == remote_operation::write || own_fetch;
  if (spare_late_.empty()) spare_late_.push_back(&all_late_.emplace_back(*this));
  late_access& late = *spare_late_.back();
  spare_late_.pop_back();
  late.request = &request;
  late.finished = &finished;
  node_->claim(l2_.line_address(cached_name(map_, in, request.address)), takes, late);
}

void tile::released(late_access& late) {
  spare_late_.push_back(&late);
  access_memory(*late.request, *map_.find(late.request->address), *late.finished);
}

std::byte* tile::reach(main_entry& entry) {
  using step = main_entry::step;
  // Requests join while the L2 looks the line up or fetches it.
  if (entry.is == step::waits && l2_.probe(entry.address).line_state != l2_private::invalid) {
    entry.is = step::takes;
    kernel_.after(clock_.cycles(description_.l2_hit_cycles), entry);
    return nullptr;
  }
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  catch_up();
  std::byte* const line = l2_.look_up(entry.address, entry.writes);
  if (line == nullptr) {
    entry.is = step::reads;
    l2_.bring(entry.address, entry, entry.writes);
    return nullptr;
  }
  // All in one turn, during which nothing else accesses the L2.
  ++accesses_.reads;
  if (entry.writes) ++accesses_.writes;
  entry.ends = clock_.cycles(std::max(cycle, bus_free_));
  hold_bus(cycle, arbitration_cycles_ + entry.requests.size() * description_.rae->operation_cycles);
  return line;
}

std::byte* tile::join(main_entry& entry, bool stores) {
  auto const found = l2_.probe(entry.address);
  bool const fits = stores ? found.line_state == l2_private::dirty : found.line_state != l2_private::invalid;
  if (!fits) return nullptr;
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  catch_up();
  hold_bus(cycle, description_.rae->operation_cycles);
  return found.data.data();
}

void tile::serve_word(served_word& word) {
  catch_up();
  bool const stores = word.request->what != remote_operation::read;
  std::byte* const at = look_up(word.where, word.request->address, stores);
  if (at == nullptr) return l2_.bring(word.request->address, word, stores);
  do_word(word, at);
}

void tile::retry(served_word& word) {
  serve_word(word);
}

void tile::do_word(served_word& word, std::byte* at) {
  transaction& request = *word.request;
  switch (request.what) {
    case remote_operation::read:
      std::memcpy(request.data.data(), at, request.bytes);
      break;
    case remote_operation::write:
      std::memcpy(at, request.data.data(), request.bytes);
      break;
    case remote_operation::atomic:
      request.operand = apply(request.word, at, request.bytes, request.operand);
      break;
    case remote_operation::compare_swap:
      request.operand = apply_compare_swap(at, request.bytes, request.expected, request.operand);
      break;
    case remote_operation::invoke:
    case remote_operation::trigger:
    case remote_operation::transfer:
    case remote_operation::probe:
    case remote_operation::unblock:
    case remote_operation::copy_back:
      MACHINE_ASSERT(false);
  }
  request.status = remote_outcome::done;
  std::uint64_t const now = clock_.cycle_from(kernel_.now());
  bool const locks = request.what == remote_operation::atomic || request.what == remote_operation::compare_swap;
  std::uint64_t const there = locks ? atomic_cycle(word.where, now) : hit_cycle(word.where, now, request.bytes);
  // DMA writes several TLM lines at a time, and sharers are kept per line.
  std::uint64_t const line = description_.l2.line_bytes;
  std::uint64_t const end = request.address + request.bytes;
  for (std::uint64_t at_line = request.address; at_line < end && request.what != remote_operation::read;) {
    std::uint64_t const next = std::min(end, at_line / line * line + line);
    snoop(at_line, next - at_line, nullptr, there);
    at_line = next;
  }
  event& finished = *word.finished;
  spare_words_.push_back(&word);
  kernel_.at(clock_.cycles(there), finished);
}

}  // namespace tess::machine
