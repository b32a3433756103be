// network_interface: requests of harts and of other tiles, acknowledgements, faults.
#include "machine/cni/network_interface.hpp"

#include <cstring>
#include <utility>

#include "machine/cni/align_machine.hpp"
#include "machine/cni/job_machine.hpp"
#include "machine/cni/piece_machine.hpp"
#include "machine/cni/response_machine.hpp"
#include "machine/kernel/units.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

bool is_data(region const& in) {
  return in.kind != region_kind::device;
}

/// As the run wants it: the model or the hardware.
std::unique_ptr<response_unit> responses_of(machine_description const& description) {
  response_unit::parameters const made;
  if (description.hardware.cni == nullptr) return std::make_unique<response_machine>(made);
  return description.hardware.cni->make<response_unit, response_unit>(made);
}
std::unique_ptr<piece_unit> pieces_of(machine_description const& description) {
  piece_unit::parameters const made;
  if (description.hardware.cni_pieces == nullptr) return std::make_unique<piece_machine>(made);
  return description.hardware.cni_pieces->make<piece_unit, piece_unit>(made);
}
std::unique_ptr<job_unit> list_of(machine_description const& description) {
  job_unit::parameters const made{.jobs = description.cni->listed_jobs()};
  if (description.hardware.cni_jobs == nullptr) return std::make_unique<job_machine>(made);
  return description.hardware.cni_jobs->make<job_unit, job_unit>(made);
}
std::unique_ptr<align_unit> aligner_of(machine_description const& description) {
  align_unit::parameters const made;
  if (description.hardware.cni_aligner == nullptr) return std::make_unique<align_machine>(made);
  return description.hardware.cni_aligner->make<align_unit, align_unit>(made);
}

}  // namespace

network_interface::network_interface(kernel& k, machine_description const& description, address_map const& map,
                                     l2_private& in, adapter& way, home& here, memory_port* memory, std::uint32_t tile,
                                     std::function<void(std::uint64_t, std::size_t)> on_write)
    : kernel_(k),
      description_(description),
      map_(map),
      adapter_(way),
      home_(here),
      memory_(memory),
      clock_(description.tile_clock_ps),
      tile_(tile),
      window_(description.window(tile)),
      on_write_(std::move(on_write)),
      regions_(description.cni->region_entries),
      lines_(responses_of(description), in, *map.of(region_kind::scratchpad, tile), regions_, *this),
      combining_(k, way, clock_.cycles(description.cni->combine_cycles), description.cni->posted_stores,
                 [this](transaction const& failed) { report(failed.cni()->fault, failed.address); }),
      pieces_(pieces_of(description)),
      aligner_(aligner_of(description)),
      list_(list_of(description)),
      all_jobs_(description.cni->listed_jobs()) {
  adapter_.on_copy([this](transaction& request) { return take_copy(request); });
}

std::uint64_t network_interface::remote_code(std::uint64_t address) const noexcept {
  region_table::entry const* const in = regions_.find(address);
  bool const remote =
      in != nullptr && (in->code == registers::cni::remote_scratchpad || in->code == registers::cni::remote_events);
  return remote ? in->code : 0;
}

access_outcome network_interface::store_event(std::uint64_t address, std::span<std::byte const> value, event& again) {
  access_outcome const outcome = lines_.write(address, value, event_lines::by::own_hart).outcome;
  if (outcome == access_outcome::done) wake_stalled();
  if (outcome != access_outcome::full && outcome != access_outcome::busy) return outcome;
  stalled_.push_back({&again, address});
  return access_outcome::full;
}

bool network_interface::post(std::uint64_t address, std::span<std::byte const> value, event& again) {
  bool const combines = remote_code(address) == registers::cni::remote_scratchpad;
  return combining_.store(map_.find(address)->tile, address, value, combines, again);
}

void network_interface::serve(transaction& request) {
  std::span<std::byte> const data = std::span(request.data).first(request.bytes);
  bool const aligned = request.address % request.bytes == 0;
  request.status = remote_outcome::wrong;
  cni_message* const message = request.cni();
  if (message != nullptr) message->fault = registers::cni::fault::not_configured;
  if (request.what == remote_operation::write) {
    access_result const result = lines_.write(request.address, data, event_lines::by::other_tile);
    bool const busy = result.outcome == access_outcome::busy;
    if (message != nullptr) {
      message->fault = result.why;
      message->jobs_full = busy;
    }
    request.status = result.outcome == access_outcome::done           ? remote_outcome::done
                     : result.outcome == access_outcome::full || busy ? remote_outcome::refused
                                                                      : remote_outcome::wrong;
    if (result.outcome == access_outcome::done) wake_stalled();
    return;
  }
  bool const events = lines_.code_of(request.address) > registers::cni::scratchpad;
  if (request.what == remote_operation::read) {
    bool const word = events && aligned && request.bytes == word_bytes;
    if (word) std::memcpy(data.data(), lines_.at(request.address), word_bytes);
    if (word || lines_.read(request.address, data)) request.status = remote_outcome::done;
    return;
  }
  if (events || !aligned || lines_.code_of(request.address) != registers::cni::scratchpad) return;
  std::byte* const at = lines_.at(request.address);
  request.operand = request.what == remote_operation::atomic
                        ? apply(request.word, at, request.bytes, request.operand)
                        : apply_compare_swap(at, request.bytes, request.expected, request.operand);
  request.status = remote_outcome::done;
  on_write_(request.address, request.bytes);
}

void network_interface::acknowledge(transaction& request) {
  cni_message& message = *request.cni();
  region const* const home = map_.find(message.acknowledgement);
  if (home == nullptr || home->tile == request.source) return;  // the answer reports it
  std::uint64_t const where = std::exchange(message.acknowledgement, 0);
  if (home->tile != tile_) return enter(store_of(where, acknowledged(request)));
  if (deliver(where, acknowledged(request)) == registers::cni::fault::none) return;
  request.status = remote_outcome::wrong;
  message.fault = registers::cni::fault::acknowledgement;
  request.address = where;
}

interface_job network_interface::store_of(std::uint64_t address, std::uint64_t value) const {
  interface_job made;
  made.destination = address;
  made.bytes = word_bytes;
  std::memcpy(made.data.data(), &value, word_bytes);
  return made;
}

registers::cni::fault network_interface::deliver(std::uint64_t address, std::uint64_t value) {
  if (!lines_.holds(address)) {
    region const* const home = map_.find(address);
    if (home == nullptr || !is_data(*home)) return registers::cni::fault::acknowledgement;
    enter(store_of(address, value));
    return registers::cni::fault::none;
  }
  access_result const result =
      lines_.write(address, std::as_bytes(std::span(&value, 1)), event_lines::by::acknowledgement);
  if (result.outcome == access_outcome::wrong) return registers::cni::fault::acknowledgement;
  if (result.outcome == access_outcome::full) enter(store_of(address, value));
  if (result.outcome == access_outcome::done) wake_stalled();
  return registers::cni::fault::none;
}

bool network_interface::take_copy(transaction& request) {
  interface_job made;
  made.what = interface_job::kind::copy;
  made.source = request.address;
  made.destination = request.cni()->destination;
  made.bytes = request.bytes;
  made.acknowledgement = request.cni()->acknowledgement;
  made.request = &request;
  if (!has_room(false)) return false;
  enter(made);
  return true;
}

void network_interface::report(registers::cni::fault why, std::uint64_t where) {
  ++faults_.count;
  faults_.last = why == registers::cni::fault::none ? registers::cni::fault::not_configured : why;
  faults_.address = where;
  if (faults_.notify == 0) return;
  interface_job add = store_of(faults_.notify, 1);
  add.what = interface_job::kind::add;
  enter(add);
}

void network_interface::wake_stalled() {
  for (stalled_store const& one : std::exchange(stalled_, {})) kernel_.after(clock_.cycles(1), *one.again);
  adapter_.queue_changed();
}

std::vector<std::uint64_t> network_interface::waited_for() const {
  std::vector<std::uint64_t> addresses;
  for (stalled_store const& one : stalled_) addresses.push_back(one.address);
  return addresses;
}

}  // namespace tess::machine
