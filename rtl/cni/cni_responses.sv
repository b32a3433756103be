/// cni_responses: lines with events respond to stores: a store changes the line's tag, the tag is tested, and a job
/// follows if the test holds.
///
/// The cache offers a store with what it has read: the line's tag and words. The result says what becomes of them;
/// until then no other store is taken, and whoever offers it keeps its data, which do not pass through here. Items are
/// put into their ring and taken from there by `ring`; `check` asks whether an answer may be sent to an address. A job
/// is offered before the result. A store that is wrong, or finds a queue or the list of jobs full, leaves the line as
/// it was. Every output depends on registers alone. A clock gate may use `quiet_o`.
module cni_responses #(
    parameter int unsigned COUNTERS = 1,      // 0: no such lines
    parameter int unsigned QUEUES = 1,
    parameter int unsigned MATCH_QUEUES = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             store_valid_i,
    output logic             store_ready_o,
    input  cni_pkg::store_t  store_i,
    input  cni_pkg::words_t  words_i,
    // The list of jobs has a place for a command, or for another job: it stays free until a job takes it.
    input  logic             room_for_command_i,
    input  logic             room_for_event_i,
    // Answered later: `ring_plain_i`, it is plain scratchpad; if not, nothing has happened there.
    output logic             ring_valid_o,
    input  logic             ring_ready_i,
    output cni_pkg::ring_t   ring_o,
    input  logic             ring_answer_valid_i,
    input  logic             ring_plain_i,
    input  cni_pkg::word_t   ring_word_i,
    output logic             check_valid_o,
    input  logic             check_ready_i,
    output cni_pkg::check_t  check_o,
    input  logic             check_answer_valid_i,
    input  logic             check_allowed_i,
    output logic             job_valid_o,
    input  logic             job_ready_i,
    output cni_pkg::job_t    job_o,
    output logic       [2:0] stored_number_o,     // the word of a command that is stored, while its job is offered
    output cni_pkg::word_t   stored_value_o,
    output logic             result_valid_o,
    input  logic             result_ready_i,
    output cni_pkg::result_t result_o,
    output logic             quiet_o                // nothing changes until an input is valid
);
  import registers_pkg::*;
  import cni_pkg::*;

  state_e state_d, state_q;
  // The store and its line.
  line_e code_q;
  by_e by_q;
  logic [5:0] offset_q;
  logic [6:0] bytes_q;
  shape_t shape, shape_q;
  word_t notify_q;
  word_t value_d, value_q;  // what was stored; later a request's word
  word_t tag_d, tag_q;      // what the tag becomes
  // A command's first word, a counter's reload value, a ring's buffer; later an item's address.
  word_t first_d, first_q;
  ring_e action_d, action_q;
  logic matched_d, matched_q;  // the job is an answer with an item
  outcome_e outcome_d, outcome_q;
  fault_e fault_d, fault_q;

  logic accepts;
  logic [2:0] number;
  assign accepts = store_valid_i && store_ready_o;
  assign number  = offset_q[5:3];

  row_e row_d, row_q;
  logic owners, items;  // only the own core may store it; it takes items of the line's shape
  cni_row #(
      .COUNTERS    (COUNTERS),
      .QUEUES      (QUEUES),
      .MATCH_QUEUES(MATCH_QUEUES)
  ) i_row (
      .code_i  (store_i.code),
      .number_i(store_i.offset[5:3]),
      .row_o   (row_d)
  );
  assign owners = row_q == RowCommand || row_q == RowKeep || row_q == RowHead;
  assign items  = row_q == RowPut || row_q == RowData;

  cni_shape i_shape (
      .match_i (store_i.code == LineMatchQueue),
      .buffer_i(words_i[WordBuffer]),
      .said_i  (words_i[WordShape]),
      .shape_o (shape)
  );

  logic command_sound;
  logic [7:0] command_needed, command_stored;
  cni_command i_command (
      .what_i  (number == '0 ? value_q : first_q),
      .sound_o (command_sound),
      .needed_o(command_needed)
  );
  assign command_stored = tag_q[7:0] | 8'd1 << number;

  logic [31:0] head, tail;
  logic [31:0] waiting_d, waiting_q;
  logic beyond_q;  // a head would be, beyond the tail
  logic requests, pairs;
  word_t tag_comes, tag_goes;
  cni_ends i_ends (
      .single_i  (code_q == LineQueue),
      .tag_i     (tag_q),
      .head_o    (head),
      .tail_o    (tail),
      .requests_o(requests),
      .comes_o   (tag_comes),
      .request_i (row_q == RowRequest),
      .goes_o    (tag_goes)
  );
  // Such entries wait that this one is matched.
  assign pairs = waiting_q != '0 && requests == (row_q == RowData);

  logic [20:0] places, items_max;
  logic [19:0] place;
  assign places    = 21'd1 << shape_q.log2_items;
  assign items_max = shape_q.limited ? shape_q.limit : places;
  assign place     = (action_q == RingPut ? tail[19:0] : head[19:0]) & 20'(places - 1'b1);

  // What decides that a store is wrong.
  fault_e wrong;
  always_comb begin
    wrong = FaultNone;
    if (row_q == RowHead && beyond_q) wrong = FaultWrongAccess;
    if (row_q == RowCommand && command_stored[0] && !command_sound) wrong = FaultWrongAccess;
    if (row_q == RowRequest && !shape_q.sound) wrong = FaultWrongShape;
    if (bytes_q != (items ? bytes_of(shape_q.log2_words) : 7'd8)) wrong = FaultWrongAccess;
    if (items && !shape_q.sound) wrong = FaultWrongShape;
    if (row_q == RowNone || offset_q[2:0] != '0 || (owners && by_q != ByOwnCore)) wrong = FaultWrongAccess;
  end

  // An acknowledgement is never refused.
  logic room_for_event;
  assign room_for_event = room_for_event_i || by_q == ByAcknowledgement;

  always_comb begin
    state_d   = state_q;
    value_d   = value_q;
    tag_d     = tag_q;
    waiting_d = waiting_q;
    first_d   = first_q;
    action_d  = action_q;
    matched_d = matched_q;
    outcome_d = outcome_q;
    fault_d   = fault_q;
    unique case (state_q)
      Idle: begin
        value_d   = store_i.value;
        tag_d     = store_i.tag;
        waiting_d = waiting_of(store_i.code == LineQueue, store_i.tag);
        first_d   = words_i[WordBuffer];
        if (store_i.code == LineCounter) first_d = words_i[WordReload];
        if (store_i.code == LineCommandBuffer) first_d = words_i[0];
        matched_d = 1'b0;
        outcome_d = OutcomeDone;
        fault_d   = FaultNone;
        if (store_valid_i) state_d = Decide;
      end
      Decide: begin
        state_d = Result;
        if (wrong != FaultNone) begin
          outcome_d = OutcomeWrong;
          fault_d   = wrong;
        end else begin
          unique case (row_q)
            RowCommand: begin
              tag_d = 64'(command_stored);
              if (command_stored[0] && (command_needed & ~command_stored) == '0) begin
                if (room_for_command_i) begin
                  tag_d   = '0;
                  state_d = Job;
                end else begin
                  outcome_d = OutcomeBusy;
                end
              end
            end
            RowAdd: begin
              tag_d   = tag_q + value_q;
              state_d = Test;
            end
            RowSet: tag_d = value_q;
            RowHead: tag_d = {tag_q[63:32], value_q[31:0]};
            RowPut: begin
              action_d = RingPut;
              if (waiting_q >= 32'(places)) outcome_d = OutcomeFull;
              else state_d = Place;
            end
            RowData: begin
              action_d = pairs ? RingLook : RingPut;
              if (!pairs && waiting_q >= 32'(items_max)) outcome_d = OutcomeFull;
              else state_d = Place;
            end
            RowRequest: state_d = Check;
            default: ;
          endcase
        end
      end
      Test: begin
        state_d = Result;
        if (tag_q == '0) begin
          if (room_for_event) begin
            tag_d   = first_q;
            state_d = Job;
          end else begin
            outcome_d = OutcomeBusy;
          end
        end
      end
      Check: if (check_ready_i) state_d = CheckWait;
      CheckWait: begin
        if (check_answer_valid_i) begin
          state_d  = Place;
          action_d = pairs ? RingTake : RingPut;
          if (!check_allowed_i) begin
            state_d   = Result;
            outcome_d = OutcomeWrong;
            fault_d   = FaultNotAllowed;
          end else if (!pairs && shape_q.has_tag && value_q[63]) begin
            state_d = room_for_event ? Job : Result;
            if (!room_for_event) outcome_d = OutcomeBusy;
          end else if (!pairs && waiting_q >= 32'(places)) begin
            state_d   = Result;
            outcome_d = OutcomeFull;
          end
        end
      end
      Place: begin
        first_d = first_q + (64'(place) << 3 << shape_q.log2_words);
        state_d = Ring;
      end
      Ring: if (ring_ready_i) state_d = RingWait;
      RingWait: begin
        if (ring_answer_valid_i) begin
          state_d = Job;
          if (!ring_plain_i) begin
            state_d   = Result;
            outcome_d = OutcomeWrong;
            fault_d   = FaultWrongShape;
          end else if (action_q == RingPut) begin
            tag_d     = tag_comes;
            waiting_d = waiting_q + 1'b1;
            // An addition is never refused.
            if (code_q != LineQueue || notify_q == '0) state_d = Result;
          end else begin
            if (action_q == RingLook) value_d = ring_word_i;
            tag_d     = tag_goes;
            waiting_d = waiting_q - 1'b1;
            matched_d = 1'b1;
            if (!room_for_event) begin
              state_d   = Result;
              outcome_d = OutcomeBusy;
            end
          end
        end
      end
      Job: if (job_ready_i) state_d = Result;
      default: if (result_ready_i) state_d = Idle;
    endcase
  end

  assign store_ready_o  = state_q == Idle;
  assign ring_valid_o   = state_q == Ring;
  assign check_valid_o  = state_q == Check;
  assign job_valid_o    = state_q == Job;
  assign result_valid_o = state_q == Result;
  assign quiet_o        = state_q == Idle || state_q == CheckWait || state_q == RingWait;

  word_t wanted;  // the address of an answer
  assign wanted = shape_q.has_tag ? 64'(value_q[AddressBits-1:0]) : value_q;

  assign ring_o.action   = action_q;
  assign ring_o.address  = first_q;
  assign ring_o.bytes    = row_q == RowData && action_q == RingPut || row_q == RowPut || action_q == RingTake
                           ? bytes_of(shape_q.log2_words) : 7'd8;
  assign check_o.address = wanted;
  assign check_o.bytes   = bytes_of(shape_q.log2_words);

  always_comb begin
    unique case (code_q)
      LineCounter: job_o.kind = JobNotify;
      LineQueue: job_o.kind = JobAdd;
      LineMatchQueue: job_o.kind = JobAnswer;
      default: job_o.kind = JobCommand;
    endcase
    job_o.destination = code_q == LineQueue ? notify_q : wanted;
    job_o.bytes       = bytes_of(shape_q.log2_words);
    job_o.item        = !matched_q ? ItemZeros : row_q == RowData ? ItemOfStore : ItemOfRing;
    job_o.has_tag      = shape_q.has_tag;
    job_o.none        = !matched_q;
    job_o.tag         = value_q[AddressBits+14:AddressBits];
  end

  assign stored_number_o = number;
  assign stored_value_o  = value_q;

  // The word that shows the tag, or the one that is stored.
  always_comb begin
    result_o.outcome = outcome_q;
    result_o.fault   = fault_q;
    result_o.tag     = tag_q;
    unique case (row_q)
      RowAdd, RowSet: begin
        result_o.number = WordAdd;
        result_o.value  = tag_q;
      end
      RowPut: begin
        result_o.number = WordTail;
        result_o.value  = 64'(tail);
      end
      RowHead: begin
        result_o.number = WordHead;
        result_o.value  = 64'(head);
      end
      RowData, RowRequest: begin
        result_o.number = WordBalance;
        result_o.value  = requests ? -64'(waiting_q) : 64'(waiting_q);
      end
      default: begin
        result_o.number = number;
        result_o.value  = value_q;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      state_q <= state_d;
    end
  end

  // Nothing else means anything before a store has come.
  always_ff @(posedge clk_i) begin
    value_q   <= value_d;
    tag_q     <= tag_d;
    waiting_q <= waiting_d;
    first_q   <= first_d;
    action_q  <= action_d;
    matched_q <= matched_d;
    outcome_q <= outcome_d;
    fault_q   <= fault_d;
    if (accepts) begin
      row_q    <= row_d;
      code_q   <= store_i.code;
      by_q     <= store_i.by;
      offset_q <= store_i.offset;
      bytes_q  <= store_i.bytes;
      shape_q  <= shape;
      notify_q <= words_i[WordNotify];
      beyond_q <= 32'(store_i.value[31:0] - store_i.tag[31:0]) > waiting_d;
    end
  end

  if (COUNTERS > 1 || QUEUES > 1 || MATCH_QUEUES > 1) begin : gen_wrong_kinds
    $error("cni_responses: COUNTERS, QUEUES and MATCH_QUEUES are 0 or 1");
  end

endmodule
