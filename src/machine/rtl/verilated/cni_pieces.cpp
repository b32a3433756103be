// cni_pieces: the hardware of rtl/cni/cni_pieces, made C++ by Verilator, behind the ports that the simulator knows. It
// is compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vcni_pieces.h>

#include <memory>

#include "clocked_model.hpp"
#include "machine/cni/piece_unit.hpp"

namespace tess::machine {
namespace {

class verilated_pieces final : public piece_unit {
 public:
  verilated_pieces() {
    write_inputs();
    model_.ports.eval();
    read_outputs();
  }

  void step() override {
    write_inputs();
    model_.edge();
    read_outputs();
  }

 private:
  void write_inputs() {
    Vcni_pieces& to = model_.ports;
    to.entry_valid_i = in.entry_valid;
    if (in.entry_valid) {
      port_fields copy{to.entry_i};
      copy.put(in.next.bytes, 17);
      copy.put(in.next.destination, 64);
      copy.put(in.next.source, 64);
    }
    to.by_lines_i = in.by_lines;
    to.packet_ready_i = in.packet_ready;
    to.rest_ready_i = in.rest_ready;
  }

  void read_outputs() {
    Vcni_pieces& from = model_.ports;
    out.entry_ready = from.entry_ready_o != 0;
    out.packet_valid = from.packet_valid_o != 0;
    if (out.packet_valid)
      out.packet = {
          .source = from.packet_source_o, .destination = from.packet_destination_o, .bytes = from.packet_bytes_o};
    out.rest_valid = from.rest_valid_o != 0;
    if (out.rest_valid) {
      port_fields copy{from.rest_o};
      out.rest.bytes = static_cast<std::uint32_t>(copy.take(17));
      out.rest.destination = copy.take(64);
      out.rest.source = copy.take(64);
    }
    out.quiet = from.quiet_o != 0;
  }

  clocked_model<Vcni_pieces> model_;
};

}  // namespace
}  // namespace tess::machine

// The unit, for whoever loads this object; `bytes` is the size of the ports' types, which must be the same there.
extern "C" void* tess_rtl_make(void const* /*parameters*/, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  if (bytes != sizeof(piece_unit::parameters) + sizeof(piece_unit)) return nullptr;
  return static_cast<piece_unit*>(std::make_unique<verilated_pieces>().release());
}
