// cni_jobs: the hardware of rtl/cni/cni_jobs, made C++ by Verilator, behind the ports that the simulator knows. It is
// compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vcni_jobs.h>

#include "clocked_model.hpp"
#include "machine/cni/job_unit.hpp"

namespace tess::machine {
namespace {

class verilated_jobs final : public verilated_unit<job_unit, Vcni_jobs> {
 public:
  explicit verilated_jobs(parameters const& /*made*/) {}

 private:
  void write_inputs() override {
    Vcni_jobs& to = model_.ports;
    to.put_valid_i = in.put_valid;
    to.put_again_i = in.put_again;
    set_port(to.put_number_i, in.put_number);
    to.put_is_copy_i = in.put_is_copy;
    if (in.put_valid) {
      port_fields copy{to.put_i};
      copy.put(in.put.bytes, 17);
      copy.put(in.put.destination, 64);
      copy.put(in.put.source, 64);
    }
    to.end_valid_i = in.end_valid;
    set_port(to.end_number_i, in.end_number);
    to.pick_i = in.pick;
    to.copies_stop_i = in.copies_stop;
    to.turn_ready_i = in.turn_ready;
  }

  void read_outputs() override {
    Vcni_jobs& from = model_.ports;
    out.put_ready = from.put_ready_o != 0;
    if (out.put_ready) out.free = from.free_o;
    out.copies = from.copies_o != 0;
    out.others = from.others_o != 0;
    out.turn_valid = from.turn_valid_o != 0;
    if (out.turn_valid) {
      out.turn_is_copy = from.turn_is_copy_o != 0;
      out.turn_number = from.turn_number_o;
      port_fields copy{from.turn_o};
      out.turn.bytes = static_cast<std::uint32_t>(copy.take(17));
      out.turn.destination = copy.take(64);
      out.turn.source = copy.take(64);
    }
    out.quiet = from.quiet_o != 0;
  }
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_jobs::make<verilated_jobs, job_unit::parameters>(parameters, bytes);
}
