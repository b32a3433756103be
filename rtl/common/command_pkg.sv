/// command_pkg: what units with command windows share: where an address leads, and what they ask of the network.
///
/// The address map and the network's adapter are outside of the units. A step is what follows the work of a command.
package command_pkg;
  import registers_pkg::*;

  // A module uses some of them.
  /* verilator lint_off UNUSEDPARAM */

  typedef logic [63:0] word_t;
  typedef logic [15:0] tile_t;
  typedef logic [39:0] offset_t;

  localparam int unsigned WindowFields = 7;
  localparam int unsigned Doorbell = 7;  // the register behind them

  /// The answer of the address map to an address of a register, or to a tile: then it is that of the tile's partition.
  typedef struct packed {
    logic    named;         // the local window has no hole there
    word_t   address;       // the global one
    logic    mapped;        // it is in a region of the machine,
    logic    reached;       // where this tile may change words;
    logic    partition;     // the region is a partition of a memory,
    logic    local_memory;  // or a tile-local memory
    tile_t   tile;          // whose region it is
    tile_t   memory_tile;   // which has the partition's memory
    offset_t offset;        // in this memory
    word_t   last;          // the last address of the region
  } place_t;

  typedef enum logic [2:0] {
    StepAcknowledge = 3'd0,  // counter, error
    StepWrite       = 3'd1,  // address, value
    StepWriteBack   = 3'd2,  // of the own L2: address, bytes
    StepTransfer    = 3'd3,  // by DMA: from, to, bytes
    StepMessage     = 3'd4   // to the tile: five words
  } step_e;

  typedef struct packed {
    step_e kind;
    tile_t tile;
    logic [4:0][63:0] words;  // the first one is words[0]
  } step_t;

  /// What became of a message to another tile.
  typedef enum logic [1:0] {
    OutcomeDone    = 2'd0,
    OutcomeRefused = 2'd1,  // no place: it must be sent again
    OutcomeWrong   = 2'd2   // there is nobody to take it
  } outcome_e;

  /// The state of a window's command, as a load of its doorbell gives it.
  typedef enum logic [1:0] {
    StatusIdle     = 2'(CommandStatusIdle),
    StatusAccepted = 2'(CommandStatusAccepted),
    StatusFull     = 2'(CommandStatusFull),
    StatusWrong    = 2'(CommandStatusWrong)
  } status_e;

  /* verilator lint_on UNUSEDPARAM */

endpackage
