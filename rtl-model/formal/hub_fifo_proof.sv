// What hub_fifo must do, seen from inside of it.
//
// The proof follows the last word that was written to one place of the memory, any one. How many words
// are ahead of it is counted from writes and reads alone.
module hub_fifo_proof #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned IndexWidth = Depth > 1 ? $clog2(Depth) : 1,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  write_i,
  input  logic [Width-1:0]      data_i,
  input  logic                  read_i,
  input  logic [Width-1:0]      shown_i, // the head
  input  logic [CountWidth-1:0] used_i,
  input  logic [IndexWidth-1:0] head_i,
  input  logic [IndexWidth-1:0] tail_i,
  output logic [IndexWidth-1:0] slot_o,  // the place that is followed,
  input  logic [Width-1:0]      word_i   // and what the memory has there
);

  (* anyconst *) logic [IndexWidth-1:0] slot;

  logic [31:0]      count_q; // words by writes and reads
  logic             held_q;  // the followed word is in the FIFO,
  logic [Width-1:0] word_q;  // it is this one,
  logic [31:0]      ahead_q; // and so many words leave before it
  logic [31:0]      behind_head;

  assign slot_o = slot;
  assign behind_head = slot >= head_i ? 32'(slot) - 32'(head_i) : Depth + 32'(slot) - 32'(head_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      held_q  <= 1'b0;
      word_q  <= '0;
      ahead_q <= '0;
    end else begin
      count_q <= count_q + 32'(write_i) - 32'(read_i);
      if (write_i && tail_i == slot) begin
        held_q  <= 1'b1;
        word_q  <= data_i;
        ahead_q <= count_q - 32'(read_i);
      end else if (held_q && read_i) begin
        held_q  <= ahead_q != '0;
        ahead_q <= ahead_q - 1;
      end
    end
  end

  initial assume (!rst_ni);
  always_comb assume (32'(slot) < Depth);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      count_is_right:      assert (32'(used_i) == count_q);
      no_overflow:         assert (count_q <= Depth && !(write_i && count_q == Depth));
      no_underflow:        assert (!(read_i && count_q == '0));
      comes_out_in_place:  assert (!(held_q && ahead_q == '0) || shown_i == word_q);
      is_not_overwritten:  assert (!(held_q && write_i && tail_i == slot));
      // What makes the above hold in each later cycle.
      memory_has_it:       assert (!held_q || word_i == word_q);
      place_follows_order: assert (!held_q || (ahead_q == behind_head && ahead_q < count_q));
      each_used_is_held:   assert (held_q == (behind_head < count_q));
      tail_follows_count:  assert (32'(tail_i) == 32'(head_i) + count_q ||
                                   32'(tail_i) + Depth == 32'(head_i) + count_q);
    end
  end

endmodule
