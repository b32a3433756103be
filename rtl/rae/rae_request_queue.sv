/// rae_request_queue: requests whose packets are being decoded, or that wait for their look-up.
///
/// A request is offered PACKET_CYCLES - 1 cycles after the one in which it was accepted: the last packet cycle reads
/// the tag. Packets are decoded in a pipeline, so throughput is one request per cycle. `queued_o` counts all that are
/// here; `decodes_o`: one of them is not decoded yet.
module rae_request_queue #(
    parameter int unsigned QUEUE_ENTRIES = 64,
    parameter int unsigned PACKET_CYCLES = 4,
    parameter type request_t = logic [31:0],
    localparam int unsigned CountWidth = $clog2(QUEUE_ENTRIES + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  valid_i,
    output logic                  ready_o,
    input  request_t              data_i,
    output logic                  valid_o,
    input  logic                  ready_i,
    output request_t              data_o,
    output logic [CountWidth-1:0] queued_o,
    output logic                  decodes_o
);

  typedef logic [CountWidth-1:0] count_t;

  count_t queued_d, queued_q;
  count_t decoded_d, decoded_q;  // requests that are offered, this one and those behind it
  logic put, take, decoded, is_there;

  fifo #(
      .DEPTH(QUEUE_ENTRIES),
      .T    (request_t)
  ) i_requests (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i,
      .valid_o(is_there),
      .ready_i(take),
      .data_o
  );

  assign put      = valid_i && ready_o;
  assign valid_o  = is_there && decoded_q != '0;
  assign take     = valid_o && ready_i;
  assign queued_o = queued_q;

  // A bit for each request on its way through the decoder.
  if (PACKET_CYCLES > 2) begin : gen_decoder
    localparam int unsigned Stages = PACKET_CYCLES - 2;
    logic [Stages-1:0] stages_d, stages_q;

    if (Stages == 1) begin : gen_one
      assign stages_d = put;
    end else begin : gen_several
      assign stages_d = {stages_q[Stages-2:0], put};
    end
    assign decoded   = stages_q[Stages-1];
    assign decodes_o = stages_q != '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) stages_q <= '0;
      else stages_q <= stages_d;
    end
  end else begin : gen_no_decoder
    assign decoded   = put;
    assign decodes_o = 1'b0;
  end

  always_comb begin
    queued_d  = queued_q;
    decoded_d = decoded_q;
    if (put && !take) queued_d = queued_q + 1'b1;
    if (take && !put) queued_d = queued_q - 1'b1;
    if (decoded && !take) decoded_d = decoded_q + 1'b1;
    if (take && !decoded) decoded_d = decoded_q - 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queued_q  <= '0;
      decoded_q <= '0;
    end else begin
      queued_q  <= queued_d;
      decoded_q <= decoded_d;
    end
  end

endmodule
