// The memory beside the chip, as far as the core knows it: when it takes a packet of which port, when
// all of that is written, and when it may be granted again (docs/hub-spec.md, "DDR3").
//
// It does one thing at a time. A packet that is taken at edge b is written for some cycles, and so long
// another one may be read. Its beats are on the write port from the cycle behind edge b on, without a
// gap. With at most two beats in a cycle of the memory they are over when the next packet is taken.
module hub_ddr #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned DdrBytes = 32,    // that are written in a cycle
  parameter int unsigned DdrCycles = 50,   // until a packet may be granted again
  parameter int unsigned LargestUnits = 16, // of 16 bytes
  localparam int unsigned UnitsWidth = 9,
  localparam int unsigned BeatsWidth = 9,
  localparam int unsigned DwordsWidth = 11
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [Ports-1:0]             wants_i,
  input  logic [Ports*DwordsWidth-1:0] dwords_i,  // data of the packets that ports would give
  output logic [Ports-1:0]             take_o,
  output logic [Ports-1:0]             write_o,   // a beat of this port
  output logic [Ports-1:0]             written_o, // all is written at the next edge
  output logic [Ports-1:0]             ready_o,   // one more may be granted, from the next edge on
  output logic [Ports-1:0]             free_o,    // a place on the chip is free, with so much data
  output logic [UnitsWidth-1:0]        free_units_o
);

  localparam int unsigned LargestCycles = (LargestUnits * 16 + DdrBytes - 1) / DdrBytes;

  if (DdrBytes < 4 || DdrBytes > 2 * BusBytes) begin : g_bad_ddr_bytes
    $error("hub_ddr: DdrBytes: expected 4 to two beats of the bus");
  end
  if (DdrCycles < LargestCycles) begin : g_bad_ddr_cycles
    $error("hub_ddr: DdrCycles: expected what the largest packet takes to write, or more");
  end

  localparam int unsigned BusyWidth = $clog2(2 * LargestCycles + 1);
  localparam int unsigned PortWidth = $clog2(Ports);

  logic [Ports-1:0]           asking, port_q;      // the latter: whose packet is written
  logic [PortWidth-1:0]       source;
  logic                       take;
  logic [DwordsWidth-1:0]     dwords;
  logic [BusyWidth-1:0]       cycles;
  logic [BusyWidth-1:0]       busy_q, writing_q;   // edges until it is free, until all is written
  logic [BeatsWidth-1:0]      beats_q;             // still to come
  logic [UnitsWidth-1:0]      units_q;
  logic [DdrCycles*Ports-1:0] later_q;             // packets that were taken, by edges and ports

  assign asking = busy_q == '0 ? wants_i : '0;
  assign take = asking != '0;

  hub_arbiter #(.Sources(Ports)) u_arbiter (
    .clk_i, .rst_ni, .ready_i(asking), .accept_i(take), .grant_o(take_o), .source_o(source)
  );

  always_comb begin
    dwords = dwords_i[32'(source)*DwordsWidth +: DwordsWidth];
    cycles = BusyWidth'((32'(dwords) * 4 + DdrBytes - 1) / DdrBytes);
    if (cycles == '0) cycles = BusyWidth'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      port_q    <= '0;
      busy_q    <= '0;
      writing_q <= '0;
      beats_q   <= '0;
      units_q   <= '0;
      free_o    <= '0;
      later_q   <= '0;
    end else begin
      free_o  <= written_o;
      later_q <= (DdrCycles*Ports)'({later_q, take_o});
      if (take) begin
        port_q    <= take_o;
        busy_q    <= (cycles << 1) - 1'b1;
        writing_q <= cycles;
        beats_q   <= BeatsWidth'((32'(dwords) * 4 + BusBytes - 1) / BusBytes);
        units_q   <= UnitsWidth'((dwords + 11'd3) >> 2);
      end else begin
        if (busy_q != '0)    busy_q <= busy_q - 1'b1;
        if (writing_q != '0) writing_q <= writing_q - 1'b1;
        if (beats_q != '0)   beats_q <= beats_q - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) free_units_o <= units_q;

  assign write_o = beats_q != '0 ? port_q : '0;
  assign written_o = writing_q == BusyWidth'(1) ? port_q : '0;
  assign ready_o = later_q[(DdrCycles-1)*Ports +: Ports];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_has_no_larger_one: assert (!take || 32'(dwords) <= 4 * LargestUnits);
      own_beats_are_over:     assert (!take || beats_q <= BeatsWidth'(1));
      own_write_is_over:      assert (!take || writing_q == '0);
    end
  end
`endif

endmodule
