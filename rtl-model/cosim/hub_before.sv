// What the core shows before an edge only, for the library: it goes there at the edge, by `bind` as
// hub_event does, so that one evaluation of the model is one cycle.
module hub_before #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusWidth = 128
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                mgmt_taken_i,
  input logic [Ports*2-1:0]  aer_write_i,
  input logic [Ports*64-1:0] aer_data_i,
  input logic [Ports-1:0]    ddr_read_i,
  input logic [Ports-1:0]    ddr_write_i,
  input logic [BusWidth-1:0] ddr_data_i
);

  import "DPI-C" function void hub_before_seen(
    input bit mgmt_taken, input int unsigned aer_write, input bit [Ports*64-1:0] aer_data,
    input int unsigned ddr_read, input int unsigned ddr_write, input bit [BusWidth-1:0] ddr_data
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) hub_before_seen(mgmt_taken_i, 32'(aer_write_i), aer_data_i, 32'(ddr_read_i), 32'(ddr_write_i), ddr_data_i);
  end

endmodule
