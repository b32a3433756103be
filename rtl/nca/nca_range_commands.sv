/// nca_range_commands: the windows of `ranges`: doorbells become commands of nca_ranges, and its results become
/// requests to the near-memory accelerator and acknowledgements of counters.
///
/// A command is checked, and gets a tag, which keeps its hart, its counter, and whether it triggers. The doorbell reads
/// `full` while the queue is full, no tag is free, or an earlier command of the hart has still to trigger; others may
/// be under way. At its end, a command that triggers rings the hart's window of `nma`. Then its counter is
/// acknowledged, with an error if that request was not accepted. Results are served one after another.
module nca_range_commands #(
    parameter int unsigned HARTS = 5,
    parameter int unsigned QUEUE_ENTRIES = 4,  // those of nca_ranges
    parameter int unsigned SLOTS = 8,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1,
    localparam int unsigned Tags = QUEUE_ENTRIES + SLOTS + 1,
    localparam int unsigned TagBits = $clog2(Tags)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               access_valid_i,
    output logic                               access_ready_o,
    input  logic                               access_writes_i,
    input  logic                [        15:0] access_register_i,
    input  command_pkg::word_t                 access_value_i,
    output logic                               answer_valid_o,
    input  logic                               answer_ready_i,
    output logic                               answer_wrong_o,
    output command_pkg::word_t                 answer_value_o,
    output logic                               look_valid_o,
    input  logic                               look_ready_i,
    output command_pkg::word_t                 look_address_o,
    input  logic                               look_answer_valid_i,
    /* verilator lint_off UNUSEDSIGNAL */  // some of its fields are for others
    input  command_pkg::place_t                look_place_i,
    /* verilator lint_on UNUSEDSIGNAL */
    // nca_ranges.
    output logic                               command_valid_o,
    input  logic                               command_ready_i,
    output nca_pkg::range_e                    command_operation_o,
    output command_pkg::word_t                 command_first_o,
    output command_pkg::word_t                 command_last_o,
    output logic                [ TagBits-1:0] command_tag_o,
    input  logic                               result_valid_i,
    output logic                               result_ready_o,
    input  logic                [ TagBits-1:0] result_tag_i,
    // The windows of `nma`: a call, and later whether the request was accepted.
    output logic                               trigger_valid_o,
    input  logic                               trigger_ready_i,
    output logic                [HartBits-1:0] trigger_hart_o,
    input  logic                               triggered_valid_i,
    input  logic                               triggered_taken_i,
    output logic                               acknowledge_valid_o,
    input  logic                               acknowledge_ready_i,
    output command_pkg::word_t                 acknowledge_counter_o,
    output command_pkg::word_t                 acknowledge_error_o
);
  import registers_pkg::*;
  import command_pkg::*;

  localparam int unsigned Fields = 5;
  localparam logic [2:0] Operation = 3'(RangesOperation / 8);
  localparam logic [2:0] Address = 3'(RangesAddress / 8);
  localparam logic [2:0] Bytes = 3'(RangesBytes / 8);
  localparam logic [2:0] Counter = 3'(RangesCounter / 8);
  localparam logic [2:0] Trigger = 3'(RangesTrigger / 8);

  typedef logic [HartBits-1:0] hart_t;
  typedef logic [TagBits-1:0] tag_t;
  typedef struct packed {
    hart_t hart;
    word_t counter;
  } record_t;
  typedef enum logic [2:0] {
    Idle   = 3'd0,
    Field  = 3'd1,  // is read,
    Word   = 3'd2,  // and here
    Look   = 3'd3,
    Wait   = 3'd4,
    Decide = 3'd5
  } state_e;
  typedef enum logic [1:0] {
    Rest  = 2'd0,
    Call  = 2'd1,
    Asked = 2'd2,
    Tell  = 2'd3
  } end_e;

  state_e state_d, state_q;
  logic [2:0] index_d, index_q;
  logic ring, rung, is_full, begins, free_tag, right_d, right_q, known_d, known_q, l1s_d, l1s_q;
  hart_t ring_hart;
  status_e rung_status;
  word_t field, word_d, word_q, address_d, address_q, first_d, first_q, last_d, last_q;
  word_t region_d, region_q, span_d, span_q;  // the region's last address; the range's bytes less one
  word_t counter_d, counter_q;
  logic triggers_d, triggers_q;  // the command
  nca_pkg::range_e operation_d, operation_q;
  logic [HARTS-1:0] waits_d, waits_q;  // harts whose command will trigger
  logic [Tags-1:0] used_d, used_q;
  logic [Tags-1:0] calls_q;  // the commands that trigger
  tag_t free, tag_q;
  logic offers_d, offers_q;
  record_t records_q[Tags];
  record_t record_q;
  tag_t ending_q;
  end_e end_d, end_q;
  logic failed_d, failed_q, releases, takes;

  logic [2:0] unused_call;

  command_windows #(
      .WINDOWS(HARTS),
      .FIELDS (Fields),
      .HOLDS  (1'b0)
  ) i_windows (
      .clk_i,
      .rst_ni,
      .access_valid_i,
      .access_ready_o,
      .access_writes_i,
      .access_register_i,
      .access_value_i,
      .answer_valid_o,
      .answer_ready_i,
      .answer_wrong_o,
      .answer_value_o,
      .call_valid_i  (1'b0),
      .call_ready_o  (unused_call[0]),
      .call_window_i ('0),
      .called_valid_o(unused_call[1]),
      .called_taken_o(unused_call[2]),
      .ring_valid_o  (ring),
      .ring_window_o (ring_hart),
      .rung_valid_i  (rung),
      .rung_status_i (rung_status),
      .field_valid_i (state_q == Field),
      .field_window_i(ring_hart),
      .field_index_i (index_q),
      .field_word_o  (field),
      .end_valid_i   (1'b0),
      .end_window_i  ('0),
      .end_status_i  (StatusIdle)
  );

  always_comb begin
    free = '0;
    for (int unsigned at = Tags; at > 0; --at) if (!used_q[at-1]) free = tag_t'(at - 1);
  end

  assign free_tag = used_q != '1;
  assign is_full  = waits_q[ring_hart] || offers_q || !command_ready_i || !free_tag;

  always_comb begin
    state_d     = state_q;
    index_d     = index_q;
    word_d      = word_q;
    address_d   = address_q;
    first_d     = first_q;
    last_d      = last_q;
    region_d    = region_q;
    span_d      = span_q;
    counter_d   = counter_q;
    triggers_d  = triggers_q;
    operation_d = operation_q;
    right_d     = right_q;
    known_d     = known_q;
    l1s_d       = l1s_q;
    rung        = 1'b0;
    rung_status = StatusFull;
    begins      = 1'b0;
    unique case (state_q)
      Idle: begin
        index_d = Operation;
        right_d = 1'b1;
        if (ring) begin
          if (is_full) rung = 1'b1;
          else state_d = Field;
        end
      end
      Field: state_d = Word;
      Word: begin
        word_d  = field;
        state_d = Decide;
        unique case (index_q)
          Operation: begin
            operation_d = nca_pkg::range_e'(2'(field) - 2'(RangesWriteBack));
            l1s_d       = field == RangesInvalidateL1s;
            known_d     = field >= RangesWriteBack && field <= RangesInvalidateL1s;
          end
          Address: begin
            address_d = field;
            state_d   = Look;
          end
          Bytes: begin
            span_d  = field - 1'b1;
            word_d  = address_q + field - 1'b1;
            right_d = right_q && field != '0;
            state_d = Look;
          end
          Counter: begin
            counter_d = '0;
            if (field != '0) state_d = Look;
          end
          default: begin
            triggers_d = field[0];
            right_d    = right_q && known_q && field[63:1] == '0;
          end
        endcase
      end
      Look: if (look_ready_i) state_d = Wait;
      Wait:
      if (look_answer_valid_i) begin
        state_d = Decide;
        unique case (index_q)
          Address: begin
            first_d  = look_place_i.address;
            region_d = look_place_i.last;
            right_d  = right_q && look_place_i.named && look_place_i.mapped &&
                (look_place_i.partition || (look_place_i.local_memory && l1s_q));
          end
          Bytes: begin
            last_d  = look_place_i.address;
            right_d = right_q && look_place_i.named;
          end
          default: begin
            counter_d = look_place_i.address;
            right_d   = right_q && look_place_i.named && look_place_i.reached && look_place_i.address[2:0] == '0;
          end
        endcase
      end
      default: begin
        // The whole range is in one region, and has its length there.
        if (index_q == Bytes) begin
          right_d = right_q && last_q >= first_q && last_q <= region_q && last_q - first_q == span_q;
        end
        index_d = index_q + 1'b1;
        state_d = Field;
        if (index_q == Trigger) begin
          rung        = 1'b1;
          rung_status = right_q ? StatusAccepted : StatusWrong;
          begins      = right_q;
          state_d     = Idle;
        end
      end
    endcase
  end

  assign takes = result_valid_i && result_ready_o;

  always_comb begin
    end_d    = end_q;
    failed_d = failed_q;
    releases = 1'b0;
    unique case (end_q)
      Rest: begin
        failed_d = 1'b0;
        if (result_valid_i) end_d = calls_q[result_tag_i] ? Call : Tell;
      end
      Call: if (trigger_ready_i) end_d = Asked;
      Asked:
      if (triggered_valid_i) begin
        failed_d = !triggered_taken_i;
        end_d    = Tell;
      end
      default: begin
        releases = record_q.counter == '0 || acknowledge_ready_i;
        if (releases) end_d = Rest;
      end
    endcase
  end

  always_comb begin
    waits_d = waits_q;
    used_d  = used_q;
    if (end_q == Asked && triggered_valid_i) waits_d[record_q.hart] = 1'b0;
    if (releases) used_d[ending_q] = 1'b0;
    if (begins) begin
      used_d[free]       = 1'b1;
      waits_d[ring_hart] = triggers_q;
    end
    offers_d = begins || (offers_q && !command_ready_i);
  end

  assign look_valid_o          = state_q == Look;
  assign look_address_o        = word_q;
  assign command_valid_o       = offers_q;
  assign command_operation_o   = operation_q;
  assign command_first_o       = first_q;
  assign command_last_o        = last_q;
  assign command_tag_o         = tag_q;
  assign result_ready_o        = end_q == Rest;
  assign trigger_valid_o       = end_q == Call;
  assign trigger_hart_o        = record_q.hart;
  assign acknowledge_valid_o   = end_q == Tell && record_q.counter != '0;
  assign acknowledge_counter_o = record_q.counter;
  assign acknowledge_error_o   = 64'(failed_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      end_q    <= Rest;
      offers_q <= 1'b0;
      used_q   <= '0;
      waits_q  <= '0;
    end else begin
      state_q  <= state_d;
      end_q    <= end_d;
      offers_q <= offers_d;
      used_q   <= used_d;
      waits_q  <= waits_d;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q     <= index_d;
    word_q      <= word_d;
    address_q   <= address_d;
    first_q     <= first_d;
    last_q      <= last_d;
    region_q    <= region_d;
    span_q      <= span_d;
    counter_q   <= counter_d;
    triggers_q  <= triggers_d;
    operation_q <= operation_d;
    right_q     <= right_d;
    known_q     <= known_d;
    l1s_q       <= l1s_d;
    failed_q    <= failed_d;
    if (begins) begin
      tag_q           <= free;
      records_q[free] <= '{hart: ring_hart, counter: counter_q};
      calls_q[free]   <= triggers_q;
    end
    if (takes) begin
      ending_q <= result_tag_i;
      record_q <= records_q[result_tag_i];
    end
  end

  if (HARTS == 0) begin : gen_wrong_harts
    $error("nca_range_commands: HARTS is at least 1");
  end
  if (QUEUE_ENTRIES == 0) begin : gen_wrong_queue_entries
    $error("nca_range_commands: QUEUE_ENTRIES is at least 1");
  end
  if (SLOTS == 0) begin : gen_wrong_slots
    $error("nca_range_commands: SLOTS is at least 1");
  end

endmodule
