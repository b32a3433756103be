/// nca_pkg: words, offsets, requests and faults of the near-cache accelerator, the layout of objects, and what is done
/// to lines.
///
/// Offsets are in the tile's partition, in bytes. Names and values are those of `registers.hpp` and of the simulator's
/// `traversal_unit.hpp` and `range_engine.hpp`.
package nca_pkg;
  import registers_pkg::*;

  // A module uses some of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned WordBytes = 8;
  localparam int unsigned OffsetBits = 40;
  localparam int unsigned CountBits = OffsetBits - 2;  // words of an object

  typedef logic [63:0] word_t;
  typedef logic [OffsetBits-1:0] offset_t;
  typedef logic [CountBits-1:0] count_t;

  typedef enum logic [3:0] {
    FaultNone          = 4'(GraphFaultNone),
    FaultNullPointer   = 4'(GraphFaultNullPointer),
    FaultWildPointer   = 4'(GraphFaultWildPointer),
    FaultBadDescriptor = 4'(GraphFaultBadDescriptor),
    FaultStackFull     = 4'(GraphFaultStackFull)
  } fault_e;

  /// A graph to write back.
  typedef struct packed {
    word_t root;
    word_t mark;  // an odd number that no traversal before had: marks stay in memory
  } job_t;

  typedef struct packed {
    fault_e  fault;
    offset_t objects;
    word_t   bytes;    // at most so many are needed for a copy
  } result_t;

  /// Where objects and the program's types are: constant while jobs are under way.
  typedef struct packed {
    word_t       partition_base;   // a multiple of 4096
    offset_t     partition_bytes;  // likewise
    word_t       types_address;    // in the tile's own memory
    logic [31:0] types_count;
  } settings_t;

  /// An access to the L2: a line is read, a word becomes the mark, a line is written back if a program has written it.
  typedef enum logic [1:0] {
    AccessRead      = 2'd0,
    AccessMark      = 2'd1,
    AccessWriteBack = 2'd2
  } access_e;

  /// An object that is to be continued.
  typedef struct packed {
    offset_t object;
    count_t  position;  // a word of it
  } place_t;

  // Distances from an object down to the words in front of it.
  localparam offset_t Header = OffsetBits'(ObjectsHeader);
  localparam offset_t ParentSrc = OffsetBits'(ObjectsParentSrc);
  localparam offset_t ArrayBytes = OffsetBits'(ObjectsArrayBytes);
  localparam offset_t FrontBytes = OffsetBits'(ObjectsFrontBytes);
  localparam offset_t ArrayFrontBytes = OffsetBits'(ObjectsArrayFrontBytes);

  typedef enum logic [1:0] {
    KindObject       = 2'(ObjectsObject),
    KindDataArray    = 2'(ObjectsDataArray),
    KindPointerArray = 2'(ObjectsPointerArray)
  } kind_e;

  /// How a state finds the next address: from what, and how far.
  typedef enum logic [2:0] {
    AddressOfPointer = 3'd0,  // the mark of what the pointer points to
    AddressInObject  = 3'd1,  // a word, or its front
    AddressOfStack   = 3'd2,  // the header of the stack's object
    AddressOfArray   = 3'd3,  // the size of the child
    AddressOfChild   = 3'd4   // the mark of the child; others: its header
  } address_e;

  /// States of the traversal; the upper digit is an address_e.
  typedef enum logic [5:0] {
    Start     = 6'o00,
    Find      = 6'o01,  // the next pointer of the object
    Locate    = 6'o10,  // where it is
    Lines     = 6'o11,  // of an object that is done
    PopWait   = 6'o20,
    TypeWait  = 6'o30,
    Target    = 6'o40,
    Idle      = 6'o50,
    Visit     = 6'o51,  // the child: is it new?
    Mark      = 6'o52,
    MarkWait  = 6'o53,
    Open      = 6'o54,  // what is it? Also for an object of the stack
    Type      = 6'o55,
    TypeAsk   = 6'o56,
    Size      = 6'o57,
    Measure   = 6'o60,
    Become    = 6'o61,  // the child is the object whose pointers are followed
    MaskAsk   = 6'o62,
    MaskWait  = 6'o63,
    Push      = 6'o64,
    PushWait  = 6'o65,
    Pop       = 6'o66,
    WriteBack = 6'o67,
    Fetch     = 6'o70,  // the line register gets another line
    FetchWait = 6'o71,
    Drain     = 6'o72,
    Result    = 6'o73
  } state_e;

  // What a state has the search of pointers do at the next edge.
  typedef struct packed {
    logic begins;       // another object, at its first word
    logic resumes;      // the same, at the word that is given
    logic search;       // the position becomes that of the next pointer, as far as the mask goes
    logic next;         // the position goes behind the pointer
    logic forget_mask;
    logic set_mask;
  } pointers_do_t;

  /// What is asked of the range operations.
  typedef enum logic [1:0] {
    RangeWriteBack     = 2'd0,
    RangeInvalidate    = 2'd1,
    RangeFlush         = 2'd2,
    RangeInvalidateL1s = 2'd3
  } range_e;

  /// What is done to a line; LineL1s is for the whole range.
  typedef enum logic [1:0] {
    LineWriteBack = 2'd0,
    LineDrop      = 2'd1,
    LineFlush     = 2'd2,
    LineL1s       = 2'd3
  } line_e;

  /* verilator lint_on UNUSEDPARAM */

endpackage
