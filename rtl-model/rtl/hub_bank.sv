// Memory of rows, two ports: A writes bytes or reads, B reads. What is read at an edge, by the address
// before it, is shown from that edge on; a row that is written at that edge is read as it was. Rows begin as
// zeroes, as block RAM of an FPGA does after its configuration; no reset clears them.
module hub_bank #(
  parameter int unsigned Rows = 2048,
  parameter int unsigned RowBytes = 16,
  localparam int unsigned RowWidth = 8 * RowBytes,
  localparam int unsigned IndexWidth = $clog2(Rows)
) (
  input  logic                  clk_i,

  input  logic [IndexWidth-1:0] a_row_i,
  input  logic [RowBytes-1:0]   a_write_i, // these bytes
  input  logic [RowWidth-1:0]   a_data_i,
  output logic [RowWidth-1:0]   a_data_o,
  input  logic [IndexWidth-1:0] b_row_i,
  output logic [RowWidth-1:0]   b_data_o
);

  if (Rows < 2) begin : g_bad_rows
    $error("hub_bank: Rows: expected at least 2");
  end

  logic [RowWidth-1:0] mem [Rows];

  initial begin
    for (int unsigned r = 0; r < Rows; r++) mem[r] = '0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < RowBytes; b++) begin
      if (a_write_i[b]) mem[a_row_i][b*8 +: 8] <= a_data_i[b*8 +: 8];
    end
    a_data_o <= mem[a_row_i];
    b_data_o <= mem[b_row_i];
  end

endmodule
