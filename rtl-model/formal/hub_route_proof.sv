// What hub_route must do: the rule of docs/hub-spec.md, "Receive and route", said without its gates.
//
// One pair stands for all: what is proved of it holds for any. Nothing is stored, so each cycle stands
// for itself.
module hub_route_proof #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned Port = 0,
  parameter int unsigned Partner = 15,
  parameter int unsigned Vc1 = 0,
  localparam int unsigned OutWidth = $clog2(Ports + 2)
) (
  input logic [127:0]              header_i,
  input logic                      hit_i,
  input logic                      channel_i,
  input logic [5:0]                window_log2_i,
  input logic [5:0]                part_log2_i,
  input logic [3*64-1:0]           area_base_i,
  input logic [Ports*Pairs*64-1:0] lower_i,
  input logic [Ports*Pairs*64-1:0] upper_i,
  input logic [Ports*3-1:0]        mps_i,
  input logic [Ports-1:0]          vc1_i,
  input logic [Ports-1:0]          date_line_i,
  input logic [OutWidth-1:0]       out_i,
  input logic [127:0]              header_out_i
);

  localparam logic [OutWidth-1:0] Sink = OutWidth'(Ports);
  localparam logic [OutWidth-1:0] Self = OutWidth'(Ports + 1);

  (* anyconst *) logic [7:0] port, pair; // of that pair

  // Header bytes as PCI Express Base 2.2 counts them, and what they say.
  function automatic logic [7:0] byte_of(input logic [127:0] header, input int unsigned i);
    byte_of = header[i*8 +: 8];
  endfunction
  function automatic logic [63:0] address_of(input logic [127:0] header);
    address_of = {32'h0, byte_of(header, 8), byte_of(header, 9), byte_of(header, 10), byte_of(header, 11)};
    if (header[5]) begin
      address_of = {byte_of(header, 8), byte_of(header, 9), byte_of(header, 10), byte_of(header, 11),
                    byte_of(header, 12), byte_of(header, 13), byte_of(header, 14), byte_of(header, 15)};
    end
    address_of[1:0] = 2'b00;
  endfunction

  // Below a power of two. The solver finds its way if this is written as in the module.
  function automatic logic [63:0] low_bits(input logic [63:0] value, input logic [5:0] bits);
    low_bits = value & ~({64{1'b1}} << bits);
  endfunction

  logic [63:0] address, offset, in_part, in_area, base, leaves;
  logic        is_write, is_completion, is_match, some_match, hub_area, closed, too_large, to_port, second, payloads;
  logic [10:0] dwords, largest;
  logic [1:0]  area;
  logic [OutWidth-1:0] first; // port with a pair that matches

  // The pair that is followed, and the port that the offset is for.
  always_comb begin
    is_match = 1'b0;
    some_match = 1'b0;
    first = Self;
    for (int unsigned p = Ports; p > 0; p--) begin
      for (int unsigned k = 0; k < Pairs; k++) begin
        if (!(offset < lower_i[((p-1)*Pairs+k)*64 +: 64]) && !(offset > upper_i[((p-1)*Pairs+k)*64 +: 64])) begin
          some_match = 1'b1;
          first = OutWidth'(p - 1);
          if (port == 8'(p - 1) && pair == 8'(k)) is_match = 1'b1;
        end
      end
    end
  end

  always_comb begin
    address = address_of(header_i);
    offset = Port == 0 ? low_bits(address, window_log2_i) : address - 64'h100_0000_0000;
    in_part = low_bits(offset, part_log2_i);
    in_area = low_bits(in_part, part_log2_i - 6'd2);
    area = 2'(in_part >> (part_log2_i - 6'd2));
    hub_area = area == 2'd3;
    base = area == 2'd0 ? area_base_i[63:0] : area == 2'd1 ? area_base_i[127:64] : area_base_i[191:128];
    is_write = (byte_of(header_i, 0) & 8'h5f) == 8'h40;
    is_completion = (byte_of(header_i, 0) & 8'h1f) == 8'h0a;
    dwords = {1'b0, header_i[17:16], header_i[31:24]};
    if (dwords == '0) dwords = 11'd1024;
    largest = '0;
    payloads = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      payloads = payloads && mps_i[p*3 +: 3] <= 3'd5;
      if (first == OutWidth'(p)) largest = 11'd32 << mps_i[p*3 +: 3];
    end
    second = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (first == OutWidth'(p) && vc1_i[p]) second = date_line_i[p] || (p == Partner && channel_i);
    end
    too_large = dwords > largest;
    closed = first == '0 && (hub_area || base == '0);
    to_port = is_write && hit_i && some_match && first != OutWidth'(Port) && !closed && !too_large;
    leaves = first == '0 ? base + in_area : (64'd1 << 40) + offset;
    leaves[1:0] = 2'b00;
  end

  // Powers of two that are there, and payloads up to 4096 bytes.
  always_comb assume (part_log2_i >= 6'd4 && part_log2_i <= window_log2_i);
  always_comb assume (payloads);
  always_comb assume (area_base_i[1:0] == 2'b00 && area_base_i[65:64] == 2'b00 && area_base_i[129:128] == 2'b00);

  always_comb begin
    completion_to_sink:   assert (!is_completion || out_i == Sink);
    others_to_self:       assert (is_completion || is_write || out_i == Self);
    unclaimed_to_self:    assert (is_completion || hit_i || out_i == Self);
    first_match_counts:   assert (!is_match || !to_port || 8'(out_i) <= port);
    port_has_a_match:     assert (out_i >= Sink || (some_match && out_i == first));
    write_goes_there:     assert (to_port == (out_i < Sink));
    never_turns_back:     assert (out_i != OutWidth'(Port));
    address_is_moved:     assert (!to_port || address_of(header_out_i) == leaves);
    short_below_4_gib:    assert (!to_port || header_out_i[5] == (leaves[63:32] != '0));
    refused_is_marked:    assert (header_out_i[15] == (header_i[4:0] == 5'b00000 &&
                                  (!hit_i || (is_write && !to_port && !(first == '0 && hub_area)))));
    rest_stays:           assert ({header_out_i[63:16], header_out_i[11:6], header_out_i[4:0]} ==
                                  {header_i[63:16], header_i[11:6], header_i[4:0]});
    nothing_moves_at_end: assert (to_port || {header_out_i[127:16], header_out_i[14:0]} ==
                                             {header_i[127:16], header_i[14:0]});
    // Traffic Class
    class_stays:          assert ((to_port && Vc1 != 0 && vc1_i != '0) ||
                                  header_out_i[14:12] == header_i[14:12]);
    class_is_channel:     assert (!to_port || Vc1 == 0 || vc1_i == '0 ||
                                  header_out_i[14:12] == {2'b00, second});
  end
endmodule
