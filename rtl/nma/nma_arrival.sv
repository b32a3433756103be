/// nma_arrival: a message of seven words, the window of a hart, becomes a request whose addresses are translated.
///
/// Its first word decides: without a place in the queue the message is refused and all its words are dropped, so that
/// nothing waits in the network. A message that is taken is answered when the request is in the queue; its words leave
/// at `keep`, without a stall. A request that is not in this memory, or whose buffer is not of whole lines, is not
/// sound; it keeps its place among the others. One message is inside at a time.
module nma_arrival #(
    parameter int unsigned LINE_BYTES = 32,
    parameter int unsigned FROM_BITS = 16
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  command_pkg::tile_t                  tile_i,            // the memory's tile: constant
    // The words of a message, with its sender.
    input  logic                                message_valid_i,
    output logic                                message_ready_o,
    input  logic                [FROM_BITS-1:0] message_from_i,
    input  command_pkg::word_t                  message_word_i,
    output logic                                response_valid_o,
    input  logic                                response_ready_i,
    output logic                [FROM_BITS-1:0] response_from_o,
    output logic                                response_refused_o,
    // The address map: the place of an address, or the partition of a tile.
    output logic                                look_valid_o,
    input  logic                                look_ready_i,
    output logic                                look_is_tile_o,
    output command_pkg::word_t                  look_address_o,
    input  logic                                look_answer_valid_i,
    /* verilator lint_off UNUSEDSIGNAL */  // some of its fields are for others
    input  command_pkg::place_t                 look_place_i,
    /* verilator lint_on UNUSEDSIGNAL */
    // A word to be kept for the end.
    output logic                                keep_valid_o,
    output logic                [          2:0] keep_index_o,
    output logic                                job_valid_o,
    input  logic                                job_ready_i,
    output nma_pkg::job_t                       job_o,
    output logic                                busy_o
);
  import registers_pkg::*;
  import command_pkg::*;

  localparam int unsigned InLine = $clog2(LINE_BYTES);
  localparam int unsigned RoomBits = 32'(NmaRoomBits);

  typedef enum logic [2:0] {
    Take    = 3'd0,  // the words
    Look    = 3'd1,
    Wait    = 3'd2,
    Put     = 3'd3,
    Respond = 3'd4,
    Check   = 3'd5   // the last bound
  } state_e;
  /// What is looked up.
  typedef enum logic [1:0] {
    OfSource = 2'd0,
    OfTarget = 2'd1,
    OfFinal  = 2'd2
  } what_e;

  state_e state_d, state_q;
  what_e what_d, what_q;
  logic [2:0] index_d, index_q;
  logic refused_d, refused_q, sound_d, sound_q, bounded_d, bounded_q, takes, last_word;
  logic [FROM_BITS-1:0] from_q;
  word_t destination_q, room_q, final_q, final_address;
  logic [43:0] shape_q;  // objects, and the tile of the graph
  logic hashed_q;
  nma_pkg::job_t job_d, job_q;
  logic [RoomBits-1:0] bytes, first;
  logic moves, fits, aligned, here, begins, windowed_q;
  word_t looked;
  logic [64:0] left_q;  // from the address that was looked up to the end of its region

  assign takes     = message_valid_i && message_ready_o;
  assign last_word = index_q == 3'(NmaCounter / 8);

  assign bytes         = room_q[RoomBits-1:0];
  assign first         = RoomBits'(room_q[63:RoomBits]);
  assign final_address = final_q == '0 ? destination_q : final_q;
  assign moves         = final_address != destination_q;
  assign looked        = what_q == OfTarget ? destination_q : final_address;
  // One cycle after the answer. Copies are for all tiles: an address in a tile's own window is no buffer.
  assign fits          = !bounded_q || (65'(bytes) <= left_q && !windowed_q);
  assign aligned       = (look_place_i.address[InLine-1:0] | bytes[InLine-1:0]) == '0;
  assign here          = look_place_i.memory_tile == tile_i;
  assign begins        = first <= bytes && first[2:0] == '0 && (!moves || first[InLine-1:0] == '0);

  always_comb begin
    state_d   = state_q;
    what_d    = what_q;
    index_d   = index_q;
    refused_d = refused_q;
    sound_d   = sound_q && fits;
    bounded_d = 1'b0;
    job_d     = job_q;
    unique case (state_q)
      Take: begin
        what_d  = OfSource;
        sound_d = 1'b1;
        if (takes) begin
          index_d = last_word ? '0 : index_q + 1'b1;
          if (index_q == '0) refused_d = !job_ready_i;
          if (last_word) state_d = refused_q ? Respond : Look;
        end
      end
      Look: if (look_ready_i) state_d = Wait;
      Wait:
      if (look_answer_valid_i) begin
        state_d = Look;
        sound_d = sound_q && fits && look_place_i.mapped && look_place_i.partition;
        unique case (what_q)
          OfSource: begin
            what_d             = OfTarget;
            if (!here) sound_d = 1'b0;
            job_d.source_base  = look_place_i.address;
            job_d.source_end   = look_place_i.last + 1'b1;
            job_d.source_shift = look_place_i.offset - look_place_i.address[39:0];
          end
          OfTarget: begin
            what_d                         = OfFinal;
            bounded_d                      = 1'b1;
            if (!here || !aligned) sound_d = 1'b0;
            job_d.target                   = look_place_i.offset;
            job_d.begins                   = look_place_i.offset + first;
            job_d.ends                     = look_place_i.offset + bytes;
            job_d.final_shift              = final_address - 64'(look_place_i.offset);
          end
          default: begin
            bounded_d             = 1'b1;
            if (!aligned) sound_d = 1'b0;
            state_d               = Check;
          end
        endcase
      end
      Check: begin
        sound_d = sound_q && fits && begins;
        state_d = Put;
      end
      Put: if (job_ready_i) state_d = Respond;
      default: if (response_ready_i) state_d = Take;
    endcase
  end

  always_comb begin
    job_o         = job_q;
    job_o.objects = shape_q[31:0];
    job_o.hashed  = hashed_q;
    job_o.sound   = sound_q;
  end

  assign message_ready_o    = state_q == Take;
  assign response_valid_o   = state_q == Respond;
  assign response_from_o    = from_q;
  assign response_refused_o = refused_q;
  assign look_valid_o       = state_q == Look;
  assign look_is_tile_o     = what_q == OfSource;
  assign look_address_o     = what_q == OfSource ? 64'(shape_q[43:32]) : looked;
  // The end does not need the first word, which comes before it is known whether the message is taken.
  assign keep_valid_o       = takes && index_q != '0 && !refused_q;
  assign keep_index_o       = index_q;
  assign job_valid_o        = state_q == Put;
  assign busy_o             = state_q != Take || index_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Take;
      index_q <= '0;
    end else begin
      state_q <= state_d;
      index_q <= index_d;
    end
  end

  always_ff @(posedge clk_i) begin
    what_q    <= what_d;
    refused_q <= refused_d;
    sound_q   <= sound_d;
    bounded_q <= bounded_d;
    windowed_q <= looked[63:40] == '0;
    left_q    <= 65'(look_place_i.last) - 65'(look_place_i.address) + 65'd1;
    job_q     <= job_d;
    if (takes) begin
      unique case (index_q)
        3'(NmaRoot / 8): begin
          from_q     <= message_from_i;
          job_q.root <= message_word_i;
        end
        3'(NmaDestination / 8): destination_q <= message_word_i;
        3'(NmaRoom / 8): room_q <= message_word_i;
        3'(NmaFinalAddress / 8): final_q <= message_word_i;
        3'(NmaShape / 8): {hashed_q, shape_q} <= {message_word_i[56], message_word_i[43:0]};
        default: ;
      endcase
    end
  end

  // Copies begin at multiples of 16.
  if (LINE_BYTES < 16 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : gen_wrong_line_bytes
    $error("nma_arrival: LINE_BYTES is a power of two, at least 16");
  end

endmodule
