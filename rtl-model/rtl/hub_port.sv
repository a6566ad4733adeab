// What comes in by one port: the receive stream, the routing unit, and a queue for each class, with
// the order between classes. With `Ddr`, posted packets of channel 0 may wait in DDR3.
module hub_port #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned Port = 0,
  parameter int unsigned Partner = 15, // 15: the port carries no ring, and so no channel 1
  parameter int unsigned BusBytes = 16,
  parameter int unsigned ReceiveCycles = 4,
  parameter int unsigned RouteCycles = 5,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned PostedHeaders = 16,
  parameter int unsigned PostedUnits = 64,
  parameter int unsigned NonpostedHeaders = 8,
  parameter int unsigned NonpostedUnits = 8,
  parameter int unsigned CompletionHeaders = 16,
  parameter int unsigned CompletionUnits = 64,
  parameter int unsigned Vc1 = 0,
  parameter int unsigned Vc1Headers = 16,
  parameter int unsigned Vc1Units = 64,
  parameter int unsigned Ddr = 0,
  parameter int unsigned DdrTlps = 64,
  parameter int unsigned ChipTlps = 16,
  parameter int unsigned LargestUnits = 16,
  localparam int unsigned Classes = Vc1 != 0 ? 4 : 3,
  localparam int unsigned PlacesWidth = $clog2(DdrTlps + 1),
  localparam int unsigned DwordsWidth = 11,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // From the hard IP.
  input  logic                        valid_i,
  input  logic                        sop_i,
  input  logic [1:0]                  class_i,
  input  logic [BusWidth-1:0]         data_i,
  input  logic                        hit_i,

  // To the routing unit, as they were before the edge of a first beat.
  input  logic [5:0]                  window_log2_i,
  input  logic [5:0]                  part_log2_i,
  input  logic [3*64-1:0]             area_base_i,
  input  logic [Ports*Pairs*64-1:0]   lower_i,
  input  logic [Ports*Pairs*64-1:0]   upper_i,
  input  logic [Ports*3-1:0]          mps_i,
  input  logic [Ports-1:0]            vc1_i,
  input  logic [Ports-1:0]            date_line_i,

  // To the crossbar, by class.
  output logic [Classes-1:0]          valid_o,
  output logic [Classes*OutWidth-1:0] out_o,
  output logic [Classes*2-1:0]        class_o, // in which the head leaves
  output logic [Classes*128-1:0]      header_o,
  output logic [Classes*BusWidth-1:0] data_o,
  input  logic [Classes-1:0]          grant_i,
  input  logic [Classes-1:0]          read_i,
  output logic [Classes-1:0]          free_o,  // the grant frees a place on the chip
  output logic                        waits_o, // a packet is in some queue

  // To DDR3; see hub_spill.
  input  logic [PlacesWidth-1:0]      places_i,
  output logic                        wants_o,
  output logic [DwordsWidth-1:0]      dwords_o,
  input  logic                        take_i,
  output logic [BusWidth-1:0]         spill_data_o,
  input  logic                        written_i,
  input  logic                        ready_i,
  output logic                        spill_read_o,
  input  logic [BusWidth-1:0]         spill_data_i
);

  localparam int unsigned OrderWidth = 32;
  localparam int unsigned TagWidth = Ddr == 0 ? 1 : PostedHeaders > 1 ? $clog2(PostedHeaders) + 1 : 2;

  logic [Classes-1:0]            write, data_write;
  logic                          first;
  logic [TagWidth-1:0]           tag, write_tag;
  logic [OutWidth-1:0]           write_out;
  logic [127:0]                  write_header;
  logic [OrderWidth-1:0]         write_order;
  logic [BusWidth-1:0]           write_data;
  logic [Classes-1:0]            head, may, in_order;
  logic [Classes*OrderWidth-1:0] order;

  hub_receive #(
    .Ports(Ports), .Pairs(Pairs), .Port(Port), .Partner(Partner), .Vc1(Vc1), .TagWidth(TagWidth),
    .BusBytes(BusBytes), .ReceiveCycles(ReceiveCycles), .RouteCycles(RouteCycles)
  ) u_receive (
    .clk_i, .rst_ni, .valid_i, .sop_i, .class_i, .data_i, .hit_i, .window_log2_i, .part_log2_i,
    .area_base_i, .lower_i, .upper_i, .mps_i, .vc1_i, .date_line_i, .begin_o(first), .tag_i(tag),
    .tag_o(write_tag), .write_o(write), .out_o(write_out), .header_o(write_header),
    .order_o(write_order), .data_write_o(data_write), .data_o(write_data)
  );

  // What is not posted stays behind posted packets that came before it (2.4.1).
  always_comb begin
    in_order = '1;
    for (int unsigned c = 1; c < 3; c++) begin
      in_order[c] = !head[0] || $signed(order[0 +: OrderWidth] - order[c*OrderWidth +: OrderWidth]) > 0;
    end
  end
  assign valid_o = may & in_order;
  assign waits_o = head != '0;

  for (genvar c = 0; c < Classes; c++) begin : g_class
    logic [127:0]        header;
    logic [BusWidth-1:0] data;
    logic [OutWidth-1:0] out;
    logic                second;

    if (c == 3 && Partner >= Ports) begin : g_no_ring
      assign head[c] = 1'b0;
      assign may[c] = 1'b0;
      assign out = '0;
      assign header = '0;
      assign order[c*OrderWidth +: OrderWidth] = '0;
      assign data = '0;
      assign free_o[c] = 1'b0;
      logic unused_class;
      assign unused_class = write[c] || data_write[c] || grant_i[c] || read_i[c];
    end else if (c == 0 && Ddr != 0) begin : g_spill
      hub_spill #(
        .Ports(Ports), .BusBytes(BusBytes), .Headers(PostedHeaders), .OutputCycles(OutputCycles),
        .ChipTlps(ChipTlps), .DdrTlps(DdrTlps), .LargestUnits(LargestUnits)
      ) u_queue (
        .clk_i, .rst_ni, .begin_i(first), .first_i(data_i[31:0]), .tag_o(tag), .write_i(write[c]),
        .tag_i(write_tag), .out_i(write_out), .header_i(write_header), .order_i(write_order),
        .data_write_i(data_write[c]), .data_i(write_data), .valid_o(may[c]), .head_o(head[c]),
        .out_o(out), .header_o(header), .order_o(order[c*OrderWidth +: OrderWidth]),
        .grant_i(grant_i[c]), .free_o(free_o[c]), .data_o(data), .data_read_i(read_i[c]), .places_i,
        .wants_o, .dwords_o, .take_i, .spill_data_o, .written_i, .ready_i, .spill_read_o, .spill_data_i
      );
    end else begin : g_queue
      logic old;

      hub_queue #(
        .Ports(Ports), .BusBytes(BusBytes), .OutputCycles(OutputCycles),
        .Leaves(c == 1 || c == 2 ? 0 : 1),
        .HeaderWidth(c == 2 ? 96 : 128), // a completion has 3 double words
        .DataWidth(c == 1 ? 32 : BusWidth), // a request with an answer has one double word at most
        .Headers(c == 0 ? PostedHeaders : c == 1 ? NonpostedHeaders : c == 2 ? CompletionHeaders : Vc1Headers),
        .Units(c == 0 ? PostedUnits : c == 1 ? NonpostedUnits : c == 2 ? CompletionUnits : Vc1Units)
      ) u_queue (
        .clk_i, .rst_ni, .write_i(write[c]), .out_i(write_out), .header_i(write_header),
        .order_i(write_order), .data_write_i(data_write[c]), .data_i(write_data), .valid_o(head[c]),
        .old_o(old), .out_o(out), .header_o(header), .order_o(order[c*OrderWidth +: OrderWidth]),
        .grant_i(grant_i[c]), .data_o(data), .data_read_i(read_i[c])
      );
      assign may[c] = head[c] && old;
      assign free_o[c] = grant_i[c];
    end

    // A posted packet leaves in the channel of its Traffic Class, if it is a write.
    assign second = Vc1 != 0 && vc1_i != '0 && header[6] && header[4:0] == '0 && header[14:12] == 3'd1;
    assign class_o[c*2 +: 2] = c == 1 || c == 2 ? 2'(c) : {2{second}};
    assign header_o[c*128 +: 128] = header;
    assign data_o[c*BusWidth +: BusWidth] = data;
    assign out_o[c*OutWidth +: OutWidth] = out;
  end

  if (Ddr == 0) begin : g_no_spill
    assign tag = 1'b0;
    assign wants_o = 1'b0;
    assign dwords_o = '0;
    assign spill_data_o = '0;
    assign spill_read_o = 1'b0;
    logic unused_spill;
    assign unused_spill = &{first, write_tag, places_i, take_i, written_i, ready_i, spill_data_i};
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_grants_what_may_go: assert ((grant_i & ~valid_o) == '0);
    end
  end
`endif
`ifdef FORMAL
  hub_port_proof #(.OrderWidth(OrderWidth)) u_proof (
    .clk_i, .rst_ni, .write_i(write[2:0]), .write_order_i(write_order), .head_i(head[2:0]),
    .order_i(order[0 +: 3*OrderWidth]), .grant_i(grant_i[2:0])
  );
`endif

endmodule
