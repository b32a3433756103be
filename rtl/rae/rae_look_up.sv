/// rae_look_up: decides what the request at the head of the queue does: it hits, joins or takes a main entry, or waits.
///
/// The tag is read in one cycle, and LOOK_UP_CYCLES later it is compared, together with the lines of all main entries.
/// So a request takes LOOK_UP_CYCLES + 1 cycles, the first of which is the last one of its packet. A request without
/// an entry waits until one ends (`ended_i`), and is looked up again. While `frozen_i`, lines change their place, and
/// a look-up begins again afterwards. A line is fetched only while no line waits on its way to memory
/// (`store_waits_i`), so that no fetch overtakes it.
module rae_look_up #(
    parameter int unsigned LOOK_UP_CYCLES = 1,
    parameter int unsigned ENTRY_WIDTH = 6,
    parameter int unsigned LINE_WIDTH = 25
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   frozen_i,
    input  logic                   ended_i,
    // The head of the queue.
    input  logic                   head_i,
    input  logic                   wrong_i,
    input  logic [ LINE_WIDTH-1:0] line_i,
    output logic                   leaves_o,
    // What interface cache and main entries say.
    output logic                   tag_read_o,
    input  logic                   hit_i,
    input  logic                   found_i,
    input  logic                   open_i,
    input  logic                   has_free_i,
    input  logic [ENTRY_WIDTH-1:0] free_entry_i,
    // What is done.
    output logic                   core_valid_o,   // a hit, or a wrong request, to the interface core
    input  logic                   core_ready_i,
    output logic                   join_o,
    output logic                   take_o,
    // Known earlier: it may take an entry, and it may be in this one, which means nothing if it does neither.
    output logic                   may_take_o,
    output logic                   may_enter_o,
    input  logic                   store_waits_i,
    output logic                   fetch_valid_o,
    input  logic                   fetch_ready_i,
    output logic [ENTRY_WIDTH-1:0] fetch_entry_o,
    output logic [ LINE_WIDTH-1:0] fetch_line_o,
    output logic                   blocked_o,
    // In the cycle after:
    output logic                   hit_o,
    output logic                   entered_o,
    output logic                   merged_o,
    output logic                   stalled_o
);

  localparam int unsigned CountWidth = $clog2(LOOK_UP_CYCLES + 1);
  typedef logic [CountWidth-1:0] count_t;

  count_t left_d, left_q;        // cycles of the look-up; 0: the tag has not been read
  logic blocked_d, blocked_q;    // the head waits until an entry ends,
  logic waited_d, waited_q;      // and has been counted
  logic fetch_d, fetch_q;
  logic [ENTRY_WIDTH-1:0] fetch_entry_d, fetch_entry_q;
  logic [LINE_WIDTH-1:0] fetch_line_d, fetch_line_q;
  logic hit_d, hit_q, entered_d, entered_q, merged_d, merged_q, stalled_d, stalled_q;

  logic decides, to_core, waits, can_fetch;

  assign tag_read_o = !frozen_i && left_q == '0 && head_i && !blocked_q;
  assign decides    = !frozen_i && left_q == count_t'(1);
  assign can_fetch  = (!fetch_q || fetch_ready_i) && !store_waits_i;

  always_comb begin
    to_core = 1'b0;
    join_o  = 1'b0;
    take_o  = 1'b0;
    waits   = 1'b0;
    if (decides) begin
      if (found_i && !wrong_i) begin
        join_o = open_i;
        waits  = !open_i;
      end else if (wrong_i || hit_i) begin
        to_core = 1'b1;
      end else begin
        take_o = has_free_i && can_fetch;
        waits  = !has_free_i;
      end
    end
  end

  assign may_take_o   = decides;
  assign may_enter_o  = decides && (found_i ? open_i : has_free_i);
  assign core_valid_o = to_core;
  assign leaves_o     = join_o || take_o || (to_core && core_ready_i);

  always_comb begin
    left_d = left_q;
    if (frozen_i || leaves_o || waits) left_d = '0;
    else if (tag_read_o) left_d = count_t'(LOOK_UP_CYCLES);
    else if (left_q != '0 && !decides) left_d = left_q - 1'b1;
  end

  always_comb begin
    blocked_d = blocked_q;
    if (waits) blocked_d = 1'b1;
    if (ended_i) blocked_d = 1'b0;
    waited_d = waited_q;
    if (waits) waited_d = 1'b1;
    if (leaves_o) waited_d = 1'b0;
  end

  assign fetch_d       = take_o || (fetch_q && !fetch_ready_i);
  assign fetch_entry_d = take_o ? free_entry_i : fetch_entry_q;
  assign fetch_line_d  = take_o ? line_i : fetch_line_q;
  assign hit_d         = to_core && core_ready_i && !wrong_i;
  assign entered_d     = take_o;
  assign merged_d      = join_o;
  assign stalled_d     = waits && !waited_q;

  assign fetch_valid_o = fetch_q;
  assign fetch_entry_o = fetch_entry_q;
  assign fetch_line_o  = fetch_line_q;
  assign blocked_o     = blocked_q;
  assign hit_o         = hit_q;
  assign entered_o     = entered_q;
  assign merged_o      = merged_q;
  assign stalled_o     = stalled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q    <= '0;
      blocked_q <= 1'b0;
      waited_q  <= 1'b0;
      fetch_q   <= 1'b0;
      hit_q     <= 1'b0;
      entered_q <= 1'b0;
      merged_q  <= 1'b0;
      stalled_q <= 1'b0;
    end else begin
      left_q    <= left_d;
      blocked_q <= blocked_d;
      waited_q  <= waited_d;
      fetch_q   <= fetch_d;
      hit_q     <= hit_d;
      entered_q <= entered_d;
      merged_q  <= merged_d;
      stalled_q <= stalled_d;
    end
  end

  always_ff @(posedge clk_i) begin
    fetch_entry_q <= fetch_entry_d;
    fetch_line_q  <= fetch_line_d;
  end

endmodule
