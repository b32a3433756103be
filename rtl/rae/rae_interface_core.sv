/// rae_interface_core: does the operations, one after the other, and moves lines: into the cache, to memory, to those
/// who claim them.
///
/// It does one thing at a time:
///
///   a hit      an operation on a line of the cache: OPERATION_CYCLES, in the first of which the line is read.
///   a line     that has come is written to its place in one cycle; the operations of its entry follow,
///              OPERATION_CYCLES each. Then the line goes into the cache, and a changed line that was there to memory
///              (three cycles), or it goes to memory itself (two), or it is dropped (one).
///   a claim    of a line of the cache: it goes to memory if it has changed, and is dropped if others will change it
///              (two cycles). A claim of an entry's line waits until the entry ends; the line is not kept then.
///
/// In the last of its cycles an operation is written and answered. The others are those in which it becomes ready: with
/// two, all is done in the last; with three, the window with the word leaves the line in the one before; with four and
/// more, the arithmetic, too, has a cycle of its own.
///
/// While lines change their place, `frozen_o`, look-ups rest, and hits that were found earlier are done first. Hits
/// and lines alternate. The answers, the lines to memory and the end of a claim leave through registers.
/// Source: RAE, section 3.
module rae_interface_core
  import rae_pkg::*;
#(
    parameter int unsigned OPERATION_CYCLES = 2,
    parameter int unsigned CACHE_LINES = 1024,
    parameter int unsigned MAIN_ENTRIES = 64,
    parameter int unsigned SUB_ENTRIES = 64,
    parameter int unsigned LINE_BYTES = 64,
    parameter int unsigned LINE_WIDTH = 25,
    parameter int unsigned TAG_WIDTH = 15,
    parameter int unsigned REQUEST_TAG_WIDTH = 13,
    parameter bit RETAIN = 1'b1,
    parameter type sub_entry_t = struct packed {
      operation_e operation;
      size_t size;
      logic [$clog2(LINE_BYTES)-1:0] offset;
      logic [REQUEST_TAG_WIDTH-1:0] tag;
    },
    parameter type operands_t = struct packed {
      logic [63:0] operand;
      logic [63:0] expected;
    },
    localparam int unsigned EntryWidth = MAIN_ENTRIES > 1 ? $clog2(MAIN_ENTRIES) : 1,
    localparam int unsigned CountWidth = $clog2(SUB_ENTRIES + 1),
    localparam int unsigned IndexWidth = CACHE_LINES > 1 ? $clog2(CACHE_LINES) : 1,
    localparam int unsigned PlaceWidth = $clog2(CACHE_LINES + MAIN_ENTRIES)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         frozen_o,
    output logic                         busy_o,
    // Hits, and requests that are wrong.
    input  logic                         hit_valid_i,
    output logic                         hit_ready_o,
    input  sub_entry_t                   hit_i,
    input  operands_t                    hit_operands_i,
    input  logic        [IndexWidth-1:0] hit_index_i,
    input  logic        [ TAG_WIDTH-1:0] hit_tag_i,
    input  logic                         hit_wrong_i,
    // Lines of main entries.
    input  logic                         line_valid_i,
    output logic                         line_ready_o,
    input  logic        [EntryWidth-1:0] line_entry_i,
    input  logic [     8*LINE_BYTES-1:0] line_data_i,
    // Claims, and the search for a claimed line.
    input  logic                         claim_valid_i,
    output logic                         claim_ready_o,
    input  logic                         claim_takes_i,
    input  logic        [LINE_WIDTH-1:0] claim_line_i,
    output logic                         claim_done_valid_o,
    input  logic                         claim_done_ready_i,
    output logic                         searches_o,
    output logic        [LINE_WIDTH-1:0] search_line_o,
    input  logic                         found_owned_i,
    output logic                         claim_entry_o,
    // The entry whose requests are done, and which one it is in the next cycle.
    output logic        [EntryWidth-1:0] entry_o,
    output logic        [EntryWidth-1:0] next_entry_o,
    output logic                         entry_end_o,
    input  logic        [LINE_WIDTH-1:0] entry_line_i,
    input  logic                         entry_owned_i,
    input  logic                         entry_claimed_i,
    input  logic                         entry_writes_i,
    input  logic        [CountWidth-1:0] entry_joined_i,
    output logic                         sub_read_o,
    output logic        [CountWidth-1:0] sub_number_o,
    input  sub_entry_t                   sub_i,
    input  operands_t                    sub_operands_i,
    // The interface cache.
    output logic                         tag_read_o,
    output logic        [IndexWidth-1:0] tag_read_index_o,
    input  logic                         valid_i,
    input  logic                         dirty_i,
    input  logic        [ TAG_WIDTH-1:0] tag_i,
    output logic                         tag_write_o,
    output logic        [IndexWidth-1:0] tag_write_index_o,
    output logic                         valid_o,
    output logic                         dirty_o,
    output logic        [ TAG_WIDTH-1:0] tag_o,
    output logic                         line_read_o,
    output logic        [PlaceWidth-1:0] line_read_place_o,
    input  logic [     8*LINE_BYTES-1:0] line_i,
    output logic                         line_write_o,
    output logic        [PlaceWidth-1:0] line_write_place_o,
    output logic [     8*LINE_BYTES-1:0] line_o,
    // Answers, and lines to memory.
    output logic                         answer_valid_o,
    input  logic                         answer_ready_i,
    output logic                         answer_wrong_o,
    output logic [REQUEST_TAG_WIDTH-1:0] answer_tag_o,
    output logic [                 63:0] answer_data_o,
    output logic                         store_valid_o,
    input  logic                         store_ready_i,
    output logic        [LINE_WIDTH-1:0] store_line_o,
    output logic [     8*LINE_BYTES-1:0] store_data_o
);

  localparam int unsigned IndexBits = $clog2(CACHE_LINES);
  localparam int unsigned LeftWidth = $clog2(OPERATION_CYCLES);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [TAG_WIDTH-1:0] tag_t;
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [LINE_WIDTH-1:0] line_address_t;
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [LeftWidth-1:0] left_t;

  typedef enum logic [2:0] {
    StateIdle,      // begins what is next
    StateHit,       // an operation on a line of the cache
    StateWalk,      // takes the next request of the entry; if there is none, its line is returned
    StateStep,      // an operation on the entry's line
    StateReplace,   // the line that must leave the cache goes to memory if it has changed
    StateKeep,      // the entry's line goes into the cache
    StateGiveBack,  // the entry's line goes to memory
    StateRelease    // a claimed line leaves the cache
  } state_e;

  function automatic index_t index_of(line_address_t line);
    return index_t'(line & line_address_t'(CACHE_LINES - 1));
  endfunction
  function automatic tag_t tag_of(line_address_t line);
    return tag_t'(line >> IndexBits);
  endfunction

  state_e state_d, state_q;
  left_t left_d, left_q;                // cycles of the operation
  logic hit_was_last_d, hit_was_last_q;  // then lines have precedence
  logic active_d, active_q;              // an entry has its line:
  logic [EntryWidth-1:0] entry_d, entry_q;  // this one,
  count_t served_d, served_q;            // and so many of its requests are done

  // The hit that is done.
  sub_entry_t hit_d, hit_q;
  operands_t hit_operands_d, hit_operands_q;
  index_t hit_index_d, hit_index_q;
  tag_t hit_tag_d, hit_tag_q;
  logic hit_wrong_d, hit_wrong_q;

  // The claim, the answer, and the line to memory.
  logic claim_d, claim_q, claim_waits_d, claim_waits_q;
  logic claim_takes_d, claim_takes_q, claim_done_d, claim_done_q;
  logic claim_ends_d, claim_ends_q;  // its end waits until memory has taken the line
  line_address_t claim_line_d, claim_line_q;
  logic answer_d, answer_q, answer_wrong_d, answer_wrong_q;
  logic [REQUEST_TAG_WIDTH-1:0] answer_tag_d, answer_tag_q;
  logic [63:0] answer_data_d, answer_data_q;
  logic store_d, store_q;
  line_address_t store_line_d, store_line_q;
  logic [8*LINE_BYTES-1:0] store_data_d, store_data_q;

  logic claim_pending, more, begins_hit, operates, answer_free, store_free, stores, may_store, ends;
  logic claim_hit, takes_claim, ends_claim, claim_ends;
  place_t entry_place;

  assign claim_pending = claim_q && !claim_waits_q;
  assign more          = served_q != entry_joined_i;
  assign answer_free   = !answer_q || answer_ready_i;
  assign store_free    = !store_q || store_ready_i;
  assign entry_place   = place_t'(CACHE_LINES) + place_t'(entry_q);
  assign claim_hit     = valid_i && tag_i == tag_of(claim_line_q);
  assign frozen_o      = !(state_q == StateStep || (state_q == StateWalk && more)) && (active_q || claim_pending);
  assign busy_o        = state_q != StateIdle || claim_pending || answer_q || store_q || claim_ends_q || claim_done_q;

  // The operation, on the line that was read. All that it depends on is the same from its second cycle to its last.
  typedef struct packed {
    sub_entry_t what;
    operands_t operands;
    logic is_wrong;
    window_t window;  // of the line
  } taken_t;
  typedef struct packed {
    logic [63:0] after;
    logic [63:0] answer;
  } done_t;
  taken_t taken_d, taken_q, taken;
  done_t done_d, done_q, done;
  sub_entry_t what;
  window_t window;
  logic [63:0] held, after, answer;
  logic [8*LINE_BYTES-1:0] changed;
  logic is_write;

  assign what             = state_q == StateHit ? hit_q : sub_i;
  assign taken_d.what     = what;
  assign taken_d.operands = state_q == StateHit ? hit_operands_q : sub_operands_i;
  assign taken_d.is_wrong = state_q == StateHit && hit_wrong_q;
  assign taken_d.window   = window;
  assign done_d           = '{after: after, answer: answer};
  assign taken            = OPERATION_CYCLES >= 3 ? taken_q : taken_d;
  assign done             = OPERATION_CYCLES >= 4 ? done_q : done_d;
  assign is_write         = !taken.is_wrong && taken.what.operation != OperationLoad;

  rae_line_word #(
      .LINE_BYTES(LINE_BYTES)
  ) i_line_word (
      .line_i,
      .offset_i     (what.offset),
      .window_o     (window),
      .window_i     (taken.window),
      .word_offset_i(taken.what.offset),
      .word_o       (held),
      .put_size_i   (taken.what.size),
      .word_i       (done.after),
      .line_o       (changed)
  );

  rae_atomics_unit i_atomics_unit (
      .operation_i(taken.what.operation),
      .size_i     (taken.what.size),
      .before_i   (held),
      .operand_i  (taken.operands.operand),
      .expected_i (taken.operands.expected),
      .after_o    (after),
      .answer_o   (answer)
  );

  // The next state, and what it reads and writes.
  always_comb begin
    state_d            = state_q;
    left_d             = left_q;
    hit_was_last_d     = hit_was_last_q;
    active_d           = active_q;
    entry_d            = entry_q;
    served_d           = served_q;
    begins_hit         = 1'b0;
    operates           = 1'b0;
    stores             = 1'b0;
    ends               = 1'b0;
    ends_claim         = 1'b0;
    claim_entry_o      = 1'b0;
    tag_read_o         = 1'b0;
    tag_read_index_o   = index_of(entry_line_i);
    tag_write_o        = 1'b0;
    tag_write_index_o  = index_of(entry_line_i);
    valid_o            = 1'b1;
    dirty_o            = 1'b1;
    tag_o              = tag_of(entry_line_i);
    line_read_o        = 1'b0;
    line_read_place_o  = entry_place;
    line_write_o       = 1'b0;
    line_write_place_o = entry_place;
    line_o             = changed;
    unique case (state_q)
      StateIdle: begin
        if (hit_valid_i && !(hit_was_last_q && line_valid_i && !claim_pending)) begin
          begins_hit = 1'b1;
        end else if (claim_pending) begin
          tag_read_o        = 1'b1;
          tag_read_index_o  = index_of(claim_line_q);
          line_read_o       = 1'b1;
          line_read_place_o = place_t'(index_of(claim_line_q));
          state_d           = StateRelease;
        end else if (line_valid_i) begin
          line_write_o       = 1'b1;
          line_write_place_o = place_t'(CACHE_LINES) + place_t'(line_entry_i);
          line_o             = line_data_i;
          active_d           = 1'b1;
          entry_d            = line_entry_i;
          served_d           = '0;
          hit_was_last_d     = 1'b0;
          state_d            = StateWalk;
        end
      end
      StateHit:
      if (left_q != '0) begin
        left_d = left_q - 1'b1;
      end else if (answer_free) begin
        operates           = 1'b1;
        tag_write_o        = is_write;
        tag_write_index_o  = hit_index_q;
        tag_o              = hit_tag_q;
        line_write_o       = is_write;
        line_write_place_o = place_t'(hit_index_q);
        state_d            = active_q ? StateWalk : StateIdle;
      end
      StateWalk:
      if (more) begin
        line_read_o = 1'b1;
        left_d      = left_t'(OPERATION_CYCLES - 2);
        state_d     = StateStep;
      end else if (hit_valid_i) begin
        begins_hit = 1'b1;
      end else if (entry_owned_i && RETAIN && !entry_claimed_i) begin
        tag_read_o        = 1'b1;
        line_read_o       = 1'b1;
        line_read_place_o = place_t'(index_of(entry_line_i));
        state_d           = StateReplace;
      end else if (entry_owned_i && entry_writes_i) begin
        line_read_o = 1'b1;
        state_d     = StateGiveBack;
      end else begin
        ends = 1'b1;
      end
      StateStep:
      if (left_q != '0) begin
        left_d = left_q - 1'b1;
      end else if (answer_free) begin
        operates     = 1'b1;
        line_write_o = is_write;
        served_d     = served_q + 1'b1;
        state_d      = StateWalk;
      end
      StateReplace:
      if (!(valid_i && dirty_i) || store_free) begin
        stores      = valid_i && dirty_i;
        line_read_o = 1'b1;
        state_d     = StateKeep;
      end
      StateKeep: begin
        tag_write_o        = 1'b1;
        dirty_o            = entry_writes_i;
        line_write_o       = 1'b1;
        line_write_place_o = place_t'(index_of(entry_line_i));
        line_o             = line_i;
        ends               = 1'b1;
      end
      StateGiveBack:
      if (store_free) begin
        stores = 1'b1;
        ends   = 1'b1;
      end
      StateRelease:
      if (found_owned_i) begin
        claim_entry_o = 1'b1;
        state_d       = StateIdle;
      end else if (store_free) begin
        // Until then its entry may still become the owner. Another line is written as it was.
        stores            = claim_hit && dirty_i;
        tag_write_o       = 1'b1;
        tag_write_index_o = index_of(claim_line_q);
        tag_o             = tag_i;
        valid_o           = valid_i && !(claim_hit && claim_takes_q);
        dirty_o           = dirty_i && !claim_hit;
        ends_claim        = 1'b1;
        state_d           = StateIdle;
      end
    endcase
    if (begins_hit) begin
      line_read_o       = 1'b1;
      line_read_place_o = place_t'(hit_index_i);
      left_d            = left_t'(OPERATION_CYCLES - 2);
      hit_was_last_d    = 1'b1;
      state_d           = StateHit;
    end
    if (ends) begin
      active_d = 1'b0;
      state_d  = StateIdle;
    end
  end

  assign hit_ready_o    = begins_hit;
  assign hit_d          = begins_hit ? hit_i : hit_q;
  assign hit_operands_d = begins_hit ? hit_operands_i : hit_operands_q;
  assign hit_index_d    = begins_hit ? hit_index_i : hit_index_q;
  assign hit_tag_d      = begins_hit ? hit_tag_i : hit_tag_q;
  assign hit_wrong_d    = begins_hit ? hit_wrong_i : hit_wrong_q;
  assign line_ready_o   = state_q == StateIdle && !claim_pending && (!hit_valid_i || hit_was_last_q);

  assign entry_o        = entry_q;
  assign next_entry_o   = state_q == StateIdle ? line_entry_i : entry_q;
  assign entry_end_o    = ends;
  assign sub_read_o     = state_q == StateWalk && more;
  assign sub_number_o   = served_q;

  // Claims.
  assign searches_o         = state_q == StateRelease || (state_q == StateIdle && claim_pending);
  assign search_line_o      = claim_line_q;
  assign claim_ready_o      = !claim_q && !claim_ends_q && !claim_done_q;
  assign takes_claim        = claim_valid_i && claim_ready_o;
  assign claim_ends         = ends_claim || (ends && entry_claimed_i);
  assign claim_d            = takes_claim || (claim_q && !claim_ends);
  // The end is offered when no line is on its way to memory, be it the claimed one.
  assign claim_ends_d       = (claim_ends && (stores || !store_free)) || (claim_ends_q && !store_free);
  assign claim_waits_d      = claim_entry_o || (claim_waits_q && !takes_claim);
  assign claim_takes_d      = takes_claim ? claim_takes_i : claim_takes_q;
  assign claim_line_d       = takes_claim ? claim_line_i : claim_line_q;
  assign claim_done_d       = (claim_ends && !stores && store_free) || (claim_ends_q && store_free) ||
                              (claim_done_q && !claim_done_ready_i);
  assign claim_done_valid_o = claim_done_q;

  // Answers.
  assign answer_d       = operates || (answer_q && !answer_ready_i);
  assign answer_wrong_d = operates ? taken.is_wrong : answer_wrong_q;
  assign answer_tag_d   = operates ? taken.what.tag : answer_tag_q;
  assign answer_data_d  = operates ? (taken.is_wrong ? '0 : done.answer) : answer_data_q;
  assign answer_valid_o = answer_q;
  assign answer_wrong_o = answer_wrong_q;
  assign answer_tag_o   = answer_tag_q;
  assign answer_data_o  = answer_data_q;

  // Lines to memory. That a claim concerns the line that was read is known last; the line means nothing if it does not.
  assign may_store = store_free && (state_q == StateReplace || state_q == StateRelease ? valid_i && dirty_i :
                                    state_q == StateGiveBack);
  assign store_d   = stores || (store_q && !store_ready_i);
  always_comb begin
    store_line_d = store_line_q;
    store_data_d = store_data_q;
    if (may_store) begin
      store_data_d = line_i;
      unique case (state_q)
        StateReplace: store_line_d = line_address_t'(tag_i) << IndexBits | line_address_t'(index_of(entry_line_i));
        StateRelease: store_line_d = claim_line_q;
        default:      store_line_d = entry_line_i;
      endcase
    end
  end
  assign store_valid_o = store_q;
  assign store_line_o  = store_line_q;
  assign store_data_o  = store_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StateIdle;
      left_q         <= '0;
      hit_was_last_q <= 1'b0;
      active_q       <= 1'b0;
      entry_q        <= '0;
      served_q       <= '0;
      claim_q        <= 1'b0;
      claim_waits_q  <= 1'b0;
      claim_ends_q   <= 1'b0;
      claim_done_q   <= 1'b0;
      answer_q       <= 1'b0;
      store_q        <= 1'b0;
    end else begin
      state_q        <= state_d;
      left_q         <= left_d;
      hit_was_last_q <= hit_was_last_d;
      active_q       <= active_d;
      entry_q        <= entry_d;
      served_q       <= served_d;
      claim_q        <= claim_d;
      claim_waits_q  <= claim_waits_d;
      claim_ends_q   <= claim_ends_d;
      claim_done_q   <= claim_done_d;
      answer_q       <= answer_d;
      store_q        <= store_d;
    end
  end

  always_ff @(posedge clk_i) begin
    taken_q        <= taken_d;
    done_q         <= done_d;
    hit_q          <= hit_d;
    hit_operands_q <= hit_operands_d;
    hit_index_q    <= hit_index_d;
    hit_tag_q      <= hit_tag_d;
    hit_wrong_q    <= hit_wrong_d;
    claim_takes_q  <= claim_takes_d;
    claim_line_q   <= claim_line_d;
    answer_wrong_q <= answer_wrong_d;
    answer_tag_q   <= answer_tag_d;
    answer_data_q  <= answer_data_d;
    store_line_q   <= store_line_d;
    store_data_q   <= store_data_d;
  end

endmodule
