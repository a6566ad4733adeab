// Internal RAM: BusBytes bytes in one access, from any byte address on; behind the last byte comes the
// first one. Even and odd rows lie in banks of their own, so that an access takes one row of each.
//
// Port A is SELF's: it writes the bytes that are enabled, or reads. Port B is the channels'. Addresses
// before an edge are read at it, and the data is shown from it on, as it was before that edge's write.
module hub_ram #(
  parameter int unsigned Bytes = 65536,
  parameter int unsigned BusBytes = 16,
  localparam int unsigned AddrWidth = $clog2(Bytes),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                 clk_i,

  input  logic [AddrWidth-1:0] a_addr_i,
  input  logic [BusBytes-1:0]  a_write_i,
  input  logic [BusWidth-1:0]  a_data_i,
  output logic [BusWidth-1:0]  a_data_o,
  input  logic [AddrWidth-1:0] b_addr_i,
  output logic [BusWidth-1:0]  b_data_o
);

  if (BusBytes != 16 && BusBytes != 32 && BusBytes != 64) begin : g_bad_bus_bytes
    $error("hub_ram: BusBytes: expected 16, 32 or 64");
  end

  localparam int unsigned Rows = Bytes / BusBytes / 2; // in a bank
  localparam int unsigned LaneWidth = $clog2(BusBytes);
  localparam int unsigned RowWidth = $clog2(Rows) + 1; // the lowest bit says which bank
  localparam int unsigned IndexWidth = RowWidth - 1;

  logic [RowWidth-1:0]   a_row, b_row;
  logic [LaneWidth-1:0]  a_lane, b_lane, a_lane_q, b_lane_q;
  logic                  a_odd_q, b_odd_q; // the first byte lies in the odd bank
  logic [2*BusBytes-1:0] write;            // by bytes from the begin of the first row on
  logic [2*BusWidth-1:0] data;
  logic [BusBytes-1:0]   even_write, odd_write;
  logic [BusWidth-1:0]   even_data, odd_data, a_even, a_odd, b_even, b_odd;

  assign {a_row, a_lane} = a_addr_i;
  assign {b_row, b_lane} = b_addr_i;
  assign write = {{BusBytes{1'b0}}, a_write_i} << a_lane;
  assign data = {{BusWidth{1'b0}}, a_data_i} << {a_lane, 3'b000};
  assign {odd_write, even_write} = a_row[0] ? {write[BusBytes-1:0], write[2*BusBytes-1:BusBytes]} : write;
  assign {odd_data, even_data} = a_row[0] ? {data[BusWidth-1:0], data[2*BusWidth-1:BusWidth]} : data;

  hub_bank #(.Rows(Rows), .RowBytes(BusBytes)) u_even (
    .clk_i, .a_row_i(IndexWidth'((a_row + 1'b1) >> 1)), .a_write_i(even_write), .a_data_i(even_data),
    .a_data_o(a_even), .b_row_i(IndexWidth'((b_row + 1'b1) >> 1)), .b_data_o(b_even)
  );
  hub_bank #(.Rows(Rows), .RowBytes(BusBytes)) u_odd (
    .clk_i, .a_row_i(IndexWidth'(a_row >> 1)), .a_write_i(odd_write), .a_data_i(odd_data),
    .a_data_o(a_odd), .b_row_i(IndexWidth'(b_row >> 1)), .b_data_o(b_odd)
  );

  always_ff @(posedge clk_i) begin
    a_lane_q <= a_lane;
    a_odd_q  <= a_row[0];
    b_lane_q <= b_lane;
    b_odd_q  <= b_row[0];
  end

  assign a_data_o = BusWidth'((a_odd_q ? {a_even, a_odd} : {a_odd, a_even}) >> {a_lane_q, 3'b000});
  assign b_data_o = BusWidth'((b_odd_q ? {b_even, b_odd} : {b_odd, b_even}) >> {b_lane_q, 3'b000});

endmodule
