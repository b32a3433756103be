// nca: the hardware of rtl/nca/nca_graph_writeback, made C++ by Verilator, behind the ports that the simulator knows.
// It is compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vnca_graph_writeback.h>

#include "clocked_model.hpp"
#include "machine/nca/traversal_unit.hpp"

namespace tess::machine {
namespace {

class verilated_nca final : public verilated_unit<traversal_unit, Vnca_graph_writeback> {
 public:
  explicit verilated_nca(parameters const& made) : lanes_(made.line_bytes / 8) {}

 private:
  void write_inputs() override {
    Vnca_graph_writeback& to = model_.ports;
    port_fields settings{to.settings_i};
    settings.put(in.types_count, 32);
    settings.put(in.types_address, 64);
    settings.put(in.partition_bytes, 40);
    settings.put(in.partition_base, 64);
    to.job_valid_i = in.job_valid;
    if (in.job_valid) {
      port_fields job{to.job_i};
      job.put(in.job.mark, 64);
      job.put(in.job.root, 64);
    }
    to.access_ready_i = in.access_ready;
    to.answer_valid_i = in.answer_valid;
    if (in.answer_valid && in.answer_words != nullptr) {
      port_fields words{to.answer_words_i};
      for (std::uint32_t lane = 0; lane < lanes_; ++lane) words.put(in.answer_words[lane], 64);
    }
    to.written_i = in.written;
    to.record_ready_i = in.record_ready;
    to.record_answer_valid_i = in.record_answer_valid;
    to.record_fault_i = in.record_fault;
    if (in.record_answer_valid) {
      port_fields words{to.record_words_i};
      for (std::uint64_t const word : in.record_words) words.put(word, 64);
    }
    to.stack_ready_i = in.stack_ready;
    to.stack_answer_valid_i = in.stack_answer_valid;
    if (in.stack_answer_valid) {
      port_fields place{to.stack_place_i};
      place.put(in.stack_place.position, 38);
      place.put(in.stack_place.object, 40);
    }
    to.result_ready_i = in.result_ready;
  }

  void read_outputs() override {
    Vnca_graph_writeback& from = model_.ports;
    out.job_ready = from.job_ready_o != 0;
    out.job_begins = from.job_begins_o != 0;
    out.quiet = from.quiet_o != 0;
    out.access_valid = from.access_valid_o != 0;
    if (out.access_valid) {
      out.access = {.kind = static_cast<traversal_access::kind_code>(from.access_kind_o),
                    .offset = from.access_offset_o};
      out.mark = from.access_mark_o;
    }
    out.record_valid = from.record_valid_o != 0;
    if (out.record_valid) {
      out.record_address = from.record_address_o;
      out.record_whole = from.record_whole_o != 0;
    }
    out.stack_valid = from.stack_valid_o != 0;
    if (out.stack_valid) {
      out.stack_writes = from.stack_writes_o != 0;
      out.stack_index = from.stack_index_o;
      port_fields place{from.stack_place_o};
      out.stack_place.position = place.take(38);
      out.stack_place.object = place.take(40);
    }
    out.result_valid = from.result_valid_o != 0;
    if (out.result_valid) {
      port_fields result{from.result_o};
      out.result.bytes = result.take(64);
      out.result.objects = result.take(40);
      out.result.fault = static_cast<registers::graph_fault>(result.take(4));
    }
  }

  std::uint32_t lanes_;
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_nca::make<verilated_nca, traversal_unit::parameters>(parameters, bytes);
}
