/// cni_rooms: how many jobs of each kind there are, so that each kind always finds its quarter of the list.
///
/// A job is counted before it gets its number, and until it has ended. As the quarters are the whole list, a job that
/// was counted has a number. An event may become four jobs. Words of the cache leave one place to the acknowledgement
/// that may already be under way to the list.
///
/// Whoever says that a job begins or has ended says it late in a cycle, so it is counted in the next one; in that cycle
/// the kind of a job that begins has no place, whatever its count. Every output depends on registers alone.
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
  logic [3:0] takes_q, gives_q;       // by share
  logic [3:0] room_d, room_q;
  logic word_room_d, word_room_q;

  always_comb begin
    for (int unsigned share = 0; share < 4; ++share) begin
      counts_d[share] = counts_q[share] + count_t'(takes_q[share]) - count_t'(gives_q[share]);
      room_d[share]   = counts_d[share] != count_t'(Share);
    end
    room_d[ShareEvent] = 32'(counts_d[ShareEvent]) + EventJobs <= Share;
    word_room_d        = 32'(counts_d[ShareWord]) + 1 < Share;
  end

  assign room_o      = room_q & ~takes_q;
  assign word_room_o = word_room_q && !takes_q[ShareWord];
  assign idle_o      = counts_q == '0 && takes_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counts_q    <= '0;
      takes_q     <= '0;
      gives_q     <= '0;
      room_q      <= '1;
      word_room_q <= 1'b1;
    end else begin
      counts_q    <= counts_d;
      takes_q     <= 4'(take_valid_i) << take_i;
      gives_q     <= 4'(give_valid_i) << give_i;
      room_q      <= room_d;
      word_room_q <= word_room_d;
    end
  end

  if (JOBS < 16 || JOBS % 4 != 0) begin : gen_wrong_jobs
    $error("cni_rooms: JOBS is a multiple of four, at least 16");
  end

endmodule
