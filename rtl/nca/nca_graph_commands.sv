/// nca_graph_commands: the windows of `nca`: doorbells become jobs of nca_graph_writeback, and its results are
/// dispatched.
///
/// A command is checked; the doorbell reads `full` while the queue is full. The window keeps its fields until the end:
/// they are read again when the result comes. If there was no fault, the numbers of objects and bytes are written into
/// the metadata M, M goes to M' by DMA, and a message starts a task; then the doorbell is idle, and the counter is
/// acknowledged. A step is offered when the one before it is done. The steps of a graph overlap with the next graph;
/// results are dispatched one after another, in their order.
module nca_graph_commands #(
    parameter int unsigned HARTS = 5,
    parameter int unsigned LINE_BYTES = 32,
    localparam int unsigned HartBits = HARTS > 1 ? $clog2(HARTS) : 1
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  command_pkg::tile_t                 tile_i,               // this tile,
    input  command_pkg::tile_t                 tiles_i,              // of so many: constant
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
    // nca_graph_writeback.
    output logic                               job_valid_o,
    input  logic                               job_ready_i,
    output nca_pkg::job_t                      job_o,
    input  logic                               result_valid_i,
    output logic                               result_ready_o,
    input  nca_pkg::result_t                   result_i,
    output logic                               step_valid_o,
    input  logic                               step_ready_i,
    output command_pkg::step_t                 step_o,
    input  logic                               step_done_valid_i,
    input  logic                               step_failed_i
);
  import registers_pkg::*;
  import command_pkg::*;

  localparam int unsigned Fields = 7;  // the last one has no use, but is a register
  localparam int unsigned InLine = $clog2(LINE_BYTES);
  localparam logic [2:0] Root = 3'(NcaRoot / 8);
  localparam logic [2:0] Metadata = 3'(NcaMetadata / 8);
  localparam logic [2:0] Remote = 3'(NcaRemote / 8);
  localparam logic [2:0] Dispatch = 3'(NcaDispatch / 8);
  localparam logic [2:0] Task = 3'(NcaTask / 8);
  localparam logic [2:0] Counter = 3'(NcaCounter / 8);

  typedef logic [HartBits-1:0] hart_t;
  typedef enum logic [2:0] {
    Idle   = 3'd0,
    Field  = 3'd1,  // is read,
    Word   = 3'd2,  // and here
    Look   = 3'd3,
    Wait   = 3'd4,
    Decide = 3'd5
  } state_e;
  typedef enum logic [2:0] {
    Rest   = 3'd0,
    Load   = 3'd1,  // the fields of the window
    Choose = 3'd2,
    Offer  = 3'd3,
    Done   = 3'd4   // is to come
  } end_e;
  /// The steps, in turn.
  typedef enum logic [2:0] {
    Objects   = 3'd0,
    Bytes     = 3'd1,
    WriteBack = 3'd2,  // DMA reads bypass the caches
    Transfer  = 3'd3,
    Message   = 3'd4,
    Status    = 3'd5,
    Tell      = 3'd6,
    End       = 3'd7
  } phase_e;

  state_e state_d, state_q;
  logic [2:0] index_d, index_q;
  logic loads_d, loads_q;  // for the end; otherwise a doorbell is checked
  logic right_d, right_q, nothing_d, nothing_q;  // no metadata
  logic ring, rung, begins, loaded, is_address, copied, fits, bounded_d, bounded_q;
  logic [64:0] left_q;  // from the address that was looked up to the end of its region
  hart_t ring_hart, ending;
  status_e rung_status;
  word_t field, word_d, word_q, mark_d, mark_q, root_d, root_q;
  logic [31:0] size_d, size_q;
  logic offers_d, offers_q;

  // The result, and the fields of its command.
  nca_pkg::result_t result_q;
  word_t metadata_q, remote_q, task_q, counter_q, m, fault_word;
  logic [31:0] bytes_q;  // of M
  logic [15:0] tile_q;
  logic spawns_q, cached_q, failed_d, failed_q, sound, needed, takes, ends;
  end_e end_d, end_q;
  phase_e phase_d, phase_q;
  logic unused_ready, unused_valid;

  logic [2:0] unused_call;

  command_windows #(
      .WINDOWS(HARTS),
      .FIELDS (Fields)
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
      .field_window_i(loads_q ? ending : ring_hart),
      .field_index_i (index_q),
      .field_word_o  (field),
      .end_valid_i   (ends),
      .end_window_i  (ending),
      .end_status_i  (fault_word == '0 ? StatusIdle : StatusWrong)
  );

  // The harts whose commands run, each once at most.
  fifo #(
      .DEPTH(HARTS),
      .T    (hart_t)
  ) i_harts (
      .clk_i,
      .rst_ni,
      .valid_i(begins),
      .ready_o(unused_ready),
      .data_i (ring_hart),
      .valid_o(unused_valid),
      .ready_i(ends),
      .data_o (ending)
  );

  assign is_address = index_q != Dispatch && index_q != Task && field != '0;
  assign copied     = look_place_i.named && look_place_i.mapped &&
      (look_place_i.partition || look_place_i.local_memory) && size_q != '0 &&
      (look_place_i.address[InLine-1:0] | size_q[InLine-1:0]) == '0;
  // One cycle after the answer.
  assign fits       = !bounded_q || 65'(size_q) <= left_q;

  always_comb begin
    state_d     = state_q;
    index_d     = index_q;
    loads_d     = loads_q;
    word_d      = word_q;
    root_d      = root_q;
    size_d      = size_q;
    right_d     = right_q;
    nothing_d   = nothing_q;
    bounded_d   = 1'b0;
    rung        = 1'b0;
    rung_status = StatusWrong;
    begins      = 1'b0;
    loaded      = 1'b0;
    unique case (state_q)
      Idle: begin
        index_d = Dispatch;
        right_d = 1'b1;
        // The job that is offered has the root.
        loads_d = !ring || offers_q;
        if ((ring && !offers_q) || end_q == Load) state_d = Field;
      end
      Field: state_d = Word;
      Word: begin
        word_d  = field;
        state_d = is_address ? Look : Decide;
        if (index_q == Dispatch) begin
          size_d = field[31:0];
          if (field[48] && field[47:32] >= tiles_i) right_d = 1'b0;
        end
        if (index_q == Metadata) nothing_d = field == '0;
        if (index_q == Remote && nothing_q && field != '0) right_d = 1'b0;
      end
      Look: if (look_ready_i) state_d = Wait;
      Wait:
      if (look_answer_valid_i) begin
        state_d = Decide;
        // A root that is no address stays as it is: the traversal reports it.
        if (index_q != Root || look_place_i.named) word_d = look_place_i.address;
        unique case (index_q)
          Root: ;
          Counter: if (!look_place_i.named || !look_place_i.reached || look_place_i.address[2:0] != '0) right_d = 1'b0;
          Metadata: begin
            bounded_d = 1'b1;
            if (!copied || look_place_i.tile != tile_i) right_d = 1'b0;
          end
          default: begin
            bounded_d = 1'b1;
            if (!copied) right_d = 1'b0;
          end
        endcase
      end
      default: begin
        right_d = right_q && fits;
        if (index_q == Root && !loads_q) root_d = word_q;
        // From the sizes on, and the metadata last.
        index_d = index_q == Counter ? Root : index_q + 1'b1;
        state_d = Field;
        if (index_q == Remote) begin
          state_d = Idle;
          loaded  = loads_q;
          rung    = !loads_q;
          if (right_d) rung_status = job_ready_i ? StatusAccepted : StatusFull;
          begins = rung && rung_status == StatusAccepted;
        end
      end
    endcase
  end

  assign offers_d = begins || (offers_q && !job_ready_i);
  assign mark_d   = begins ? mark_q + 64'd2 : mark_q;

  assign sound      = fault_word == '0;
  assign fault_word = failed_q ? GraphFaultTransferFailed : 64'(result_q.fault);
  assign m          = remote_q != '0 ? remote_q : metadata_q;
  assign takes      = result_valid_i && result_ready_o;
  assign ends       = end_q == Choose && phase_q == Status;

  always_comb begin
    unique case (phase_q)
      Objects, Bytes: needed = sound && metadata_q != '0;
      WriteBack: needed = sound && remote_q != '0 && cached_q;
      Transfer: needed = sound && remote_q != '0;
      Message: needed = sound && spawns_q;
      Tell: needed = counter_q != '0;
      default: needed = 1'b0;
    endcase
  end

  always_comb begin
    end_d    = end_q;
    phase_d  = phase_q;
    failed_d = failed_q;
    unique case (end_q)
      Rest: begin
        phase_d  = Objects;
        failed_d = 1'b0;
        if (result_valid_i) end_d = Load;
      end
      Load: if (loaded) end_d = Choose;
      Choose: begin
        if (phase_q == End) end_d = Rest;
        else if (needed) end_d = Offer;
        else phase_d = phase_e'(phase_q + 3'd1);
      end
      Offer: if (step_ready_i) end_d = Done;
      default:
      if (step_done_valid_i) begin
        if (phase_q == Transfer) failed_d = step_failed_i;
        phase_d = phase_e'(phase_q + 3'd1);
        end_d   = Choose;
      end
    endcase
  end

  always_comb begin
    step_o.kind     = StepWrite;
    step_o.tile     = tile_q;
    step_o.words    = '0;
    step_o.words[0] = metadata_q;
    unique case (phase_q)
      Objects: step_o.words[1] = 64'(result_q.objects);
      Bytes: begin
        step_o.words[0] = metadata_q + 64'd8;
        step_o.words[1] = result_q.bytes;
      end
      WriteBack: begin
        step_o.kind     = StepWriteBack;
        step_o.words[1] = 64'(bytes_q);
      end
      Transfer: begin
        step_o.kind     = StepTransfer;
        step_o.words[1] = remote_q;
        step_o.words[2] = 64'(bytes_q);
      end
      Message: begin
        step_o.kind     = StepMessage;
        step_o.words[0] = task_q;
        step_o.words[1] = m;
        step_o.words[2] = 64'(result_q.objects);
        step_o.words[3] = result_q.bytes;
      end
      default: begin
        step_o.kind     = StepAcknowledge;
        step_o.words[0] = counter_q;
        step_o.words[1] = fault_word;
      end
    endcase
  end

  assign look_valid_o   = state_q == Look;
  assign look_address_o = word_q;
  assign job_valid_o    = offers_q;
  assign job_o          = '{root: root_q, mark: mark_q};
  assign result_ready_o = end_q == Rest;
  assign step_valid_o   = end_q == Offer;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      end_q    <= Rest;
      offers_q <= 1'b0;
      mark_q   <= 64'd1;
    end else begin
      state_q  <= state_d;
      end_q    <= end_d;
      offers_q <= offers_d;
      mark_q   <= mark_d;
    end
  end

  always_ff @(posedge clk_i) begin
    index_q   <= index_d;
    loads_q   <= loads_d;
    word_q    <= word_d;
    root_q    <= root_d;
    size_q    <= size_d;
    right_q   <= right_d;
    nothing_q <= nothing_d;
    bounded_q <= bounded_d;
    left_q    <= 65'(look_place_i.last) - 65'(look_place_i.address) + 65'd1;
    phase_q   <= phase_d;
    failed_q  <= failed_d;
    if (takes) result_q <= result_i;
    if (loads_q && state_q == Word && index_q == Dispatch) begin
      {spawns_q, tile_q, bytes_q} <= field[48:0];
    end
    if (loads_q && state_q == Wait && index_q == Metadata) cached_q <= look_place_i.partition;
    if (loads_q && state_q == Decide) begin
      unique case (index_q)
        Metadata: metadata_q <= word_q;
        Remote: remote_q <= word_q;
        Task: task_q <= word_q;
        Counter: counter_q <= word_q;
        default: ;
      endcase
    end
  end

  if (HARTS == 0) begin : gen_wrong_harts
    $error("nca_graph_commands: HARTS is at least 1");
  end
  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("nca_graph_commands: LINE_BYTES is a power of two, at least 16");
  end

endmodule
