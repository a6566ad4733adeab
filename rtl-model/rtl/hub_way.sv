// By which output an offset in the window leaves: the first pair that matches counts, in the order of
// ports and, in a port, of pairs. Port 0 and the hub's own area is SELF. Nothing is stored here.
module hub_way #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  localparam int unsigned OutWidth = $clog2(Ports + 2), // ports, SINK, SELF
  localparam int unsigned Areas = 3
) (
  input  logic [63:0]               offset_i,
  input  logic [5:0]                part_log2_i,
  input  logic [Areas*64-1:0]       area_base_i,
  input  logic [Ports*Pairs*64-1:0] lower_i, // offsets in the window, both inclusive
  input  logic [Ports*Pairs*64-1:0] upper_i,

  output logic                      none_o,   // no pair matches
  output logic                      closed_o, // one of port 0 does, but the area has no address
  output logic [OutWidth-1:0]       out_o,
  output logic [63:0]               addr_o    // which the packet has behind a port
);

  if (Ports < 2 || Ports > 12) begin : g_bad_ports
    $error("hub_way: Ports: expected 2 to 12");
  end
  if (Pairs < 1 || Pairs > 8) begin : g_bad_pairs
    $error("hub_way: Pairs: expected 1 to 8");
  end

  localparam logic [OutWidth-1:0] Self = OutWidth'(Ports + 1);

  logic [Pairs-1:0]    match; // those of a port
  logic [OutWidth-1:0] way; // by the pairs
  logic                host, own, closed;

  always_comb begin
    way = '0;
    none_o = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned k = 0; k < Pairs; k++) begin
        match[k] = offset_i >= lower_i[(p*Pairs+k)*64 +: 64] && offset_i <= upper_i[(p*Pairs+k)*64 +: 64];
      end
      if (none_o && match != '0) begin
        way = OutWidth'(p);
        none_o = 1'b0;
      end
    end
  end

  assign host = !none_o && way == '0;

  hub_leave u_leave (
    .offset_i, .host_i(host), .part_log2_i, .area_base_i, .own_o(own), .closed_o(closed), .addr_o
  );

  assign out_o = host && own ? Self : way;
  assign closed_o = closed && !own;

endmodule
