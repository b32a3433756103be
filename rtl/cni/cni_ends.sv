/// cni_ends: where the entries that wait in a queue begin and end, by its tag, and what that becomes when one comes or
/// goes.
///
/// Head and tail are counts that wrap. Single reader: bits 0 to 31 head, 32 to 63 tail. Multiple readers: bits 0 to 30
/// head, 31 to 61 tail, 62: those that wait are requests.
module cni_ends (
    input  logic                  single_i,
    input  cni_pkg::word_t        tag_i,
    output logic           [31:0] head_o,
    output logic           [31:0] tail_o,
    output logic                  requests_o,
    output cni_pkg::word_t        comes_o,     // the tag when another entry waits
    input  logic                  request_i,   // which is a request
    output cni_pkg::word_t        goes_o       // the tag when the first one has gone
);
  logic [31:0] next_tail;
  logic [30:0] next_head;

  always_comb begin
    head_o     = single_i ? tag_i[31:0] : {1'b0, tag_i[30:0]};
    tail_o     = single_i ? tag_i[63:32] : {1'b0, tag_i[61:31]};
    requests_o = !single_i && tag_i[62];
    next_tail  = tail_o + 1'b1;
    next_head  = head_o[30:0] + 1'b1;
    comes_o    = single_i ? {next_tail, head_o} : {1'b0, request_i, next_tail[30:0], head_o[30:0]};
    goes_o     = {1'b0, requests_o, tail_o[30:0], next_head};
  end

endmodule
