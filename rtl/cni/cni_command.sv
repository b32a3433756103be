/// cni_command: what the first word of a command buffer asks for, and which words it needs for that.
module cni_command (
    input  cni_pkg::word_t       what_i,
    output logic                 sound_o,
    output logic           [7:0] needed_o  // bit w: word w
);
  import registers_pkg::*;
  import cni_pkg::*;

  logic copies, sends;
  logic [55:0] bytes;
  logic [2:0] data_words;  // less one

  assign copies = what_i[7:0] == CniCopy[7:0];
  assign sends = what_i[7:0] == CniMessage[7:0] || what_i[7:0] == CniMessageOnce[7:0];
  assign bytes = what_i[63:8];
  assign data_words = 3'((bytes[5:0] - 6'd1) >> 3);

  always_comb begin
    sound_o  = bytes != '0 && ((copies && bytes <= CniCopyBytesMax[55:0])
                               || (sends && bytes <= CniMessageBytesMax[55:0]));
    needed_o = copies ? 8'b1111 : 8'hff >> (3'd4 - data_words);
  end

endmodule
