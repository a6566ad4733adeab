// Memory of Depth words with a write port and a registered read port, as block RAM has them. A word
// that is written in the cycle in which it is read is the one that is shown.
module hub_memory #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,

  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     data_i,
  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     data_o // at the address that was there in the cycle before
);

  if (Width < 1 || Depth < 1) begin : g_bad_size
    $error("hub_memory: Width, Depth: expected at least 1");
  end

  logic [Width-1:0] mem [Depth];
  logic [Width-1:0] stored_q, written_q;
  logic             fresh_q;

  // No reset: block RAM has none.
  always_ff @(posedge clk_i) begin
    if (write_i) mem[write_addr_i] <= data_i;
    stored_q  <= mem[read_addr_i];
    written_q <= data_i;
    fresh_q   <= write_i && write_addr_i == read_addr_i;
  end

  assign data_o = fresh_q ? written_q : stored_q;

endmodule
