// The header of a memory request for some bytes, as on the wire: byte i is in bits 8 * i + 7 to 8 * i.
// Byte enables are those of pcie_tlp_set_range(). Nothing is stored here.
module hub_dma_header (
  input  logic         write_i,
  input  logic [63:0]  addr_i,
  input  logic [12:0]  bytes_i, // at least 1
  input  logic [15:0]  id_i,    // the requester's
  input  logic [7:0]   tag_i,
  output logic [127:0] header_o
);

  logic [12:0] last_at; // behind the last byte, from the first double word on
  logic [10:0] length;  // double words
  logic [3:0]  first_be, last_be, first, last;
  logic        long_addr;

  assign last_at = bytes_i + 13'(addr_i[1:0]);
  assign length = 11'((last_at + 13'd3) >> 2);
  assign first = 4'hf << addr_i[1:0];
  assign last = 4'hf >> (2'd0 - last_at[1:0]);
  assign first_be = length == 11'd1 ? first & last : first;
  assign last_be = length == 11'd1 ? 4'h0 : last;
  assign long_addr = addr_i[63:32] != '0;

  always_comb begin
    header_o = '0;
    header_o[7:0] = {1'b0, write_i, long_addr, 5'b00000};
    header_o[23:16] = {6'h0, length[9:8]};
    header_o[31:24] = length[7:0];
    header_o[47:32] = {id_i[7:0], id_i[15:8]};
    header_o[55:48] = tag_i;
    header_o[63:56] = {last_be, first_be};
    if (long_addr) begin
      header_o[95:64] = {addr_i[39:32], addr_i[47:40], addr_i[55:48], addr_i[63:56]};
      header_o[127:96] = {addr_i[7:2], 2'b00, addr_i[15:8], addr_i[23:16], addr_i[31:24]};
    end else begin
      header_o[95:64] = {addr_i[7:2], 2'b00, addr_i[15:8], addr_i[23:16], addr_i[31:24]};
    end
  end

  logic unused_length;
  assign unused_length = length[10];

endmodule
