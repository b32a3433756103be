/// command_windows: the register windows of a unit: fields that are loaded and stored, and a doorbell for each window.
///
/// Registers are words, eight for each window: up to seven fields, which keep their values, and the doorbell. An access
/// has one answer; `answer_wrong_o`: there is no such register. A store to a doorbell rings: `ring_valid_o` stays until
/// the unit says the command's state with `rung_valid_i`, and the store is answered behind that. So can a call, which
/// another unit makes: it is told whether the command was accepted. With HOLDS, stores to a window whose command runs
/// are lost, and a call does not ring it. `end_valid_i` sets the state of a command that has run.
///
/// A field that the unit reads comes one cycle later; no access is accepted in the cycle of such a read. After a reset
/// the fields are cleared, one in each cycle. An access is answered one cycle later, a load of a field two.
module command_windows #(
    parameter int unsigned WINDOWS = 8,
    parameter int unsigned FIELDS = 7,
    parameter bit HOLDS = 1'b1,
    localparam int unsigned WindowBits = WINDOWS > 1 ? $clog2(WINDOWS) : 1
) (
    input  logic                                            clk_i,
    input  logic                                            rst_ni,
    input  logic                                            access_valid_i,
    output logic                                            access_ready_o,
    input  logic                                            access_writes_i,
    input  logic                           [          15:0] access_register_i,
    input  command_pkg::word_t                              access_value_i,
    output logic                                            answer_valid_o,
    input  logic                                            answer_ready_i,
    output logic                                            answer_wrong_o,
    output command_pkg::word_t                              answer_value_o,
    input  logic                                            call_valid_i,
    output logic                                            call_ready_o,
    input  logic                           [WindowBits-1:0] call_window_i,
    output logic                                            called_valid_o,
    output logic                                            called_taken_o,
    output logic                                            ring_valid_o,
    output logic                           [WindowBits-1:0] ring_window_o,
    input  logic                                            rung_valid_i,
    input  command_pkg::status_e                            rung_status_i,
    input  logic                                            field_valid_i,
    input  logic                           [WindowBits-1:0] field_window_i,
    input  logic                           [           2:0] field_index_i,
    output command_pkg::word_t                              field_word_o,
    input  logic                                            end_valid_i,
    input  logic                           [WindowBits-1:0] end_window_i,
    input  command_pkg::status_e                            end_status_i
);
  import command_pkg::*;

  localparam int unsigned Registers = 8 * WINDOWS;
  localparam int unsigned ClearBits = $clog2(Registers + 1);
  localparam int unsigned AddressBits = $clog2(Registers);
  typedef logic [WindowBits-1:0] window_t;
  typedef logic [AddressBits-1:0] address_t;
  typedef enum logic [2:0] {
    Idle   = 3'd0,
    Load   = 3'd1,
    Ring   = 3'd2,
    Answer = 3'd3,
    Called = 3'd4
  } state_e;

  state_e state_d, state_q;
  logic [ClearBits-1:0] clear_d, clear_q;
  status_e status_d[WINDOWS], status_q[WINDOWS];
  logic cleared, wrong_d, wrong_q, calls_d, calls_q, taken_d, taken_q;
  window_t window_d, window_q;
  word_t value_d, value_q, word;
  logic idle, is_call, is_access, is_store, known, rings, held, stores, loads;
  logic [2:0] index;

  function automatic address_t address_of(window_t window, logic [2:0] at);
    return address_t'({window, at});
  endfunction

  assign cleared   = clear_q == ClearBits'(Registers);
  assign idle      = cleared && state_q == Idle;
  assign is_call   = idle && call_valid_i;
  assign is_access = idle && !call_valid_i && !field_valid_i && access_valid_i;
  assign is_store  = is_access && access_writes_i;
  assign index     = access_register_i[2:0];
  assign known     = 32'(access_register_i[15:3]) < WINDOWS && (32'(index) < FIELDS || index == 3'(Doorbell));
  assign rings     = index == 3'(Doorbell);
  assign window_d  = !idle ? window_q : call_valid_i ? call_window_i : access_register_i[3+:WindowBits];
  assign held      = HOLDS && status_q[window_d] == StatusAccepted;
  assign stores    = is_store && known && !rings && !held;
  assign loads     = is_access && !access_writes_i && known && !rings;

  assign access_ready_o = idle && !call_valid_i && !field_valid_i;
  assign call_ready_o   = idle;
  assign answer_valid_o = state_q == Answer;
  assign answer_wrong_o = wrong_q;
  assign answer_value_o = value_q;
  assign called_valid_o = state_q == Called;
  assign called_taken_o = taken_q;
  assign ring_valid_o   = state_q == Ring;
  assign ring_window_o  = window_q;
  assign field_word_o   = word;

  ram_1r1w #(
      .WORDS(Registers),
      .WIDTH(64)
  ) i_fields (
      .clk_i,
      .read_i         (field_valid_i || loads),
      .read_address_i (field_valid_i ? address_of(field_window_i, field_index_i) : address_of(window_d, index)),
      .read_data_o    (word),
      .write_i        (stores || !cleared),
      .write_address_i(cleared ? address_of(window_d, index) : address_t'(clear_q)),
      .write_data_i   (cleared ? access_value_i : '0)
  );

  always_comb begin
    state_d = state_q;
    wrong_d = wrong_q;
    calls_d = calls_q;
    taken_d = taken_q;
    value_d = value_q;
    unique case (state_q)
      Idle: begin
        calls_d = is_call;
        taken_d = 1'b0;
        wrong_d = !known;
        value_d = '0;
        if (is_call) begin
          state_d = held ? Called : Ring;
        end else if (is_access) begin
          state_d = Answer;
          if (loads) state_d = Load;
          if (known && rings && is_store && !held) state_d = Ring;
          if (known && rings && !is_store) value_d = 64'(status_q[window_d]);
        end
      end
      Load: begin
        value_d = word;
        state_d = Answer;
      end
      Ring: begin
        taken_d = rung_status_i == StatusAccepted;
        if (rung_valid_i) state_d = calls_q ? Called : Answer;
      end
      Answer: if (answer_ready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_comb begin
    status_d = status_q;
    if (end_valid_i) status_d[end_window_i] = end_status_i;
    if (ring_valid_o && rung_valid_i) status_d[window_q] = rung_status_i;
  end

  assign clear_d = cleared ? clear_q : clear_q + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      clear_q <= '0;
      for (int unsigned at = 0; at < WINDOWS; ++at) status_q[at] <= StatusIdle;
    end else begin
      state_q  <= state_d;
      clear_q  <= clear_d;
      status_q <= status_d;
    end
  end

  always_ff @(posedge clk_i) begin
    wrong_q  <= wrong_d;
    calls_q  <= calls_d;
    taken_q  <= taken_d;
    window_q <= window_d;
    value_q  <= value_d;
  end

  if (WINDOWS == 0 || WINDOWS > 8192) begin : gen_wrong_windows
    $error("command_windows: WINDOWS is 1 to 8192");
  end
  if (FIELDS == 0 || FIELDS > WindowFields) begin : gen_wrong_fields
    $error("command_windows: FIELDS is 1 to 7");
  end

endmodule
