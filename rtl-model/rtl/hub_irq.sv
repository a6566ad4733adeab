// HUB_IRQ_STATUS, HUB_IRQ_MASK, and the interrupt that they make.
//
// Bits that become set at an edge and are not masked want one interrupt, however many they are. It
// leaves at that edge if `free_i` lets it, else at the first later edge that does; what is wanted
// meanwhile is the same interrupt. A bit that is set and cleared at one edge stays set and is new.
module hub_irq (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [31:0] raise_i,
  input  logic [31:0] clear_i,
  input  logic        mask_write_i, // acts from the next edge on
  input  logic [31:0] mask_i,
  output logic [31:0] status_o,
  output logic [31:0] mask_o,

  input  logic        free_i,
  output logic        pending_o,    // one waits since an edge before
  output logic        send_o        // it leaves at the coming edge
);

  logic [31:0] kept, status_q, mask_q;
  logic        wanted, pending_q;

  assign kept = status_q & ~clear_i;
  assign wanted = pending_q || (raise_i & mask_q & ~kept) != '0;
  assign send_o = wanted && free_i;
  assign pending_o = pending_q;
  assign status_o = status_q;
  assign mask_o = mask_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      status_q  <= '0;
      mask_q    <= '0;
      pending_q <= 1'b0;
    end else begin
      status_q  <= kept | raise_i;
      if (mask_write_i) mask_q <= mask_i;
      pending_q <= wanted && !free_i;
    end
  end

endmodule
