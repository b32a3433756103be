/// rae_pkg: the operations of remote atomics: those of the network's packets, and the 4-bit codes inside the interface.
package rae_pkg;

  /// What a packet asks for.
  typedef enum logic [1:0] {
    PacketLoad        = 2'd0,
    PacketStore       = 2'd1,
    PacketAtomic      = 2'd2,
    PacketCompareSwap = 2'd3
  } packet_e;

  /// The operation of a PacketAtomic.
  typedef enum logic [3:0] {
    WordSwap        = 4'd0,
    WordAdd         = 4'd1,
    WordXor         = 4'd2,
    WordAnd         = 4'd3,
    WordOr          = 4'd4,
    WordMin         = 4'd5,
    WordMax         = 4'd6,
    WordMinUnsigned = 4'd7,
    WordMaxUnsigned = 4'd8
  } word_e;

  /// The code in the extended MSHRs and the interface core.
  typedef enum logic [3:0] {
    OperationLoad        = 4'd0,
    OperationStore       = 4'd1,
    OperationSwap        = 4'd2,
    OperationAdd         = 4'd3,
    OperationXor         = 4'd4,
    OperationAnd         = 4'd5,
    OperationOr          = 4'd6,
    OperationMin         = 4'd7,
    OperationMax         = 4'd8,
    OperationMinUnsigned = 4'd9,
    OperationMaxUnsigned = 4'd10,
    OperationCompareSwap = 4'd11
  } operation_e;

  /// A word has 2^size bytes.
  typedef logic [1:0] size_t;

  /// The bytes of a line among which a word is that begins in the first eight of them.
  typedef logic [119:0] window_t;

endpackage
