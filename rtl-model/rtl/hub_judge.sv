// What SELF makes of a packet, from its header alone (docs/hub-spec.md, "SELF"). Nothing is stored here.
//
// Bit 15 of a header, reserved on the wire, is the mark of the routing unit: the packet is refused.
module hub_judge (
  input  logic [127:0] header_i,
  input  logic         host_i,        // it came by N, or is the hub's own
  input  logic [5:0]   window_log2_i,
  input  logic [5:0]   part_log2_i,
  input  logic [15:0]  slot_i,

  output logic         poisoned_o,    // one of these: an error,
  output logic         unsupported_o,
  output logic         abort_o,
  output logic         write_o,       // or what is to be done
  output logic         read_o,
  output logic         posted_o,      // it has no answer
  output logic         ram_o,         // internal RAM, not registers
  output logic [23:0]  at_o,          // offset of its first double word there
  output logic [11:0]  first_o,       // the first byte that it asks for, in its page
  output logic [12:0]  bytes_o        // from there to the last one; what has no such range has 4
);

  localparam logic [63:0] RegisterSpace = 64'h100_0000;
  localparam logic [63:0] RamBytes = 64'h1_0000;

  logic        memory, data, self_area, claimed;
  logic [10:0] length;
  logic [63:0] addr, offset, in_area, last;
  logic [3:0]  first_be, end_be;
  logic [1:0]  skip, drop;

  assign memory = header_i[4:0] == 5'b00000;
  assign data = header_i[6];
  assign length = {{header_i[17:16], header_i[31:24]} == '0, header_i[17:16], header_i[31:24]};
  assign posted_o = (memory && data) || header_i[4:3] == 2'b10; // writes and messages

  always_comb begin
    addr = {32'h0, header_i[71:64], header_i[79:72], header_i[87:80], header_i[95:88]};
    if (header_i[5]) begin // 4 double words
      addr = {addr[31:0], header_i[103:96], header_i[111:104], header_i[119:112], header_i[127:120]};
    end
    addr[1:0] = '0;
  end

  // Area 3 of the own part, and in it registers or RAM.
  assign offset = addr & ~({64{1'b1}} << window_log2_i);
  assign in_area = offset & ~({64{1'b1}} << (part_log2_i - 6'd2));
  assign self_area = (offset >> part_log2_i) == 64'(slot_i) && 2'(offset >> (part_log2_i - 6'd2)) == 2'd3;
  assign last = in_area + {51'h0, length, 2'b00};
  assign ram_o = in_area >= RegisterSpace;
  assign claimed = last <= (ram_o ? RegisterSpace + RamBytes : RegisterSpace);
  assign at_o = in_area[23:0];

  assign poisoned_o = header_i[22] && data;
  assign unsupported_o = !poisoned_o && (header_i[15] || !memory || !self_area || !claimed ||
                                         (!data && !host_i));
  assign abort_o = !poisoned_o && !unsupported_o && !data && !ram_o && 32'(addr[2]) + 32'(length) > 2;
  assign write_o = !poisoned_o && !unsupported_o && data;
  assign read_o = !poisoned_o && !unsupported_o && !abort_o && !data;

  // From the first enabled byte to the last one.
  assign first_be = header_i[59:56];
  assign end_be = length == 11'd1 ? first_be : header_i[63:60];
  always_comb begin
    skip = first_be[0] ? 2'd0 : first_be[1] ? 2'd1 : first_be[2] ? 2'd2 : 2'd3;
    drop = end_be[3] ? 2'd0 : end_be[2] ? 2'd1 : end_be[1] ? 2'd2 : 2'd3;
    bytes_o = {length, 2'b00} - 13'(skip) - 13'(drop);
    if (length == 11'd1 && first_be == '0) begin // no byte, which is answered as one (2.3.1.1)
      skip = '0;
      bytes_o = 13'd1;
    end
    if (!memory || data) bytes_o = 13'd4;
  end
  assign first_o = {addr[11:2], skip};

  logic unused_header;
  assign unused_header = &{end_be[0], header_i[55:32], header_i[23], header_i[21:18], header_i[14:7]};

endmodule
