// Round robin among Sources, as sim/core/arbiter.h has it.
//
// In each cycle the pick follows from the register `turn_q` and from `ready_i` alone: the first ready
// source at or behind the turn, else the lowest ready one. When `accept_i` takes the grant, the turn
// of the next cycle is one behind the granted source. A grant that is not taken changes nothing, so
// the pick may be another one in the next cycle.
module hub_arbiter #(
  parameter int unsigned Sources = 4,
  localparam int unsigned IndexWidth = Sources > 1 ? $clog2(Sources) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [Sources-1:0]    ready_i,  // may be granted in this cycle
  input  logic                  accept_i, // the grant is taken; some source is ready
  output logic [Sources-1:0]    grant_o,  // one bit, or none when none is ready
  output logic [IndexWidth-1:0] source_o  // the granted source; 0 without a grant
);

  if (Sources < 1 || Sources > 64) begin : g_bad_sources
    $error("hub_arbiter: Sources: expected 1 to 64");
  end

  localparam logic [IndexWidth-1:0] Last = IndexWidth'(Sources - 1);

  logic [IndexWidth-1:0] turn_d, turn_q; // asked first
  logic [Sources-1:0]    behind, left;

  always_comb begin
    behind = ready_i & ({Sources{1'b1}} << turn_q);
    left = behind != '0 ? behind : ready_i;
    grant_o = left & (~left + Sources'(1)); // its lowest bit
  end

  always_comb begin
    source_o = '0;
    for (int unsigned i = 0; i < Sources; i++) begin
      if (grant_o[i]) source_o = source_o | IndexWidth'(i);
    end
  end

  always_comb begin
    turn_d = turn_q;
    if (accept_i) turn_d = source_o == Last ? '0 : source_o + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= '0;
    else         turn_q <= turn_d;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_accepts_a_grant: assert (!accept_i || ready_i != '0);
      own_turn_is_a_source: assert (32'(turn_q) < Sources);
    end
  end
`endif
`ifdef FORMAL
  hub_arbiter_proof #(.Sources(Sources)) u_proof (
    .clk_i, .rst_ni, .ready_i, .accept_i, .grant_i(grant_o), .source_i(source_o), .turn_i(turn_q)
  );
`endif

endmodule
