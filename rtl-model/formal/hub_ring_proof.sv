// A ring of three hubs never fills up, whatever its packets and links do (docs/hub-spec.md, "Bubble").
//
// Hub i sends to hub i + 1 by a transmit queue, and the receive buffer there gives a place back when a
// packet goes on. Here all packets are of the largest size, and each may want to go round for ever. In
// each cycle any of what is possible happens, or does not. With One, a packet enters where the next
// buffer has room for this packet alone; else hub_bubble decides.
module hub_ring_proof #(
  parameter int unsigned Headers = 2,    // places of a receive buffer
  parameter int unsigned Transmit = 1,   // places of a transmit queue
  parameter int unsigned BubbleTlps = 2,
  parameter int unsigned One = 0,
  localparam int unsigned Hubs = 3,
  localparam int unsigned W = 4,         // of numbers of packets in a queue
  localparam int unsigned Units = 8      // of data in the largest packet
) (
  input logic clk_i,
  input logic rst_ni
);

  (* anyseq *) logic [Hubs-1:0] sends, goes, leaves, enters; // if they can

  logic [Hubs*W-1:0] received_d, received_q, transmit_d, transmit_q; // packets
  logic [Hubs-1:0]   may, can_send, can_go, send, go, leave, enter;
  logic [31:0]       all;
  logic              bounded;

  for (genvar i = 0; i < Hubs; i++) begin : g_hub
    localparam int unsigned Next = (i + 1) % Hubs;
    logic [W-1:0] free;
    logic         has_room;

    assign free = W'(Headers) - received_q[Next*W +: W];
    hub_bubble #(.BubbleTlps(BubbleTlps)) u_bubble (
      .empty_i(transmit_q[i*W +: W] == '0), .up_i(1'b1), .limit_h_i(8'(free)),
      .limit_d_i(12'(Units) * 12'(free)), .first_h_i(8'(Headers)), .first_d_i(12'(Units * Headers)),
      .mps_i(3'd0), .enter_o(has_room)
    );
    assign may[i] = One != 0 ? transmit_q[i*W +: W] == '0 && free != '0 : has_room;
    assign can_send[i] = transmit_q[i*W +: W] != '0 && free != '0;
    assign can_go[i] = received_q[i*W +: W] != '0 && 32'(transmit_q[i*W +: W]) < Transmit;
    assign send[i] = sends[i] && can_send[i];
    assign go[i] = goes[i] && can_go[i];
    assign leave[i] = leaves[i] && received_q[i*W +: W] != '0 && !go[i];
    assign enter[i] = enters[i] && may[i] && 32'(transmit_q[i*W +: W]) < Transmit && !go[i];
    assign transmit_d[i*W +: W] = transmit_q[i*W +: W] - W'(send[i]) + W'(go[i]) + W'(enter[i]);
    assign received_d[Next*W +: W] = received_q[Next*W +: W] + W'(send[i]) - W'(go[Next]) - W'(leave[Next]);
  end

  always_comb begin
    all = '0;
    bounded = 1'b1;
    for (int unsigned i = 0; i < Hubs; i++) begin
      all = all + 32'(received_q[i*W +: W]) + 32'(transmit_q[i*W +: W]);
      bounded = bounded && 32'(received_q[i*W +: W]) <= Headers && 32'(transmit_q[i*W +: W]) <= Transmit;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      received_q <= '0;
      transmit_q <= '0;
    end else begin
      received_q <= received_d;
      transmit_q <= transmit_d;
    end
  end

  initial assume (!rst_ni);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      some_packet_can_move: assert (all == '0 || can_send != '0 || can_go != '0);
      a_place_is_free:      assert (all < Hubs * (Headers + Transmit));
      queues_hold_them:     assert (bounded);
    end
  end

endmodule
