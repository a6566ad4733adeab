// The forwarding path of the hub: ports, their queues, and the crossbar (docs/hub-spec.md).
//
//   rx, port p --> receive, route --> queues by class --+--> crossbar --> tx: ports, SINK, SELF
//   own sources: local queue, 4 channels' reads, 4 channels' writes
//
// Times are those of the specification: what is on an input before edge n counts for it, and what
// happens at edge n is on the outputs from that edge on. SINK and SELF are the last two outputs; what
// stands behind them, and the hub's own sources, are blocks beside this one. An own source shows its
// head, and from the grant on the beats of its data; its registers make it wait for its edge.
//
// Virtual channel 1 and DDR3 are not here yet.
module hub_forward #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned ReceiveCycles = 4,
  parameter int unsigned RouteCycles = 5,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned BubbleTlps = 2, // 1: packets enter a ring freely
  // Places of the queues of each port: packets, and units of 16 bytes.
  parameter int unsigned PostedHeaders = 16,
  parameter int unsigned PostedUnits = 64,
  parameter int unsigned NonpostedHeaders = 8,
  parameter int unsigned NonpostedUnits = 8,
  parameter int unsigned CompletionHeaders = 16,
  parameter int unsigned CompletionUnits = 64,
  // By port, 4 bits each: by which port packets of its ring go straight on; 15: it carries none.
  parameter logic [63:0] Partners = 64'hffff_ab89_6745_f12f,
  localparam int unsigned Classes = 3,
  localparam int unsigned Own = 9,
  localparam int unsigned Outputs = Ports + 2,
  localparam int unsigned Sources = Ports * Classes + Own,
  localparam int unsigned OutWidth = $clog2(Outputs),
  localparam int unsigned SourceWidth = $clog2(Sources),
  localparam int unsigned UnitsWidth = 9,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // From the hard IP of each port.
  input  logic [Ports-1:0]               rx_valid_i,
  input  logic [Ports-1:0]               rx_sop_i,
  input  logic [Ports*2-1:0]             rx_class_i,
  input  logic [Ports*BusWidth-1:0]      rx_data_i,
  input  logic [Ports-1:0]               rx_hit_i,
  output logic [Ports*Classes-1:0]       rx_free_o,
  output logic [Ports*Classes*UnitsWidth-1:0] rx_free_units_o,

  input  logic [Ports*Classes-1:0]       tx_ready_i,
  input  logic [Ports*Classes-1:0]       tx_empty_i,      // nothing of the class waits in the IP
  input  logic [Ports*Classes*8-1:0]     tx_limit_h_i,
  input  logic [Ports*Classes*12-1:0]    tx_limit_d_i,
  input  logic [Ports*Classes*8-1:0]     tx_first_h_i,    // 0: no limit
  input  logic [Ports*Classes*12-1:0]    tx_first_d_i,
  input  logic [Ports*3-1:0]             cfg_mps_i,
  input  logic [Ports-1:0]               cfg_master_i,    // always at a root
  input  logic [Ports-1:0]               link_up_i,

  // From the registers.
  input  logic [5:0]                     window_log2_i,
  input  logic [5:0]                     part_log2_i,
  input  logic [3*64-1:0]                area_base_i,
  input  logic [Ports*Pairs*64-1:0]      route_lower_i,
  input  logic [Ports*Pairs*64-1:0]      route_upper_i,

  // The hub's own sources.
  input  logic [Own-1:0]                 own_valid_i,
  input  logic [Own*OutWidth-1:0]        own_out_i,
  input  logic [Own*2-1:0]               own_class_i,
  input  logic [Own*128-1:0]             own_header_i,
  input  logic [Own*BusWidth-1:0]        own_data_i,
  output logic [Own-1:0]                 own_grant_o,
  output logic [Own-1:0]                 own_read_o,

  // Transmit streams: ports, SINK, SELF.
  input  logic                           self_ready_i,
  output logic [Outputs-1:0]             tx_valid_o,
  output logic [Outputs-1:0]             tx_sop_o,
  output logic [Outputs*BusWidth-1:0]    tx_data_o,
  output logic [Outputs*SourceWidth-1:0] tx_source_o,
  output logic                           self_free_o,       // no packet is on its way to SELF
  output logic                           self_next_valid_o, // a beat of data for it comes next
  output logic [BusWidth-1:0]            self_next_o
);

  if (OutputCycles > 256) begin : g_bad_output_cycles
    $error("hub_forward: OutputCycles: expected at most 256");
  end
  if (BubbleTlps < 1 || BubbleTlps > 16) begin : g_bad_bubble_tlps
    $error("hub_forward: BubbleTlps: expected 1 to 16");
  end

  localparam int unsigned OrderWidth = 32;
  localparam int unsigned BeatsWidth = 9;

  // What the crossbar chooses from, by source.
  logic [Sources-1:0]            valid, grant, read;
  logic [Sources*OutWidth-1:0]   out;
  logic [Sources*2-1:0]          of_class;
  logic [Sources*BeatsWidth-1:0] beats;
  logic [Sources*128-1:0]        header;
  logic [Sources*BusWidth-1:0]   data;
  logic [Sources*UnitsWidth-1:0] units;
  logic [Outputs*Sources-1:0]    straight;
  logic [Outputs*Classes-1:0]    accept, enter;

  // Registers as they were before the edge of a first beat.
  logic [5:0]                window_log2_q, part_log2_q;
  logic [3*64-1:0]           area_base_q;
  logic [Ports*Pairs*64-1:0] lower_q, upper_q;
  logic [Ports*3-1:0]        mps_q;

  always_ff @(posedge clk_i) begin
    window_log2_q <= window_log2_i;
    part_log2_q   <= part_log2_i;
    area_base_q   <= area_base_i;
    lower_q       <= route_lower_i;
    upper_q       <= route_upper_i;
    mps_q         <= cfg_mps_i;
  end

  for (genvar p = 0; p < Ports; p++) begin : g_port
    logic [Classes-1:0]            write, data_write;
    logic [OutWidth-1:0]           write_out;
    logic [127:0]                  write_header;
    logic [OrderWidth-1:0]         write_order;
    logic [BusWidth-1:0]           write_data;
    logic [Classes-1:0]            head, in_order;
    logic [Classes*OrderWidth-1:0] order;

    hub_receive #(
      .Ports(Ports), .Pairs(Pairs), .Port(p), .BusBytes(BusBytes), .ReceiveCycles(ReceiveCycles),
      .RouteCycles(RouteCycles)
    ) u_receive (
      .clk_i, .rst_ni, .valid_i(rx_valid_i[p]), .sop_i(rx_sop_i[p]), .class_i(rx_class_i[p*2 +: 2]),
      .data_i(rx_data_i[p*BusWidth +: BusWidth]), .hit_i(rx_hit_i[p]),
      .window_log2_i(window_log2_q), .part_log2_i(part_log2_q), .area_base_i(area_base_q),
      .lower_i(lower_q), .upper_i(upper_q), .mps_i(mps_q),
      .write_o(write), .out_o(write_out), .header_o(write_header), .order_o(write_order),
      .data_write_o(data_write), .data_o(write_data)
    );

    // What is not posted stays behind posted packets that came before it (2.4.1).
    always_comb begin
      in_order = '1;
      for (int unsigned c = 1; c < Classes; c++) begin
        in_order[c] = !head[0] || $signed(order[0 +: OrderWidth] - order[c*OrderWidth +: OrderWidth]) > 0;
      end
    end

    for (genvar c = 0; c < Classes; c++) begin : g_class
      localparam int unsigned Source = p * Classes + c;
      logic old;

      hub_queue #(
        .Ports(Ports), .BusBytes(BusBytes), .OutputCycles(OutputCycles),
        .Headers(c == 0 ? PostedHeaders : c == 1 ? NonpostedHeaders : CompletionHeaders),
        .Units(c == 0 ? PostedUnits : c == 1 ? NonpostedUnits : CompletionUnits)
      ) u_queue (
        .clk_i, .rst_ni, .write_i(write[c]), .out_i(write_out), .header_i(write_header),
        .order_i(write_order), .data_write_i(data_write[c]), .data_i(write_data),
        .valid_o(head[c]), .old_o(old), .out_o(out[Source*OutWidth +: OutWidth]),
        .header_o(header[Source*128 +: 128]), .order_o(order[c*OrderWidth +: OrderWidth]),
        .grant_i(grant[Source]), .data_o(data[Source*BusWidth +: BusWidth]),
        .data_read_i(read[Source])
      );
      assign valid[Source] = head[c] && old && in_order[c];
      assign of_class[Source*2 +: 2] = 2'(c);
    end
  end

  localparam int unsigned FirstOwn = Ports * Classes;
  assign valid[FirstOwn +: Own] = own_valid_i;
  assign out[FirstOwn*OutWidth +: Own*OutWidth] = own_out_i;
  assign of_class[FirstOwn*2 +: Own*2] = own_class_i;
  assign header[FirstOwn*128 +: Own*128] = own_header_i;
  assign data[FirstOwn*BusWidth +: Own*BusWidth] = own_data_i;
  assign own_grant_o = grant[FirstOwn +: Own];
  assign own_read_o = read[FirstOwn +: Own];

  for (genvar s = 0; s < Sources; s++) begin : g_source
    hub_length #(.BusBytes(BusBytes)) u_length (
      .header_i(header[s*128 +: 32]), .units_o(units[s*UnitsWidth +: UnitsWidth]),
      .beats_o(beats[s*BeatsWidth +: BeatsWidth])
    );
  end

  // A place is free from the grant on.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rx_free_o <= '0;
    else         rx_free_o <= grant[FirstOwn-1:0];
  end
  always_ff @(posedge clk_i) rx_free_units_o <= units[FirstOwn*UnitsWidth-1:0];

  // Which packets an output takes, and which of them from those that enter its ring.
  for (genvar o = 0; o < Outputs; o++) begin : g_output
    localparam int unsigned Partner = o < Ports ? 32'(Partners[o*4 +: 4]) : 15;

    for (genvar s = 0; s < Sources; s++) begin : g_straight
      assign straight[o*Sources+s] = s < FirstOwn && s / Classes == Partner;
    end
    for (genvar c = 0; c < Classes; c++) begin : g_class
      localparam int unsigned At = o * Classes + c;

      if (o == Ports) begin : g_sink
        assign accept[At] = 1'b1;
      end else if (o > Ports) begin : g_self
        assign accept[At] = self_ready_i;
      end else begin : g_port
        assign accept[At] = tx_ready_i[At] && (cfg_master_i[o] || c == 2);
      end

      if (Partner >= Ports || BubbleTlps == 1) begin : g_free
        assign enter[At] = accept[At];
      end else begin : g_bubble
        logic [7:0]  limit_h, first_h;
        logic [11:0] limit_d, first_d;
        logic [11:0] largest; // units of the largest payload
        logic        many, all;

        assign limit_h = tx_limit_h_i[At*8 +: 8];
        assign first_h = tx_first_h_i[At*8 +: 8];
        assign limit_d = tx_limit_d_i[At*12 +: 12];
        assign first_d = tx_first_d_i[At*12 +: 12];
        assign largest = 12'd8 << cfg_mps_i[o*3 +: 3];
        assign many = (first_h == '0 || 32'(limit_h) >= BubbleTlps) &&
                      (first_d == '0 || 32'(limit_d) >= 32'(largest) * BubbleTlps);
        assign all = (first_h == '0 || limit_h == first_h) && (first_d == '0 || limit_d == first_d);
        assign enter[At] = accept[At] && tx_empty_i[At] && link_up_i[o] && (many || all);
      end
    end
  end

  logic [Outputs-1:0]          out_free, next_valid;
  logic [Outputs*BusWidth-1:0] next;

  hub_crossbar #(
    .Outputs(Outputs), .Sources(Sources), .BusBytes(BusBytes), .GapCycles(GapCycles)
  ) u_crossbar (
    .clk_i, .rst_ni, .valid_i(valid), .out_i(out), .class_i(of_class), .beats_i(beats),
    .header_i(header), .data_i(data), .grant_o(grant), .read_o(read), .straight_i(straight),
    .accept_i(accept), .enter_i(enter), .valid_o(tx_valid_o), .sop_o(tx_sop_o), .data_o(tx_data_o),
    .source_o(tx_source_o), .free_o(out_free), .next_valid_o(next_valid), .next_o(next)
  );
  assign self_free_o = out_free[Ports+1];
  assign self_next_valid_o = next_valid[Ports+1];
  assign self_next_o = next[(Ports+1)*BusWidth +: BusWidth];

  logic unused_bits; // of outputs without a ring, and of own sources
  assign unused_bits = &{out_free, next_valid, next, units, tx_empty_i, tx_limit_h_i, tx_limit_d_i, tx_first_h_i, tx_first_d_i, link_up_i};

endmodule
