// The ring of notifications (HUB_RING_*), with its waiting places.
//
// A notification that comes is appended at the coming edge if the ring has room and none waits; else it
// waits, or is lost when all places are taken. `may_i` lets one that waits be appended: SELF is idle, so
// none comes at that edge. What is appended is a write to the host or to internal RAM, whose address and
// entry are shown before that edge.
module hub_notify #(
  parameter int unsigned Waits = 256
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        notify_i,
  input  logic [63:0] value_i,
  input  logic        may_i,

  // Registers, as they are before the edge.
  input  logic [63:0] base_i,
  input  logic [31:0] size_i,
  input  logic [63:0] tail_i,
  output logic [63:0] head_o,
  output logic [63:0] lost_o,

  output logic        waits_o,     // one waits for room in the ring
  output logic        append_o,
  output logic        internal_o,  // to internal RAM
  output logic [63:0] addr_o,      // a local bus address, or an offset there
  output logic [63:0] entry_o,
  output logic [31:0] raise_o      // bits of HUB_IRQ_STATUS
);

  if (Waits < 1) begin : g_bad_waits
    $error("hub_notify: Waits: expected at least 1");
  end

  localparam int unsigned CountWidth = $clog2(Waits + 1);
  localparam logic [31:0] IrqLost = 32'h0000_8000;
  localparam logic [31:0] IrqRing = 32'h8000_0000;

  logic [CountWidth-1:0] used;
  logic [63:0]           waiting, value, entries, head_d, head_q, lost_q;
  logic                  has_room, direct, take, store, lose;

  assign entries = 64'd1 << size_i[4:0];
  assign has_room = head_q - tail_i < entries;
  assign waits_o = used != '0;
  assign direct = notify_i && used == '0 && has_room;
  assign take = may_i && used != '0 && has_room;
  assign store = notify_i && !direct && 32'(used) < Waits;
  assign lose = notify_i && !direct && !store;

  hub_fifo #(.Width(64), .Depth(Waits)) u_waits (
    .clk_i, .rst_ni, .write_i(store), .data_i(value_i), .read_i(take), .data_o(waiting), .used_o(used)
  );

  assign append_o = direct || take;
  assign internal_o = size_i[8];
  assign value = direct ? value_i : waiting;
  assign addr_o = base_i + ((head_q & (entries - 64'd1)) << 3);
  assign entry_o = {!head_q[{1'b0, size_i[4:0]}], value[62:0]}; // the lap: 1 in the first round
  assign head_d = head_q + 64'(append_o);
  assign raise_o = (lose ? IrqLost : '0) |
                   (append_o && head_d - tail_i >= entries >> 1 ? IrqRing : '0);
  assign head_o = head_q;
  assign lost_o = lost_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      lost_q <= '0;
    end else begin
      head_q <= head_d;
      lost_q <= lost_q + 64'(lose);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) user_is_idle_or_notifies: assert (!notify_i || !may_i);
  end
`endif

  logic unused_bits;
  assign unused_bits = &{size_i[31:9], size_i[7:5], value[63]};

endmodule
