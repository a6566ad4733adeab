// What the core does inside, for observers: an event goes to the library at the edge at which it
// happens. Kinds are those of enum model_event_kind, which says what the values are. No part of the
// core: its modules get them by `bind`, and they are never synthesised.
module hub_event #(
  parameter int unsigned Kind = 0
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic [31:0]  where_i, // a port or a channel
  input logic [31:0]  value_i,
  input logic [31:0]  count_i,
  input logic [63:0]  long_i,
  input logic [127:0] header_i
);

  import "DPI-C" function void hub_event_seen(
    input int unsigned kind, input int unsigned where_at, input int unsigned value,
    input int unsigned count, input longint unsigned long_value, input bit [127:0] header
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni && valid_i) hub_event_seen(Kind, where_i, value_i, count_i, long_i, header_i);
  end

endmodule
