// Credits of one class of packets towards the far side of a link (PCI Express Base 2.6.1.2).
//
// The hard block gives the far side's limits, counts of all credits since the link came up, modulo the
// widths of their fields. This module counts what was granted in the same way, so that a difference
// modulo the width is what is free. At most half of a field may be free, else a difference would have
// two meanings.
//
// The first cycle of `up_i` takes over what was first advertised; nothing is enough before the cycle
// after it. In each cycle the answers follow from the registers, the limits and the question, and
// `grant_i` counts the packet in question from the next cycle on. While `up_i` is low all is forgotten.
module hub_credit #(
  parameter int unsigned BubbleTlps = 2,
  localparam int unsigned HdrWidth = 8,   // fields of InitFC and UpdateFC
  localparam int unsigned DataWidth = 12,
  localparam int unsigned UnitsWidth = 9  // 256 units of 16 bytes, the largest payload there is
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // From the hard block.
  input  logic                  up_i,            // flow control is initialised
  input  logic [HdrWidth-1:0]   hdr_limit_i,     // headers, cumulative
  input  logic [DataWidth-1:0]  data_limit_i,    // units of 16 bytes, cumulative
  input  logic                  hdr_infinite_i,
  input  logic                  data_infinite_i,

  // One packet.
  input  logic [UnitsWidth-1:0] units_i,         // its data
  output logic                  enough_o,        // it may be granted
  input  logic                  grant_i,         // it is granted; only while enough_o

  // A packet that enters a ring leaves room for others.
  input  logic [UnitsWidth-1:0] largest_units_i, // data of the largest packet
  output logic                  enough_for_o     // for BubbleTlps of the largest, or all is free
);

  if (BubbleTlps < 1 || BubbleTlps > 16) begin : g_bad_bubble_tlps
    $error("hub_credit: BubbleTlps: expected 1 to 16");
  end

  localparam int unsigned WantedWidth = UnitsWidth + 5; // of BubbleTlps * largest_units_i

  logic                   started_q; // the registers below count for this link
  logic [HdrWidth-1:0]    hdr_first_d, hdr_first_q, hdr_granted_d, hdr_granted_q, hdr_free;
  logic [DataWidth-1:0]   data_first_d, data_first_q, data_granted_d, data_granted_q, data_free;
  logic [WantedWidth-1:0] wanted;
  logic                   hdr_all, data_all; // free as at first: there will never be more

  always_comb begin
    hdr_free = hdr_limit_i - hdr_granted_q;
    data_free = data_limit_i - data_granted_q;
    hdr_all = hdr_infinite_i || hdr_free == hdr_first_q;
    data_all = data_infinite_i || data_free == data_first_q;
    wanted = WantedWidth'(BubbleTlps) * WantedWidth'(largest_units_i);
  end

  assign enough_o = up_i && started_q && (hdr_infinite_i || hdr_free != '0) &&
                    (data_infinite_i || data_free >= DataWidth'(units_i));
  assign enough_for_o = up_i && started_q &&
                        (((hdr_infinite_i || hdr_free >= HdrWidth'(BubbleTlps)) &&
                          (data_infinite_i || WantedWidth'(data_free) >= wanted)) ||
                         (hdr_all && data_all));

  always_comb begin
    hdr_first_d = started_q ? hdr_first_q : hdr_limit_i;
    data_first_d = started_q ? data_first_q : data_limit_i;
    hdr_granted_d = hdr_granted_q;
    data_granted_d = data_granted_q;
    if (!started_q) begin
      hdr_granted_d = '0;
      data_granted_d = '0;
    end else if (grant_i) begin
      hdr_granted_d = hdr_granted_q + 1'b1;
      data_granted_d = data_granted_q + DataWidth'(units_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q      <= 1'b0;
      hdr_first_q    <= '0;
      data_first_q   <= '0;
      hdr_granted_q  <= '0;
      data_granted_q <= '0;
    end else begin
      started_q      <= up_i;
      hdr_first_q    <= hdr_first_d;
      data_first_q   <= data_first_d;
      hdr_granted_q  <= hdr_granted_d;
      data_granted_q <= data_granted_d;
    end
  end

`ifndef SYNTHESIS
  // The limits of the cycle before: they only grow, by at most what may be free.
  logic [HdrWidth-1:0]  hdr_limit_q, hdr_more;
  logic [DataWidth-1:0] data_limit_q, data_more;
  logic                 hdr_infinite_q, data_infinite_q;

  always_ff @(posedge clk_i) begin
    hdr_limit_q     <= hdr_limit_i;
    data_limit_q    <= data_limit_i;
    hdr_infinite_q  <= hdr_infinite_i;
    data_infinite_q <= data_infinite_i;
  end

  always_comb begin
    hdr_more = hdr_limit_i - hdr_limit_q;
    data_more = data_limit_i - data_limit_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && up_i) begin
      user_grants_what_fits:       assert (!grant_i || enough_o);
      user_headers_within_half:    assert (hdr_infinite_i || !started_q || !hdr_free[HdrWidth-1]);
      user_data_within_half:       assert (data_infinite_i || !started_q || !data_free[DataWidth-1]);
      user_first_headers_in_half:  assert (hdr_infinite_i || started_q || !hdr_limit_i[HdrWidth-1]);
      user_first_data_in_half:     assert (data_infinite_i || started_q || !data_limit_i[DataWidth-1]);
      user_header_limit_grows:     assert (hdr_infinite_i || !started_q || !hdr_more[HdrWidth-1]);
      user_data_limit_grows:       assert (data_infinite_i || !started_q || !data_more[DataWidth-1]);
      user_infinite_stays:         assert (!started_q || (hdr_infinite_i == hdr_infinite_q &&
                                                          data_infinite_i == data_infinite_q));
    end
  end
`endif
`ifdef FORMAL
  hub_credit_proof #(
    .BubbleTlps(BubbleTlps), .HdrWidth(HdrWidth), .DataWidth(DataWidth), .UnitsWidth(UnitsWidth)
  ) u_proof (
    .clk_i, .rst_ni, .up_i, .hdr_limit_i, .data_limit_i, .hdr_infinite_i, .data_infinite_i, .units_i,
    .enough_i(enough_o), .grant_i, .largest_units_i, .enough_for_i(enough_for_o),
    .started_i(started_q), .hdr_granted_i(hdr_granted_q), .data_granted_i(data_granted_q),
    .hdr_first_i(hdr_first_q), .data_first_i(data_first_q)
  );
`endif

endmodule
