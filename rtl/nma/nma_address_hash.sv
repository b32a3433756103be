/// nma_address_hash: the hash function of the hashed map, a member of H3: it sums rows of bits, one for each bit set.
///
/// The rows are chosen for addresses at equal distances (src/machine/nma/address_hash.hpp).
module nma_address_hash (
    input  nma_pkg::word_t        address_i,
    output logic           [31:0] hash_o
);
  import nma_pkg::*;

  // The lowest three bits of an address are zero.
  logic [HashRows-1:0] folded;
  assign folded = address_i[50:3] ^ HashRows'(address_i[63:51]);

  always_comb begin
    hash_o = '0;
    for (int unsigned bit_of = 0; bit_of < HashRows; ++bit_of) begin
      if (folded[bit_of]) hash_o ^= HashRow[bit_of];
    end
  end

  // Addresses of objects are multiples of a word.
  logic unused;
  assign unused = ^address_i[2:0];

endmodule
