// The next completion of a read: it ends at a multiple of Max_Payload_Size, or with the read. Addresses
// are those in a page of 4 KiB, which no read leaves. Nothing is stored here.
module hub_cut (
  input  logic [11:0] addr_i,   // where the first byte lies that is still to be sent
  input  logic [12:0] left_i,   // bytes, 1 to 4096
  input  logic [2:0]  mps_i,    // 128 << code bytes
  output logic [12:0] piece_o,  // bytes of this one
  output logic [10:0] dwords_o,
  output logic        last_o
);

  logic [12:0] size, room;

  assign size = 13'd128 << mps_i;
  assign room = size - ({1'b0, addr_i} & (size - 13'd1));
  assign last_o = left_i <= room;
  assign piece_o = last_o ? left_i : room;
  assign dwords_o = 11'((piece_o + 13'(addr_i[1:0]) + 13'd3) >> 2);

endmodule
