/// cni_intake: a job of the responses, or a request from elsewhere, becomes an entry of the list of jobs.
///
/// The fields of a command and the data of a message, an item or a notification are collected, one word in each cycle;
/// then the addresses of commands, answers and notifications are checked by the region table, and the source of a copy
/// is looked up: a copy whose source is not here is sent as a whole to the tile that has it. What is refused ends with
/// a fault, and never enters the list. A notification is an entry for each of its addresses that is not null.
///
/// A job's data stay in a queue until it has its number. Then they are written to the memory of jobs, one word in each
/// cycle from the next one on: the job's packet needs more cycles to its first word. The line and the item are read
/// until the job is accepted. Every output depends on registers alone, but ready and `take`.
module cni_intake #(
    parameter int unsigned JOBS = 64,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 may_begin_i,
    input  logic                                 job_valid_i,
    output logic                                 job_ready_o,
    input  cni_pkg::job_t                        job_i,
    input  cni_pkg::words_t                      words_i,             // of its line,
    input  logic                           [2:0] stored_number_i,     // with the word that is stored now, of a command
    input  cni_pkg::word_t                       stored_value_i,
    output logic                           [2:0] item_number_o,       // a word of the item, in the same cycle
    input  cni_pkg::word_t                       item_word_i,
    input  logic                                 request_valid_i,
    output logic                                 request_ready_o,
    input  cni_pkg::request_t                    request_i,
    output logic                                 ask_valid_o,
    input  logic                                 ask_ready_i,
    output cni_pkg::question_t                   ask_o,
    input  logic                                 ask_answer_valid_i,
    input  logic                                 ask_allowed_i,
    output logic                                 home_valid_o,
    input  logic                                 home_ready_i,
    output cni_pkg::word_t                       home_address_o,
    output logic                          [16:0] home_bytes_o,
    input  logic                                 home_answer_valid_i,
    input  logic                                 home_memory_i,
    input  logic                                 home_here_i,
    input  logic                                 home_by_lines_i,
    output logic                                 take_valid_o,        // a job is counted
    output cni_pkg::share_e                      take_o,
    output logic                                 put_valid_o,
    input  logic                                 put_ready_i,
    input  logic               [NumberWidth-1:0] put_number_i,        // that it gets
    output cni_pkg::copy_t                       put_o,
    output cni_pkg::plan_t                       plan_o,
    output cni_pkg::owner_t                      owner_o,
    output logic                                 word_valid_o,
    output logic               [NumberWidth-1:0] word_number_o,
    output logic                           [2:0] word_index_o,
    output cni_pkg::word_t                       word_o,
    output logic                                 refused_valid_o,
    input  logic                                 refused_ready_i,
    output cni_pkg::ended_t                      refused_o
);
  import registers_pkg::*;
  import cni_pkg::*;

  typedef enum logic [2:0] {
    Wait    = 3'd0,
    Load    = 3'd1,  // a word of the line, or of the item
    Preset  = 3'd2,  // the word of a notification
    Ask     = 3'd3,  // about an address
    Home    = 3'd4,  // the source of a copy
    Put     = 3'd5,
    Write   = 3'd6,  // the words; those of a refused job are dropped
    Refused = 3'd7
  } step_e;
  // The address that is checked, or was refused.
  typedef enum logic [1:0] {
    Destination     = 2'd0,
    Acknowledgement = 2'd1,
    Source          = 2'd2
  } field_e;

  step_e step_d, step_q;
  field_e field_d, field_q;
  logic asked_d, asked_q;            // the answer comes
  logic job_last_d, job_last_q;      // a request has the next turn
  logic notifies_d, notifies_q;
  logic dropped_d, dropped_q;
  logic [2:0] at_d, at_q;            // a word of the line or the item; later of the memory
  fault_e fault_d, fault_q;
  share_e share_d, share_q;
  send_e kind_d, kind_q;
  logic no_retry_d, no_retry_q, by_lines_d, by_lines_q;
  word_t source_d, source_q, destination_d, destination_q, acknowledgement_d, acknowledgement_q;
  logic [16:0] bytes_d, bytes_q;
  mark_t mark_d, mark_q;
  logic [NumberWidth-1:0] number_d, number_q;

  // Words: of the line, of the item, and those that wait for their number.
  logic [2:0] line_number, last_data, last_item;
  word_t line_word, item_word, pushed, address;
  logic push, words_valid, unused;

  assign line_number = step_q == Preset ? WordPreset : at_q;
  assign line_word   = job_i.kind == JobCommand && line_number == stored_number_i ? stored_value_i
                                                                                   : words_i[line_number];
  assign last_data   = WordSource + 3'((bytes_q[5:0] - 6'd1) >> 3);
  assign last_item   = 3'(bytes_q[6:3] - 1'b1);

  always_comb begin
    item_word = job_i.item == ItemZeros ? '0 : item_word_i;
    if (job_i.has_tag && at_q == last_item) item_word = {job_i.none, 48'd0, job_i.tag};
  end

  always_comb begin
    unique case (field_q)
      Acknowledgement: address = acknowledgement_q;
      Source: address = source_q;
      default: address = destination_q;
    endcase
  end

  logic takes_job, takes_request;
  assign takes_job     = step_q == Wait && may_begin_i && job_valid_i && !(request_valid_i && job_last_q);
  assign takes_request = step_q == Wait && may_begin_i && request_valid_i && !takes_job;

  always_comb begin
    step_d            = step_q;
    field_d           = field_q;
    asked_d           = asked_q;
    job_last_d        = job_last_q;
    notifies_d        = notifies_q;
    dropped_d         = dropped_q;
    at_d              = at_q;
    fault_d           = fault_q;
    share_d           = share_q;
    kind_d            = kind_q;
    no_retry_d        = no_retry_q;
    by_lines_d        = by_lines_q;
    source_d          = source_q;
    destination_d     = destination_q;
    acknowledgement_d = acknowledgement_q;
    bytes_d           = bytes_q;
    mark_d            = mark_q;
    number_d          = number_q;
    job_ready_o       = 1'b0;
    take_valid_o      = 1'b0;
    take_o            = share_q;
    push              = 1'b0;
    pushed            = line_word;
    unique case (step_q)
      Wait: begin
        field_d           = Destination;
        asked_d           = 1'b0;
        dropped_d         = 1'b0;
        no_retry_d        = 1'b0;
        notifies_d        = 1'b0;
        source_d          = request_i.source;
        pushed            = request_i.source;
        acknowledgement_d = '0;
        mark_d            = '0;
        at_d              = '0;
        if (takes_job) begin
          job_last_d    = 1'b1;
          step_d        = Load;
          share_d       = job_i.kind == JobCommand ? ShareCommand : ShareEvent;
          kind_d        = job_i.kind == JobAdd ? SendAdd : SendStore;
          destination_d = job_i.destination;
          bytes_d       = job_i.kind == JobAnswer ? 17'(job_i.bytes) : 17'd8;
          notifies_d    = job_i.kind == JobNotify;
          if (job_i.kind == JobNotify) at_d = WordTargets;
          take_valid_o  = job_i.kind != JobNotify;
        end
        if (takes_request) begin
          job_last_d        = 1'b0;
          step_d            = request_i.kind == SendCopy ? Home : Put;
          share_d           = request_i.kind == SendCopy ? ShareCopy : ShareWord;
          kind_d            = request_i.kind;
          destination_d     = request_i.destination;
          acknowledgement_d = request_i.acknowledgement;
          bytes_d           = request_i.bytes;
          mark_d            = request_i.mark;
          push              = request_i.kind != SendCopy;
          take_valid_o      = 1'b1;
        end
        take_o = share_d;
      end
      Load: begin
        at_d = at_q + 1'b1;
        unique case (job_i.kind)
          JobCommand: begin
            if (at_q == WordWhat) begin
              bytes_d    = line_word[24:8];
              kind_d     = line_word[7:0] == CniCopy[7:0] ? SendCopy : SendStore;
              no_retry_d = line_word[7:0] == CniMessageOnce[7:0];
            end
            if (at_q == WordDestination) destination_d = line_word;
            if (at_q == WordAcknowledgement) acknowledgement_d = line_word;
            if (at_q == WordSource) source_d = line_word;
            push        = at_q >= WordSource && kind_q != SendCopy;
            job_ready_o = at_q >= WordSource && (kind_q == SendCopy || at_q == last_data);
            if (job_ready_o) step_d = Ask;
          end
          JobNotify: begin
            destination_d = line_word;
            job_ready_o   = at_q == WordSet;
            at_d          = at_q;
            step_d        = job_ready_o ? Wait : Preset;
          end
          JobAnswer: begin
            push        = 1'b1;
            pushed      = item_word;
            job_ready_o = at_q == last_item;
            if (job_ready_o) step_d = Ask;
          end
          default: begin
            push        = 1'b1;
            pushed      = 64'd1;
            job_ready_o = 1'b1;
            step_d      = Put;
          end
        endcase
      end
      Preset: begin
        push         = destination_q != '0;
        take_valid_o = push;
        field_d      = Destination;
        dropped_d    = 1'b0;
        step_d       = push ? Ask : Load;
        if (!push) at_d = at_q + 1'b1;
      end
      Ask: begin
        asked_d = asked_q || ask_ready_i;
        fault_d = FaultNotAllowed;
        if (ask_answer_valid_i) begin
          asked_d = 1'b0;
          step_d  = kind_q == SendCopy && field_q != Source ? Home : Put;
          if (field_q == Destination && acknowledgement_q != '0) begin
            field_d = Acknowledgement;
            step_d  = Ask;
            if (acknowledgement_q[2:0] != '0) begin
              step_d  = Refused;
              fault_d = FaultAcknowledgement;
            end
          end
          if (!ask_allowed_i) begin
            field_d = field_q;
            step_d  = Refused;
            fault_d = FaultNotAllowed;
          end
        end
      end
      Home: begin
        asked_d = asked_q || home_ready_i;
        fault_d = FaultNotConfigured;
        field_d = Source;
        if (home_answer_valid_i) begin
          asked_d    = 1'b0;
          by_lines_d = home_by_lines_i;
          step_d     = !home_memory_i ? Refused : share_q == ShareCommand ? Ask : Put;
          if (share_q == ShareCommand && !home_here_i) kind_d = SendTransfer;
        end
      end
      Put: begin
        number_d = put_number_i;
        if (put_ready_i) begin
          step_d = Write;
          push   = kind_q == SendTransfer;
        end
        pushed = destination_q;
        if (!notifies_q) at_d = '0;
      end
      Refused: begin
        dropped_d = 1'b1;
        if (refused_ready_i) step_d = Write;
      end
      default: begin
        // A notification has one word, after which the next address of the line follows.
        if (words_valid) at_d = at_q + 1'b1;
        else step_d = notifies_q ? Load : Wait;
      end
    endcase
  end

  fifo #(
      .DEPTH(LineWords),
      .T    (word_t)
  ) i_words (
      .clk_i,
      .rst_ni,
      .valid_i(push),
      .ready_o(unused),
      .data_i (pushed),
      .valid_o(words_valid),
      .ready_i(step_q == Write),
      .data_o (word_o)
  );

  assign request_ready_o   = takes_request;
  assign item_number_o     = at_q;
  assign ask_valid_o       = step_q == Ask && !asked_q;
  assign ask_o.address     = address;
  assign ask_o.bytes       = field_q == Acknowledgement ? 17'd8 : bytes_q;
  assign ask_o.writes      = field_q != Source;
  assign home_valid_o      = step_q == Home && !asked_q;
  assign home_address_o    = source_q;
  assign home_bytes_o      = bytes_q;
  assign put_valid_o       = step_q == Put;
  assign put_o.source      = source_q;
  assign put_o.destination = kind_q == SendTransfer ? source_q : destination_q;
  assign put_o.bytes       = bytes_q;
  assign plan_o            = '{kind_q, no_retry_q, by_lines_q, acknowledgement_q};
  assign owner_o           = '{share_q, kind_q, mark_q};
  assign word_valid_o      = step_q == Write && words_valid && !dropped_q;
  assign word_number_o     = number_q;
  assign word_index_o      = notifies_q ? '0 : at_q;
  assign refused_valid_o   = step_q == Refused;
  assign refused_o         = '{share_q, mark_q, '{fault_q, address}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q     <= Wait;
      job_last_q <= 1'b0;
    end else begin
      step_q     <= step_d;
      job_last_q <= job_last_d;
    end
  end

  // Nothing else means anything before a job has come.
  always_ff @(posedge clk_i) begin
    field_q           <= field_d;
    asked_q           <= asked_d;
    notifies_q        <= notifies_d;
    dropped_q         <= dropped_d;
    at_q              <= at_d;
    fault_q           <= fault_d;
    share_q           <= share_d;
    kind_q            <= kind_d;
    no_retry_q        <= no_retry_d;
    by_lines_q        <= by_lines_d;
    source_q          <= source_d;
    destination_q     <= destination_d;
    acknowledgement_q <= acknowledgement_d;
    bytes_q           <= bytes_d;
    mark_q            <= mark_d;
    number_q          <= number_d;
  end

  if (JOBS == 0) begin : gen_wrong_jobs
    $error("cni_intake: JOBS is at least 1");
  end

endmodule
