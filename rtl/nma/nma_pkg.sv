/// nma_pkg: words, offsets, requests and faults of the near-memory accelerator, and the layout of objects.
///
/// Offsets are in the accelerator's memory, in bytes. Names and values are those of `registers.hpp` and of the
/// simulator's `nma_unit.hpp`.
package nma_pkg;
  import registers_pkg::*;

  // A module uses some of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int unsigned WordBytes = 8;
  localparam int unsigned OffsetBits = 40;
  localparam int unsigned CountBits = OffsetBits - 2;  // words of a buffer, entries of a map

  typedef logic [63:0] word_t;
  typedef logic [OffsetBits-1:0] offset_t;
  typedef logic [CountBits-1:0] count_t;

  // Wide enough for where a copy would end.
  localparam int unsigned EndBits = OffsetBits + 3;
  typedef logic [EndBits-1:0] end_t;

  typedef enum logic [3:0] {
    FaultNone          = 4'(GraphFaultNone),
    FaultBadRequest    = 4'(GraphFaultBadRequest),
    FaultNullPointer   = 4'(GraphFaultNullPointer),
    FaultWildPointer   = 4'(GraphFaultWildPointer),
    FaultBadDescriptor = 4'(GraphFaultBadDescriptor),
    FaultBufferFull    = 4'(GraphFaultBufferFull),
    FaultMapFull       = 4'(GraphFaultMapFull),
    FaultMemoryError   = 4'(GraphFaultMemoryError)
  } fault_e;

  /// A request whose addresses are translated: what to copy, and where to.
  typedef struct packed {
    word_t       root;
    word_t       source_base;   // the partition that has the graph: [base, end), below 2^40 bytes
    word_t       source_end;
    offset_t     source_shift;  // from an address in it to its offset
    offset_t     target;        // offset of the buffer, a multiple of 16,
    offset_t     begins;        // of its first byte that may have a copy,
    offset_t     ends;          // and of the first one behind it; copies of more than 2^35 bytes are not possible
    word_t       final_shift;   // from an offset in the buffer to the final address
    logic [31:0] objects;       // at least so many, for the size of the table
    logic        hashed;
    logic        sound;         // otherwise it ends as a bad request
  } job_t;

  typedef struct packed {
    fault_e      fault;
    word_t       root;     // final address of its copy
    offset_t     bytes;    // used bytes of the buffer, from its target on
    logic [31:0] objects;
  } result_t;

  /// Where the map and the program's types are: constant while jobs are under way.
  typedef struct packed {
    offset_t     map_offset;     // a multiple of a burst
    count_t      map_entries;    // of each half: originals, copies
    word_t       types_address;  // in the tile's own memory
    logic [31:0] types_count;
  } settings_t;

  // Distances from an object down to the words in front of it.
  localparam offset_t Header = OffsetBits'(ObjectsHeader);
  localparam offset_t Index = OffsetBits'(ObjectsIndex);
  localparam offset_t Position = OffsetBits'(ObjectsPosition);
  localparam offset_t ParentDst = OffsetBits'(ObjectsParentDst);
  localparam offset_t ParentSrc = OffsetBits'(ObjectsParentSrc);
  localparam offset_t ArrayBytes = OffsetBits'(ObjectsArrayBytes);
  localparam offset_t FrontBytes = OffsetBits'(ObjectsFrontBytes);
  localparam offset_t ArrayFrontBytes = OffsetBits'(ObjectsArrayFrontBytes);

  localparam int unsigned DescriptorWords = 32'(ObjectsDescriptorWords);

  typedef enum logic [1:0] {
    KindObject       = 2'(ObjectsObject),
    KindDataArray    = 2'(ObjectsDataArray),
    KindPointerArray = 2'(ObjectsPointerArray)
  } kind_e;

  typedef enum logic [1:0] {
    CodeData       = 2'(ObjectsData),
    CodePointer    = 2'(ObjectsPointer),
    CodeTransient  = 2'(ObjectsTransient),
    CodeDescriptor = 2'(ObjectsDescriptor)
  } code_e;

  /// What the word is that was loaded.
  typedef enum logic [1:0] {
    WordData,
    WordPointer,
    WordDescriptor,  // its first word
    WordElements     // its number of elements, if there is no array
  } word_e;

  /// States of the copying machine.
  typedef enum logic [5:0] {
    Idle,
    Start,
    Table,           // does it fit?
    Clear,           // the table
    Advance,         // to the child
    Locate,
    LoadHeader,
    Type,
    TypeAsk,
    TypeWait,
    Size,
    Check,
    Room,
    Insert,
    InsertOriginal,
    InsertCopy,
    ParentWord,
    SavePosition,
    SaveIndex,
    SaveBytes,
    SaveParentSrc,
    SaveParentDst,
    SaveHeader,
    Stream,          // the elements of a data array
    Word,            // is loaded,
    Copy,            // and stored, while the next one is loaded
    MaskAsk,
    MaskWait,
    NoElements,      // a descriptor without an array
    Point,
    Find,            // the copy of the child, if there is one
    Search,
    Probe,
    ProbeWait,
    Probed,
    Known,
    KnownWait,
    Leave,           // to the parent
    Retreat,
    Up,
    UpCheck,
    UpHeader,
    UpPosition,
    UpIndex,
    Fetch,           // a line register gets another line
    FetchWait,
    Clean,
    Drain,
    Result
  } state_e;

  /// The state as registers have it: one bit is set, so that whoever asks for a state looks at a single register.
  localparam int unsigned States = 32'(Result) + 1;
  typedef logic [States-1:0] states_t;

  function automatic states_t only(state_e state);
    return states_t'(1) << state;
  endfunction

  // What a state has the parts do at the next edge.
  typedef struct packed {
    logic begins;    // a job
    logic find;      // a look-up begins
    logic insert;    // an insertion begins
    logic next;      // the next slot is tried
    logic inserted;  // an insertion is complete
    logic hit;       // the slot is that of the original
  } map_do_t;
  typedef struct packed {
    logic begins;   // another range
    logic issued;   // the burst that is offered has been requested
    logic take;     // the burst in turn is taken out of its slot
  } stream_do_t;
  // What memory takes in this cycle, if the state offers it: a state knows that it does, and asks for its own.
  typedef struct packed {
    logic read;      // of a word or a line
    logic write;     // a part of the table, an entry of the map
    logic run;       // words of the copy's line
    logic searched;  // the read of a burst of the list,
    logic streamed;  // and of an array;
    logic stored;    // the write of a burst of an array
  } taken_t;
  typedef struct packed {
    logic original;  // the address of the original changes, as the state has it
    logic copy;      // and that of the copy
  } addresses_do_t;
  typedef struct packed {
    logic begins;        // an object, at its first word
    logic set_position;  // it goes on at another one,
    logic resumes;       // which is known to be in it
    logic load;          // the next word
    logic copied;        // the one that was loaded
    logic set_index;
    logic forget_mask;
    logic set_mask;
  } cursor_do_t;
  typedef struct packed {
    logic clear;          // both forget their lines
    logic fill_original;
    logic fill_copy;
    logic take_copy;      // the copy's gets the line of its address
    logic written;        // the run that is offered
  } lines_do_t;

  /// The rows of H3 for bits 3 to 50 of an address; a bit above has the row of that 48 below.
  localparam int unsigned HashRows = 48;
  localparam logic [HashRows-1:0][31:0] HashRow = {
      32'hcb8a6e0e, 32'hb5075a79, 32'h1e90983f, 32'hc8a7b600, 32'h9ea187d7, 32'h1b6cb0b3,
      32'h2647cfda, 32'h4227b76e, 32'h37e23242, 32'h8c8ad616, 32'h746911c2, 32'hc70fa585,
      32'he50086cd, 32'h4e068c8e, 32'h8acac024, 32'h49da1bd7, 32'he66e9991, 32'h5ea1a3d7,
      32'h1bea6f23, 32'h54afa07e, 32'h9707d5ae, 32'h92a474bb, 32'hf0a9fed6, 32'h09f78636,
      32'h6d17abfb, 32'h951179a0, 32'h32135b34, 32'hf9810e12, 32'h4801920e, 32'h9271a86f,
      32'hdc3260fd, 32'hf8821a96, 32'h5e7db530, 32'h34a3f451, 32'h0ebbe4d0, 32'h7f8cb6d1,
      32'hfb34ccc5, 32'he6d30f0a, 32'h747d0a2b, 32'h389605fe, 32'h71cf92e3, 32'h6c7ab5c9,
      32'h978f18a7, 32'h045f21da, 32'he47682e6, 32'h4a37fa2d, 32'hf2d7d40f, 32'hc7859fae
  };

  /* verilator lint_on UNUSEDPARAM */

endpackage
