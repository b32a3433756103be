/// nca_ranges: the range operations: visits the lines of one range after another, in the order of commands, and reports
/// each command when none of its lines is on its way to memory.
///
/// A command whose last byte is before its first has one line, that of its first byte, which is not dropped unwritten.
/// A command begins when the lines of the one before have been visited. Each line takes LINE_CYCLES of the cache's
/// tags. `done_valid_i`: a visited line has nothing that memory does not have, or was dropped; in any order. Results
/// are in the order of their ends. Every output depends on registers alone. A clock gate may use `quiet_o`.
module nca_ranges #(
    parameter int unsigned QUEUE_ENTRIES = 4,
    parameter int unsigned LINE_CYCLES = 2,
    parameter int unsigned LINE_BYTES = 32,
    parameter int unsigned SLOTS = 8,
    parameter int unsigned UNDER_WAY = 255,  // lines of a command
    localparam int unsigned SlotBits = SLOTS > 1 ? $clog2(SLOTS) : 1,
    localparam int unsigned TagBits = $clog2(QUEUE_ENTRIES + SLOTS + 1)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           coherent_i,        // nothing may be dropped unwritten: constant
    // [first, last], in bytes; `command_begins_o`: one leaves the queue at the next edge.
    input  logic                           command_valid_i,
    output logic                           command_ready_o,
    input  nca_pkg::range_e                command_operation_i,
    input  nca_pkg::word_t                 command_first_i,
    input  nca_pkg::word_t                 command_last_i,
    input  logic            [ TagBits-1:0] command_tag_i,
    output logic                           command_begins_o,
    // An address within a line; for L1s the range's first, and its last.
    output logic                           line_valid_o,
    input  logic                           line_ready_i,
    output nca_pkg::line_e                 line_action_o,
    output logic            [SlotBits-1:0] line_slot_o,
    output nca_pkg::word_t                 line_address_o,
    output nca_pkg::word_t                 line_last_o,
    input  logic                           done_valid_i,
    input  logic            [SlotBits-1:0] done_slot_i,
    output logic                           result_valid_o,
    input  logic                           result_ready_i,
    output logic            [ TagBits-1:0] result_tag_o,
    output logic                           quiet_o            // nothing changes until an input is valid
);
  import nca_pkg::*;

  localparam int unsigned InLine = $clog2(LINE_BYTES);
  localparam int unsigned PauseBits = LINE_CYCLES > 1 ? $clog2(LINE_CYCLES) : 1;
  localparam logic [PauseBits-1:0] Pause = PauseBits'(LINE_CYCLES - 1);

  typedef struct packed {
    range_e             operation;
    word_t              first;
    word_t              last;
    logic [TagBits-1:0] tag;
  } command_t;

  command_t asked, next;
  logic next_valid, begins;

  assign asked.operation = command_operation_i;
  assign asked.first     = command_first_i;
  assign asked.last      = command_last_i;
  assign asked.tag       = command_tag_i;

  fifo #(
      .DEPTH(QUEUE_ENTRIES),
      .T    (command_t)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i(command_valid_i),
      .ready_o(command_ready_o),
      .data_i (asked),
      .valid_o(next_valid),
      .ready_i(begins),
      .data_o (next)
  );

  logic visits_d, visits_q, pauses;
  logic [PauseBits-1:0] pause_d, pause_q;  // further cycles of this line
  range_e operation_d, operation_q;
  word_t at_d, at_q;  // in the next line
  word_t last_d, last_q;
  logic [SlotBits-1:0] slot_d, slot_q, free_slot;
  logic has_free, has_room, moves, before_last, in_last, on_last_line, whole, ends;

  nca_range_slots #(
      .SLOTS    (SLOTS),
      .UNDER_WAY(UNDER_WAY),
      .TAG_BITS (TagBits)
  ) i_slots (
      .clk_i,
      .rst_ni,
      .has_free_o(has_free),
      .free_o    (free_slot),
      .begin_i   (begins),
      .tag_i     (next.tag),
      .visiting_i(visits_q),
      .slot_i    (slot_q),
      .has_room_o(has_room),
      .visit_i   (moves),
      .done_valid_i,
      .done_slot_i,
      .ends_o    (ends),
      .result_valid_o,
      .result_ready_i,
      .result_tag_o
  );

  assign pauses           = LINE_CYCLES > 1 && pause_q != '0;
  assign begins           = !visits_q && next_valid && has_free;
  assign command_begins_o = begins;
  assign before_last      = at_q[63:InLine] < last_q[63:InLine];
  assign in_last          = at_q[63:InLine] == last_q[63:InLine];
  // Not `in_last`: a last byte before the first must not let the visit go on for ever.
  assign on_last_line     = operation_q == RangeInvalidateL1s || !before_last;
  // Other bytes of the lines at the edges survive.
  assign whole            = at_q[InLine-1:0] == '0 && (before_last || (in_last && last_q[InLine-1:0] == '1));
  assign line_valid_o     = visits_q && !pauses && has_room;
  assign line_slot_o      = slot_q;
  assign line_address_o   = at_q;
  assign line_last_o      = last_q;
  assign moves            = line_valid_o && line_ready_i;
  assign quiet_o          = !begins && !line_valid_o && !result_valid_o && !ends && !(visits_q && pauses);

  always_comb begin
    unique case (operation_q)
      RangeWriteBack: line_action_o = LineWriteBack;
      RangeInvalidate: line_action_o = !whole || coherent_i ? LineFlush : LineDrop;
      RangeFlush: line_action_o = LineFlush;
      default: line_action_o = LineL1s;
    endcase
  end

  always_comb begin
    visits_d    = visits_q;
    pause_d     = pauses ? pause_q - 1'b1 : '0;
    operation_d = operation_q;
    at_d        = at_q;
    last_d      = last_q;
    slot_d      = slot_q;
    if (moves) begin
      visits_d = !on_last_line;
      at_d     = {at_q[63:InLine] + 1'b1, InLine'(0)};
      pause_d  = Pause;
    end
    if (begins) begin
      visits_d    = 1'b1;
      operation_d = next.operation;
      at_d        = next.first;
      last_d      = next.last;
      slot_d      = free_slot;
      pause_d     = Pause;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visits_q <= 1'b0;
    end else begin
      visits_q <= visits_d;
    end
  end

  // Nothing else means anything before a command has begun.
  always_ff @(posedge clk_i) begin
    pause_q     <= pause_d;
    operation_q <= operation_d;
    at_q        <= at_d;
    last_q      <= last_d;
    slot_q      <= slot_d;
  end

  if (QUEUE_ENTRIES == 0) begin : gen_wrong_queue_entries
    $error("nca_ranges: QUEUE_ENTRIES is at least 1");
  end
  if (LINE_CYCLES == 0) begin : gen_wrong_line_cycles
    $error("nca_ranges: LINE_CYCLES is at least 1");
  end
  if (LINE_BYTES < 2 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("nca_ranges: LINE_BYTES is a power of two, at least 2");
  end
  if (SLOTS == 0) begin : gen_wrong_slots
    $error("nca_ranges: SLOTS is at least 1");
  end
  if (UNDER_WAY == 0) begin : gen_wrong_under_way
    $error("nca_ranges: UNDER_WAY is at least 1");
  end

endmodule
