/// nma_stream_reader: reads a range of memory ahead, burst by burst, for data arrays and for the list of the linear
/// map.
///
/// Slots are used in turn; a slot's number is the tag of its read. A search looks at a burst when it arrives, in any
/// order, and keeps none. A copy keeps them in their slots and takes them in order. Bursts that are under way when
/// another range begins are dropped when they arrive; until then their slots are busy.
module nma_stream_reader #(
    parameter int unsigned SLOTS = 8,
    parameter int unsigned LANES = 8,
    localparam int unsigned LaneBits = $clog2(LANES),
    localparam int unsigned SlotBits = SLOTS > 1 ? $clog2(SLOTS) : 1
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  nma_pkg::stream_do_t                    do_i,
    // A new range.
    input  nma_pkg::offset_t                       begin_offset_i,
    input  nma_pkg::count_t                        begin_words_i,
    // The next burst to be requested.
    output logic                                   can_issue_o,
    output logic             [SlotBits-1:0]        slot_o,
    output nma_pkg::offset_t                       offset_o,
    output logic             [LaneBits:0]          words_o,
    // An answer: is it needed, where is it from, and how many of its words count?
    input  logic                                   arrived_i,
    input  logic             [SlotBits-1:0]        arrived_slot_i,
    input  logic                                   keep_i,
    input  logic             [LANES-1:0][63:0]     arrived_words_i,
    output logic                                   arrived_live_o,
    output nma_pkg::offset_t                       arrived_offset_o,
    output logic             [LaneBits:0]          arrived_count_o,
    output logic                                   complete_o,       // all were requested, and none is missing
    // The burst in turn is in its slot; once taken, it is offered until the next is taken.
    output logic                                   head_full_o,
    output logic             [LANES-1:0][63:0]     out_o,
    output logic             [LaneBits:0]          out_words_o
);
  import nma_pkg::*;

  if (SLOTS == 0) begin : g_wrong_slots
    $error("nma_stream_reader: SLOTS is at least 1");
  end
  if (LANES < 2 || (LANES & (LANES - 1)) != 0) begin : g_wrong_lanes
    $error("nma_stream_reader: LANES is a power of two, at least 2");
  end

  localparam int unsigned WordsOfOffset = OffsetBits - 3;
  typedef logic [SlotBits-1:0] slot_t;

  // In words.
  logic [WordsOfOffset-1:0] next_d, next_q, left_d, left_q;
  logic some_left_d, some_left_q, can_issue_d, can_issue_q;
  slot_t issue_d, issue_q, head_d, head_q;
  logic [SLOTS-1:0] busy_d, busy_q, live_d, live_q, full_d, full_q, free;
  logic [LaneBits:0] out_words_d, out_words_q;

  // What each slot has been asked for.
  logic [WordsOfOffset-1:0] slot_offset_q[SLOTS];
  logic [LaneBits:0] slot_words_q[SLOTS];

  logic [LaneBits:0] to_line_end;
  logic last;

  function automatic slot_t after(slot_t slot);
    return slot == slot_t'(SLOTS - 1) ? '0 : slot + 1'b1;
  endfunction

  assign to_line_end      = (LaneBits + 1)'(LANES) - {1'b0, next_q[LaneBits-1:0]};
  assign last             = left_q[WordsOfOffset-1:LaneBits+1] == '0 && left_q[LaneBits:0] <= to_line_end;
  assign words_o          = last ? left_q[LaneBits:0] : to_line_end;
  assign can_issue_o      = can_issue_q;
  assign slot_o           = issue_q;
  assign offset_o         = {next_q, 3'b000};
  assign complete_o       = !some_left_q && live_q == '0;
  assign arrived_live_o   = live_q[arrived_slot_i];
  assign arrived_offset_o = {slot_offset_q[arrived_slot_i], 3'b000};
  assign arrived_count_o  = slot_words_q[arrived_slot_i];
  assign head_full_o      = full_q[head_q];
  assign out_words_o      = out_words_q;

  always_comb begin
    next_d      = next_q;
    left_d      = left_q;
    some_left_d = some_left_q;
    issue_d     = issue_q;
    head_d      = head_q;
    busy_d      = busy_q;
    live_d      = live_q;
    full_d      = full_q;
    out_words_d = out_words_q;
    if (arrived_i) begin
      busy_d[arrived_slot_i] = 1'b0;
      live_d[arrived_slot_i] = 1'b0;
      if (keep_i && arrived_live_o) full_d[arrived_slot_i] = 1'b1;
    end
    if (do_i.take) begin
      full_d[head_q] = 1'b0;
      head_d         = after(head_q);
      out_words_d    = slot_words_q[head_q];
    end
    // Whether a burst is requested is known last: by then it is known for both slots whether they are free.
    free        = ~(busy_d | full_d);
    can_issue_d = some_left_q && free[issue_q];
    if (do_i.issued) begin
      can_issue_d     = !last && SLOTS > 1 && free[after(issue_q)];
      busy_d[issue_q] = 1'b1;
      live_d[issue_q] = 1'b1;
      issue_d         = after(issue_q);
      // Behind the last burst there is none.
      next_d      = {next_q[WordsOfOffset-1:LaneBits] + 1'b1, LaneBits'(0)};
      left_d      = left_q - WordsOfOffset'(words_o);
      some_left_d = !last;
    end
    if (do_i.begins) begin
      next_d      = begin_offset_i[OffsetBits-1:3];
      left_d      = begin_words_i[WordsOfOffset-1:0];
      some_left_d = begin_words_i[WordsOfOffset-1:0] != '0;
      can_issue_d = some_left_d && free[issue_q];
      head_d      = issue_q;
      live_d      = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q      <= '0;
      left_q      <= '0;
      some_left_q <= 1'b0;
      can_issue_q <= 1'b0;
      issue_q     <= '0;
      head_q      <= '0;
      busy_q      <= '0;
      live_q      <= '0;
      full_q      <= '0;
    end else begin
      next_q      <= next_d;
      left_q      <= left_d;
      some_left_q <= some_left_d;
      can_issue_q <= can_issue_d;
      issue_q     <= issue_d;
      head_q      <= head_d;
      busy_q      <= busy_d;
      live_q      <= live_d;
      full_q      <= full_d;
    end
  end

  always_ff @(posedge clk_i) begin
    out_words_q <= out_words_d;
    if (do_i.issued) begin
      slot_offset_q[issue_q] <= next_q;
      slot_words_q[issue_q]  <= words_o;
    end
  end

  ram_1r1w #(
      .WORDS(SLOTS),
      .WIDTH(LANES * 64)
  ) i_slots (
      .clk_i,
      .read_i         (do_i.take),
      .read_address_i (head_q),
      .read_data_o    (out_o),
      .write_i        (arrived_i && keep_i),  // what is not needed does no harm in its slot, which was busy
      .write_address_i(arrived_slot_i),
      .write_data_i   (arrived_words_i)
  );

  logic unused;
  assign unused = ^{begin_offset_i[2:0], begin_words_i[CountBits-1:WordsOfOffset]};

endmodule
