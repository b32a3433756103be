/// nma_map: where the map has an original and its copy: the next entry of a list, or a slot of a hash table.
///
/// The map is in memory: [originals: entries words][copies: entries words]. A table has 2^(ceil(log2 n) + 1) slots for
/// n objects. What is found in it by whoever reads it is kept here: where the copy's word is.
module nma_map #(
    parameter bit HASHED = 1'b1
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  nma_pkg::offset_t                   map_at_i,        // offset of the map
    input  nma_pkg::count_t                    entries_i,       // of each half
    input  nma_pkg::word_t                     child_i,         // whose entry it is about
    input  logic                               hashed_i,
    input  nma_pkg::map_do_t                   do_i,
    // The table of a job that has begun has so many words, or it does not fit.
    input  logic               [31:0]          objects_i,
    output nma_pkg::count_t                    table_words_o,
    output logic                               misfit_o,
    output logic                               full_o,
    output logic                               round_o,         // the next slot is that of the hash again
    output nma_pkg::count_t                    count_o,
    output nma_pkg::offset_t                   original_at_o,
    output nma_pkg::offset_t                   copy_at_o,       // of the slot that was hit, or of what was found
    // The original is there in the list.
    input  logic                               match_i,
    input  nma_pkg::offset_t                   match_at_i,
    output logic                               found_o
);
  import nma_pkg::*;

  localparam int unsigned IndexBits = OffsetBits - 3;

  count_t count_d, count_q, slot_d, slot_q, next_slot;
  logic [32:0] mask_d, mask_q;  // slots - 1
  logic found_d, found_q;
  logic round_d, round_q;
  offset_t copy_at_d, copy_at_q, found_at;

  logic [31:0] below, hash;
  logic [32:0] table_mask;
  count_t hashed_slot;

  if (HASHED) begin : g_hash
    nma_address_hash i_hash (
        .address_i(child_i),
        .hash_o   (hash)
    );
  end else begin : g_no_hash
    logic unused;
    assign hash   = '0;
    assign unused = ^child_i;
  end

  assign below = objects_i - 32'd1;
  always_comb begin
    table_mask = {below, 1'b1};
    for (int unsigned by = 1; by < 32; by *= 2) table_mask |= {table_mask[32:1] >> by, 1'b1};
  end

  assign table_words_o = CountBits'(mask_q) + 1'b1;
  assign misfit_o      = !HASHED || objects_i == '0 || CountBits'(mask_q) >= entries_i;
  assign hashed_slot   = CountBits'({1'b0, hash} & mask_q);
  assign next_slot     = (slot_q + 1'b1) & CountBits'(mask_q);
  assign round_d       = next_slot == hashed_slot;
  assign round_o       = round_q;
  assign full_o        = count_q >= (hashed_i ? CountBits'(mask_q) : entries_i);
  assign count_o       = count_q;
  assign original_at_o = map_at_i + {slot_q[IndexBits-1:0], 3'b000};
  assign copy_at_o     = copy_at_q;
  assign found_o       = found_q || match_i;
  assign found_at      = match_i ? match_at_i : original_at_o;

  always_comb begin
    count_d    = count_q;
    slot_d     = slot_q;
    mask_d     = mask_q;
    found_d   = found_q || match_i;
    copy_at_d = match_i || do_i.hit ? found_at + {entries_i[IndexBits-1:0], 3'b000} : copy_at_q;
    if (do_i.begins) begin
      count_d = '0;
      mask_d  = table_mask;
    end
    if (do_i.find) found_d = 1'b0;
    if (do_i.find || do_i.insert) slot_d = hashed_i ? hashed_slot : count_q;
    if (do_i.next) slot_d = next_slot;
    if (do_i.inserted) count_d = count_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) found_q <= 1'b0;
    else found_q <= found_d;
  end

  // Nothing else means anything before a job has begun.
  always_ff @(posedge clk_i) begin
    count_q    <= count_d;
    slot_q     <= slot_d;
    mask_q     <= mask_d;
    round_q    <= round_d;
    copy_at_q <= copy_at_d;
  end

endmodule
