// The data behind a header: its credits, and its beats on the bus. Byte i of a header, as it is on the
// wire (PCI Express Base 2.2), is in bits 8 * i + 7 to 8 * i.
module hub_length #(
  parameter int unsigned BusBytes = 16,
  parameter int unsigned MostDwords = 1024, // of data; or 1
  localparam int unsigned UnitsWidth = 9, // units of 16 bytes, at most 256
  localparam int unsigned BeatsWidth = 9
) (
  input  logic [31:0]           header_i, // its first double word
  output logic [UnitsWidth-1:0] units_o,
  output logic [BeatsWidth-1:0] beats_o
);

  if (BusBytes != 16 && BusBytes != 32 && BusBytes != 64) begin : g_bad_bus_bytes
    $error("hub_length: BusBytes: expected 16, 32 or 64");
  end

  localparam int unsigned BeatDwords = BusBytes / 4;

  logic [9:0]  length; // 0 means 1024
  logic [10:0] dwords;

  assign length = {header_i[17:16], header_i[31:24]};
  assign dwords = !header_i[6] ? '0 : MostDwords == 1 ? 11'd1 : {length == '0, length};
  assign units_o = UnitsWidth'((dwords + 11'd3) >> 2);
  assign beats_o = BeatsWidth'((32'(dwords) + BeatDwords - 1) / BeatDwords);

  logic unused_header;
  assign unused_header = &{header_i[23:18], header_i[15:7], header_i[5:0]};

endmodule
