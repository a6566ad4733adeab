// What hub_dma_fetch must do, seen from inside of it.
//
// The proof knows what was asked of the host from the requests alone, and follows one place, any one: who
// pushed the descriptor there, and how many edges ago.
module hub_dma_fetch_proof #(
  parameter int unsigned Prefetch = 4,
  parameter int unsigned DecodeCycles = 4,
  parameter int unsigned FetchInternalCycles = 6,
  parameter int unsigned TimeoutCycles = 0,
  localparam int unsigned IndexWidth = Prefetch > 1 ? $clog2(Prefetch) : 1,
  localparam int unsigned CountWidth = $clog2(Prefetch + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  host_i,
  input  logic [7:0]            tag_i,
  input  logic                  ram_i,
  input  logic                  cut_i, cut_late_i,
  input  logic [7:0]            answer_tag_i,
  input  logic                  answered_i, taken_i, late_i,
  input  logic                  pop_i,
  input  logic                  valid_i, internal_i,
  input  logic                  known_i, coming_i, waits_i, over_i,
  input  logic [IndexWidth-1:0] head_i, tail_i,
  input  logic [CountWidth-1:0] used_i,
  output logic [IndexWidth-1:0] slot_o,  // the place that is followed,
  input  logic                  by_ram_i, decoded_i,
  input  logic [31:0]           left_i,  // edges until it is decoded,
  input  logic [31:0]           rest_i   // and until the host has to have answered
);

  (* anyconst *) logic [IndexWidth-1:0] slot;

  logic        asked_q, held_q, by_ram_q;
  logic [7:0]  asked_tag_q;
  logic [31:0] waited_q, ahead, takes, used;
  logic [31:0] age_q; // no more than Old, longer than anything takes
  logic        push;

  localparam logic [31:0] Old = FetchInternalCycles + DecodeCycles + 1;

  assign slot_o = slot;
  assign used = 32'(used_i);
  assign push = (taken_i || (ram_i && !cut_i)) && tail_i == slot;
  assign ahead = slot >= head_i ? 32'(slot) - 32'(head_i) : Prefetch + 32'(slot) - 32'(head_i);
  assign takes = by_ram_q ? FetchInternalCycles + DecodeCycles : DecodeCycles + 1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q     <= 1'b0;
      asked_tag_q <= '0;
      waited_q    <= '0;
      held_q      <= 1'b0;
      by_ram_q    <= 1'b0;
      age_q       <= '0;
    end else begin
      waited_q <= waited_q + 1;
      if (answered_i || (asked_q && over_i)) asked_q <= 1'b0;
      if (host_i) begin
        asked_q     <= 1'b1;
        asked_tag_q <= tag_i;
        waited_q    <= '0;
      end
      if (age_q != Old) age_q <= age_q + 1;
      if (cut_i || cut_late_i || (pop_i && head_i == slot)) held_q <= 1'b0;
      if (push && !cut_late_i) begin
        held_q   <= 1'b1;
        by_ram_q <= ram_i;
        age_q    <= '0;
      end
    end
  end

  initial assume (!rst_ni);
  always_comb assume (32'(slot) < Prefetch);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      asks_for_one_at_a_time: assert (!((host_i || ram_i) && asked_q));
      answer_was_asked_for:   assert (!answered_i || (asked_q && answer_tag_i == asked_tag_q));
      given_up_in_time:       assert (!waits_i || TimeoutCycles == 0 || waited_q + 1 < TimeoutCycles);
      late_when_given_up:     assert (!(asked_q && !answered_i && TimeoutCycles != 0 && waited_q + 2 == TimeoutCycles) || late_i);
      is_not_overwritten:     assert (!(push && held_q && !(pop_i && head_i == slot)));
      leaves_decoded:         assert (!(valid_i && head_i == slot) || (held_q && age_q + 1 >= takes && internal_i == by_ram_q));
      is_decoded_in_time:     assert (!(held_q && head_i == slot && age_q + 1 >= takes) || valid_i);
      // What makes the above hold in each later cycle.
      age_ends:               assert (age_q <= Old);
      one_of_three:           assert (!coming_i || (!known_i && !waits_i));
      knows_what_it_asked:    assert (waits_i == asked_q && (!asked_q || tag_i == asked_tag_q));
      room_for_what_it_asked: assert (!(waits_i && known_i) || used < Prefetch);
      knows_when_it_is_over:  assert (!asked_q || TimeoutCycles == 0 || rest_i + 1 + waited_q == TimeoutCycles);
      used_fits:              assert (used <= Prefetch && 32'(head_i) < Prefetch && 32'(tail_i) < Prefetch);
      tail_follows_used:      assert (32'(tail_i) == 32'(head_i) + used || 32'(tail_i) + Prefetch == 32'(head_i) + used);
      each_used_is_held:      assert (held_q == (ahead < used));
      knows_what_is_decoded:  assert (!held_q || decoded_i == (age_q + 1 >= takes));
      knows_who_pushed_it:    assert (!held_q || by_ram_i == by_ram_q);
      knows_what_is_left:     assert (!held_q || decoded_i || left_i + 1 + age_q == takes);
    end
  end

endmodule
