// nca_ranges: the hardware of rtl/nca/nca_ranges, made C++ by Verilator, behind the ports that the simulator knows. It
// is compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vnca_ranges.h>

#include "clocked_model.hpp"
#include "machine/unit/range_engine.hpp"

namespace tess::machine {
namespace {

class verilated_ranges final : public verilated_unit<range_engine, Vnca_ranges> {
 public:
  explicit verilated_ranges(parameters const& /*made*/) {}

 private:
  template <class Port>
  static void set(Port& port, std::uint64_t value) {
    port = static_cast<Port>(value);
  }

  void write_inputs() override {
    Vnca_ranges& to = model_.ports;
    to.coherent_i = in.coherent;
    to.command_valid_i = in.command_valid;
    if (in.command_valid) {
      set(to.command_operation_i, static_cast<std::uint64_t>(in.command.operation));
      to.command_first_i = in.command.first;
      to.command_last_i = in.command.last;
      set(to.command_tag_i, in.command.tag);
    }
    to.line_ready_i = in.line_ready;
    to.done_valid_i = in.done_valid;
    if (in.done_valid) set(to.done_slot_i, in.done_slot);
    to.result_ready_i = in.result_ready;
  }

  void read_outputs() override {
    Vnca_ranges& from = model_.ports;
    out.command_ready = from.command_ready_o != 0;
    out.command_begins = from.command_begins_o != 0;
    out.line_valid = from.line_valid_o != 0;
    if (out.line_valid)
      out.line = {.action = static_cast<line_action>(from.line_action_o),
                  .slot = from.line_slot_o,
                  .address = from.line_address_o,
                  .last = from.line_last_o};
    out.result_valid = from.result_valid_o != 0;
    out.result_tag = from.result_tag_o;
    out.quiet = from.quiet_o != 0;
  }
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_ranges::make<verilated_ranges, range_engine::parameters>(parameters, bytes);
}
