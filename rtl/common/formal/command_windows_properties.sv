/// command_windows_properties: each access has one answer, and a doorbell's comes behind the unit's decision; each call
/// is told once; a window rings once for each doorbell or call that is not lost; any field has what was stored last.
///
/// Assumed: an offer of an access or a call stays until it is accepted; an access is not changed meanwhile.
module command_windows_properties #(
    parameter int unsigned WINDOWS = 2,
    parameter int unsigned FIELDS = 7,
    parameter bit HOLDS = 1'b1,
    localparam int unsigned WindowBits = WINDOWS > 1 ? $clog2(WINDOWS) : 1
) (
    input logic                                  clk_i,
    input logic                                  rst_ni,
    input logic                                  access_valid_i,
    input logic                                  access_ready_o,
    input logic                                  access_writes_i,
    input logic               [            15:0] access_register_i,
    input command_pkg::word_t                    access_value_i,
    input logic                                  answer_valid_o,
    input logic                                  answer_ready_i,
    input logic                                  answer_wrong_o,
    input command_pkg::word_t                    answer_value_o,
    input logic                                  call_valid_i,
    input logic                                  call_ready_o,
    input logic               [  WindowBits-1:0] call_window_i,
    input logic                                  called_valid_o,
    input logic                                  called_taken_o,
    input logic                                  ring_valid_o,
    input logic               [  WindowBits-1:0] ring_window_o,
    input logic                                  rung_valid_i,
    input command_pkg::status_e                  rung_status_i,
    input logic                                  field_valid_i,
    input logic               [  WindowBits-1:0] field_window_i,
    input logic               [             2:0] field_index_i,
    input command_pkg::word_t                    field_word_o,
    input logic                                  end_valid_i,
    input logic               [  WindowBits-1:0] end_window_i,
    input command_pkg::status_e                  end_status_i,
    input logic                                  cleared,
    input logic               [             2:0] state,
    input logic                                  calls_q,
    input command_pkg::status_e                  status_q[WINDOWS],
    input logic               [            63:0] words_q[8*WINDOWS],
    input logic               [$clog2(8*WINDOWS+1)-1:0] clear_q
);
  import command_pkg::*;

  localparam logic [2:0] Idle = 3'd0, Load = 3'd1, Ring = 3'd2, Answer = 3'd3, Called = 3'd4;
  typedef logic [WindowBits+2:0] at_t;

  logic started_q = 1'b0;
  at_t any_register, at_q;  // any register, the same in all cycles
  word_t stored_q;          // what it must have
  logic inside_q, called_q;  // an access, a call, has been accepted, and has no answer
  logic rings_q;            // its ring has not been decided
  logic reads_q, loads_q;   // the watched field was read, or is loaded
  logic waits_q, wrong_q, taken_q;
  word_t value_q;
  logic accepts, calls, rings, stores_here, is_watched, held, known;

  assign accepts     = access_valid_i && access_ready_o;
  assign calls       = call_valid_i && call_ready_o;
  assign is_watched  = access_register_i == 16'(at_q);
  assign held        = HOLDS && status_q[calls ? call_window_i : access_register_i[3+:WindowBits]] == StatusAccepted;
  assign known       = 32'(access_register_i[15:3]) < WINDOWS && (32'(access_register_i[2:0]) < FIELDS ||
      access_register_i[2:0] == 3'd7);
  assign rings       = !held && (calls || (accepts && access_writes_i && known && access_register_i[2:0] == 3'd7));
  assign stores_here = accepts && access_writes_i && is_watched && !held;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) at_q <= any_register;
    wrong_q <= answer_wrong_o;
    value_q <= answer_value_o;
    reads_q <= field_valid_i && {field_window_i, field_index_i} == at_q;
    if (!rst_ni) begin
      stored_q <= '0;
      inside_q <= 1'b0;
      called_q <= 1'b0;
      rings_q  <= 1'b0;
      waits_q  <= 1'b0;
      reads_q  <= 1'b0;
      loads_q  <= 1'b0;
    end else begin
      waits_q <= answer_valid_o && !answer_ready_i;
      if (accepts) begin
        inside_q <= 1'b1;
        loads_q  <= is_watched && !access_writes_i;
      end
      if (answer_valid_o && answer_ready_i) inside_q <= 1'b0;
      if (calls) begin
        called_q <= 1'b1;
        taken_q  <= 1'b0;
      end
      if (called_valid_o) called_q <= 1'b0;
      if (rings) rings_q <= 1'b1;
      if (ring_valid_o && rung_valid_i) begin
        rings_q <= 1'b0;
        taken_q <= rung_status_i == StatusAccepted;
      end
      if (stores_here) stored_q <= access_value_i;
    end
  end

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (32'(any_register) < 8 * WINDOWS && 32'(any_register[2:0]) < FIELDS);
    assume (32'(call_window_i) < WINDOWS && 32'(field_window_i) < WINDOWS && 32'(end_window_i) < WINDOWS);
    if (started_q) assert (32'(at_q) < 8 * WINDOWS && 32'(at_q[2:0]) < FIELDS);
    if (started_q && rst_ni) begin
      // One at a time, with one answer.
      if (access_ready_o || call_ready_o) assert (!inside_q && !called_q);
      if (answer_valid_o) assert (inside_q && !rings_q);
      if (called_valid_o) assert (called_q && !rings_q && called_taken_o == taken_q);
      assert (ring_valid_o == rings_q);
      if (waits_q) assert (answer_valid_o && answer_wrong_o == wrong_q && answer_value_o == value_q);
      // The watched field.
      if (reads_q && cleared) assert (field_word_o == stored_q);
      if (answer_valid_o && loads_q) assert (!answer_wrong_o && answer_value_o == stored_q);
      // For the induction.
      assert (state <= Called && 32'(clear_q) <= 8 * WINDOWS);
      assert (inside_q == (state == Load || (state == Ring && !calls_q) || state == Answer));
      assert (called_q == ((state == Ring && calls_q) || state == Called));
      if (!cleared) assert (state == Idle && stored_q == '0);
      if (cleared || 32'(at_q) < 32'(clear_q)) assert (words_q[at_q] == stored_q);
      if (state == Load && loads_q) assert (!answer_wrong_o);
      if (loads_q && inside_q) assert (state == Load || state == Answer);
      if (state == Load && loads_q) assert (field_word_o == stored_q);
    end
  end

endmodule

bind command_windows command_windows_properties #(
    .WINDOWS(WINDOWS), .FIELDS(FIELDS), .HOLDS(HOLDS)
) properties (
    .*,
    .state  (state_q),
    .words_q(i_fields.words_q)
);
