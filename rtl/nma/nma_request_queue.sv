/// nma_request_queue: the requests that wait, first come, first served; a full queue refuses, and its sender waits.
///
/// `begins_o`: a request leaves the queue at the next edge, which is when a copy begins.
module nma_request_queue #(
    parameter int unsigned ENTRIES = 16
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          valid_i,
    output logic          ready_o,
    input  nma_pkg::job_t job_i,
    output logic          valid_o,
    input  logic          ready_i,
    output nma_pkg::job_t job_o,
    output logic          begins_o
);
  if (ENTRIES == 0) begin : g_wrong_entries
    $error("nma_request_queue: ENTRIES is at least 1");
  end

  fifo #(
      .DEPTH(ENTRIES),
      .T    (nma_pkg::job_t)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i(job_i),
      .valid_o,
      .ready_i,
      .data_o(job_o)
  );

  assign begins_o = valid_o && ready_i;

endmodule
