// Whether a channel may read the bytes from `first_i` to `last_i`, and where they are. What is outside
// the window is the host's. What is inside has to lie in one open area of the own part, or in internal
// RAM. Nothing is stored here.
module hub_dma_source #(
  localparam int unsigned Areas = 3,
  localparam int unsigned RamWidth = 16 // of addresses in internal RAM
) (
  input  logic [63:0]         first_i, // bus addresses
  input  logic [63:0]         last_i,
  input  logic [63:0]         bar_base_i,
  input  logic                memory_i, // the BAR claims addresses
  input  logic [5:0]          window_log2_i,
  input  logic [5:0]          part_log2_i,
  input  logic [15:0]         slot_i,
  input  logic [Areas*64-1:0] area_base_i,
  output logic                ok_o,
  output logic                internal_o,
  output logic [63:0]         addr_o // the first byte's, at the host
);

  localparam logic [63:0] InternalOffset = 64'h100_0000; // as HUB_INTERNAL_OFFSET

  logic [63:0] first, last, first_in_area, last_in_area, area_mask;
  logic        first_hit, last_hit, same_area, own_part, own, closed, in_ram;
  logic [63:0] leave;

  assign first = first_i & ~({64{1'b1}} << window_log2_i);
  assign last = last_i & ~({64{1'b1}} << window_log2_i);
  assign first_hit = memory_i && ((first_i ^ bar_base_i) >> window_log2_i) == '0;
  assign last_hit = memory_i && ((last_i ^ bar_base_i) >> window_log2_i) == '0;
  assign same_area = ((first ^ last) >> (part_log2_i - 6'd2)) == '0;
  assign own_part = (first >> part_log2_i) == 64'(slot_i);
  assign area_mask = ~({64{1'b1}} << (part_log2_i - 6'd2));
  assign first_in_area = first & area_mask;
  assign last_in_area = last & area_mask;
  assign in_ram = first_in_area >= InternalOffset &&
                  last_in_area < InternalOffset + (64'd1 << RamWidth);

  hub_leave u_leave (
    .offset_i(first), .host_i(1'b1), .part_log2_i, .area_base_i, .own_o(own), .closed_o(closed),
    .addr_o(leave)
  );

  assign ok_o = !first_hit || (last_hit && same_area && own_part && (own ? in_ram : !closed));
  assign internal_o = first_hit && own;
  assign addr_o = first_hit ? leave : first_i;

endmodule
