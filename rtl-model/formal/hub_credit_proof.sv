// What hub_credit must do, seen from inside of it.
//
// The proof keeps what is free as a number of its own, which grows by what a limit grows and shrinks by
// what is granted. That it never wraps is proved, too, so it is what it would be without any modulo.
module hub_credit_proof #(
  parameter int unsigned BubbleTlps = 2,
  parameter int unsigned HdrWidth = 8,
  parameter int unsigned DataWidth = 12,
  parameter int unsigned UnitsWidth = 9
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  up_i,
  input logic [HdrWidth-1:0]   hdr_limit_i,
  input logic [DataWidth-1:0]  data_limit_i,
  input logic                  hdr_infinite_i,
  input logic                  data_infinite_i,
  input logic [UnitsWidth-1:0] units_i,
  input logic                  enough_i,
  input logic                  grant_i,
  input logic [UnitsWidth-1:0] largest_units_i,
  input logic                  enough_for_i,
  input logic                  started_i,
  input logic [HdrWidth-1:0]   hdr_granted_i,
  input logic [DataWidth-1:0]  data_granted_i,
  input logic [HdrWidth-1:0]   hdr_first_i,
  input logic [DataWidth-1:0]  data_first_i
);

  logic                 started_q;
  logic [HdrWidth-1:0]  hdr_limit_q, hdr_more;
  logic [DataWidth-1:0] data_limit_q, data_more;
  logic [HdrWidth-1:0]  hdr_free, hdr_left_q, hdr_first_q;    // free now, left by the cycle before
  logic [DataWidth-1:0] data_free, data_left_q, data_first_q;
  logic [HdrWidth-1:0]  hdr_now, hdr_over;                    // modulo: now, and as 2.6.1.2 compares
  logic [DataWidth-1:0] data_now, data_over;
  logic                 bubble, all_free;

  always_comb begin
    hdr_more = hdr_limit_i - hdr_limit_q;
    data_more = data_limit_i - data_limit_q;
    hdr_free = hdr_left_q + hdr_more;
    data_free = data_left_q + data_more;
    hdr_now = hdr_limit_i - hdr_granted_i;
    data_now = data_limit_i - data_granted_i;
    hdr_over = hdr_limit_i - (hdr_granted_i + 1'b1);
    data_over = data_limit_i - (data_granted_i + DataWidth'(units_i));
    bubble = (hdr_infinite_i || 32'(hdr_free) >= BubbleTlps) &&
             (data_infinite_i || 32'(data_free) >= BubbleTlps * 32'(largest_units_i));
    all_free = (hdr_infinite_i || hdr_free == hdr_first_q) &&
               (data_infinite_i || data_free == data_first_q);
  end

  always_ff @(posedge clk_i) begin
    hdr_limit_q  <= hdr_limit_i;
    data_limit_q <= data_limit_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q    <= 1'b0;
      hdr_left_q   <= '0;
      data_left_q  <= '0;
      hdr_first_q  <= '0;
      data_first_q <= '0;
    end else begin
      started_q    <= up_i;
      if (!started_q) begin
        hdr_left_q   <= hdr_limit_i;
        data_left_q  <= data_limit_i;
        hdr_first_q  <= hdr_limit_i;
        data_first_q <= data_limit_i;
      end else begin
        hdr_left_q   <= hdr_free - HdrWidth'(grant_i);
        data_left_q  <= data_free - (grant_i ? DataWidth'(units_i) : '0);
      end
    end
  end

  initial assume (!rst_ni);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      nothing_while_down:   assert ((up_i && started_q) || (!enough_i && !enough_for_i));
      starts_after_up:      assert (started_i == started_q);
    end
    if (rst_ni && up_i && started_q) begin
      headers_within_limit: assert (hdr_infinite_i || !grant_i || hdr_free >= 1);
      data_within_limit:    assert (data_infinite_i || !grant_i || data_free >= DataWidth'(units_i));
      enough_is_right:      assert (enough_i == ((hdr_infinite_i || hdr_free >= 1) &&
                                                 (data_infinite_i || data_free >= DataWidth'(units_i))));
      compares_as_2_6_1_2:  assert (enough_i == ((hdr_infinite_i || hdr_over <= HdrWidth'(128)) &&
                                                 (data_infinite_i || data_over <= DataWidth'(2048))));
      enough_for_is_right:  assert (enough_for_i == (bubble || all_free));
      free_never_wraps:     assert ((hdr_infinite_i || (hdr_free >= hdr_left_q && hdr_free < HdrWidth'(128))) &&
                                    (data_infinite_i || (data_free >= data_left_q && data_free < DataWidth'(2048))));
      // What makes the above hold in each later cycle.
      hdr_modulo_is_free:   assert (hdr_infinite_i || hdr_now == hdr_free);
      data_modulo_is_free:  assert (data_infinite_i || data_now == data_free);
      first_is_kept:        assert (hdr_first_q == hdr_first_i && data_first_q == data_first_i);
    end
  end

endmodule
