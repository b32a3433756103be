/// nca_traversal_properties: whatever memory, records and the stack have, nothing outside of the partition is read,
/// marked or written back; each job gets one result, and not before all its lines are in memory; offers are kept.
///
/// The assertions besides those say what the registers mean, for the induction.
module nca_traversal_properties #(
    parameter int unsigned LANES = 2,
    parameter int unsigned UNDER_WAY = 1,
    localparam int unsigned UnderWayBits = $clog2(UNDER_WAY + 1)
) (
    input logic                                 clk_i,
    input logic                                 rst_ni,
    input nca_pkg::settings_t                   settings_i,
    input logic                                 job_valid_i,
    input logic                                 job_ready_o,
    input logic                                 access_valid_o,
    input logic                                 access_ready_i,
    input nca_pkg::access_e                     access_kind_o,
    input nca_pkg::offset_t                     access_offset_o,
    input logic                                 written_i,
    input logic                                 record_valid_o,
    input logic                                 record_ready_i,
    input nca_pkg::word_t                       record_address_o,
    input logic                                 stack_valid_o,
    input logic                                 stack_ready_i,
    input nca_pkg::place_t                      stack_place_o,
    input logic                                 result_valid_o,
    input logic                                 result_ready_i,
    input nca_pkg::result_t                     result_o,
    // Inside.
    input nca_pkg::state_e                      state_q,
    input nca_pkg::state_e                      next_q,
    input nca_pkg::state_e                      after_q,
    input logic                                 first_q,
    input logic                                 back_q,
    input logic                                 far_q,
    input nca_pkg::offset_t                     child_q,
    input nca_pkg::offset_t                     room_q,
    input nca_pkg::kind_e                       child_kind,
    input nca_pkg::count_t                      child_words,
    input nca_pkg::offset_t                     object_q,
    input nca_pkg::kind_e                       kind_q,
    input nca_pkg::count_t                      words_q,
    input nca_pkg::count_t                      position,
    input logic                                 of_child_q,
    input nca_pkg::offset_t                     address_q,
    input nca_pkg::offset_t                     lines_end_q,
    input logic              [UnderWayBits-1:0] under_way_q,
    input logic                                 has_line,
    input logic                                 counts_q,
    input logic                                 failed_q
);
  import nca_pkg::*;

  localparam int unsigned InLine = $clog2(LANES) + 3;
  typedef logic [OffsetBits+1:0] wide_t;

  logic started_q = 1'b0;
  settings_t settings_q;
  logic busy_q;  // a job has come, and its result has not
  logic access_waits_q, record_waits_q, stack_waits_q, result_waits_q;
  access_e access_kind_q;
  offset_t access_offset_q;
  word_t record_address_q;
  place_t stack_place_q;
  result_t result_q;

  always_ff @(posedge clk_i) begin
    started_q        <= 1'b1;
    settings_q       <= settings_i;
    access_waits_q   <= rst_ni && access_valid_o && !access_ready_i;
    record_waits_q   <= rst_ni && record_valid_o && !record_ready_i;
    stack_waits_q    <= rst_ni && stack_valid_o && !stack_ready_i;
    result_waits_q   <= rst_ni && result_valid_o && !result_ready_i;
    access_kind_q    <= access_kind_o;
    access_offset_q  <= access_offset_o;
    record_address_q <= record_address_o;
    stack_place_q    <= stack_place_o;
    result_q         <= result_o;
    if (!rst_ni) busy_q <= 1'b0;
    else if (job_valid_i && job_ready_o) busy_q <= 1'b1;
    else if (result_valid_o && result_ready_i) busy_q <= 1'b0;
  end

  // The state that goes on when the line has come.
  state_e state;
  logic fetches, works, opens, sound, measured, lines;
  assign fetches = state_q == Fetch || state_q == FetchWait;
  assign state   = fetches ? next_q : state_q;
  assign works   = state != Idle && state != Start && state != Drain && state != Result;
  assign lines   = state == Lines || state == WriteBack;
  assign opens   = state == Type || state == TypeAsk || state == TypeWait || state == Size || state == Measure;

  // The child may be an object; its size was checked.
  assign measured = state == Become || state == Push || state == PushWait
                    || (lines && (of_child_q || after_q == Become));
  assign sound    = opens || measured || state == Mark || state == MarkWait;

  function automatic logic in_place(offset_t object, kind_e kind);
    return object[2:0] == '0 && object >= (kind == KindObject ? FrontBytes : ArrayFrontBytes);
  endfunction

  wide_t bytes, line;
  assign bytes = wide_t'(settings_i.partition_bytes);
  assign line  = wide_t'({address_q[OffsetBits-1:InLine], InLine'(0)});

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assume (settings_i.partition_base[11:0] == '0);
    assume (settings_i.partition_bytes[11:0] == '0 && settings_i.partition_bytes != '0);
    if (started_q) assume (settings_i == settings_q);
    if (under_way_q == '0) assume (!written_i);
    if (started_q && rst_ni) begin
      // What is promised.
      if (access_valid_o) begin
        assert (access_offset_o < settings_i.partition_bytes);
        assert (access_offset_o[2:0] == '0);
        assert (access_kind_o == AccessMark || access_offset_o[InLine-1:0] == '0);
      end
      assert (busy_q == !job_ready_o);
      if (result_valid_o) assert (busy_q && under_way_q == '0);
      if (access_waits_q)
        assert (access_valid_o && access_kind_o == access_kind_q && access_offset_o == access_offset_q);
      if (record_waits_q) assert (record_valid_o && record_address_o == record_address_q);
      if (stack_waits_q) assert (stack_valid_o && stack_place_o == stack_place_q);
      if (result_waits_q) assert (result_valid_o && result_o == result_q);
      // States.
      assert (state_q inside {Start, Find, Locate, Lines, PopWait, TypeWait, Target, Idle, Visit, Mark, MarkWait, Open,
                              Type, TypeAsk, Size, Measure, Become, MaskAsk, MaskWait, Push, PushWait, Pop, WriteBack,
                              Fetch, FetchWait, Drain, Result});
      assert (under_way_q <= UnderWayBits'(UNDER_WAY));
      if (state_q == Result) assert (under_way_q == '0);
      if (counts_q) assert (state_q == Become || state_q == Lines || state_q == Push || state_q == Drain);
      if (failed_q) assert (state_q == Drain);
      if (fetches) assert (next_q == Visit || next_q == Open || next_q == Size || next_q == Target);
      if (fetches) assert (!has_line);
      if (state == Find || state == Locate || state == MaskAsk || state == MaskWait || state == Target || state == Push
          || state == PushWait || state == Pop || state == PopWait || lines) assert (!first_q && !back_q);
      if (state == Visit || state == Mark || state == MarkWait) assert (!back_q);
      if (lines) assert (after_q == Find || after_q == Pop || after_q == Become);
      if (lines) assert (of_child_q == (after_q == Find));
      // The child.
      if (state == Visit || state == Mark || state == MarkWait) assert (address_q == child_q - ParentSrc);
      if (state == Open) assert (address_q == child_q - Header);
      if (state == Size) assert (address_q == child_q - ArrayBytes);
      if (sound || (fetches && (state == Visit || state == Open)))
        assert (!far_q && in_place(child_q, KindObject) && child_q < settings_i.partition_bytes);
      if (fetches && state == Size) assert (in_place(child_q, KindDataArray));
      if (opens) assert (room_q == settings_i.partition_bytes - child_q);
      if (state == Measure) assert (in_place(child_q, child_kind));
      if (measured) begin
        assert (in_place(child_q, child_kind));
        assert (wide_t'(child_q) + (wide_t'(child_words) << 3) <= bytes);
      end
      // The object whose pointers are followed.
      if (works && !first_q) begin
        assert (in_place(object_q, kind_q) && object_q < settings_i.partition_bytes);
        assert (wide_t'(object_q) + (wide_t'(words_q) << 3) <= bytes);
      end
      if (state == Target) assert (address_q == object_q + {position[CountBits-2:0], 3'b000});
      if (fetches && state == Target) assert (position < words_q);
      // Its lines.
      if (state_q == WriteBack) assert (line < wide_t'(lines_end_q) && wide_t'(lines_end_q) <= bytes);
    end
  end

endmodule

bind nca_traversal nca_traversal_properties #(.LANES(LANES), .UNDER_WAY(UNDER_WAY)) properties (
    .clk_i,
    .rst_ni,
    .settings_i,
    .job_valid_i,
    .job_ready_o,
    .access_valid_o,
    .access_ready_i,
    .access_kind_o,
    .access_offset_o,
    .written_i,
    .record_valid_o,
    .record_ready_i,
    .record_address_o,
    .stack_valid_o,
    .stack_ready_i,
    .stack_place_o,
    .result_valid_o,
    .result_ready_i,
    .result_o,
    .state_q,
    .next_q,
    .after_q,
    .first_q,
    .back_q,
    .far_q,
    .child_q,
    .room_q,
    .child_kind,
    .child_words,
    .object_q,
    .kind_q,
    .words_q,
    .position,
    .of_child_q,
    .address_q,
    .lines_end_q,
    .under_way_q,
    .has_line,
    .counts_q,
    .failed_q
);
