// The outputs: each that is free grants one source, whose packet keeps output and source busy for its
// beats, and with data for GapCycles more.
//
// What is granted at an edge follows from the inputs before it. The header is on the output from that
// edge on, and beat k of its data from k + 1 edges later on. `accept_i` has classes of packets that
// the output takes from a source whose packets go straight on, `enter_i` those from all others. What
// has to act on a beat at its edge takes it from `next_o`, one cycle before it is on the output. Where
// a source never goes by an output (`reach_i`), there is nothing between them.
module hub_crossbar #(
  parameter int unsigned Outputs = 6,
  parameter int unsigned Sources = 21,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned Classes = 3,
  localparam int unsigned BeatsWidth = 9,
  localparam int unsigned OutWidth = $clog2(Outputs),
  localparam int unsigned SourceWidth = $clog2(Sources),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic [Sources-1:0]             valid_i, // a head that may be granted but for its output
  input  logic [Sources*OutWidth-1:0]    out_i,
  input  logic [Sources*2-1:0]           class_i,
  input  logic [Sources*BeatsWidth-1:0]  beats_i, // of data
  input  logic [Sources*128-1:0]         header_i,
  input  logic [Sources*BusWidth-1:0]    data_i,  // the next beat of the packet that was granted
  output logic [Sources-1:0]             grant_o,
  output logic [Sources-1:0]             read_o,  // takes that beat

  input  logic [Outputs*Sources-1:0]     reach_i,    // has packets of this source; constant
  input  logic [Outputs*Sources-1:0]     straight_i, // from this source; constant
  input  logic [Outputs*Classes-1:0]     accept_i,
  input  logic [Outputs*Classes-1:0]     enter_i,
  output logic [Outputs-1:0]             valid_o,
  output logic [Outputs-1:0]             sop_o,
  output logic [Outputs*BusWidth-1:0]    data_o,
  output logic [Outputs*SourceWidth-1:0] source_o, // where the packet came from
  output logic [Outputs-1:0]             free_o,   // may grant at the coming edge
  output logic [Outputs-1:0]             next_valid_o, // a beat of data at the coming edge
  output logic [Outputs*BusWidth-1:0]    next_o
);

  if (Classes < 3 || Classes > 4) begin : g_bad_classes
    $error("hub_crossbar: Classes: expected 3 or 4");
  end
  if (GapCycles > 16) begin : g_bad_gap_cycles
    $error("hub_crossbar: GapCycles: expected 0 to 16");
  end

  localparam int unsigned BusyWidth = BeatsWidth + 1;

  logic [Outputs*Sources-1:0] grants, reads; // by output
  logic [Outputs*Sources-1:0] busies;        // sources that it reads
  logic [Sources-1:0]         busy;

  always_comb begin
    grant_o = '0;
    read_o = '0;
    busy = '0;
    for (int unsigned o = 0; o < Outputs; o++) begin
      grant_o = grant_o | grants[o*Sources +: Sources];
      read_o = read_o | reads[o*Sources +: Sources];
      busy = busy | busies[o*Sources +: Sources];
    end
  end

`ifdef FORMAL
  logic [Outputs*BusyWidth-1:0] edges; // until an output is free
`endif

  for (genvar o = 0; o < Outputs; o++) begin : g_output
    logic [Sources-1:0]     reach, ready, grant;
    logic [SourceWidth-1:0] source, source_d, source_q;
    logic [Sources-1:0]     served_q; // that source, as one bit
    logic [BusyWidth-1:0]   busy_d, busy_q; // edges until it is free
    logic                   valid_q, sop_q;
    logic                   is_free, reading;
    logic [BusWidth-1:0]    header, data, word_q;
    logic [BeatsWidth-1:0]  beats;

    assign reach = reach_i[o*Sources +: Sources];
    assign is_free = busy_q == '0;
    assign reading = 32'(busy_q) > GapCycles;

    always_comb begin
      ready = '0;
      for (int unsigned s = 0; s < Sources; s++) begin
        for (int unsigned c = 0; c < Classes; c++) begin
          if (class_i[s*2 +: 2] == 2'(c)) begin
            ready[s] = straight_i[o*Sources+s] ? accept_i[o*Classes+c] : enter_i[o*Classes+c];
          end
        end
        ready[s] = ready[s] && reach[s] && is_free && valid_i[s] && !busy[s] &&
                   out_i[s*OutWidth +: OutWidth] == OutWidth'(o);
      end
    end

    hub_arbiter #(.Sources(Sources)) u_arbiter (
      .clk_i, .rst_ni, .ready_i(ready), .accept_i(ready != '0), .grant_o(grant), .source_o(source)
    );

    always_comb begin
      header = '0;
      beats = '0;
      data = '0;
      for (int unsigned s = 0; s < Sources; s++) begin
        if (reach[s] && grant[s]) begin
          header = header | BusWidth'(header_i[s*128 +: 128]);
          beats = beats | beats_i[s*BeatsWidth +: BeatsWidth];
        end
        if (reach[s] && served_q[s]) data = data | data_i[s*BusWidth +: BusWidth];
      end
    end

    always_comb begin
      source_d = source_q;
      busy_d = is_free ? '0 : busy_q - 1'b1;
      if (grant != '0) begin
        source_d = source;
        busy_d = beats == '0 ? '0 : BusyWidth'(beats) + BusyWidth'(GapCycles);
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        source_q <= '0;
        served_q <= '0;
        busy_q   <= '0;
        valid_q  <= 1'b0;
        sop_q    <= 1'b0;
      end else begin
        source_q <= source_d;
        if (grant != '0) served_q <= grant;
        busy_q   <= busy_d;
        valid_q  <= grant != '0 || reading;
        sop_q    <= grant != '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (grant != '0)  word_q <= header;
      else if (reading) word_q <= data;
    end

    assign grants[o*Sources +: Sources] = grant;
    assign reads[o*Sources +: Sources] = reading ? served_q : '0;
    assign busies[o*Sources +: Sources] = is_free ? '0 : served_q;
    assign free_o[o] = is_free;
    assign next_valid_o[o] = reading;
    assign next_o[o*BusWidth +: BusWidth] = data;
    assign valid_o[o] = valid_q;
    assign sop_o[o] = sop_q;
    assign data_o[o*BusWidth +: BusWidth] = word_q;
    assign source_o[o*SourceWidth +: SourceWidth] = source_q;
`ifdef FORMAL
    assign edges[o*BusyWidth +: BusyWidth] = busy_q;
`endif
  end

`ifndef SYNTHESIS
  logic [Sources-1:0] strays;
  always_comb begin
    for (int unsigned s = 0; s < Sources; s++) begin
      strays[s] = valid_i[s];
      for (int unsigned o = 0; o < Outputs; o++) begin
        if (reach_i[o*Sources+s] && out_i[s*OutWidth +: OutWidth] == OutWidth'(o)) strays[s] = 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_reaches_its_output: assert (strays == '0);
    end
  end
`endif
`ifdef FORMAL
  hub_crossbar_proof #(
    .Outputs(Outputs), .Sources(Sources), .BusBytes(BusBytes), .GapCycles(GapCycles), .Classes(Classes)
  ) u_proof (
    .clk_i, .rst_ni, .valid_i, .out_i, .class_i, .beats_i, .header_i, .data_i, .grant_i(grant_o),
    .read_i(read_o), .reach_i, .straight_i, .accept_i, .enter_i, .valid_out_i(valid_o), .sop_i(sop_o),
    .data_out_i(data_o), .source_i(source_o), .busies_i(busies), .busy_i(edges)
  );
`endif

endmodule
