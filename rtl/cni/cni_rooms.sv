/// cni_rooms: how many jobs of each kind there are, so that each kind always finds its quarter of the list.
///
/// A job is counted before it gets its number, and until it has ended. As the quarters are the whole list, a job that
/// was counted has a number. An event may become four jobs. Words of the cache leave one place to the acknowledgement
/// that may already be under way to the list. Every output depends on registers alone.
module cni_rooms #(
    parameter int unsigned JOBS = 64
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  take_valid_i,  // a job begins,
    input  cni_pkg::share_e       take_i,
    input  logic                  give_valid_i,  // or has ended
    input  cni_pkg::share_e       give_i,
    output logic            [3:0] room_o,        // by share
    output logic                  word_room_o,   // of words of the cache
    output logic                  idle_o         // there is no job
);
  import cni_pkg::*;

  localparam int unsigned Share = JOBS / 4;
  localparam int unsigned EventJobs = 4;
  localparam int unsigned CountWidth = $clog2(Share + 1);
  typedef logic [CountWidth-1:0] count_t;

  count_t [3:0] counts_d, counts_q;

  always_comb begin
    counts_d = counts_q;
    if (take_valid_i) counts_d[take_i] = counts_d[take_i] + 1'b1;
    if (give_valid_i) counts_d[give_i] = counts_d[give_i] - 1'b1;
  end

  always_comb begin
    for (int unsigned share = 0; share < 4; ++share) room_o[share] = counts_q[share] != count_t'(Share);
    room_o[ShareEvent] = 32'(counts_q[ShareEvent]) + EventJobs <= Share;
  end
  assign word_room_o = 32'(counts_q[ShareWord]) + 1 < Share;
  assign idle_o      = counts_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counts_q <= '0;
    else counts_q <= counts_d;
  end

  if (JOBS < 16 || JOBS % 4 != 0) begin : gen_wrong_jobs
    $error("cni_rooms: JOBS is a multiple of four, at least 16");
  end

endmodule
