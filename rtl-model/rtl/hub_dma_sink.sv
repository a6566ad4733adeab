// SINK: completions of port N on their way to the channels, beat by beat.
//
// A completion whose header comes out of the crossbar at edge g is shown in the cycle before edge
// g + CompletionCycles - 1, and what it changes is there for the edge behind that. Its beats of data
// follow one cycle after the other.
module hub_dma_sink #(
  parameter int unsigned BusBytes = 16,
  parameter int unsigned CompletionCycles = 4,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // From the crossbar.
  input  logic                valid_i,
  input  logic                sop_i,
  input  logic                host_i, // the packet came by port N
  input  logic [15:0]         id_i,   // N's, as it was at the grant
  input  logic [BusWidth-1:0] data_i,

  // To the channels.
  output logic                valid_o,      // a header
  output logic [127:0]        header_o,
  output logic                own_o,        // the requester is N
  output logic [7:0]          tag_o,
  output logic [2:0]          status_o,     // 0: Successful Completion; 4: Completer Abort
  output logic                has_data_o,
  output logic                poisoned_o,
  output logic [10:0]         dwords_o,
  output logic [12:0]         byte_count_o, // what is missing, with these bytes
  output logic [6:0]          lower_addr_o,
  output logic                beat_o,       // of data, on data_o
  output logic [BusWidth-1:0] data_o
);

  if (CompletionCycles < 2) begin : g_bad_completion_cycles
    $error("hub_dma_sink: CompletionCycles: expected at least 2");
  end

  localparam int unsigned Stages = CompletionCycles > 2 ? CompletionCycles - 2 : 0;
  localparam int unsigned Width = BusWidth + 3;

  logic first, more, own;

  assign own = {data_i[71:64], data_i[79:72]} == id_i;
  if (Stages == 0) begin : g_no_stages
    assign {first, more, own_o, data_o} = {valid_i && host_i && sop_i, valid_i && host_i && !sop_i, own, data_i};
    logic unused_clock;
    assign unused_clock = clk_i && rst_ni;
  end else begin : g_stages
    logic [Stages*Width-1:0] stages_d, stages_q;

    assign stages_d = (Stages*Width)'({stages_q, valid_i && host_i && sop_i,
                                       valid_i && host_i && !sop_i, own, data_i});
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) stages_q <= '0;
      else         stages_q <= stages_d;
    end
    assign {first, more, own_o, data_o} = stages_q[(Stages-1)*Width +: Width];
  end

  assign valid_o = first;
  assign beat_o = more;
  assign header_o = data_o[127:0];
  assign tag_o = data_o[87:80];
  assign status_o = data_o[55:53];
  assign has_data_o = data_o[6];
  assign poisoned_o = data_o[22];
  assign dwords_o = {{data_o[17:16], data_o[31:24]} == '0, data_o[17:16], data_o[31:24]};
  assign byte_count_o = {{data_o[51:48], data_o[63:56]} == '0, data_o[51:48], data_o[63:56]};
  assign lower_addr_o = data_o[94:88];

endmodule
