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
// With `Vc1` there is a fourth class, posted packets of virtual channel 1, at the ports that carry rings.
// A packet keeps the queue that it came to, whatever the channel that it leaves in. Writes of the own
// sources are posted ones of channel 0 here; they leave in channel 1 where they cross a date line.
//
// With `Ddr` there is DDR3 behind each port but N. It is a FIFO of beats for each port that shows its
// next beat: `ddr_write_o` puts one in, `ddr_read_o` takes one.
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
  parameter int unsigned Vc1 = 0, // 0: no port has a virtual channel 1
  parameter int unsigned Vc1Headers = 16,
  parameter int unsigned Vc1Units = 64,
  // Packets of a port that DDR3 has room for at most, those that wait on the chip before others go
  // there, what it writes in a cycle, and the largest packet in units of 16 bytes.
  parameter int unsigned Ddr = 0, // 0: there is none
  parameter int unsigned DdrTlps = 64,
  parameter int unsigned ChipTlps = 16,
  parameter int unsigned DdrBytes = 32,
  parameter int unsigned DdrCycles = 50,
  parameter int unsigned LargestUnits = 16,
  // By port, 4 bits each: by which port packets of its ring go straight on; 15: it carries none.
  parameter logic [63:0] Partners = 64'hffff_ab89_6745_f12f,
  localparam int unsigned Classes = Vc1 != 0 ? 4 : 3,
  localparam int unsigned DmaSources = 2 * 4, // reads of the channels, then writes
  localparam int unsigned Own = 1 + DmaSources,
  localparam int unsigned Outputs = Ports + 2,
  localparam int unsigned Sources = Ports * Classes + Own,
  localparam int unsigned OutWidth = $clog2(Outputs),
  localparam int unsigned SourceWidth = $clog2(Sources),
  localparam int unsigned UnitsWidth = 9,
  localparam int unsigned PlacesWidth = $clog2(DdrTlps + 1),
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

  // DDR3. The places of a port are a strap. What it frees on the chip comes on top of `rx_free_o`.
  input  logic [Ports*PlacesWidth-1:0]   ddr_places_i,
  output logic [Ports-1:0]               ddr_write_o,
  output logic [BusWidth-1:0]            ddr_data_o,
  output logic [Ports-1:0]               ddr_read_o,
  input  logic [Ports*BusWidth-1:0]      ddr_data_i,
  output logic [Ports-1:0]               ddr_free_o,
  output logic [UnitsWidth-1:0]          ddr_free_units_o,

  // Links with a virtual channel 1, as trained; those that packets enter behind the line, a strap.
  input  logic [Ports-1:0]               vc1_i,
  input  logic [Ports-1:0]               date_line_i,

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
  output logic                           waits_o,           // a packet is in a queue of some port
  output logic                           self_free_o,       // no packet is on its way to SELF
  output logic                           self_next_valid_o, // a beat of data for it comes next
  output logic [BusWidth-1:0]            self_next_o
);

  if (OutputCycles > 256) begin : g_bad_output_cycles
    $error("hub_forward: OutputCycles: expected at most 256");
  end

  localparam int unsigned BeatsWidth = 9;
  localparam int unsigned DwordsWidth = 11;

  // What the crossbar chooses from, by source.
  logic [Sources-1:0]            valid, grant, read;
  logic [Sources*OutWidth-1:0]   out;
  logic [Sources*2-1:0]          of_class;
  logic [Sources*BeatsWidth-1:0] beats;
  logic [Sources*128-1:0]        header;
  logic [Sources*BusWidth-1:0]   data;
  logic [Sources*UnitsWidth-1:0] units;
  logic [Outputs*Sources-1:0]    reach, straight;
  logic [Outputs*Classes-1:0]    accept, enter;
  logic [Ports*Classes-1:0]      free;
  logic [Ports-1:0]              waits;

  // What goes to DDR3, by port.
  logic [Ports-1:0]              wants, take, written, ready;
  logic [Ports*DwordsWidth-1:0]  dwords;
  logic [Ports*BusWidth-1:0]     spill_data;

  // Registers as they were before the edge of a first beat.
  logic [3*64-1:0]    area_base_q;
  logic [Ports*3-1:0] mps_q;

  always_ff @(posedge clk_i) begin
    area_base_q <= area_base_i;
    mps_q       <= cfg_mps_i;
  end

  for (genvar p = 0; p < Ports; p++) begin : g_port
    localparam int unsigned Source = p * Classes;

    hub_port #(
      .Ports(Ports), .Pairs(Pairs), .Port(p), .Partner(32'(Partners[p*4 +: 4])), .BusBytes(BusBytes),
      .ReceiveCycles(ReceiveCycles), .RouteCycles(RouteCycles), .OutputCycles(OutputCycles),
      .PostedHeaders(PostedHeaders), .PostedUnits(PostedUnits), .NonpostedHeaders(NonpostedHeaders),
      .NonpostedUnits(NonpostedUnits), .CompletionHeaders(CompletionHeaders),
      .CompletionUnits(CompletionUnits), .Vc1(Vc1), .Vc1Headers(Vc1Headers), .Vc1Units(Vc1Units),
      .Ddr(p == 0 ? 0 : Ddr), .DdrTlps(DdrTlps), .ChipTlps(ChipTlps), .LargestUnits(LargestUnits)
    ) u_port (
      .clk_i, .rst_ni, .valid_i(rx_valid_i[p]), .sop_i(rx_sop_i[p]), .class_i(rx_class_i[p*2 +: 2]),
      .data_i(rx_data_i[p*BusWidth +: BusWidth]), .hit_i(rx_hit_i[p]),
      .window_log2_i, .part_log2_i, .area_base_i(area_base_q),
      .lower_i(route_lower_i), .upper_i(route_upper_i), .mps_i(mps_q), .vc1_i, .date_line_i,
      .valid_o(valid[Source +: Classes]), .out_o(out[Source*OutWidth +: Classes*OutWidth]),
      .class_o(of_class[Source*2 +: Classes*2]), .header_o(header[Source*128 +: Classes*128]),
      .data_o(data[Source*BusWidth +: Classes*BusWidth]), .grant_i(grant[Source +: Classes]),
      .read_i(read[Source +: Classes]), .free_o(free[Source +: Classes]), .waits_o(waits[p]),
      .places_i(ddr_places_i[p*PlacesWidth +: PlacesWidth]), .wants_o(wants[p]),
      .dwords_o(dwords[p*DwordsWidth +: DwordsWidth]), .take_i(take[p]),
      .spill_data_o(spill_data[p*BusWidth +: BusWidth]), .written_i(written[p]), .ready_i(ready[p]),
      .spill_read_o(ddr_read_o[p]), .spill_data_i(ddr_data_i[p*BusWidth +: BusWidth])
    );
  end

  if (Ddr == 0) begin : g_no_ddr
    assign take = '0;
    assign written = '0;
    assign ready = '0;
    assign ddr_write_o = '0;
    assign ddr_free_o = '0;
    assign ddr_free_units_o = '0;
    logic unused_ddr;
    assign unused_ddr = &{wants, dwords};
  end else begin : g_ddr
    assign take[0] = 1'b0;
    assign written[0] = 1'b0;
    assign ready[0] = 1'b0;
    assign ddr_write_o[0] = 1'b0;
    assign ddr_free_o[0] = 1'b0;
    logic unused_ddr;
    assign unused_ddr = &{wants[0], dwords[DwordsWidth-1:0]};

    hub_ddr #(
      .Ports(Ports - 1), .BusBytes(BusBytes), .DdrBytes(DdrBytes), .DdrCycles(DdrCycles),
      .LargestUnits(LargestUnits)
    ) u_ddr (
      .clk_i, .rst_ni, .wants_i(wants[Ports-1:1]), .dwords_i(dwords[DwordsWidth +: (Ports-1)*DwordsWidth]),
      .take_o(take[Ports-1:1]), .write_o(ddr_write_o[Ports-1:1]), .written_o(written[Ports-1:1]),
      .ready_o(ready[Ports-1:1]), .free_o(ddr_free_o[Ports-1:1]), .free_units_o(ddr_free_units_o)
    );
  end
  always_comb begin
    ddr_data_o = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (ddr_write_o[p]) ddr_data_o = ddr_data_o | spill_data[p*BusWidth +: BusWidth];
    end
  end

  localparam int unsigned FirstOwn = Ports * Classes;
  for (genvar k = 0; k < Own; k++) begin : g_own
    logic [127:0] own_header;
    logic         crosses; // the date line

    always_comb begin
      crosses = 1'b0;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (own_out_i[k*OutWidth +: OutWidth] == OutWidth'(p)) crosses = vc1_i[p] && date_line_i[p];
      end
      crosses = crosses && Vc1 != 0 && own_class_i[k*2 +: 2] == 2'd0;
      own_header = own_header_i[k*128 +: 128];
      if (crosses) own_header[14:12] = 3'd1;
    end
    assign header[(FirstOwn+k)*128 +: 128] = own_header;
    assign of_class[(FirstOwn+k)*2 +: 2] = own_class_i[k*2 +: 2] | {2{crosses}};
  end
  assign valid[FirstOwn +: Own] = own_valid_i;
  assign out[FirstOwn*OutWidth +: Own*OutWidth] = own_out_i;
  assign data[FirstOwn*BusWidth +: Own*BusWidth] = own_data_i;
  assign own_grant_o = grant[FirstOwn +: Own];
  assign own_read_o = read[FirstOwn +: Own];

  for (genvar s = 0; s < Sources; s++) begin : g_source
    // A request with an answer has one double word at most.
    hub_length #(
      .BusBytes(BusBytes), .MostDwords(s < FirstOwn && s % Classes == 1 ? 1 : 1024)
    ) u_length (
      .header_i(header[s*128 +: 32]), .units_o(units[s*UnitsWidth +: UnitsWidth]),
      .beats_o(beats[s*BeatsWidth +: BeatsWidth])
    );
  end

  // A place is free from the grant on. Without a place, units say nothing.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rx_free_o <= '0;
    else         rx_free_o <= free;
  end
  always_ff @(posedge clk_i) rx_free_units_o <= units[FirstOwn*UnitsWidth-1:0];

  // Which packets an output takes, and which of them from those that enter its ring.
  for (genvar o = 0; o < Outputs; o++) begin : g_output
    localparam int unsigned Partner = o < Ports ? 32'(Partners[o*4 +: 4]) : 15;

    for (genvar s = 0; s < Sources; s++) begin : g_way
      localparam int unsigned From = s / Classes, Class = s % Classes;

      assign straight[o*Sources+s] = s < FirstOwn && From == Partner;
      // Posted packets go to other ports and to SELF, what is not posted to SELF, completions to SINK. The
      // local queue and writes of channels go to all ports, the latter to SELF as well, and reads to N.
      if (s > FirstOwn + DmaSources / 2) begin : g_write
        assign reach[o*Sources+s] = o != Ports;
      end else if (s > FirstOwn) begin : g_read
        assign reach[o*Sources+s] = o == 0;
      end else if (s == FirstOwn) begin : g_local
        assign reach[o*Sources+s] = o < Ports;
      end else if (Class == 1) begin : g_nonposted
        assign reach[o*Sources+s] = o == Ports + 1;
      end else if (Class == 2) begin : g_completion
        assign reach[o*Sources+s] = o == Ports;
      end else begin : g_posted
        assign reach[o*Sources+s] = o != From && o != Ports && (Class == 0 || 32'(Partners[From*4 +: 4]) < Ports);
      end
    end
    for (genvar c = 0; c < Classes; c++) begin : g_class
      localparam int unsigned At = o * Classes + c;

      if (o == Ports) begin : g_sink
        assign accept[At] = 1'b1;
      end else if (c == 3 && o < Ports && Partner >= Ports) begin : g_no_channel
        assign accept[At] = 1'b0;
        logic unused_ready;
        assign unused_ready = tx_ready_i[At];
      end else if (o > Ports) begin : g_self
        assign accept[At] = self_ready_i;
      end else begin : g_port
        assign accept[At] = tx_ready_i[At] && (cfg_master_i[o] || c == 2);
      end

      if (Partner >= Ports) begin : g_free
        assign enter[At] = accept[At];
      end else begin : g_ring
        logic may;

        hub_bubble #(.BubbleTlps(BubbleTlps)) u_bubble (
          .empty_i(tx_empty_i[At]), .up_i(link_up_i[o]), .limit_h_i(tx_limit_h_i[At*8 +: 8]),
          .limit_d_i(tx_limit_d_i[At*12 +: 12]), .first_h_i(tx_first_h_i[At*8 +: 8]),
          .first_d_i(tx_first_d_i[At*12 +: 12]), .mps_i(cfg_mps_i[o*3 +: 3]), .enter_o(may)
        );
        assign enter[At] = accept[At] && may;
      end
    end
  end

  logic [Outputs-1:0]          out_free, next_valid;
  logic [Outputs*BusWidth-1:0] next;

  hub_crossbar #(
    .Outputs(Outputs), .Sources(Sources), .BusBytes(BusBytes), .GapCycles(GapCycles), .Classes(Classes)
  ) u_crossbar (
    .clk_i, .rst_ni, .valid_i(valid), .out_i(out), .class_i(of_class), .beats_i(beats),
    .header_i(header), .data_i(data), .grant_o(grant), .read_o(read), .reach_i(reach), .straight_i(straight),
    .accept_i(accept), .enter_i(enter), .valid_o(tx_valid_o), .sop_o(tx_sop_o), .data_o(tx_data_o),
    .source_o(tx_source_o), .free_o(out_free), .next_valid_o(next_valid), .next_o(next)
  );
  assign waits_o = waits != '0;
  assign self_free_o = out_free[Ports+1];
  assign self_next_valid_o = next_valid[Ports+1];
  assign self_next_o = next[(Ports+1)*BusWidth +: BusWidth];

  logic unused_bits; // of outputs without a ring, and of own sources
  assign unused_bits = &{out_free, next_valid, next, units, tx_empty_i, tx_limit_h_i, tx_limit_d_i, tx_first_h_i, tx_first_d_i, link_up_i};

endmodule
