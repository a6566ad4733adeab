// What hub_arbiter must do, seen from inside of it.
//
// The distance of a source is how many others are asked before it. What a grant must be follows from
// it alone: the ready source of least distance.
module hub_arbiter_proof #(
  parameter int unsigned Sources = 4,
  localparam int unsigned IndexWidth = Sources > 1 ? $clog2(Sources) : 1
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Sources-1:0]    ready_i,
  input logic                  accept_i,
  input logic [Sources-1:0]    grant_i,
  input logic [IndexWidth-1:0] source_i,
  input logic [IndexWidth-1:0] turn_i
);

  // One source stands for all: what is proved of it holds for any choice.
  (* anyconst *) logic [IndexWidth-1:0] watched;

  localparam int unsigned W = IndexWidth + 1; // of numbers up to Sources
  logic [W-1:0]          asked_before, asked_before_granted; // distances
  logic [W-1:0]          passed_q; // grants to others while `watched` was ready
  logic                  taken_q;  // a grant was taken in the cycle before,
  logic [IndexWidth-1:0] next_q;   // and this source is asked first now

  always_comb begin
    asked_before = W'(watched) - W'(turn_i);
    if (watched < turn_i) asked_before = asked_before + W'(Sources);
    asked_before_granted = W'(source_i) - W'(turn_i);
    if (source_i < turn_i) asked_before_granted = asked_before_granted + W'(Sources);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passed_q <= '0;
      taken_q  <= 1'b0;
      next_q   <= '0;
    end else begin
      if (!ready_i[watched] || (accept_i && grant_i[watched])) passed_q <= '0;
      else if (accept_i)                                       passed_q <= passed_q + 1'b1;
      taken_q <= accept_i;
      next_q  <= 32'(source_i) == Sources - 1 ? '0 : source_i + 1'b1;
    end
  end

  initial assume (!rst_ni);
  always_comb assume (32'(watched) < Sources);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_grant_at_most:   assert ((grant_i & (grant_i - 1'b1)) == '0);
      grant_only_of_ready: assert ((grant_i & ~ready_i) == '0);
      grant_if_any_ready:  assert ((grant_i != '0) == (ready_i != '0));
      source_is_granted:   assert (grant_i == '0 || grant_i[source_i]);
      nearest_is_granted:  assert (!ready_i[watched] || asked_before_granted <= asked_before);
      turn_moves_behind:   assert (!taken_q || turn_i == next_q);
      no_starvation:       assert (passed_q < W'(Sources));
      // Each grant to another source brings the turn nearer to `watched`.
      turn_comes_nearer:   assert (32'(passed_q) + 32'(asked_before) < Sources);
    end
  end

endmodule
