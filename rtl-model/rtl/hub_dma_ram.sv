// The channels' port of internal RAM. A channel that gets it at edge b has it for its beats: beat k is
// read at edge b + k, and is on the RAM's output in the cycle behind that. The channels are asked in
// turn.
module hub_dma_ram #(
  parameter int unsigned BusBytes = 16,
  parameter int unsigned Channels = 4,
  localparam int unsigned RamWidth = 16,
  localparam int unsigned BeatsWidth = 9
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [Channels-1:0]            ask_i,
  input  logic [Channels*RamWidth-1:0]   addr_i,  // a double word's
  input  logic [Channels*BeatsWidth-1:0] beats_i, // at least 1
  output logic [Channels-1:0]            grant_o,
  output logic [Channels-1:0]            beat_o,  // a beat for this channel is there
  output logic [BeatsWidth-1:0]          index_o, // it is this one

  output logic [RamWidth-1:0]            ram_addr_o
);

  localparam int unsigned IndexWidth = Channels > 1 ? $clog2(Channels) : 1;

  logic [Channels-1:0]   ready, owner_d, owner_q;
  logic [IndexWidth-1:0] source;
  logic [BeatsWidth-1:0] left_d, left_q, index_d, index_q;
  logic [RamWidth-1:0]   addr_d, addr_q;
  logic                  read_q;

  assign ready = left_q == '0 ? ask_i : '0;

  hub_arbiter #(.Sources(Channels)) u_arbiter (
    .clk_i, .rst_ni, .ready_i(ready), .accept_i(ready != '0), .grant_o, .source_o(source)
  );

  always_comb begin
    owner_d = owner_q;
    addr_d = addr_q;
    left_d = left_q == '0 ? '0 : left_q - 1'b1;
    index_d = index_q + 1'b1;
    if (ready != '0) begin
      owner_d = grant_o;
      addr_d = addr_i[32'(source)*RamWidth +: RamWidth];
      left_d = beats_i[32'(source)*BeatsWidth +: BeatsWidth] - 1'b1;
      index_d = '0;
    end
  end

  assign ram_addr_o = addr_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owner_q <= '0;
      addr_q  <= '0;
      left_q  <= '0;
      index_q <= '0;
      read_q  <= 1'b0;
    end else begin
      owner_q <= owner_d;
      addr_q  <= addr_d + RamWidth'(BusBytes);
      left_q  <= left_d;
      index_q <= index_d;
      read_q  <= ready != '0 || left_q != '0;
    end
  end

  assign beat_o = read_q ? owner_q : '0;
  assign index_o = index_q;

endmodule
