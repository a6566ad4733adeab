// The packets of one class of a port that wait for their outputs, first in, first out.
//
// A header that is written at one edge may be granted at the next, or OutputCycles later if it leaves
// by a port. The head is too young for that if it is one of the last writes: there is at least one
// write behind the head for each packet in the queue, so counting recent writes is enough. Where no
// packet leaves by a port (`Leaves`), nothing is counted.
module hub_queue #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned Headers = 16, // places for packets
  parameter int unsigned Units = 64,   // and for data, in units of 16 bytes
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned Leaves = 1,
  parameter int unsigned HeaderWidth = 128, // bits of a header that are kept; others are 0
  parameter int unsigned DataWidth = 8 * BusBytes, // bits of a beat that are kept
  localparam int unsigned OrderWidth = 32,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  write_i,
  input  logic [OutWidth-1:0]   out_i,
  input  logic [127:0]          header_i,
  input  logic [OrderWidth-1:0] order_i,
  input  logic                  data_write_i,
  input  logic [BusWidth-1:0]   data_i,

  output logic                  valid_o, // there is a head
  output logic                  old_o,   // which has been here long enough for its output
  output logic [OutWidth-1:0]   out_o,
  output logic [127:0]          header_o,
  output logic [OrderWidth-1:0] order_o,
  input  logic                  grant_i, // the head leaves
  output logic [BusWidth-1:0]   data_o,  // the next beat of data, which may be there already
  input  logic                  data_read_i
);

  if (Headers < 1 || Units < 1) begin : g_bad_depth
    $error("hub_queue: Headers, Units: expected at least 1");
  end
  if (OutputCycles < 1) begin : g_bad_output_cycles
    $error("hub_queue: OutputCycles: expected at least 1");
  end

  // The last beat of each packet may be filled by one unit only.
  localparam int unsigned BeatUnits = BusBytes / 16;
  localparam int unsigned Beats = (Units + (Headers + 1) * (BeatUnits - 1)) / BeatUnits;
  localparam int unsigned UsedWidth = $clog2(Headers + 1);
  localparam int unsigned Recent = OutputCycles > 0 ? OutputCycles : 1; // 0 is refused above, by its message
  localparam int unsigned YoungWidth = $clog2(Recent + 1);

  logic [UsedWidth-1:0]    used;
  logic [HeaderWidth-1:0]  header;
  logic [Recent-1:0]       recent_q; // bit k: a header was written k + 1 edges ago
  logic [YoungWidth-1:0]   young;

  hub_fifo #(.Width(OrderWidth + OutWidth + HeaderWidth), .Depth(Headers)) u_headers (
    .clk_i, .rst_ni, .write_i, .data_i({order_i, out_i, header_i[HeaderWidth-1:0]}),
    .read_i(grant_i), .data_o({order_o, out_o, header}), .used_o(used)
  );

  logic [$clog2(Beats+1)-1:0] beats;
  logic [DataWidth-1:0]       data;
  hub_fifo #(.Width(DataWidth), .Depth(Beats)) u_data (
    .clk_i, .rst_ni, .write_i(data_write_i), .data_i(data_i[DataWidth-1:0]), .read_i(data_read_i),
    .data_o(data), .used_o(beats)
  );
  assign header_o = 128'(header);
  assign data_o = BusWidth'(data);
  if (HeaderWidth < 128) begin : g_short
    logic unused_header;
    assign unused_header = &header_i[127:HeaderWidth];
  end
  if (DataWidth < BusWidth) begin : g_narrow
    logic unused_data;
    assign unused_data = &data_i[BusWidth-1:DataWidth];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) recent_q <= '0;
    else         recent_q <= Recent'({recent_q, write_i});
  end

  always_comb begin
    young = '0;
    for (int unsigned k = 0; k < Recent; k++) young = young + YoungWidth'(recent_q[k]);
  end

  assign valid_o = used != '0;
  assign old_o = Leaves == 0 || 32'(out_o) >= Ports || 32'(used) > 32'(young);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_grants_a_head:  assert (!grant_i || valid_o);
      user_has_none_to_go: assert (Leaves != 0 || !valid_o || 32'(out_o) >= Ports);
      own_data_is_in_time: assert (!data_read_i || beats != '0);
    end
  end
`else
  logic unused_beats;
  assign unused_beats = &beats;
`endif

endmodule
