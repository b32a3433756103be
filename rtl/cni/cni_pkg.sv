/// cni_pkg: words, stores, jobs and outcomes of the cache-integrated network interface.
///
/// Names and values are those of `registers.hpp` and of the simulator's `response_unit.hpp`.
package cni_pkg;
  import registers_pkg::*;

  // A module uses some of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned LineWords = 8;

  typedef logic [63:0] word_t;
  typedef word_t [LineWords-1:0] words_t;

  typedef enum logic [2:0] {
    LineCacheable     = 3'(CniCacheable),
    LineScratchpad    = 3'(CniScratchpad),
    LineCommandBuffer = 3'(CniCommandBuffer),
    LineCounter       = 3'(CniCounter),
    LineQueue         = 3'(CniQueue),       // single-reader
    LineMatchQueue    = 3'(CniMatchQueue)   // multiple-reader
  } line_e;

  /// Who stores: another tile, the own core, or the own interface with an acknowledgement.
  typedef enum logic [1:0] {
    ByOtherTile       = 2'd0,
    ByOwnCore         = 2'd1,
    ByAcknowledgement = 2'd2
  } by_e;

  /// A store to a line with events, with what the cache has read: the line's tag; its words have a port of their own.
  typedef struct packed {
    line_e      code;
    by_e        by;
    logic [5:0] offset;  // in the line
    logic [6:0] bytes;   // up to a line
    word_t      value;   // the first word of the data
    word_t      tag;
  } store_t;

  /// A ring of items: plain scratchpad. A word of it is answered; an item that is taken becomes the job's data.
  typedef enum logic [1:0] {
    RingPut  = 2'd0,
    RingLook = 2'd1,
    RingTake = 2'd2
  } ring_e;

  typedef struct packed {
    ring_e      action;
    word_t      address;
    logic [6:0] bytes;
  } ring_t;

  typedef struct packed {
    word_t      address;
    logic [6:0] bytes;
  } check_t;

  typedef enum logic [1:0] {
    JobCommand = 2'd0,  // of the line's words, among them the one that is stored now
    JobNotify  = 2'd1,  // the line's preset word to its addresses
    JobAdd     = 2'd2,  // 1 is added at the destination
    JobAnswer  = 2'd3   // an item to the destination
  } job_e;

  typedef enum logic [1:0] {
    ItemOfStore = 2'd0,
    ItemOfRing  = 2'd1,
    ItemZeros   = 2'd2
  } item_e;

  typedef struct packed {
    job_e        kind;
    word_t       destination;
    logic [6:0]  bytes;        // of an answer, as what follows
    item_e       item;
    logic        has_tag;       // its last word becomes the tag
    logic        none;         // bit 63 of the tag: there was no item
    logic [14:0] tag;
  } job_t;

  typedef enum logic [1:0] {
    OutcomeDone  = 2'd0,
    OutcomeFull  = 2'd1,  // a queue is
    OutcomeBusy  = 2'd2,  // the list of jobs is
    OutcomeWrong = 2'd3
  } outcome_e;

  typedef enum logic [2:0] {
    FaultNone            = 3'(CniFaultNone),
    FaultNotConfigured   = 3'(CniFaultNotConfigured),
    FaultNotAllowed      = 3'(CniFaultNotAllowed),
    FaultWrongAccess     = 3'(CniFaultWrongAccess),
    FaultWrongShape      = 3'(CniFaultWrongShape),
    FaultAcknowledgement = 3'(CniFaultAcknowledgement)
  } fault_e;

  /// What becomes of the line, if it is done: its tag, and one word.
  typedef struct packed {
    outcome_e   outcome;
    fault_e     fault;
    word_t      tag;
    logic [2:0] number;
    word_t      value;
  } result_t;

  /// What a store is.
  typedef enum logic [3:0] {
    RowNone    = 4'd0,
    RowCommand = 4'd1,
    RowAdd     = 4'd2,
    RowSet     = 4'd3,
    RowKeep    = 4'd4,
    RowPut     = 4'd5,
    RowHead    = 4'd6,
    RowData    = 4'd7,
    RowRequest = 4'd8
  } row_e;

  /// What the words of a queue say about its ring.
  typedef struct packed {
    logic        sound;
    logic        has_tag;      // its requests carry tags
    logic        limited;     // fewer items than places
    logic [20:0] limit;
    logic [4:0]  log2_items;
    logic [1:0]  log2_words;
  } shape_t;

  /// How a tile's process may use addresses.
  typedef enum logic [2:0] {
    RegionNone             = 3'd0,
    RegionOwnScratchpad    = 3'(CniOwnScratchpad),
    RegionRemoteScratchpad = 3'(CniRemoteScratchpad),
    RegionRemoteEvents     = 3'(CniRemoteEvents),
    RegionMemory           = 3'(CniMemory)
  } region_e;

  /// A store that is posted: its bytes lie in one aligned word.
  typedef struct packed {
    word_t      address;
    logic [3:0] bytes;     // 1 to 8
    word_t      value;     // in its lowest bytes
    logic       combines;
  } posted_t;

  /// A copy, or what is left of one.
  typedef struct packed {
    word_t       source;
    word_t       destination;
    logic [16:0] bytes;        // 1 to 65536
  } copy_t;

  /// A word of the destination, and which bytes of it are written.
  typedef struct packed {
    word_t      word;
    logic [7:0] strobes;
    logic       last;     // of its packet
  } aligned_t;

  /// Whose job it is: each of them may have a quarter of the list.
  typedef enum logic [1:0] {
    ShareCommand = 2'd0,
    ShareEvent   = 2'd1,
    ShareCopy    = 2'd2,  // copies that other tiles ask for
    ShareWord    = 2'd3   // acknowledgements for third tiles, and words that the cache could not store
  } share_e;

  /// What the packets of a job are.
  typedef enum logic [1:0] {
    SendCopy     = 2'd0,  // the next bytes of a copy
    SendStore    = 2'd1,
    SendAdd      = 2'd2,  // its word is added at the address
    SendTransfer = 2'd3   // a copy for the tile of its source, which is the address; its word is the destination
  } send_e;

  /// Identifies the copy of another tile there.
  typedef logic [15:0] mark_t;

  /// A job that is not of a line with events.
  typedef struct packed {
    send_e       kind;
    word_t       source;           // of a copy; or the word
    word_t       destination;
    word_t       acknowledgement;
    logic [16:0] bytes;
    mark_t       mark;
  } request_t;

  /// A question to the region table.
  typedef struct packed {
    word_t       address;
    logic [16:0] bytes;
    logic        writes;
  } question_t;

  /// What the sender has to know of a job, by its number, apart from the words of a copy.
  typedef struct packed {
    send_e kind;
    logic  no_retry;
    logic  by_lines;         // the source is read by lines
    word_t acknowledgement;
  } plan_t;

  /// What is to be known when a job ends.
  typedef struct packed {
    share_e share;
    send_e  kind;
    mark_t  mark;
  } owner_t;

  /// What a packet says before its words.
  typedef struct packed {
    send_e       kind;
    logic        no_retry;
    word_t       address;
    logic [16:0] bytes;
    word_t       acknowledgement;
  } header_t;

  /// How a packet, or a job, has ended; `address` is that of the fault.
  typedef struct packed {
    fault_e fault;
    word_t  address;
  } verdict_t;

  typedef struct packed {
    share_e   share;
    mark_t    mark;
    verdict_t verdict;
  } ended_t;

  localparam int unsigned Log2ItemsMax = 20;
  localparam int unsigned AddressBits = int'(CniTagShift);  // of a request with a tag

  /// Bytes of an item.
  function automatic logic [6:0] bytes_of(logic [1:0] log2_words);
    return 7'd8 << log2_words;
  endfunction

  /// How many entries wait in a queue.
  function automatic logic [31:0] waiting_of(logic single, word_t tag);
    logic [31:0] head, tail;
    head = single ? tag[31:0] : {tag[30:0], 1'b0};
    tail = single ? tag[63:32] : {tag[61:31], 1'b0};
    return single ? tail - head : (tail - head) >> 1;
  endfunction

  // The index of a word in its line.
  localparam logic [2:0] WordAdd = CniCounterAdd[5:3];
  localparam logic [2:0] WordSet = CniCounterSet[5:3];
  localparam logic [2:0] WordReload = CniCounterReload[5:3];
  localparam logic [2:0] WordPreset = CniCounterPreset[5:3];
  localparam logic [2:0] WordTargets = CniCounterNotify[5:3];
  localparam logic [2:0] WordWhat = CniCommandWhat[5:3];
  localparam logic [2:0] WordDestination = CniCommandDestination[5:3];
  localparam logic [2:0] WordAcknowledgement = CniCommandAcknowledgement[5:3];
  localparam logic [2:0] WordSource = CniCommandSource[5:3];
  localparam logic [2:0] WordHead = CniQueueHead[5:3];
  localparam logic [2:0] WordTail = CniQueueTail[5:3];
  localparam logic [2:0] WordBuffer = CniQueueBuffer[5:3];
  localparam logic [2:0] WordShape = CniQueueShape[5:3];
  localparam logic [2:0] WordNotify = CniQueueNotify[5:3];
  localparam logic [2:0] WordPut = CniQueuePut[5:3];
  localparam logic [2:0] WordData = CniMatchData[5:3];
  localparam logic [2:0] WordRequest = CniMatchRequest[5:3];
  localparam logic [2:0] WordBalance = CniMatchBalance[5:3];

  typedef enum logic [3:0] {
    Idle      = 4'd0,
    Decide    = 4'd1,
    Test      = 4'd2,  // is the counter zero?
    Check     = 4'd3,  // may the answer be sent?
    CheckWait = 4'd4,  // and whether there is an item
    Place     = 4'd5,  // where the item is in its ring
    Ring      = 4'd6,
    RingWait  = 4'd7,
    Job       = 4'd8,
    Result    = 4'd9
  } state_e;

  /* verilator lint_on UNUSEDPARAM */

endpackage
