// What hub_dma_reads must do with tags, seen from inside of it.
//
// The proof follows one place, any one, by what goes in and out alone. It knows the tag of the request
// there, the bytes that its answers brought and that were sent, and for how long it waits.
module hub_dma_reads_proof #(
  parameter int unsigned ReadTags = 8,
  parameter int unsigned TimeoutCycles = 0,
  localparam int unsigned TagWidth = ReadTags > 1 ? $clog2(ReadTags) : 1,
  localparam int unsigned UsedWidth = $clog2(ReadTags + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  push_i,
  input  logic                  push_internal_i,
  input  logic [12:0]           push_bytes_i,
  input  logic [7:0]            push_tag_i,
  input  logic [7:0]            answer_tag_i,
  input  logic [TagWidth-1:0]   answer_at_i,  // the place that the module takes for the answer's
  input  logic                  answer_data_i,
  input  logic                  answer_bad_i,
  input  logic [12:0]           came_i,       // its bytes of this request
  input  logic                  answered_i,
  input  logic                  late_i,
  input  logic                  head_fails_i,
  input  logic                  sent_i,
  input  logic [12:0]           sent_bytes_i,
  input  logic                  gone_i,       // the oldest one leaves
  input  logic [TagWidth-1:0]   head_i,
  input  logic [TagWidth-1:0]   tail_i,
  input  logic [UsedWidth-1:0]  used_i,
  input  logic [12:0]           head_ready_i,
  output logic [TagWidth-1:0]   slot_o,       // the place that is followed,
  input  logic [7:0]            tag_i,        // and what the module knows of it
  input  logic                  waits_i,
  input  logic                  failed_i,
  input  logic [12:0]           bytes_i,
  input  logic [12:0]           received_i,
  input  logic [12:0]           written_i,    // what was sent of the oldest one
  input  logic [31:0]           left_i        // edges until it is given up
);

  (* anyconst *) logic [TagWidth-1:0] slot;

  logic        held_q, waits_q, failed_q;
  logic [7:0]  tag_q;
  logic [12:0] bytes_q, received_q, sent_q;
  logic [31:0] age_q;    // edges since it was pushed
  logic [31:0] ahead, used; // requests before it, and all
  logic        leaves, over;

  assign slot_o = slot;
  assign used = 32'(used_i);
  assign ahead = slot >= head_i ? 32'(slot) - 32'(head_i) : ReadTags + 32'(slot) - 32'(head_i);
  assign leaves = gone_i && head_i == slot;
  assign over = TimeoutCycles != 0 && age_q + 2 == TimeoutCycles;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q     <= 1'b0;
      waits_q    <= 1'b0;
      failed_q   <= 1'b0;
      tag_q      <= '0;
      bytes_q    <= '0;
      received_q <= '0;
      sent_q     <= '0;
      age_q      <= '0;
    end else begin
      age_q <= age_q + 1;
      if (leaves) held_q <= 1'b0;
      if (sent_i && head_i == slot) sent_q <= sent_q + sent_bytes_i;
      if (head_fails_i && head_i == slot) failed_q <= 1'b1;
      if (waits_q && answered_i && answer_tag_i == tag_q) begin
        if (answer_bad_i) failed_q <= 1'b1;
        if (answer_data_i) received_q <= received_q + came_i;
        waits_q <= answer_data_i && received_q + came_i != bytes_q && !over;
        if (answer_data_i && received_q + came_i != bytes_q && over) failed_q <= 1'b1;
      end else if (waits_q && over) begin
        waits_q  <= 1'b0;
        failed_q <= 1'b1;
      end
      if (push_i && tail_i == slot) begin
        held_q     <= 1'b1;
        waits_q    <= !push_internal_i;
        failed_q   <= 1'b0;
        tag_q      <= push_tag_i;
        bytes_q    <= push_bytes_i;
        received_q <= push_internal_i ? push_bytes_i : '0;
        sent_q     <= '0;
        age_q      <= '0;
      end
    end
  end

  initial assume (!rst_ni);
  always_comb assume (32'(slot) < ReadTags);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      tag_is_not_in_use:     assert (!(push_i && waits_q && push_tag_i == tag_q));
      is_not_overwritten:    assert (!(push_i && tail_i == slot && held_q));
      answers_who_waits:     assert (!(answered_i && answer_at_i == slot) || (waits_q && answer_tag_i == tag_q));
      answer_is_not_lost:    assert (!(answered_i && waits_q && answer_tag_i == tag_q) || answer_at_i == slot);
      given_up_in_time:      assert (!waits_i || TimeoutCycles == 0 || age_q + 1 < TimeoutCycles);
      late_when_given_up:    assert (!(waits_q && over && !(answered_i && answer_tag_i == tag_q)) || late_i);
      leaves_when_it_may:    assert (!leaves || (!waits_q && failed_q) || sent_q + (sent_i ? sent_bytes_i : '0) == bytes_q);
      sends_what_came:       assert (!held_q || sent_q <= received_q);
      // What makes the above hold in each later cycle.
      used_fits:             assert (used <= ReadTags && 32'(head_i) < ReadTags && 32'(tail_i) < ReadTags);
      tail_follows_used:     assert (32'(tail_i) == 32'(head_i) + used || 32'(tail_i) + ReadTags == 32'(head_i) + used);
      each_used_is_held:     assert (held_q == (ahead < used));
      only_held_ones_wait:   assert (held_q || !waits_q);
      knows_who_waits:       assert (waits_i == waits_q);
      knows_its_tag:         assert (!held_q || tag_i == tag_q);
      knows_it_failed:       assert (!held_q || failed_i == failed_q);
      knows_its_bytes:       assert (!held_q || (bytes_i == bytes_q && received_i == received_q));
      knows_what_was_sent:   assert (!held_q || sent_q == (head_i == slot ? written_i : '0));
      who_waits_lacks_bytes: assert (!waits_q || received_q != bytes_q);
      nothing_sent_of_none:  assert (used_i != '0 || written_i == '0);
      received_fits:         assert (!held_q || (received_q <= bytes_q && bytes_q != '0));
      knows_when_it_is_over: assert (!waits_q || TimeoutCycles == 0 || left_i + 1 + age_q == TimeoutCycles);
      ready_is_here:         assert (head_i != slot || !held_q || head_ready_i <= received_q - sent_q);
    end
  end

endmodule
