// The receive stream of one port: a header is routed in the cycle of its beat, and is written to the
// queue of its class when its stages are over. Data is written as it comes.
//
// A first beat that the IP registers at edge n is seen here in the cycle behind it. The header is
// written at edge n + ReceiveCycles + RouteCycles - 1, and so may be granted at the next edge.
// Registers of the routing unit act as they were before edge n, so they are a cycle late here.
// What the queue says of a packet at its first beat, `tag_i`, comes back with the header.
module hub_receive #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned Port = 0,
  parameter int unsigned Partner = 15,
  parameter int unsigned Vc1 = 0,
  parameter int unsigned TagWidth = 1,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned ReceiveCycles = 4,
  parameter int unsigned RouteCycles = 5,
  localparam int unsigned Classes = Vc1 != 0 ? 4 : 3, // posted, non-posted, completions, posted of channel 1
  localparam int unsigned OrderWidth = 32,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // From the hard IP.
  input  logic                      valid_i,
  input  logic                      sop_i,
  input  logic [1:0]                class_i,
  input  logic [BusWidth-1:0]       data_i,
  input  logic                      hit_i,

  // To the routing unit.
  input  logic [5:0]                window_log2_i,
  input  logic [5:0]                part_log2_i,
  input  logic [3*64-1:0]           area_base_i,
  input  logic [Ports*Pairs*64-1:0] lower_i,
  input  logic [Ports*Pairs*64-1:0] upper_i,
  input  logic [Ports*3-1:0]        mps_i,
  input  logic [Ports-1:0]          vc1_i,
  input  logic [Ports-1:0]          date_line_i,

  // To the queues.
  output logic                      begin_o,      // the first beat of a posted packet of channel 0
  input  logic [TagWidth-1:0]       tag_i,
  output logic [TagWidth-1:0]       tag_o,        // with the header
  output logic [Classes-1:0]        write_o,      // a header
  output logic [OutWidth-1:0]       out_o,
  output logic [127:0]              header_o,
  output logic [OrderWidth-1:0]     order_o,      // of its arrival, wraps
  output logic [Classes-1:0]        data_write_o, // the beat on data_i
  output logic [BusWidth-1:0]       data_o
);

  if (ReceiveCycles < 1 || RouteCycles < 1) begin : g_bad_cycles
    $error("hub_receive: ReceiveCycles, RouteCycles: expected at least 1");
  end

  localparam int unsigned Stages = ReceiveCycles + RouteCycles - 2;
  localparam int unsigned StageWidth = Classes + TagWidth + OutWidth + 128;

  logic [Classes-1:0]    of_class, first, class_q; // one bit each
  logic [OutWidth-1:0]   out;
  logic [127:0]          header;
  logic [OrderWidth-1:0] order_q;
  logic [StageWidth-1:0] routed;

  hub_route #(.Ports(Ports), .Pairs(Pairs), .Port(Port), .Partner(Partner), .Vc1(Vc1)) u_route (
    .header_i(data_i[127:0]), .hit_i, .channel_i(class_i == 2'd3), .window_log2_i, .part_log2_i,
    .area_base_i, .lower_i, .upper_i, .mps_i, .vc1_i, .date_line_i, .out_o(out), .header_o(header)
  );

  assign of_class = Classes'(1) << class_i;
  assign first = valid_i && sop_i ? of_class : '0;
  assign routed = {first, tag_i, out, header};
  assign begin_o = first[0];

  if (Stages == 0) begin : g_no_stages
    assign {write_o, tag_o, out_o, header_o} = routed;
  end else begin : g_stages
    logic [Stages*StageWidth-1:0] stages_d, stages_q;

    assign stages_d = (Stages*StageWidth)'({stages_q, routed});
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) stages_q <= '0;
      else         stages_q <= stages_d;
    end
    assign {write_o, tag_o, out_o, header_o} = stages_q[(Stages-1)*StageWidth +: StageWidth];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)               class_q <= '0;
    else if (valid_i && sop_i) class_q <= of_class;
  end
  always_ff @(posedge clk_i) begin // from anywhere: numbers are compared with each other
    if (write_o != '0) order_q <= order_q + 1'b1;
  end

  assign order_o = order_q;
  assign data_write_o = valid_i && !sop_i ? class_q : '0;
  assign data_o = data_i;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_has_no_channel_1: assert (Vc1 != 0 || !valid_i || !sop_i || class_i != 2'd3);
      user_begins_with_sop:  assert (!valid_i || sop_i || class_q != '0);
    end
  end
`endif

endmodule
