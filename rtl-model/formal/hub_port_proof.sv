// What hub_port must do between classes: a read or a completion never leaves before a posted packet that
// came before it (PCI Express Base 2.4.1).
//
// The proof follows three packets, any ones: a posted one, another that is posted and came before it,
// and a read or completion that came behind both. Whatever the head of the posted queue is while the
// first one waits, it is that one or one before it. What each queue shows of a packet at its head is what
// was written; that is the proof of hub_fifo, and assumed here.
module hub_port_proof #(
  parameter int unsigned OrderWidth = 32
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic [2:0]              write_i,       // by class
  input logic [OrderWidth-1:0]   write_order_i,
  input logic [2:0]              head_i,
  input logic [3*OrderWidth-1:0] order_i,       // of heads
  input logic [2:0]              grant_i
);

  (* anyconst *) logic later_class;
  (* anyseq *) logic pick_early, pick_posted, pick_late;

  logic [1:0]            of_late;
  logic [31:0]           posted_q, others_q;             // packets in the two queues
  logic                  early, posted, late;            // the packet is written now
  logic                  early_chosen_q, posted_chosen_q, late_chosen_q;
  logic                  early_here_q, posted_here_q, late_here_q;
  logic [31:0]           early_ahead_q, posted_ahead_q, late_ahead_q; // that leave before it
  logic [OrderWidth-1:0] early_order_q, posted_order_q, late_order_q;
  logic                  write_other, grant_other, head_other;
  logic [OrderWidth-1:0] order_other;

  assign of_late = later_class ? 2'd2 : 2'd1;
  assign write_other = write_i[of_late];
  assign grant_other = grant_i[of_late];
  assign head_other = head_i[of_late];
  assign order_other = later_class ? order_i[2*OrderWidth +: OrderWidth] : order_i[OrderWidth +: OrderWidth];

  assign early = write_i[0] && pick_early && !early_chosen_q && !posted_chosen_q;
  assign posted = write_i[0] && pick_posted && !posted_chosen_q && !early;
  assign late = write_other && pick_late && !late_chosen_q && posted_chosen_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      posted_q        <= '0;
      others_q        <= '0;
      early_chosen_q  <= 1'b0;
      posted_chosen_q <= 1'b0;
      late_chosen_q   <= 1'b0;
      early_here_q    <= 1'b0;
      posted_here_q   <= 1'b0;
      late_here_q     <= 1'b0;
      early_ahead_q   <= '0;
      posted_ahead_q  <= '0;
      late_ahead_q    <= '0;
      early_order_q   <= '0;
      posted_order_q  <= '0;
      late_order_q    <= '0;
    end else begin
      posted_q <= posted_q + 32'(write_i[0]) - 32'(grant_i[0]);
      others_q <= others_q + 32'(write_other) - 32'(grant_other);
      if (early) begin
        early_chosen_q <= 1'b1;
        early_here_q   <= 1'b1;
        early_ahead_q  <= posted_q - 32'(grant_i[0]);
        early_order_q  <= write_order_i;
      end else if (early_here_q && grant_i[0]) begin
        early_here_q   <= early_ahead_q != '0;
        early_ahead_q  <= early_ahead_q - 1;
      end
      if (posted) begin
        posted_chosen_q <= 1'b1;
        posted_here_q   <= 1'b1;
        posted_ahead_q  <= posted_q - 32'(grant_i[0]);
        posted_order_q  <= write_order_i;
      end else if (posted_here_q && grant_i[0]) begin
        posted_here_q   <= posted_ahead_q != '0;
        posted_ahead_q  <= posted_ahead_q - 1;
      end
      if (late) begin
        late_chosen_q <= 1'b1;
        late_here_q   <= 1'b1;
        late_ahead_q  <= others_q - 32'(grant_other);
        late_order_q  <= write_order_i;
      end else if (late_here_q && grant_other) begin
        late_here_q   <= late_ahead_q != '0;
        late_ahead_q  <= late_ahead_q - 1;
      end
    end
  end

  initial assume (!rst_ni);

  // hub_fifo, in hub_queue: no more than its depth, and what was written.
  always_comb assume (posted_q < 32'd4096 && others_q < 32'd4096);
  always_comb assume (head_i[0] == (posted_q != '0) && head_other == (others_q != '0));
  always_comb assume (!(early_here_q && early_ahead_q == '0) || order_i[0 +: OrderWidth] == early_order_q);
  always_comb assume (!(posted_here_q && posted_ahead_q == '0) || order_i[0 +: OrderWidth] == posted_order_q);
  always_comb assume (!(late_here_q && late_ahead_q == '0) || order_other == late_order_q);
  // No packet waits while half of all numbers are used.
  always_comb assume (!early_here_q || !(write_order_i - early_order_q >= {1'b1, {(OrderWidth-1){1'b0}}}));
  always_comb assume (!posted_here_q || !(write_order_i - posted_order_q >= {1'b1, {(OrderWidth-1){1'b0}}}));

  logic leaves;
  assign leaves = grant_other && late_here_q && late_ahead_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      stays_behind_the_head:   assert (!(leaves && posted_here_q && posted_ahead_q == '0));
      stays_behind_those_before: assert (!(leaves && posted_here_q && early_here_q && early_ahead_q == '0));
      one_class_at_a_time:     assert ((write_i & (write_i - 1'b1)) == '0);
      // What makes the above hold in each later cycle.
      posted_is_counted:       assert (!posted_here_q || posted_ahead_q < posted_q);
      early_is_counted:        assert (!early_here_q || early_ahead_q < posted_q);
      late_is_counted:         assert (!late_here_q || late_ahead_q < others_q);
      chosen_in_order:         assert ((!late_chosen_q || posted_chosen_q) && (!late_here_q || late_chosen_q) &&
                                       (!posted_here_q || posted_chosen_q) && (!early_here_q || early_chosen_q));
      numbers_go_up:           assert (!posted_here_q || write_order_i != posted_order_q);
      numbers_go_up_before:    assert (!early_here_q || write_order_i != early_order_q);
      late_has_a_later_number: assert (!(late_chosen_q && posted_here_q) ||
                                       $signed(posted_order_q - late_order_q) < 0);
      early_has_an_earlier_one: assert (!(late_chosen_q && early_here_q) ||
                                       $signed(early_order_q - late_order_q) < 0);
    end
  end

endmodule
