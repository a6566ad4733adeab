// Read requests of a channel on their way to N: a source of the crossbar. A request that is written at
// one edge may be granted OutputCycles later. Those that were given up stay until they are sent.
module hub_dma_requests #(
  parameter int unsigned Depth = 10,
  parameter int unsigned OutputCycles = 3
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  output logic         room_o,
  input  logic         write_i, // only while room_o
  input  logic [63:0]  addr_i,
  input  logic [12:0]  bytes_i,
  input  logic [7:0]   tag_i,
  input  logic [15:0]  id_i,

  output logic         valid_o,
  output logic [127:0] header_o,
  input  logic         grant_i
);

  if (Depth < 1) begin : g_bad_depth
    $error("hub_dma_requests: Depth: expected at least 1");
  end
  if (OutputCycles < 1) begin : g_bad_output_cycles
    $error("hub_dma_requests: OutputCycles: expected at least 1");
  end

  localparam int unsigned UsedWidth = $clog2(Depth + 1);
  localparam int unsigned Recent = OutputCycles > 1 ? OutputCycles - 1 : 1;
  localparam int unsigned YoungWidth = $clog2(Recent + 1);

  logic [63:0]           addr;
  logic [12:0]           bytes;
  logic [7:0]            tag;
  logic [15:0]           id;
  logic [UsedWidth-1:0]  used;
  logic [Recent-1:0]     recent_q; // bit k: a request was written k + 1 edges ago
  logic [YoungWidth-1:0] young;

  hub_fifo #(.Width(64 + 13 + 8 + 16), .Depth(Depth)) u_fifo (
    .clk_i, .rst_ni, .write_i, .data_i({addr_i, bytes_i, tag_i, id_i}), .read_i(grant_i),
    .data_o({addr, bytes, tag, id}), .used_o(used)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) recent_q <= '0;
    else         recent_q <= Recent'({recent_q, write_i && OutputCycles > 1});
  end

  always_comb begin
    young = '0;
    for (int unsigned k = 0; k < Recent; k++) young = young + YoungWidth'(recent_q[k]);
  end

  hub_dma_header u_header (
    .write_i(1'b0), .addr_i(addr), .bytes_i(bytes), .id_i(id), .tag_i(tag), .header_o
  );

  assign room_o = 32'(used) < Depth;
  assign valid_o = 32'(used) > 32'(young);

endmodule
