// One lane of the buffers of a channel: double words with byte enables. What is written in one cycle is read
// from the next one on; `data_o` shows what was at `read_row_i` in the cycle before.
module hub_dma_lane #(
  parameter int unsigned Rows = 16,
  localparam int unsigned RowWidth = Rows > 1 ? $clog2(Rows) : 1
) (
  input  logic                clk_i,
  input  logic [3:0]          write_i, // by byte
  input  logic [RowWidth-1:0] row_i,
  input  logic [31:0]         data_i,
  input  logic [RowWidth-1:0] read_row_i,
  output logic [31:0]         data_o
);

  if (Rows < 1) begin : g_bad_rows
    $error("hub_dma_lane: Rows: expected at least 1");
  end

  logic [31:0] mem [Rows];

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < 4; b++) begin
      if (write_i[b]) mem[row_i][b*8 +: 8] <= data_i[b*8 +: 8];
    end
    data_o <= mem[read_row_i];
  end

endmodule
