/// cni_packer: packets get their words: of a copy those that were read, of other jobs those of the memory of jobs, both
/// in the places of the destination.
///
/// Headers wait in a queue while the words of the first one come. A packet leaves when its first word is there. A read
/// that failed has one answer, the fault, with the address instead of a word: there is no packet, and the job hears of
/// it as of one that failed elsewhere. Every output depends on registers alone, but the words of `done`, which are the
/// answer's, and those whose valid depends on the answer's.
module cni_packer #(
    parameter int unsigned JOBS = 64,
    parameter int unsigned HEADERS = 4,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // The words of a new job.
    input  logic                                word_valid_i,
    input  logic              [NumberWidth-1:0] word_number_i,
    input  logic                          [2:0] word_index_i,
    input  cni_pkg::word_t                      word_i,
    input  logic                                header_valid_i,
    output logic                                header_ready_o,
    input  logic              [NumberWidth-1:0] header_number_i,
    input  cni_pkg::header_t                    header_i,
    input  logic                                header_none_i,
    input  logic                          [2:0] header_from_i,
    input  logic                                read_valid_i,
    output logic                                read_ready_o,
    input  cni_pkg::word_t                      read_word_i,
    input  cni_pkg::fault_e                     read_fault_i,
    output logic                                packet_valid_o,
    input  logic                                packet_ready_i,
    output logic              [NumberWidth-1:0] packet_number_o,
    output cni_pkg::header_t                    packet_o,
    output logic                                word_valid_o,
    input  logic                                word_ready_i,
    output cni_pkg::aligned_t                   word_o,
    output logic                                done_valid_o,    // there was no packet
    input  logic                                done_ready_i,
    output logic              [NumberWidth-1:0] done_number_o,
    output cni_pkg::verdict_t                   done_o
);
  import cni_pkg::*;

  typedef struct packed {
    logic [NumberWidth-1:0] number;
    header_t                header;
    logic                   none;
    logic [2:0]             from;
  } planned_t;

  typedef enum logic [1:0] {
    Wait   = 2'd0,
    Header = 2'd1,
    Words  = 2'd2,
    Done   = 2'd3
  } step_e;

  step_e step_d, step_q;
  planned_t planned, next;
  logic next_valid, pops, copies, copies_q, fails, begins;

  assign planned = '{header_number_i, header_i, header_none_i, header_from_i};
  fifo #(
      .DEPTH(HEADERS),
      .T    (planned_t)
  ) i_headers (
      .clk_i,
      .rst_ni,
      .valid_i(header_valid_i),
      .ready_o(header_ready_o),
      .data_i (planned),
      .valid_o(next_valid),
      .ready_i(pops),
      .data_o (next)
  );

  assign copies = next.header.kind == SendCopy && !next.none;
  assign fails  = copies && read_fault_i != FaultNone;
  assign begins = step_q == Wait && next_valid && !next.none && !(copies && !read_valid_i) && !fails;

  // Words of the memory of jobs are read ahead, the first one before the packet begins; the aligner, which knows how
  // many it needs, takes them from a register behind the memory.
  logic [2:0] index_d, index_q;
  logic stored_valid_q, loads, from_memory;
  logic moves, word_valid, word_ready;
  word_t stored, stored_q;

  assign moves       = step_q == Header || step_q == Words;
  assign from_memory = moves && !copies_q;
  assign loads       = from_memory && (!stored_valid_q || word_ready);
  assign index_d     = step_q == Wait ? 3'd1 : index_q + 3'(loads);

  ram_1r1w #(
      .WORDS(LineWords * JOBS),
      .WIDTH(64)
  ) i_words (
      .clk_i,
      .read_i         (loads || step_q == Wait),
      .read_address_i ({next.number, step_q == Wait ? 3'd0 : index_q}),
      .read_data_o    (stored),
      .write_i        (word_valid_i),
      .write_address_i({word_number_i, word_index_i}),
      .write_data_i   (word_i)
  );

  logic aligned_valid, unused_ready, unused_quiet;
  logic [2:0] to;
  logic [6:0] bytes;
  aligned_t aligned;
  assign word_valid = moves && (copies_q ? read_valid_i : stored_valid_q);
  // A transfer is sent to the copy's source with one word, and with the bytes of the whole copy.
  assign to         = next.header.kind == SendTransfer ? '0 : next.header.address[2:0];
  assign bytes      = next.header.kind == SendTransfer ? 7'd8 : next.header.bytes[6:0];

  cni_aligner #(
      .LINE_BYTES(64)
  ) i_aligner (
      .clk_i,
      .rst_ni,
      .packet_valid_i (begins),
      .packet_ready_o (unused_ready),
      .from_i         (next.from),
      .to_i           (to),
      .bytes_i        (bytes),
      .word_valid_i   (word_valid),
      .word_ready_o   (word_ready),
      .word_i         (copies_q ? read_word_i : stored_q),
      .aligned_valid_o(aligned_valid),
      .aligned_ready_i(step_q == Words && word_ready_i),
      .aligned_o      (aligned),
      .quiet_o        (unused_quiet)
  );

  always_comb begin
    step_d = step_q;
    pops   = 1'b0;
    unique case (step_q)
      Wait: begin
        if (begins) step_d = Header;
        else if (next_valid && (next.none || (fails && read_valid_i))) step_d = Done;
      end
      Header: if (packet_ready_i) step_d = Words;
      Words:  pops = aligned_valid && word_ready_i && aligned.last;
      default: pops = done_ready_i;
    endcase
    if (pops) step_d = Wait;
  end

  assign read_ready_o    = copies_q && ((moves && word_ready) || (step_q == Done && done_ready_i));
  assign packet_valid_o  = step_q == Header;
  assign packet_number_o = next.number;
  assign packet_o        = next.header;
  assign word_valid_o    = step_q == Words && aligned_valid;
  assign word_o          = aligned;
  assign done_valid_o    = step_q == Done;
  assign done_number_o   = next.number;
  // A turn without a packet is one of a job that has failed: its first fault is kept.
  assign done_o.fault    = read_fault_i;
  assign done_o.address  = read_word_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= Wait;
    else step_q <= step_d;
  end

  // They mean nothing while no word is read.
  always_ff @(posedge clk_i) begin
    copies_q       <= copies;
    index_q        <= index_d;
    stored_valid_q <= from_memory;
    if (loads) stored_q <= stored;
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_packer: JOBS is at least 1");
  end
  if (HEADERS == 0) begin : gen_wrong_headers
    $error("cni_packer: HEADERS is at least 1");
  end

endmodule
