/// cni_sender: at each turn of the list of jobs one packet is planned: its header goes to the packer, a read of the
/// source is asked for if it is a copy's, and what is left of the copy goes back to the list.
///
/// The words of a turn stay until the next turn begins. A copy that has failed sends nothing more; its turn is then a
/// header without a packet, so that each turn ends in the same way. Reads are asked for in the order of headers. Every
/// output depends on registers alone, but `sends_o` and `counts` of the turn.
module cni_sender #(
    parameter int unsigned JOBS = 64,
    parameter int unsigned COPY_PACKETS = 8,  // under way at most
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // A new job.
    input  logic                             plan_valid_i,
    input  logic           [NumberWidth-1:0] plan_number_i,
    input  cni_pkg::plan_t                   plan_i,
    // The list of jobs.
    output logic                             pick_o,
    output logic                             copies_stop_o,
    input  logic                             turn_valid_i,
    output logic                             turn_ready_o,
    input  logic                             turn_is_copy_i,
    input  logic           [NumberWidth-1:0] turn_number_i,
    input  cni_pkg::copy_t                   turn_i,
    output logic                             again_valid_o,   // the rest, which is always accepted
    output cni_pkg::copy_t                   again_o,
    // How the job is when its turn begins; its packet is counted, and whether it is the last one.
    input  logic                             failed_i,
    output logic                             sends_o,
    output logic                             last_o,
    input  logic                             copy_done_i,     // a packet of a copy, or its turn without one, has ended
    output logic                             header_valid_o,
    input  logic                             header_ready_i,
    output cni_pkg::header_t                 header_o,
    output logic                             header_none_o,   // there is no packet
    output logic                       [2:0] header_from_o,   // where the first byte is in its word of the source
    output logic                             read_valid_o,
    input  logic                             read_ready_i,
    output cni_pkg::word_t                   read_address_o,
    output logic                       [6:0] read_bytes_o
);
  import cni_pkg::*;

  localparam int unsigned CountWidth = $clog2(COPY_PACKETS + 1);
  typedef logic [CountWidth-1:0] count_t;

  typedef enum logic [2:0] {
    Wait = 3'd0,
    Look = 3'd1,  // at the plan
    Cut  = 3'd2,  // a copy's packet
    Read = 3'd3,
    Rest = 3'd4
  } step_e;

  step_e step_d, step_q;
  count_t copies_d, copies_q;
  logic takes;
  logic is_copy_q, cuts_q;  // the turn is a copy's, which has a packet
  logic [16:0] bytes_q;     // that its job has left
  plan_t plan;

  assign takes = turn_valid_i && turn_ready_o;

  ram_1r1w #(
      .WORDS(JOBS),
      .WIDTH($bits(plan_t))
  ) i_plans (
      .clk_i,
      .read_i         (takes),
      .read_address_i (turn_number_i),
      .read_data_o    (plan),
      .write_i        (plan_valid_i),
      .write_address_i(plan_number_i),
      .write_data_i   (plan_i)
  );

  logic piece_valid, rest_valid, unused_ready, unused_quiet;
  word_t unused_destination;
  cni_pieces #(
      .LINE_BYTES(64)
  ) i_pieces (
      .clk_i,
      .rst_ni,
      .entry_valid_i       (step_q == Look && cuts_q),
      .entry_ready_o       (unused_ready),
      .entry_i             (turn_i),
      .by_lines_i          (plan.by_lines),
      .packet_valid_o      (piece_valid),
      .packet_ready_i      (step_q == Read && read_ready_i),
      .packet_source_o     (read_address_o),
      .packet_destination_o(unused_destination),
      .packet_bytes_o      (read_bytes_o),
      .rest_valid_o        (rest_valid),
      .rest_ready_i        (step_q == Rest),
      .rest_o              (again_o),
      .quiet_o             (unused_quiet)
  );

  always_comb begin
    step_d = step_q;
    unique case (step_q)
      Wait: if (turn_valid_i) step_d = Look;
      Look: begin
        if (cuts_q) step_d = Cut;
        else if (header_ready_i) step_d = Wait;
      end
      Cut: if (piece_valid && header_ready_i) step_d = Read;
      Read: if (read_ready_i) step_d = Rest;
      default: step_d = Wait;
    endcase
  end

  always_comb begin
    copies_d = copies_q;
    if (takes && turn_is_copy_i) copies_d = copies_d + 1'b1;
    if (copy_done_i) copies_d = copies_d - 1'b1;
  end

  assign pick_o         = step_q == Wait;
  assign copies_stop_o  = copies_q == count_t'(COPY_PACKETS);
  assign turn_ready_o   = step_q == Wait;
  assign again_valid_o  = step_q == Rest && rest_valid;
  assign read_valid_o   = step_q == Read;
  assign header_valid_o = step_q == Cut ? piece_valid : step_q == Look && !cuts_q;
  assign sends_o        = header_valid_o && header_ready_i;
  assign last_o         = step_q == Look || bytes_q == 17'(read_bytes_o);

  assign header_o.kind            = plan.kind;
  assign header_o.no_retry        = plan.no_retry;
  // A turn sends the first packet of its copy.
  assign header_o.address         = turn_i.destination;
  assign header_o.bytes           = step_q == Cut ? 17'(read_bytes_o) : bytes_q;
  assign header_o.acknowledgement = plan.acknowledgement;
  assign header_none_o            = is_copy_q && step_q == Look;
  assign header_from_o            = step_q == Cut ? read_address_o[2:0] : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q   <= Wait;
      copies_q <= '0;
    end else begin
      step_q   <= step_d;
      copies_q <= copies_d;
    end
  end

  // They mean nothing before a turn.
  always_ff @(posedge clk_i) begin
    if (takes) begin
      is_copy_q <= turn_is_copy_i;
      cuts_q    <= turn_is_copy_i && !failed_i;
      bytes_q   <= turn_i.bytes;
    end
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_sender: JOBS is at least 1");
  end
  if (COPY_PACKETS == 0) begin : gen_wrong_copy_packets
    $error("cni_sender: COPY_PACKETS is at least 1");
  end

endmodule
