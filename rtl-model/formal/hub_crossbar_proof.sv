// What hub_crossbar must do, seen from its ports: packets are whole.
//
// One output stands for all, and another one beside it. What each has to show follows from the headers
// that it shows and from what the sources had at the edge before.
module hub_crossbar_proof #(
  parameter int unsigned Outputs = 6,
  parameter int unsigned Sources = 21,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned Classes = 3,
  localparam int unsigned BeatsWidth = 9,
  localparam int unsigned BusyWidth = BeatsWidth + 1,
  localparam int unsigned OutWidth = $clog2(Outputs),
  localparam int unsigned SourceWidth = $clog2(Sources),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic [Sources-1:0]             valid_i,
  input logic [Sources*OutWidth-1:0]    out_i,
  input logic [Sources*2-1:0]           class_i,
  input logic [Sources*BeatsWidth-1:0]  beats_i,
  input logic [Sources*128-1:0]         header_i,
  input logic [Sources*BusWidth-1:0]    data_i,
  input logic [Sources-1:0]             grant_i,
  input logic [Sources-1:0]             read_i,
  input logic [Outputs*Sources-1:0]     reach_i,
  input logic [Outputs*Sources-1:0]     straight_i,
  input logic [Outputs*Classes-1:0]     accept_i,
  input logic [Outputs*Classes-1:0]     enter_i,
  input logic [Outputs-1:0]             valid_out_i,
  input logic [Outputs-1:0]             sop_i,
  input logic [Outputs*BusWidth-1:0]    data_out_i,
  input logic [Outputs*SourceWidth-1:0] source_i,
  input logic [Outputs*Sources-1:0]     busies_i, // inside: sources that an output reads,
  input logic [Outputs*BusyWidth-1:0]   busy_i    // and edges until it is free
);

  (* anyconst *) logic [OutWidth-1:0] watched, other;
  (* anyconst *) logic [SourceWidth-1:0] from;

  // At the edge before.
  logic [Sources-1:0]            valid_q, grant_q, read_q, straight_q;
  logic [Sources*OutWidth-1:0]   out_q;
  logic [Outputs*Sources-1:0]    reach_q;
  logic [Sources*2-1:0]          class_q;
  logic [Sources*BeatsWidth-1:0] beats_q;
  logic [Sources*128-1:0]        header_q;
  logic [Sources*BusWidth-1:0]   data_q;
  logic [Classes-1:0]            accept_q, enter_q; // by which the watched output takes

  logic                          valid, sop;
  logic [BusWidth-1:0]           shown;
  logic [SourceWidth-1:0]        source, other_source, source_q;
  logic [BeatsWidth-1:0]         beats, left_d, left_q; // beats of data still to come
  logic [4:0]                    gap_d, gap_q;          // edges behind them
  logic [Sources-1:0]            reads, other_reads;    // inside: sources that they read
  logic [BusyWidth-1:0]          busy, other_busy;
  logic [2:0]                    heads;                 // outputs that show a header of `from`
  logic [1:0]                    of_class;
  logic                          taken, is_read, classes_are_there;

  assign valid = valid_out_i[watched];
  assign sop = sop_i[watched];
  assign shown = data_out_i[32'(watched)*BusWidth +: BusWidth];
  assign source = source_i[32'(watched)*SourceWidth +: SourceWidth];
  assign other_source = source_i[32'(other)*SourceWidth +: SourceWidth];
  assign reads = busies_i[32'(watched)*Sources +: Sources];
  assign other_reads = busies_i[32'(other)*Sources +: Sources];
  assign busy = busy_i[32'(watched)*BusyWidth +: BusyWidth];
  assign other_busy = busy_i[32'(other)*BusyWidth +: BusyWidth];
  assign beats = beats_q[32'(source)*BeatsWidth +: BeatsWidth];
  assign of_class = class_q[32'(source)*2 +: 2];
  assign taken = straight_q[source] ? accept_q[of_class] : enter_q[of_class];

  always_comb begin
    heads = '0;
    is_read = 1'b0;
    classes_are_there = 1'b1;
    for (int unsigned s = 0; s < Sources; s++) classes_are_there = classes_are_there && class_i[s*2 +: 2] != 2'd3;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (busies_i[o*Sources + 32'(from)]) is_read = 1'b1;
      if (valid_out_i[o] && sop_i[o] && source_i[o*SourceWidth +: SourceWidth] == from) heads = heads + 3'd1;
    end
  end

  always_comb begin
    left_d = left_q;
    gap_d = gap_q;
    if (valid && sop) begin
      left_d = beats;
      gap_d = beats == '0 ? 5'd0 : 5'(GapCycles);
    end else if (left_q != '0) begin
      left_d = left_q - 1'b1;
    end else if (gap_q != '0) begin
      gap_d = gap_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q    <= valid_i;
    out_q      <= out_i;
    reach_q    <= reach_i;
    class_q    <= class_i;
    beats_q    <= beats_i;
    header_q   <= header_i;
    data_q     <= data_i;
    straight_q <= straight_i[32'(watched)*Sources +: Sources];
    accept_q   <= accept_i[32'(watched)*Classes +: Classes];
    enter_q    <= enter_i[32'(watched)*Classes +: Classes];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grant_q  <= '0;
      read_q   <= '0;
      left_q   <= '0;
      gap_q    <= '0;
      source_q <= '0;
    end else begin
      grant_q  <= grant_i;
      read_q   <= read_i;
      left_q   <= left_d;
      gap_q    <= gap_d;
      source_q <= source;
    end
  end

  initial assume (!rst_ni);
  always_comb assume (32'(watched) < Outputs && 32'(other) < Outputs && watched != other && 32'(from) < Sources);
  always_comb assume (Classes == 4 || classes_are_there);
  always_ff @(posedge clk_i) if (rst_ni) assume (reach_i == reach_q);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A header, its beats without a gap, then the idle cycles.
      beats_follow:         assert (left_q == '0 || (valid && !sop));
      of_one_source:        assert (left_q == '0 || source == source_q);
      data_of_its_source:   assert (left_q == '0 || shown == data_q[32'(source)*BusWidth +: BusWidth]);
      source_moves_on:      assert (left_q == '0 || read_q[source]);
      idle_behind_them:     assert (left_q != '0 || gap_q == '0 || !valid);
      begins_with_header:   assert (!valid || sop || left_q != '0);
      // A header is of a source that was granted, wanted this output, and was accepted.
      header_of_its_source: assert (!(valid && sop) || shown[127:0] == header_q[32'(source)*128 +: 128]);
      source_was_granted:   assert (!(valid && sop) || (grant_q[source] && valid_q[source]));
      wanted_this_output:   assert (!(valid && sop) || out_q[32'(source)*OutWidth +: OutWidth] == watched);
      was_accepted:         assert (!(valid && sop) || taken);
      granted_to_one:       assert (heads == 3'(grant_q[from]));
      // No two outputs read one source.
      source_is_of_one:     assert ((reads & other_reads) == '0);
      read_by_an_output:    assert (!read_i[from] || is_read);
      // What makes the above hold in each later cycle.
      busy_for_the_rest:    assert (busy == BusyWidth'(left_d) + BusyWidth'(gap_d));
      gap_is_whole_before:  assert (32'(gap_d) <= GapCycles && (left_d == '0 || 32'(gap_d) == GapCycles));
      header_is_shown_once: assert (!sop || valid);
      other_is_like_it:     assert (other_reads == (other_busy == '0 ? '0 : Sources'(1) << other_source));
      reaches_its_source:   assert (busy == '0 || reach_i[32'(watched)*Sources + 32'(source)]);
      reads_its_source:     assert (reads == (busy == '0 ? '0 : Sources'(1) << source));
    end
  end

endmodule
