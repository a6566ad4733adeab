// The address that a packet has when it leaves, from its offset in the window (docs/hub-spec.md,
// "Receive and route"). By port 0 it is translated area by area. By another port it is put on the base
// that all cables share. Nothing is stored here.
module hub_leave #(
  localparam int unsigned Areas = 3 // behind the host; one more is the hub's own
) (
  input  logic [63:0]         offset_i,
  input  logic                host_i,      // it leaves by port 0
  input  logic [5:0]          part_log2_i, // bytes of the part of one node
  input  logic [Areas*64-1:0] area_base_i, // local bus addresses; 0 closes the area
  output logic                own_o,       // the offset is in the hub's own area
  output logic                closed_o,    // port 0 has no address for it
  output logic [63:0]         addr_o
);

  localparam logic [63:0] CableBase = 64'h100_0000_0000; // as HUB_CABLE_BASE

  logic [63:0] base;
  logic [1:0]  area;

  assign area = 2'(offset_i >> (part_log2_i - 6'd2));
  assign own_o = 32'(area) == Areas;

  always_comb begin
    base = '0; // that of the own area stays 0
    for (int unsigned a = 0; a < Areas; a++) begin
      if (area == 2'(a)) base = area_base_i[a*64 +: 64];
    end
    closed_o = host_i && base == '0;
    addr_o = CableBase + offset_i;
    if (host_i) addr_o = base + (offset_i & ~({64{1'b1}} << (part_log2_i - 6'd2)));
  end

endmodule
