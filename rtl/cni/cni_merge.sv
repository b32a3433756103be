/// cni_merge: packets of jobs and packets of posted stores leave in turns; the words of a packet follow its header.
///
/// The next header is offered when the last word of the packet before has left. Every output depends on registers
/// alone, if the inputs do, and but for ready.
module cni_merge #(
    parameter int unsigned JOBS = 64,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // 0: of jobs; 1: posted.
    input  logic                          [1:0] packet_valid_i,
    output logic                          [1:0] packet_ready_o,
    input  cni_pkg::header_t              [1:0] packet_i,
    input  logic              [NumberWidth-1:0] number_i,        // of the job
    input  logic                          [1:0] word_valid_i,
    output logic                          [1:0] word_ready_o,
    input  cni_pkg::aligned_t             [1:0] word_i,
    output logic                                packet_valid_o,
    input  logic                                packet_ready_i,
    output cni_pkg::header_t                    packet_o,
    output logic                                packet_posted_o,
    output logic              [NumberWidth-1:0] packet_number_o,
    output logic                                word_valid_o,
    input  logic                                word_ready_i,
    output cni_pkg::aligned_t                   word_o
);
  import cni_pkg::*;

  logic busy_d, busy_q, posted_q, offers, goes;

  assign offers = !busy_q;
  stream_arbiter #(
      .N(2),
      .T(header_t)
  ) i_packets (
      .clk_i,
      .rst_ni,
      .valid_i(offers ? packet_valid_i : '0),
      .ready_o(packet_ready_o),
      .data_i (packet_i),
      .valid_o(packet_valid_o),
      .ready_i(packet_ready_i),
      .data_o (packet_o),
      .index_o(packet_posted_o)
  );

  assign packet_number_o = number_i;
  assign goes            = packet_valid_o && packet_ready_i;
  assign word_o          = word_i[posted_q];
  assign word_valid_o    = busy_q && word_valid_i[posted_q];
  assign busy_d          = goes || (busy_q && !(word_valid_o && word_ready_i && word_o.last));

  always_comb begin
    word_ready_o           = '0;
    word_ready_o[posted_q] = busy_q && word_ready_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= busy_d;
  end

  // It means nothing before a packet has begun.
  always_ff @(posedge clk_i) begin
    if (goes) posted_q <= packet_posted_o;
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_merge: JOBS is at least 1");
  end

endmodule
