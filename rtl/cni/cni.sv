/// cni: the cache-integrated network interface of a tile: lines with events, the list of jobs, copies, posted stores,
/// acknowledgements, the region table.
///
/// What a store to a line with events causes, what other tiles ask for and acknowledgements become jobs; at each turn
/// of a job a packet leaves, and with the end of its last packet the job ends, exactly once, at `ended`. The
/// caches, the address map and the network are outside.
///
/// No deadlock. Each of four kinds of jobs has a quarter of the list. `done` waits for nothing but `ended`, and a store
/// for nothing but the table, `ring`, `home` and `ended`: if it finds no place in the list, its result says so. What
/// cannot be refused in this way has no ready while there is no place: an acknowledgement that is stored to a line with
/// events, and a store to a single-reader queue (bit ShareEvent of `room_o`), a copy of another tile (ShareCopy), and a
/// written packet whose acknowledgement goes to a third tile (ShareWord, whose last place nothing else takes). The tile
/// must not let these block others. It keeps acknowledgements in a queue, which has a place for each of its own packets
/// under way, and some for those of `local`. What finds no place in the list, or there, is not offered, but answered
/// like a store that is refused: its sender keeps it and tries again. Then each packet is answered, so that jobs end,
/// except where events of several tiles cause each other in a circle: these need as many places as there are events at
/// once.
module cni #(
    parameter int unsigned JOBS = 64,          // a multiple of four
    parameter int unsigned ENTRIES = 16,       // of the region table,
    parameter int unsigned COMPARED = 4,       // of which so many are compared in a cycle
    parameter int unsigned WAYS = 8,           // of the cache
    parameter int unsigned ADDRESS_BITS = 48,
    parameter int unsigned COPY_PACKETS = 8,   // of copies, under way
    parameter int unsigned HEADERS = 4,        // packets whose words come
    parameter int unsigned COMBINE_CYCLES = 8,
    parameter int unsigned POSTED = 8,         // packets of posted stores, under way
    parameter int unsigned TILE_BITS = 10,
    parameter int unsigned COUNTERS = 1,       // 0: no such lines
    parameter int unsigned QUEUES = 1,
    parameter int unsigned MATCH_QUEUES = 1,
    localparam int unsigned NumberWidth = JOBS > 1 ? $clog2(JOBS) : 1,
    localparam int unsigned EntryWidth = ENTRIES > 1 ? $clog2(ENTRIES) : 1,
    localparam int unsigned WayWidth = WAYS > 1 ? $clog2(WAYS) : 1
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                 [TILE_BITS-1:0] tile_i,                // this one; it does not change
    // A store to a line with events; line and item stay until the result.
    input  logic                                 store_valid_i,
    output logic                                 store_ready_o,
    input  cni_pkg::store_t                      store_i,
    input  cni_pkg::words_t                      words_i,
    output logic                           [2:0] item_number_o,         // this word of the data, or of the item that
    input  cni_pkg::word_t                       item_word_i,           // was taken from the ring, in the same cycle
    output logic                                 ring_valid_o,
    input  logic                                 ring_ready_i,
    output cni_pkg::ring_t                       ring_o,
    input  logic                                 ring_answer_valid_i,
    input  logic                                 ring_plain_i,
    input  cni_pkg::word_t                       ring_word_i,
    output logic                                 result_valid_o,
    input  logic                                 result_ready_i,
    output cni_pkg::result_t                     result_o,
    // The region table: an entry, and questions of the core.
    input  logic                                 set_valid_i,
    output logic                                 set_ready_o,
    input  logic                [EntryWidth-1:0] set_entry_i,
    input  cni_pkg::word_t                       set_match_i,
    input  cni_pkg::word_t                       set_mask_i,
    input  cni_pkg::word_t                       set_code_i,
    input  cni_pkg::word_t                       set_way_i,
    output logic                                 set_sound_o,           // in the next cycle
    input  logic                                 region_ask_valid_i,
    output logic                                 region_ask_ready_o,
    input  cni_pkg::question_t                   region_ask_i,
    output logic                                 region_answer_valid_o,
    input  logic                                 region_answer_ready_i,
    output logic                                 region_allowed_o,
    output cni_pkg::region_e                     region_code_o,
    output logic                  [WayWidth-1:0] region_way_o,
    // The source of a copy: is it memory, does this tile read it, and by lines? Answered later, always accepted.
    output logic                                 home_valid_o,
    input  logic                                 home_ready_i,
    output cni_pkg::word_t                       home_address_o,
    output logic                          [16:0] home_bytes_o,
    input  logic                                 home_answer_valid_i,
    input  logic                                 home_memory_i,
    input  logic                                 home_here_i,
    input  logic                                 home_by_lines_i,
    // A copy for another tile, which is read here.
    input  logic                                 copy_valid_i,
    output logic                                 copy_ready_o,
    input  cni_pkg::copy_t                       copy_i,
    input  cni_pkg::word_t                       copy_acknowledgement_i,
    input  cni_pkg::mark_t                       copy_mark_i,
    // A word to be stored, or to be added: an acknowledgement that found a queue full, a notification of faults.
    input  logic                                 word_valid_i,
    output logic                                 word_ready_o,
    input  logic                                 word_adds_i,
    input  cni_pkg::word_t                       word_address_i,
    input  cni_pkg::word_t                       word_value_i,
    // A packet was written here, or refused for good: its answer, and its acknowledgement, with the answer or here.
    input  logic                                 written_valid_i,
    output logic                                 written_ready_o,
    input  logic                 [TILE_BITS-1:0] written_source_i,
    input  cni_pkg::word_t                       written_to_i,
    input  logic                 [TILE_BITS-1:0] written_home_i,
    input  logic                           [6:0] written_bytes_i,
    input  logic                                 written_refused_i,
    output logic                                 answer_valid_o,
    input  logic                                 answer_ready_i,
    output logic                 [TILE_BITS-1:0] answer_source_o,
    output logic                                 answer_carries_o,
    output logic                                 local_valid_o,
    input  logic                                 local_ready_i,
    output cni_pkg::word_t                       acknowledged_address_o,
    output cni_pkg::word_t                       acknowledged_value_o,
    // Stores of the core to other tiles.
    input  logic                                 posted_valid_i,
    output logic                                 posted_ready_o,
    input  cni_pkg::posted_t                     posted_i,
    input  logic                                 posted_done_valid_i,   // always accepted
    input  logic                                 drain_i,
    output logic                                 drained_o,
    // The bytes of a copy, as words from the first to the last that has one of them.
    output logic                                 read_valid_o,
    input  logic                                 read_ready_i,
    output cni_pkg::word_t                       read_address_o,
    output logic                           [6:0] read_bytes_o,
    input  logic                                 read_word_valid_i,
    output logic                                 read_word_ready_o,
    input  cni_pkg::word_t                       read_word_i,
    input  cni_pkg::fault_e                      read_fault_i,          // it failed: the word is its address, and alone
    // Packets: a header, then its words.
    output logic                                 packet_valid_o,
    input  logic                                 packet_ready_i,
    output cni_pkg::header_t                     packet_o,
    output logic                                 packet_posted_o,       // or of the job with this number
    output logic               [NumberWidth-1:0] packet_number_o,
    output logic                                 data_valid_o,
    input  logic                                 data_ready_i,
    output cni_pkg::aligned_t                    data_o,
    // A packet of this job was written, or refused for good: no fault; or it is wrong.
    input  logic                                 done_valid_i,
    output logic                                 done_ready_o,
    input  logic               [NumberWidth-1:0] done_number_i,
    input  cni_pkg::verdict_t                    done_i,
    output logic                                 ended_valid_o,
    input  logic                                 ended_ready_i,
    output cni_pkg::ended_t                      ended_o,
    output logic                           [3:0] room_o,                // by share
    output logic                                 idle_o                 // there is no job
);
  import cni_pkg::*;

  typedef logic [NumberWidth-1:0] number_t;
  typedef struct packed {
    number_t  number;
    verdict_t verdict;
  } done_t;

  // Lines with events.
  logic store_may, responses_ready, check_valid, check_ready, job_valid, job_ready, unused_responses;
  logic [2:0] ask_valid, ask_ready, ask_answer_valid;
  question_t check_question, intake_question;
  check_t check;
  job_t job;
  logic [2:0] stored_number;
  word_t stored_value;

  // What the responses never refuse for lack of a place.
  assign store_may     = room_o[ShareEvent] || (store_i.by != ByAcknowledgement && store_i.code != LineQueue);
  assign store_ready_o = responses_ready && store_may;

  cni_responses #(
      .COUNTERS    (COUNTERS),
      .QUEUES      (QUEUES),
      .MATCH_QUEUES(MATCH_QUEUES)
  ) i_responses (
      .clk_i,
      .rst_ni,
      .store_valid_i       (store_valid_i && store_may),
      .store_ready_o       (responses_ready),
      .store_i,
      .words_i,
      .room_for_command_i  (room_o[ShareCommand]),
      .room_for_event_i    (room_o[ShareEvent]),
      .ring_valid_o,
      .ring_ready_i,
      .ring_o,
      .ring_answer_valid_i,
      .ring_plain_i,
      .ring_word_i,
      .check_valid_o       (check_valid),
      .check_ready_i       (check_ready),
      .check_o             (check),
      .check_answer_valid_i(ask_answer_valid[0]),
      .check_allowed_i     (region_allowed_o),
      .job_valid_o         (job_valid),
      .job_ready_i         (job_ready),
      .job_o               (job),
      .stored_number_o     (stored_number),
      .stored_value_o      (stored_value),
      .result_valid_o,
      .result_ready_i,
      .result_o,
      .quiet_o             (unused_responses)
  );

  assign check_question        = '{check.address, 17'(check.bytes), 1'b1};
  assign ask_valid[0]          = check_valid;
  assign ask_valid[2]          = region_ask_valid_i;
  assign check_ready           = ask_ready[0];
  assign region_ask_ready_o    = ask_ready[2];
  assign region_answer_valid_o = ask_answer_valid[2];
  cni_table #(
      .ENTRIES     (ENTRIES),
      .COMPARED    (COMPARED),
      .WAYS        (WAYS),
      .ADDRESS_BITS(ADDRESS_BITS)
  ) i_table (
      .clk_i,
      .rst_ni,
      .set_valid_i,
      .set_ready_o,
      .set_entry_i,
      .set_match_i,
      .set_mask_i,
      .set_code_i,
      .set_way_i,
      .set_sound_o,
      .ask_valid_i     (ask_valid),
      .ask_ready_o     (ask_ready),
      .ask_i           ({region_ask_i, intake_question, check_question}),
      .answer_valid_o  (ask_answer_valid),
      .answer_ready_i  ({region_answer_ready_i, 2'b11}),
      .answer_allowed_o(region_allowed_o),
      .answer_code_o   (region_code_o),
      .answer_way_o    (region_way_o)
  );

  // What was written here.
  logic third, written_may, acknowledge_ready, third_valid, third_ready, unused_acknowledge;
  assign third           = written_to_i != '0 && written_home_i != written_source_i && written_home_i != tile_i;
  assign written_may     = !third || room_o[ShareWord];
  assign written_ready_o = acknowledge_ready && written_may;
  cni_acknowledge #(
      .TILE_BITS (TILE_BITS),
      .LINE_BYTES(64)
  ) i_acknowledge (
      .clk_i,
      .rst_ni,
      .tile_i,
      .written_valid_i  (written_valid_i && written_may),
      .written_ready_o  (acknowledge_ready),
      .written_source_i,
      .written_to_i,
      .written_home_i,
      .written_bytes_i,
      .written_refused_i,
      .answer_valid_o,
      .answer_ready_i,
      .answer_source_o,
      .answer_carries_o,
      .store_valid_o    (local_valid_o),
      .store_ready_i    (local_ready_i),
      .job_valid_o      (third_valid),
      .job_ready_i      (third_ready),
      .word_address_o   (acknowledged_address_o),
      .word_value_o     (acknowledged_value_o),
      .quiet_o          (unused_acknowledge)
  );

  // Jobs that no line has caused, in turns. One is chosen, and is offered from the next cycle on.
  logic request_valid, request_ready, word_room;
  logic [3:0] unused_requests;
  logic [2:0] requests, chosen_d, chosen_q;
  request_t request, copy, third_word, word;
  assign copy       = '{SendCopy, copy_i.source, copy_i.destination, copy_acknowledgement_i, copy_i.bytes, copy_mark_i};
  assign third_word = '{SendStore, acknowledged_value_o, acknowledged_address_o, '0, 17'd8, '0};
  assign word       = '{word_adds_i ? SendAdd : SendStore, word_value_i, word_address_i, '0, 17'd8, '0};
  assign requests   = {word_valid_i && word_room, third_valid, copy_valid_i && room_o[ShareCopy]};
  stream_arbiter #(
      .N(3),
      .T(logic)
  ) i_requests (
      .clk_i,
      .rst_ni,
      .valid_i(request_valid ? '0 : requests),
      .ready_o(chosen_d),
      .data_i ('0),
      .valid_o(unused_requests[0]),
      .ready_i(1'b1),
      .data_o (unused_requests[1]),
      .index_o(unused_requests[3:2])
  );

  always_comb begin
    request = copy;
    if (chosen_q[1]) request = third_word;
    if (chosen_q[2]) request = word;
  end
  assign request_valid                             = chosen_q != '0;
  assign {word_ready_o, third_ready, copy_ready_o} = request_ready ? chosen_q : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) chosen_q <= '0;
    else if (request_ready || !request_valid) chosen_q <= chosen_d;
  end

  logic cleared, take_valid, put_valid, put_ready, again_valid, list_ready, word_valid, refused_valid;
  logic refused_ready, puts;
  share_e take;
  number_t free, word_number;
  copy_t put, again;
  plan_t plan;
  owner_t owner;
  logic [2:0] word_index;
  word_t word_data;
  ended_t refused;
  cni_intake #(
      .JOBS(JOBS)
  ) i_intake (
      .clk_i,
      .rst_ni,
      .may_begin_i        (cleared),
      .job_valid_i        (job_valid),
      .job_ready_o        (job_ready),
      .job_i              (job),
      .words_i,
      .stored_number_i    (stored_number),
      .stored_value_i     (stored_value),
      .item_number_o,
      .item_word_i,
      .request_valid_i    (request_valid),
      .request_ready_o    (request_ready),
      .request_i          (request),
      .ask_valid_o        (ask_valid[1]),
      .ask_ready_i        (ask_ready[1]),
      .ask_o              (intake_question),
      .ask_answer_valid_i (ask_answer_valid[1]),
      .ask_allowed_i      (region_allowed_o),
      .home_valid_o,
      .home_ready_i,
      .home_address_o,
      .home_bytes_o,
      .home_answer_valid_i,
      .home_memory_i,
      .home_here_i,
      .home_by_lines_i,
      .take_valid_o       (take_valid),
      .take_o             (take),
      .put_valid_o        (put_valid),
      .put_ready_i        (put_ready),
      .put_number_i       (free),
      .put_o              (put),
      .plan_o             (plan),
      .owner_o            (owner),
      .word_valid_o       (word_valid),
      .word_number_o      (word_number),
      .word_index_o       (word_index),
      .word_o             (word_data),
      .refused_valid_o    (refused_valid),
      .refused_ready_i    (refused_ready),
      .refused_o          (refused)
  );

  // The list. A copy comes back before a new job.
  logic ends, list_end_q, pick, copies_stop, turn_valid, turn_ready, turn_is_copy;
  logic [2:0] unused_list;
  number_t end_number, list_end_number_q, turn_number;
  copy_t turn;
  assign put_ready = list_ready && !again_valid;
  assign puts      = put_valid && put_ready;
  cni_jobs #(
      .JOBS(JOBS)
  ) i_jobs (
      .clk_i,
      .rst_ni,
      .put_valid_i   (again_valid || put_valid),
      .put_ready_o   (list_ready),
      .put_again_i   (again_valid),
      .put_number_i  (turn_number),
      .put_is_copy_i (plan.kind == SendCopy),
      .put_i         (again_valid ? again : put),
      .free_o        (free),
      .end_valid_i   (list_end_q),
      .end_number_i  (list_end_number_q),
      .pick_i        (pick),
      .copies_stop_i (copies_stop),
      .copies_o      (unused_list[0]),
      .others_o      (unused_list[1]),
      .turn_valid_o  (turn_valid),
      .turn_ready_i  (turn_ready),
      .turn_is_copy_o(turn_is_copy),
      .turn_number_o (turn_number),
      .turn_o        (turn),
      .quiet_o       (unused_list[2])
  );

  logic failed, sends, last, copy_done, header_valid, header_ready, header_none;
  logic [2:0] header_from;
  header_t header;
  cni_sender #(
      .JOBS        (JOBS),
      .COPY_PACKETS(COPY_PACKETS)
  ) i_sender (
      .clk_i,
      .rst_ni,
      .plan_valid_i  (puts),
      .plan_number_i (free),
      .plan_i        (plan),
      .pick_o        (pick),
      .copies_stop_o (copies_stop),
      .turn_valid_i  (turn_valid),
      .turn_ready_o  (turn_ready),
      .turn_is_copy_i(turn_is_copy),
      .turn_number_i (turn_number),
      .turn_i        (turn),
      .again_valid_o (again_valid),
      .again_o       (again),
      .failed_i      (failed),
      .sends_o       (sends),
      .last_o        (last),
      .copy_done_i   (copy_done),
      .header_valid_o(header_valid),
      .header_ready_i(header_ready),
      .header_o      (header),
      .header_none_o (header_none),
      .header_from_o (header_from),
      .read_valid_o,
      .read_ready_i,
      .read_address_o,
      .read_bytes_o
  );

  logic [1:0] packet_valid, packet_ready, data_valid, data_ready;
  header_t job_packet, posted_packet;
  aligned_t job_data, posted_data;
  number_t packet_number;
  logic none_valid, none_ready;
  done_t none;
  cni_packer #(
      .JOBS   (JOBS),
      .HEADERS(HEADERS)
  ) i_packer (
      .clk_i,
      .rst_ni,
      .word_valid_i   (word_valid),
      .word_number_i  (word_number),
      .word_index_i   (word_index),
      .word_i         (word_data),
      .header_valid_i (header_valid),
      .header_ready_o (header_ready),
      .header_number_i(turn_number),
      .header_i       (header),
      .header_none_i  (header_none),
      .header_from_i  (header_from),
      .read_valid_i   (read_word_valid_i),
      .read_ready_o   (read_word_ready_o),
      .read_word_i,
      .read_fault_i,
      .packet_valid_o (packet_valid[0]),
      .packet_ready_i (packet_ready[0]),
      .packet_number_o(packet_number),
      .packet_o       (job_packet),
      .word_valid_o   (data_valid[0]),
      .word_ready_i   (data_ready[0]),
      .word_o         (job_data),
      .done_valid_o   (none_valid),
      .done_ready_i   (none_ready),
      .done_number_o  (none.number),
      .done_o         (none.verdict)
  );

  word_t posted_address;
  logic [6:0] posted_bytes;
  logic unused_combining;
  assign posted_packet = '{SendStore, 1'b0, posted_address, 17'(posted_bytes), '0};
  cni_combining #(
      .COMBINE_CYCLES(COMBINE_CYCLES),
      .POSTED        (POSTED),
      .LINE_BYTES    (64)
  ) i_combining (
      .clk_i,
      .rst_ni,
      .store_valid_i   (posted_valid_i),
      .store_ready_o   (posted_ready_o),
      .store_i         (posted_i),
      .packet_valid_o  (packet_valid[1]),
      .packet_ready_i  (packet_ready[1]),
      .packet_address_o(posted_address),
      .packet_bytes_o  (posted_bytes),
      .word_valid_o    (data_valid[1]),
      .word_ready_i    (data_ready[1]),
      .word_o          (posted_data),
      .done_valid_i    (posted_done_valid_i),
      .drain_i,
      .drained_o,
      .quiet_o         (unused_combining)
  );

  cni_merge #(
      .JOBS(JOBS)
  ) i_merge (
      .clk_i,
      .rst_ni,
      .packet_valid_i (packet_valid),
      .packet_ready_o (packet_ready),
      .packet_i       ({posted_packet, job_packet}),
      .number_i       (packet_number),
      .word_valid_i   (data_valid),
      .word_ready_o   (data_ready),
      .word_i         ({posted_data, job_data}),
      .packet_valid_o,
      .packet_ready_i,
      .packet_o,
      .packet_posted_o,
      .packet_number_o,
      .word_valid_o   (data_valid_o),
      .word_ready_i   (data_ready_i),
      .word_o         (data_o)
  );

  // Ends of packets, and of turns without one; then ends of jobs, and of those that were refused.
  logic end_valid, end_ready, unused_done, unused_ended;
  logic [1:0] end_valid_all;
  done_t done;
  ended_t ended;
  logic done_valid, done_ready;
  stream_arbiter #(
      .N(2),
      .T(done_t)
  ) i_dones (
      .clk_i,
      .rst_ni,
      .valid_i({none_valid, done_valid_i}),
      .ready_o({none_ready, done_ready_o}),
      .data_i ({none, done_t'{done_number_i, done_i}}),
      .valid_o(done_valid),
      .ready_i(done_ready),
      .data_o (done),
      .index_o(unused_done)
  );

  cni_completions #(
      .JOBS        (JOBS),
      .COPY_PACKETS(COPY_PACKETS)
  ) i_completions (
      .clk_i,
      .rst_ni,
      .cleared_o     (cleared),
      .owner_valid_i (puts),
      .owner_number_i(free),
      .owner_i       (owner),
      .sends_i       (sends),
      .send_number_i (turn_number),
      .send_last_i   (last),
      .send_failed_o (failed),
      .done_valid_i  (done_valid),
      .done_ready_o  (done_ready),
      .done_number_i (done.number),
      .done_i        (done.verdict),
      .copy_done_o   (copy_done),
      .ended_valid_o (end_valid),
      .ended_ready_i (end_ready),
      .ended_number_o(end_number),
      .ended_o       (ended)
  );

  assign end_valid_all = {refused_valid, end_valid};
  assign ends          = end_valid && end_ready;
  stream_arbiter #(
      .N(2),
      .T(ended_t)
  ) i_ended (
      .clk_i,
      .rst_ni,
      .valid_i(end_valid_all),
      .ready_o({refused_ready, end_ready}),
      .data_i ({refused, ended}),
      .valid_o(ended_valid_o),
      .ready_i(ended_ready_i),
      .data_o (ended_o),
      .index_o(unused_ended)
  );

  // Its number is free one cycle later, as the list must know it early in a cycle.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) list_end_q <= 1'b0;
    else list_end_q <= ends;
  end
  always_ff @(posedge clk_i) list_end_number_q <= end_number;

  cni_rooms #(
      .JOBS(JOBS)
  ) i_rooms (
      .clk_i,
      .rst_ni,
      .take_valid_i(take_valid),
      .take_i      (take),
      .give_valid_i(ended_valid_o && ended_ready_i),
      .give_i      (ended_o.share),
      .room_o,
      .word_room_o (word_room),
      .idle_o
  );

  if (JOBS < 16 || JOBS % 4 != 0) begin : gen_wrong_jobs
    $error("cni: JOBS is a multiple of four, at least 16");
  end
  if (COPY_PACKETS == 0) begin : gen_wrong_copy_packets
    $error("cni: COPY_PACKETS is at least 1");
  end
  if (HEADERS == 0) begin : gen_wrong_headers
    $error("cni: HEADERS is at least 1");
  end

endmodule
