// Synchronous FIFO of Depth words; Depth need not be a power of two.
//
// A word that is written in one cycle is counted, and shown when it is the head, from the next cycle
// on. `read_i` takes the head, and the next cycle shows the word behind it. Room that a read makes can
// be written in the next cycle: a full FIFO is not written, even while it is read.
//
// The memory has one write port and one registered read port, as block RAM has. It reads what will be
// the head in the next cycle. The one word that it cannot have yet, because it is being written, comes
// from a register beside it.
module hub_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4,
  localparam int unsigned CountWidth = Depth > 0 ? $clog2(Depth + 1) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  write_i, // only while used_o < Depth
  input  logic [Width-1:0]      data_i,
  input  logic                  read_i,  // only while used_o > 0
  output logic [Width-1:0]      data_o,  // the head, while used_o > 0
  output logic [CountWidth-1:0] used_o   // words
);

  if (Width < 1) begin : g_bad_width
    $error("hub_fifo: Width: expected at least 1");
  end
  if (Depth < 1) begin : g_bad_depth
    $error("hub_fifo: Depth: expected at least 1");
  end

  localparam int unsigned IndexWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [IndexWidth-1:0] Last = IndexWidth'(Depth - 1);

  logic [Width-1:0]      mem [Depth];
  logic [IndexWidth-1:0] head_d, head_q, tail_d, tail_q; // places: of the head, first free one
  logic [CountWidth-1:0] used_d, used_q;
  logic [Width-1:0]      stored_q, written_q;
  logic                  fresh_d, fresh_q; // the head was written in the cycle before

  always_comb begin
    head_d = head_q;
    tail_d = tail_q;
    if (read_i)  head_d = head_q == Last ? '0 : head_q + 1'b1;
    if (write_i) tail_d = tail_q == Last ? '0 : tail_q + 1'b1;
    used_d = used_q + CountWidth'(write_i) - CountWidth'(read_i);
    fresh_d = write_i && tail_q == head_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      used_q  <= '0;
      fresh_q <= 1'b0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      used_q  <= used_d;
      fresh_q <= fresh_d;
    end
  end

  // No reset: block RAM has none, and what is not counted is not looked at.
  always_ff @(posedge clk_i) begin
    if (write_i) mem[tail_q] <= data_i;
    stored_q  <= mem[head_d];
    written_q <= data_i;
  end

  assign data_o = fresh_q ? written_q : stored_q;
  assign used_o = used_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_writes_where_room_is: assert (!write_i || 32'(used_q) < Depth);
      user_reads_what_is_there:  assert (!read_i || used_q != '0);
      own_count_fits:            assert (32'(used_q) <= Depth);
      own_places_exist:          assert (32'(head_q) < Depth && 32'(tail_q) < Depth);
    end
  end
`endif
`ifdef FORMAL
  logic [IndexWidth-1:0] slot; // any one place; the proof follows what is written to it
  hub_fifo_proof #(.Width(Width), .Depth(Depth)) u_proof (
    .clk_i, .rst_ni, .write_i, .data_i, .read_i, .shown_i(data_o), .used_i(used_q),
    .head_i(head_q), .tail_i(tail_q), .slot_o(slot), .word_i(mem[slot])
  );
`endif

endmodule
