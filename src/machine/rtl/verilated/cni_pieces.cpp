// cni_pieces: the hardware of rtl/cni/cni_pieces, made C++ by Verilator, behind the ports that the simulator knows. It
// is compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vcni_pieces.h>

#include "clocked_model.hpp"
#include "machine/cni/piece_unit.hpp"

namespace tess::machine {
namespace {

class verilated_pieces final : public verilated_unit<piece_unit, Vcni_pieces> {
 public:
  explicit verilated_pieces(parameters const& /*made*/) {}

 private:
  void write_inputs() override {
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

  void read_outputs() override {
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
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_pieces::make<verilated_pieces, piece_unit::parameters>(parameters, bytes);
}
