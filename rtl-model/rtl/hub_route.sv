// The routing unit of one port: where a packet goes, and its header on that way (docs/hub-spec.md,
// "Receive and route"). Nothing is stored here.
//
// Outputs are the ports, then SINK, then SELF. Port 0 is the host's: its packets carry an offset in the
// window, whatever the window's base, and those that leave by it are translated area by area. All
// other ports carry the offset on a base that they share.
//
// With `Vc1`, a write that leaves by a port gets its Traffic Class here. It is 1 where that way crosses
// the date line of a ring, or goes straight on from one virtual channel 1 to another. Else it is 0.
//
// Bit 15 of the header, reserved on the wire, marks for SELF a request whose address no BAR claims, and a
// write that goes there because it has no way.
module hub_route #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned Port = 0, // by which the packet came
  parameter int unsigned Partner = 15, // by which it goes straight on
  parameter int unsigned Vc1 = 0, // 0: traffic classes stay as they are
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned Areas = 3 // behind the host; one more is the hub's own
) (
  input  logic [127:0]              header_i,
  input  logic                      hit_i,         // the BAR of this endpoint claims the address
  input  logic                      channel_i,     // it came in virtual channel 1

  input  logic [5:0]                window_log2_i, // bytes of the window
  input  logic [5:0]                part_log2_i,   // bytes of the part of one node
  input  logic [Areas*64-1:0]       area_base_i,   // local bus addresses; 0 closes the area
  input  logic [Ports*Pairs*64-1:0] lower_i,       // offsets in the window, both inclusive
  input  logic [Ports*Pairs*64-1:0] upper_i,
  input  logic [Ports*3-1:0]        mps_i,         // 128 << code bytes, by port
  input  logic [Ports-1:0]          vc1_i,         // links with a virtual channel 1,
  input  logic [Ports-1:0]          date_line_i,   // and those of them behind the line

  output logic [OutWidth-1:0]       out_o,
  output logic [127:0]              header_o
);

  if (Ports < 2 || Ports > 12) begin : g_bad_ports
    $error("hub_route: Ports: expected 2 to 12");
  end
  if (Pairs < 1 || Pairs > 8) begin : g_bad_pairs
    $error("hub_route: Pairs: expected 1 to 8");
  end
  if (Port >= Ports) begin : g_bad_port
    $error("hub_route: Port: expected less than Ports");
  end

  localparam logic [63:0] CableBase = 64'h100_0000_0000; // as HUB_CABLE_BASE
  localparam logic [OutWidth-1:0] Sink = OutWidth'(Ports);
  localparam logic [OutWidth-1:0] Self = OutWidth'(Ports + 1);

  logic        memory, completion, data;
  logic [63:0] addr, offset, base, leave;
  logic [1:0]  area;
  logic [9:0]  length, largest; // the latter less 1; a length of 0 means 1024
  logic [Pairs-1:0]    match; // those of a port
  logic [OutWidth-1:0] way; // by the pairs; Self: none matches
  logic        own, closed;    // area 3; another one without a base
  logic        second;         // it leaves in virtual channel 1

  assign memory = header_i[4:0] == 5'b00000;
  assign completion = header_i[4:0] == 5'b01010;
  assign data = header_i[6];
  assign length = {header_i[17:16], header_i[31:24]};

  always_comb begin
    addr = {32'h0, header_i[71:64], header_i[79:72], header_i[87:80], header_i[95:88]};
    if (header_i[5]) begin // 4 double words
      addr = {addr[31:0], header_i[103:96], header_i[111:104], header_i[119:112], header_i[127:120]};
    end
    addr[1:0] = '0;
  end

  assign offset = Port == 0 ? addr & ~({64{1'b1}} << window_log2_i) : addr - CableBase;
  assign area = 2'(offset >> (part_log2_i - 6'd2));

  // The first port with a pair that matches counts.
  always_comb begin
    way = Self;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned k = 0; k < Pairs; k++) begin
        match[k] = offset >= lower_i[(p*Pairs+k)*64 +: 64] && offset <= upper_i[(p*Pairs+k)*64 +: 64];
      end
      if (way == Self && match != '0) way = OutWidth'(p);
    end
  end

  always_comb begin
    base = '0; // that of area 3 stays 0: its packets are the hub's own
    for (int unsigned a = 0; a < Areas; a++) begin
      if (area == 2'(a)) base = area_base_i[a*64 +: 64];
    end
    own = way == '0 && area == 2'd3;
    closed = way == '0 && base == '0;
    leave = CableBase + offset;
    if (way == '0) leave = base + (offset & ~({64{1'b1}} << (part_log2_i - 6'd2)));
  end

  always_comb begin
    largest = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (way == OutWidth'(p)) largest = 10'((11'd32 << mps_i[p*3 +: 3]) - 11'd1);
    end
  end

  always_comb begin
    out_o = way;
    if (way == OutWidth'(Port) || closed || length - 10'd1 > largest) out_o = Self;
    if (!memory || !data || !hit_i) out_o = Self;
    if (completion) out_o = Sink;
  end

  always_comb begin
    second = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (out_o == OutWidth'(p)) second = vc1_i[p] && (date_line_i[p] || (channel_i && p == Partner));
    end
  end

  always_comb begin
    header_o = header_i;
    header_o[15] = memory && (!hit_i || (data && out_o == Self && !own));
    if (out_o != Self && out_o != Sink) begin
      header_o[5] = leave[63:32] != '0;
      if (header_o[5]) begin
        header_o[95:64] = {leave[39:32], leave[47:40], leave[55:48], leave[63:56]};
        header_o[127:96] = {leave[7:2], 2'b00, leave[15:8], leave[23:16], leave[31:24]};
      end else begin
        header_o[95:64] = {leave[7:2], 2'b00, leave[15:8], leave[23:16], leave[31:24]};
        header_o[127:96] = '0;
      end
      if (Vc1 != 0 && vc1_i != '0) header_o[14:12] = {2'b00, second};
    end
  end

  logic unused_bits;
  assign unused_bits = &{leave[1:0], second};

`ifdef FORMAL
  hub_route_proof #(
    .Ports(Ports), .Pairs(Pairs), .Port(Port), .Partner(Partner), .Vc1(Vc1)
  ) u_proof (
    .header_i, .hit_i, .channel_i, .window_log2_i, .part_log2_i, .area_base_i, .lower_i, .upper_i,
    .mps_i, .vc1_i, .date_line_i, .out_i(out_o), .header_out_i(header_o)
  );
`endif

endmodule
