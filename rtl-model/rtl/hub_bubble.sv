// May a packet enter a ring here? It may if the far side has room for BubbleTlps of the largest ones,
// or all that it announced first, and nothing of its class waits before it. A link that is down has
// nothing of it full (docs/hub-spec.md, "Outputs"). The answer follows from the inputs alone.
module hub_bubble #(
  parameter int unsigned BubbleTlps = 2 // 1: packets enter freely
) (
  input  logic        empty_i,   // nothing of the class waits in the IP
  input  logic        up_i,      // flow control is up
  input  logic [7:0]  limit_h_i, // headers that the far side has free
  input  logic [11:0] limit_d_i, // and units of data
  input  logic [7:0]  first_h_i, // as announced first; 0: no limit
  input  logic [11:0] first_d_i,
  input  logic [2:0]  mps_i,     // 128 << code bytes
  output logic        enter_o
);

  if (BubbleTlps < 1 || BubbleTlps > 16) begin : g_bad_bubble_tlps
    $error("hub_bubble: BubbleTlps: expected 1 to 16");
  end

  logic [11:0] largest; // units of the largest payload
  logic        many, all;

  assign largest = 12'd8 << mps_i;
  assign many = (first_h_i == '0 || 32'(limit_h_i) >= BubbleTlps) &&
                (first_d_i == '0 || 32'(limit_d_i) >= 32'(largest) * BubbleTlps);
  assign all = (first_h_i == '0 || limit_h_i == first_h_i) &&
               (first_d_i == '0 || limit_d_i == first_d_i);
  assign enter_o = BubbleTlps == 1 || (empty_i && (many || all || !up_i));

endmodule
