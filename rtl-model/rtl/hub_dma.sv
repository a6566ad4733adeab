// The DMA channels of the hub, with SINK and the channels' port of internal RAM.
//
// What is on an input before edge n counts for it. Registers change by the beats that SELF decodes and
// are shown as they are behind the last edge; `dma_irq_o` has the bits of the lists that end at the coming
// one. Errors are shown in the cycle before the edge at which a channel, or none, acts on a completion.
//
// Sources toward the crossbar, from 0 on: the channels' requests, then their writes. A header is shown
// as long as it may be granted, and from the grant on the beats of its data. `mps_i`, `area_base_i` and
// the like hold for the coming edge.
module hub_dma #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned StartCycles = 4,
  parameter int unsigned DecodeCycles = 4,
  parameter int unsigned FetchInternalCycles = 6,
  parameter int unsigned FetchHostCycles = 4,
  parameter int unsigned Prefetch = 4,
  parameter int unsigned ReadTags = 8,
  parameter int unsigned WindowBytes = 0, // in flight, of one channel; 0: only tags count
  parameter int unsigned ReadBytes = 256,
  parameter int unsigned ReadIssueCycles = 6,
  parameter int unsigned CompletionCycles = 4,
  parameter int unsigned TimeoutCycles = 0, // 0: none
  parameter int unsigned StatusRegisterCycles = 8,
  parameter int unsigned StatusHostCycles = 8,
  parameter int unsigned StatusInternalCycles = 8,
  localparam int unsigned Channels = 4, // as HUB_DMA_CHANNELS
  localparam int unsigned Sources = 2 * Channels,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned Areas = 3,
  localparam int unsigned RamWidth = 16,
  localparam int unsigned BeatsWidth = 9,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [63:0]               cycle_i,         // number of the coming edge

  // Straps, the IP of port N, and the IPs of all ports.
  input  logic [5:0]                window_log2_i,
  input  logic [5:0]                part_log2_i,
  input  logic [15:0]               slot_i,
  input  logic [63:0]               bar_base_i,
  input  logic                      cfg_memory_i,
  input  logic [15:0]               cfg_id_i,
  input  logic [2:0]                cfg_mrrs_i,      // 128 << code bytes
  input  logic [Ports*3-1:0]        cfg_mps_i,
  input  logic [Areas*64-1:0]       area_base_i,
  input  logic [Ports*Pairs*64-1:0] route_lower_i,
  input  logic [Ports*Pairs*64-1:0] route_upper_i,

  // Registers: a beat of a write, with whole double words, and one to be read.
  input  logic [23:0]               write_addr_i,    // lane 0's, in the hub's own area
  input  logic [BusWidth-1:0]       write_data_i,
  input  logic [BusBytes/4-1:0]     write_enable_i,
  input  logic [9:3]                dma_read_addr_i, // channel and offset
  output logic [63:0]               dma_read_data_o,
  output logic [31:0]               dma_irq_o,
  output logic                      busy_o,          // a channel is

  // Internal RAM: BusBytes bytes from a double word on, there in the cycle behind the read.
  output logic [RamWidth-1:0]       ram_addr_o,
  input  logic [BusWidth-1:0]       ram_data_i,

  // SINK.
  input  logic                      sink_valid_i,
  input  logic                      sink_sop_i,
  input  logic                      sink_host_i,     // by port N; others are not for channels
  input  logic [15:0]               sink_id_i,       // of N, as it was at the last edge
  input  logic [BusWidth-1:0]       sink_data_i,
  output logic                      err_unexpected_o,
  output logic                      err_poisoned_o,
  output logic                      err_timeout_o,
  output logic                      err_master_abort_o, // bits of the Status register
  output logic                      err_target_abort_o,
  output logic [127:0]              err_header_o,    // the completion's

  // To the crossbar.
  output logic [Sources-1:0]          own_valid_o,
  output logic [Sources*OutWidth-1:0] own_out_o,
  output logic [Sources*2-1:0]        own_class_o,
  output logic [Sources*128-1:0]      own_header_o,
  output logic [Sources*BusWidth-1:0] own_data_o,
  input  logic [Sources-1:0]          own_grant_i,
  input  logic [Sources-1:0]          own_read_i
);

  if (BusBytes != 16 && BusBytes != 32) begin : g_bad_bus_bytes
    $error("hub_dma: BusBytes: expected 16 or 32");
  end

  // ---- SINK ---------------------------------------------------------------------------------------

  logic                cpl_begin, cpl_has_data, cpl_poisoned, cpl_beat, cpl_id;
  logic [127:0]        cpl_header;
  logic [7:0]          cpl_tag;
  logic [2:0]          cpl_status;
  logic [10:0]         cpl_dwords;
  logic [12:0]         cpl_count;
  logic [6:0]          cpl_addr;
  logic [BusWidth-1:0] cpl_data;
  logic [Channels-1:0] answered, late;

  hub_dma_sink #(.BusBytes(BusBytes), .CompletionCycles(CompletionCycles)) u_sink (
    .clk_i, .rst_ni, .valid_i(sink_valid_i), .sop_i(sink_sop_i), .host_i(sink_host_i), .id_i(sink_id_i),
    .data_i(sink_data_i), .valid_o(cpl_begin), .header_o(cpl_header), .own_o(cpl_id),
    .tag_o(cpl_tag), .status_o(cpl_status), .has_data_o(cpl_has_data), .poisoned_o(cpl_poisoned),
    .dwords_o(cpl_dwords), .byte_count_o(cpl_count), .lower_addr_o(cpl_addr), .beat_o(cpl_beat),
    .data_o(cpl_data)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      err_unexpected_o   <= 1'b0;
      err_poisoned_o     <= 1'b0;
      err_timeout_o      <= 1'b0;
      err_master_abort_o <= 1'b0;
      err_target_abort_o <= 1'b0;
    end else begin
      err_unexpected_o   <= cpl_begin && answered == '0;
      err_poisoned_o     <= answered != '0 && cpl_poisoned;
      err_timeout_o      <= late != '0;
      err_target_abort_o <= answered != '0 && cpl_status == 3'd4;
      err_master_abort_o <= answered != '0 && cpl_status != 3'd4 && cpl_status != 3'd0;
    end
  end
  always_ff @(posedge clk_i) err_header_o <= cpl_header;

  // ---- internal RAM ---------------------------------------------------------------------------------

  logic [Channels-1:0]            ram_ask, ram_grant, ram_beat;
  logic [Channels*RamWidth-1:0]   ram_addr;
  logic [Channels*BeatsWidth-1:0] ram_beats;
  logic [BeatsWidth-1:0]          ram_index;

  hub_dma_ram #(.BusBytes(BusBytes), .Channels(Channels)) u_ram (
    .clk_i, .rst_ni, .ask_i(ram_ask), .addr_i(ram_addr), .beats_i(ram_beats), .grant_o(ram_grant),
    .beat_o(ram_beat), .index_o(ram_index), .ram_addr_o
  );

  // ---- channels ---------------------------------------------------------------------------------------

  logic [Channels*64-1:0] read_data;
  logic [Channels*32-1:0] irq;
  logic [Channels-1:0]    busy;

  for (genvar c = 0; c < Channels; c++) begin : g_channel
    localparam int unsigned Write = Channels + c; // its second source

    hub_dma_channel #(
      .Ports(Ports), .Pairs(Pairs), .BusBytes(BusBytes), .GapCycles(GapCycles),
      .OutputCycles(OutputCycles), .StartCycles(StartCycles), .DecodeCycles(DecodeCycles),
      .FetchInternalCycles(FetchInternalCycles), .FetchHostCycles(FetchHostCycles),
      .Prefetch(Prefetch), .ReadTags(ReadTags), .WindowBytes(WindowBytes), .ReadBytes(ReadBytes),
      .ReadIssueCycles(ReadIssueCycles), .TimeoutCycles(TimeoutCycles),
      .StatusRegisterCycles(StatusRegisterCycles), .StatusHostCycles(StatusHostCycles),
      .StatusInternalCycles(StatusInternalCycles)
    ) u_channel (
      .clk_i, .rst_ni, .channel_i(2'(c)), .cycle_i, .window_log2_i, .part_log2_i, .slot_i, .bar_base_i,
      .memory_i(cfg_memory_i), .id_i(cfg_id_i), .mrrs_i(cfg_mrrs_i), .mps_i(cfg_mps_i),
      .area_base_i, .lower_i(route_lower_i), .upper_i(route_upper_i),
      .store_addr_i(write_addr_i), .store_data_i(write_data_i),
      .store_enable_i(write_enable_i), .read_offset_i(dma_read_addr_i[7:3]),
      .read_data_o(read_data[c*64 +: 64]), .irq_o(irq[c*32 +: 32]), .busy_o(busy[c]), .cpl_begin_i(cpl_begin),
      .cpl_id_i(cpl_id), .cpl_tag_i(cpl_tag), .cpl_status_i(cpl_status),
      .cpl_has_data_i(cpl_has_data), .cpl_poisoned_i(cpl_poisoned), .cpl_dwords_i(cpl_dwords),
      .cpl_count_i(cpl_count), .cpl_addr_i(cpl_addr), .cpl_beat_i(cpl_beat), .cpl_data_i(cpl_data),
      .answered_o(answered[c]), .late_o(late[c]), .ram_ask_o(ram_ask[c]),
      .ram_addr_o(ram_addr[c*RamWidth +: RamWidth]),
      .ram_beats_o(ram_beats[c*BeatsWidth +: BeatsWidth]), .ram_grant_i(ram_grant[c]),
      .ram_beat_i(ram_beat[c]), .ram_index_i(ram_index), .ram_data_i,
      .request_valid_o(own_valid_o[c]), .request_header_o(own_header_o[c*128 +: 128]),
      .request_grant_i(own_grant_i[c]), .write_valid_o(own_valid_o[Write]),
      .write_out_o(own_out_o[Write*OutWidth +: OutWidth]),
      .write_header_o(own_header_o[Write*128 +: 128]),
      .write_data_o(own_data_o[Write*BusWidth +: BusWidth]), .write_grant_i(own_grant_i[Write]),
      .write_read_i(own_read_i[Write])
    );
    assign own_out_o[c*OutWidth +: OutWidth] = '0;
    assign own_class_o[c*2 +: 2] = 2'd1;
    assign own_class_o[Write*2 +: 2] = 2'd0;
    assign own_data_o[c*BusWidth +: BusWidth] = '0;
  end

  assign busy_o = busy != '0;
  assign dma_read_data_o = read_data[32'(dma_read_addr_i[9:8])*64 +: 64];

  always_comb begin
    dma_irq_o = '0;
    for (int unsigned c = 0; c < Channels; c++) dma_irq_o = dma_irq_o | irq[c*32 +: 32];
  end

  logic unused_bits; // requests have no data
  assign unused_bits = &own_read_i[Channels-1:0];

endmodule
