/// nma_completion: what follows a copy: acknowledgements of counters, the DMA of an intermediate copy, a message.
///
/// Results come in the order of requests, and the words that were kept of each request are read when its result comes.
/// If the copy is an intermediate one, its counter is acknowledged at once, as the original has been read; then DMA
/// moves the copy, and the message and the next counter follow. Otherwise there are only the message and the counter. A
/// step is offered when the one before it is done. A result takes ten cycles in addition to its steps.
module nma_completion #(
    parameter int unsigned LINE_BYTES = 32
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  command_pkg::tile_t              tiles_i,            // how many there are: constant
    input  logic                            result_valid_i,
    output logic                            result_ready_o,
    input  nma_pkg::result_t                result_i,
    // The words of its request, one cycle later.
    output logic                            kept_read_o,
    output logic                [2:0]       kept_index_o,
    input  command_pkg::word_t              kept_word_i,
    output logic                            kept_release_o,     // they are not needed any more
    output logic                            step_valid_o,
    input  logic                            step_ready_i,
    output command_pkg::step_t              step_o,
    input  logic                            step_done_valid_i,
    input  logic                            step_failed_i,
    output logic                            busy_o
);
  import registers_pkg::*;
  import command_pkg::*;

  localparam int unsigned InLine = $clog2(LINE_BYTES);
  localparam word_t CounterBytes = 64'd32;
  localparam logic [2:0] First = 3'(NmaDestination / 8);
  localparam logic [2:0] Last = 3'(NmaCounter / 8);

  typedef enum logic [2:0] {
    Idle   = 3'd0,
    Read   = 3'd1,
    Choose = 3'd2,
    Offer  = 3'd3,
    Wait   = 3'd4
  } state_e;
  /// The steps, in turn.
  typedef enum logic [2:0] {
    Early    = 3'd0,
    Transfer = 3'd1,
    Message  = 3'd2,
    Final    = 3'd3,
    End      = 3'd4
  } phase_e;

  state_e state_d, state_q;
  phase_e phase_d, phase_q;
  logic [2:0] index_d, index_q;  // the word that is read; it is here in the next cycle
  nma_pkg::result_t result_q;
  logic failed_d, failed_q;  // the transfer
  word_t destination_q, final_q, task_q, counter_q, fault_word;
  logic [11:0] tile_q;  // it gets a message
  logic spawns_q;
  offset_t first_q, used;
  logic [39-InLine:0] lines;  // of the copy
  logic moves, spawns, needed, takes, here;

  assign takes   = result_valid_i && result_ready_o;
  assign here    = state_q == Read && index_q != First;
  assign moves   = result_q.fault == nma_pkg::FaultNone && final_q != '0 && final_q != destination_q;
  assign spawns  = spawns_q && 16'(tile_q) < tiles_i;
  assign used    = result_q.bytes - first_q;
  assign lines   = used[39:InLine] + (40 - InLine)'(used[InLine-1:0] != '0);

  always_comb begin
    unique case (phase_q)
      Early: needed = moves && counter_q != '0;
      Transfer: needed = moves;
      Message: needed = spawns;
      default: needed = counter_q != '0;
    endcase
  end

  always_comb begin
    state_d  = state_q;
    phase_d  = phase_q;
    index_d  = index_q;
    failed_d = failed_q;
    unique case (state_q)
      Idle: begin
        index_d  = First;
        phase_d  = Early;
        failed_d = 1'b0;
        if (result_valid_i) state_d = Read;
      end
      Read: begin
        index_d = index_q + 1'b1;
        if (index_q == Last + 3'd1) state_d = Choose;
      end
      Choose: begin
        if (phase_q == End) state_d = Idle;
        else if (needed) state_d = Offer;
        else phase_d = phase_e'(phase_q + 3'd1);
      end
      Offer: if (step_ready_i) state_d = Wait;
      default:
      if (step_done_valid_i) begin
        if (phase_q == Transfer) failed_d = step_failed_i;
        phase_d = phase_e'(phase_q + 3'd1);
        state_d = Choose;
      end
    endcase
  end

  always_comb begin
    step_o.kind     = StepAcknowledge;
    step_o.tile     = 16'(tile_q);
    step_o.words    = '0;
    step_o.words[0] = counter_q;
    unique case (phase_q)
      Transfer: begin
        step_o.kind     = StepTransfer;
        step_o.words[0] = destination_q + 64'(first_q);
        step_o.words[1] = final_q + 64'(first_q);
        step_o.words[2] = 64'({lines, InLine'(0)});
      end
      Message: begin
        step_o.kind     = StepMessage;
        step_o.words[0] = task_q;
        step_o.words[1] = result_q.root;
        step_o.words[2] = 64'(result_q.bytes);
        step_o.words[3] = fault_word;
        step_o.words[4] = 64'(result_q.objects);
      end
      Final: begin
        if (moves) step_o.words[0] = counter_q + CounterBytes;
        step_o.words[1] = fault_word;
      end
      default: ;
    endcase
  end

  assign fault_word = failed_q ? GraphFaultTransferFailed : 64'(result_q.fault);

  assign result_ready_o = state_q == Idle;
  assign kept_read_o    = state_q == Read;
  assign kept_index_o   = index_q;
  assign kept_release_o = state_q == Choose && phase_q == End;
  assign step_valid_o   = state_q == Offer;
  assign busy_o         = state_q != Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      state_q <= state_d;
    end
  end

  always_ff @(posedge clk_i) begin
    phase_q  <= phase_d;
    index_q  <= index_d;
    failed_q <= failed_d;
    if (takes) result_q <= result_i;
    if (here) begin
      unique case (index_q - 3'd1)
        3'(NmaDestination / 8): destination_q <= kept_word_i;
        3'(NmaRoom / 8): first_q <= 40'(kept_word_i[63:32'(NmaRoomBits)]);
        3'(NmaFinalAddress / 8): final_q <= kept_word_i;
        3'(NmaShape / 8): {spawns_q, tile_q} <= {kept_word_i[57], kept_word_i[55:44]};
        3'(NmaTask / 8): task_q <= kept_word_i;
        default: counter_q <= kept_word_i;
      endcase
    end
  end

  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("nma_completion: LINE_BYTES is a power of two, at least 16");
  end

endmodule
