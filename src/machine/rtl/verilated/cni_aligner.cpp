// cni_aligner: the hardware of rtl/cni/cni_aligner, made C++ by Verilator, behind the ports that the simulator knows.
// It is compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vcni_aligner.h>

#include "clocked_model.hpp"
#include "machine/cni/align_unit.hpp"

namespace tess::machine {
namespace {

class verilated_aligner final : public verilated_unit<align_unit, Vcni_aligner> {
 public:
  explicit verilated_aligner(parameters const& /*made*/) {}

 private:
  void write_inputs() override {
    Vcni_aligner& to = model_.ports;
    to.packet_valid_i = in.packet_valid;
    set_port(to.from_i, in.from);
    set_port(to.to_i, in.to);
    set_port(to.bytes_i, in.bytes);
    to.word_valid_i = in.word_valid;
    to.word_i = in.word;
    to.aligned_ready_i = in.aligned_ready;
  }

  void read_outputs() override {
    Vcni_aligner& from = model_.ports;
    out.packet_ready = from.packet_ready_o != 0;
    out.word_ready = from.word_ready_o != 0;
    out.aligned_valid = from.aligned_valid_o != 0;
    if (out.aligned_valid) {
      port_fields item{from.aligned_o};
      out.next.last = item.take(1) != 0;
      out.next.strobes = static_cast<std::uint32_t>(item.take(8));
      out.next.word = item.take(64);
    }
    out.quiet = from.quiet_o != 0;
  }
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_aligner::make<verilated_aligner, align_unit::parameters>(parameters, bytes);
}
