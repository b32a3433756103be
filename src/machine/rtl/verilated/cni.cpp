// cni: the hardware of rtl/cni/cni_responses, made C++ by Verilator, behind the ports that the simulator knows. It is
// compiled into a shared object of its own (tools/rtl/library.py), once for each set of parameters.
//
// Threads   one.
#include <Vcni_responses.h>

#include "clocked_model.hpp"
#include "machine/cni/response_unit.hpp"

namespace tess::machine {
namespace {

class verilated_responses final : public verilated_unit<response_unit, Vcni_responses> {
 public:
  explicit verilated_responses(parameters const& /*made*/) {}

 private:
  void write_inputs() override {
    Vcni_responses& to = model_.ports;
    to.store_valid_i = in.access_valid;
    if (in.access_valid) {
      port_fields store{to.store_i};
      store.put(in.store.tag, 64);
      store.put(in.store.value, 64);
      store.put(in.store.bytes, 7);
      store.put(in.store.offset, 6);
      store.put(static_cast<std::uint64_t>(in.store.whom), 2);
      store.put(in.store.code, 3);
      port_fields words{to.words_i};
      for (word const one : in.store.words) words.put(one, 64);
    }
    to.room_for_command_i = in.room_for_command;
    to.room_for_event_i = in.room_for_event;
    to.ring_ready_i = in.ring_ready;
    to.ring_answer_valid_i = in.ring_answer_valid;
    to.ring_plain_i = in.ring_plain;
    to.ring_word_i = in.ring_word;
    to.check_ready_i = in.check_ready;
    to.check_answer_valid_i = in.check_answer_valid;
    to.check_allowed_i = in.check_allowed;
    to.job_ready_i = in.job_ready;
    to.result_ready_i = in.result_ready;
  }

  void read_outputs() override {
    Vcni_responses& from = model_.ports;
    out.access_ready = from.store_ready_o != 0;
    out.ring_valid = from.ring_valid_o != 0;
    out.check_valid = from.check_valid_o != 0;
    out.job_valid = from.job_valid_o != 0;
    out.result_valid = from.result_valid_o != 0;
    out.quiet = from.quiet_o != 0;
    if (out.ring_valid) {
      port_fields ring{from.ring_o};
      out.ring.bytes = static_cast<std::uint32_t>(ring.take(7));
      out.ring.address = ring.take(64);
      out.ring.what = static_cast<ring_action>(ring.take(2));
    }
    if (out.check_valid) {
      port_fields check{from.check_o};
      out.check_bytes = static_cast<std::uint32_t>(check.take(7));
      out.check_address = check.take(64);
    }
    if (out.job_valid) read_job();
    if (out.result_valid) read_result();
  }

  void read_job() {
    port_fields fields{model_.ports.job_o};
    out.made = {};
    word const tag = fields.take(15);
    bool const none = fields.take(1) != 0;
    bool const tagged = fields.take(1) != 0;
    auto const item = static_cast<item_source>(fields.take(2));
    auto const bytes = static_cast<std::uint32_t>(fields.take(7));
    word const destination = fields.take(64);
    out.made.kind = static_cast<job_kind>(fields.take(2));
    if (out.made.kind == job_kind::add) out.made.destination = destination;
    if (out.made.kind == job_kind::answer) {
      out.made = {.kind = job_kind::answer,
                  .destination = destination,
                  .bytes = bytes,
                  .item = item,
                  .tagged = tagged,
                  .tag = tagged ? tag | (none ? registers::cni::none : 0) : 0};
    }
  }

  void read_result() {
    port_fields fields{model_.ports.result_o};
    word const value = fields.take(64);
    auto const number = static_cast<std::uint32_t>(fields.take(3));
    word const tag = fields.take(64);
    out.ended = {};
    out.ended.why = static_cast<registers::cni::fault>(fields.take(3));
    out.ended.outcome = static_cast<access_outcome>(fields.take(2));
    if (out.ended.outcome != access_outcome::done) return;
    out.ended.tag = tag;
    out.ended.number = number;
    out.ended.value = value;
  }
};

}  // namespace
}  // namespace tess::machine

extern "C" void* tess_rtl_make(void const* parameters, unsigned long bytes) {
  using namespace tess::machine;  // NOLINT
  return verilated_responses::make<verilated_responses, response_unit::parameters>(parameters, bytes);
}
