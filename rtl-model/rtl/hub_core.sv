// The core of the hub between its ports' hard IPs (docs/hub-spec.md): packets from port to port, what
// ends in the hub, and the DMA channels. The management processor stands beside it.
//
//   rx --> hub_forward --+--> tx: ports
//           ^   ^        +--> SINK (tx, output Ports) --> hub_dma --+--> hub_ram
//           |   |        +--> hub_self --+--> hub_registers, hub_ram|
//           |   +-- hub_join <-----------+                          |
//           +-------------------------------------------------------+
module hub_core #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned ReceiveCycles = 4,
  parameter int unsigned RouteCycles = 5,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned RegisterCycles = 8,
  parameter int unsigned BubbleTlps = 2,
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
  parameter int unsigned TimeoutCycles = 0,
  parameter int unsigned StatusRegisterCycles = 8,
  parameter int unsigned StatusHostCycles = 8,
  parameter int unsigned StatusInternalCycles = 8,
  parameter int unsigned PostedHeaders = 16,
  parameter int unsigned PostedUnits = 64,
  parameter int unsigned NonpostedHeaders = 8,
  parameter int unsigned NonpostedUnits = 8,
  parameter int unsigned CompletionHeaders = 16,
  parameter int unsigned CompletionUnits = 64,
  parameter int unsigned Vc1 = 0, // 0: no port has a virtual channel 1
  parameter int unsigned Vc1Headers = 16,
  parameter int unsigned Vc1Units = 64,
  parameter int unsigned Ddr = 0, // as in hub_forward
  parameter int unsigned DdrTlps = 64,
  parameter int unsigned ChipTlps = 16,
  parameter int unsigned DdrBytes = 32,
  parameter int unsigned DdrCycles = 50,
  parameter int unsigned LargestUnits = 16,
  parameter logic [63:0] Partners = 64'hffff_ab89_6745_f12f,
  // The local queue, places of waiting notifications, and internal RAM: less than this for gates alone.
  parameter int unsigned LocalPackets = 128,
  parameter int unsigned LocalUnits = 1024,
  parameter int unsigned RingWaits = 256,
  parameter int unsigned RamBytes = 65536,
  localparam int unsigned Classes = Vc1 != 0 ? 4 : 3,
  localparam int unsigned DmaSources = 2 * 4, // reads of the channels, then writes
  localparam int unsigned Outputs = Ports + 2,
  localparam int unsigned Sources = Ports * Classes + 1 + DmaSources,
  localparam int unsigned OutWidth = $clog2(Outputs),
  localparam int unsigned SourceWidth = $clog2(Sources),
  localparam int unsigned UnitsWidth = 9,
  localparam int unsigned PlacesWidth = $clog2(DdrTlps + 1),
  localparam int unsigned Lanes = BusBytes / 4,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [63:0]                    cycle_i, // the number of the coming edge

  // Straps.
  input  logic [5:0]                     window_log2_i,
  input  logic [5:0]                     part_log2_i,
  input  logic [15:0]                    slot_i,
  input  logic [15:0]                    subcluster_i,
  input  logic [Ports*Pairs*64-1:0]      route_lower_i,
  input  logic [Ports*Pairs*64-1:0]      route_upper_i,
  input  logic [Ports-1:0]               date_line_i,
  input  logic [Ports*PlacesWidth-1:0]   ddr_places_i,

  // DDR3, a FIFO of beats for each port.
  output logic [Ports-1:0]               ddr_write_o,
  output logic [BusWidth-1:0]            ddr_data_o,
  output logic [Ports-1:0]               ddr_read_o,
  input  logic [Ports*BusWidth-1:0]      ddr_data_i,
  output logic [Ports-1:0]               ddr_free_o,
  output logic [UnitsWidth-1:0]          ddr_free_units_o,

  // The hard IP of each port.
  input  logic [Ports-1:0]               rx_valid_i,
  input  logic [Ports-1:0]               rx_sop_i,
  input  logic [Ports*2-1:0]             rx_class_i,
  input  logic [Ports*BusWidth-1:0]      rx_data_i,
  input  logic [Ports-1:0]               rx_hit_i,
  output logic [Ports*Classes-1:0]       rx_free_o,
  output logic [Ports*Classes*UnitsWidth-1:0] rx_free_units_o,
  input  logic [Ports*Classes-1:0]       tx_ready_i,
  input  logic [Ports*Classes-1:0]       tx_empty_i,
  input  logic [Ports*Classes*8-1:0]     tx_limit_h_i,
  input  logic [Ports*Classes*12-1:0]    tx_limit_d_i,
  input  logic [Ports*Classes*8-1:0]     tx_first_h_i,
  input  logic [Ports*Classes*12-1:0]    tx_first_d_i,
  input  logic [Ports*3-1:0]             cfg_mps_i,
  input  logic [Ports*16-1:0]            cfg_id_i,
  input  logic [Ports-1:0]               cfg_master_i,
  input  logic [Ports-1:0]               cfg_memory_i, // root: the processor has enabled the far side
  input  logic [63:0]                    bar_base_i,   // what follows is of N
  input  logic [2:0]                     cfg_mrrs_i,
  input  logic                           cfg_msi_i,
  input  logic [63:0]                    cfg_msi_addr_i,
  input  logic [31:0]                    cfg_msi_data_i,
  input  logic [Ports-1:0]               link_up_i,
  input  logic [Ports-1:0]               vc1_i,        // the link has a virtual channel 1
  input  logic [Ports*64-1:0]            aer_i,
  output logic [Ports*2-1:0]             aer_write_o,
  output logic [Ports*64-1:0]            aer_data_o,
  output logic                           err_valid_o,
  output logic [OutWidth-1:0]            err_port_o,
  output logic                           err_advisory_o,
  output logic [4:0]                     err_kind_o,
  output logic [127:0]                   err_header_o,

  // The management processor's configuration requests.
  input  logic                           mgmt_valid_i,
  input  logic [OutWidth-1:0]            mgmt_out_i,
  input  logic [127:0]                   mgmt_header_i,
  input  logic [31:0]                    mgmt_data_i,
  output logic                           mgmt_ready_o,

  // Errors that channels see in completions of N, or miss.
  output logic                           dma_unexpected_o,
  output logic                           dma_poisoned_o,
  output logic                           dma_timeout_o,
  output logic                           dma_master_abort_o,
  output logic                           dma_target_abort_o,
  output logic [127:0]                   dma_header_o,

  // Transmit streams: ports, SINK, SELF.
  output logic [Outputs-1:0]             tx_valid_o,
  output logic [Outputs-1:0]             tx_sop_o,
  output logic [Outputs*BusWidth-1:0]    tx_data_o,
  output logic [Outputs*SourceWidth-1:0] tx_source_o,

  // Nothing changes at further edges but by a first beat, or by a request of the management processor.
  output logic                           quiet_o
);

  // What the IP says, as it was before the last edge.
  logic [2:0]          mps_q;
  logic [Ports*16-1:0] id_q;
  logic [Ports-1:0]    link_q;

  always_ff @(posedge clk_i) begin
    mps_q  <= cfg_mps_i[2:0];
    id_q   <= cfg_id_i;
    link_q <= link_up_i & cfg_memory_i;
  end

  logic                   self_room, self_busy, self_free, self_beat, self_sop;
  logic [BusWidth-1:0]    self_data;
  logic [127:0]           self_header;
  logic [SourceWidth-1:0] self_source;
  logic [OutWidth-1:0]    self_port;
  logic                   forward_waits, local_waits, notify_waits, dma_busy;
  logic                   local_valid, local_grant, local_read;
  logic [OutWidth-1:0]    local_out;
  logic [1:0]             local_class;
  logic [127:0]           local_header;
  logic [BusWidth-1:0]    local_data;

  // The DMA channels.
  logic [DmaSources-1:0]          dma_valid, dma_grant, dma_next;
  logic [DmaSources*OutWidth-1:0] dma_out;
  logic [DmaSources*2-1:0]        dma_class;
  logic [DmaSources*128-1:0]      dma_header;
  logic [DmaSources*BusWidth-1:0] dma_data;
  logic [9:3]                     dma_read;
  logic [63:0]                    dma_word;
  logic [31:0]                    dma_irq;
  logic [15:0]                    dma_ram_addr;
  logic [BusWidth-1:0]            dma_ram_data;
  logic [SourceWidth-1:0]         sink_source;
  logic [23:0]                    write_addr; // a beat of a write to registers, its lane 0
  logic [Lanes-1:0]               write_enable;
  logic [3*64-1:0]                area_base;

  assign sink_source = tx_source_o[Ports*SourceWidth +: SourceWidth];

  hub_forward #(
    .Ports(Ports), .Pairs(Pairs), .BusBytes(BusBytes), .GapCycles(GapCycles),
    .ReceiveCycles(ReceiveCycles), .RouteCycles(RouteCycles), .OutputCycles(OutputCycles),
    .BubbleTlps(BubbleTlps), .PostedHeaders(PostedHeaders), .PostedUnits(PostedUnits),
    .NonpostedHeaders(NonpostedHeaders), .NonpostedUnits(NonpostedUnits),
    .CompletionHeaders(CompletionHeaders), .CompletionUnits(CompletionUnits), .Vc1(Vc1),
    .Vc1Headers(Vc1Headers), .Vc1Units(Vc1Units), .Ddr(Ddr), .DdrTlps(DdrTlps), .ChipTlps(ChipTlps),
    .DdrBytes(DdrBytes), .DdrCycles(DdrCycles), .LargestUnits(LargestUnits), .Partners(Partners)
  ) u_forward (
    .clk_i, .rst_ni, .rx_valid_i, .rx_sop_i, .rx_class_i, .rx_data_i, .rx_hit_i, .rx_free_o,
    .rx_free_units_o, .tx_ready_i, .tx_empty_i, .tx_limit_h_i, .tx_limit_d_i, .tx_first_h_i,
    .tx_first_d_i, .cfg_mps_i, .cfg_master_i, .link_up_i, .ddr_places_i, .ddr_write_o, .ddr_data_o,
    .ddr_read_o, .ddr_data_i, .ddr_free_o, .ddr_free_units_o, .vc1_i, .date_line_i, .window_log2_i,
    .part_log2_i, .area_base_i(area_base), .route_lower_i, .route_upper_i,
    .own_valid_i({dma_valid, local_valid}), .own_out_i({dma_out, local_out}),
    .own_class_i({dma_class, local_class}), .own_header_i({dma_header, local_header}),
    .own_data_i({dma_data, local_data}), .own_grant_o({dma_grant, local_grant}),
    .own_read_o({dma_next, local_read}), .self_ready_i(self_room && !self_busy), .tx_valid_o,
    .tx_sop_o, .tx_data_o, .tx_source_o, .waits_o(forward_waits), .self_free_o(self_free), .self_next_valid_o(self_beat),
    .self_next_o(self_data)
  );

  assign self_sop = tx_sop_o[Ports+1];
  assign self_header = tx_data_o[(Ports+1)*BusWidth +: 128];
  assign self_source = tx_source_o[(Ports+1)*SourceWidth +: SourceWidth];
  always_comb begin
    self_port = '0;
    for (int unsigned p = 1; p < Ports; p++) begin
      if (32'(self_source) >= p * Classes && 32'(self_source) < (p + 1) * Classes) self_port = OutWidth'(p);
    end
  end

  // SELF.
  logic                first, answer, cut, data_write;
  logic [23:3]         read;
  logic [63:0]         read_word, answer_due;
  logic [1:0]          refused;
  logic [15:0]         self_addr;
  logic [BusBytes-1:0] self_write;
  logic [BusWidth-1:0] ram_word, answer_data;
  logic [127:0]        answer_header;
  logic [11:0]         first_byte;
  logic [12:0]         answer_bytes;

  hub_self #(
    .Ports(Ports), .BusBytes(BusBytes), .RegisterCycles(RegisterCycles), .OutputCycles(OutputCycles)
  ) u_self (
    .clk_i, .rst_ni, .cycle_i, .sop_i(self_sop), .header_i(self_header), .port_i(self_port),
    .beat_i(self_beat), .busy_o(self_busy), .window_log2_i, .part_log2_i, .slot_i,
    .mps_i(mps_q), .id_i(id_q), .first_o(first), .addr_o(write_addr), .enable_o(write_enable),
    .read_o(read), .read_i(read_word), .refused_o(refused), .ram_addr_o(self_addr),
    .ram_write_o(self_write), .ram_data_i(ram_word), .answer_o(answer), .due_o(answer_due),
    .answer_header_o(answer_header), .cut_o(cut), .first_byte_o(first_byte), .bytes_o(answer_bytes),
    .data_write_o(data_write), .data_o(answer_data), .err_valid_o, .err_advisory_o, .err_kind_o,
    .err_header_o
  );
  assign err_port_o = self_port;

  logic        append, append_internal, append_local, irq, irq_pending;
  logic [63:0] append_addr, append_entry;

  assign append_local = append && !append_internal;
  hub_registers #(
    .Ports(Ports), .Pairs(Pairs), .BusBytes(BusBytes), .RingWaits(RingWaits)
  ) u_registers (
    .clk_i, .rst_ni, .first_i(first), .addr_i(write_addr), .enable_i(write_enable),
    .data_i(self_data), .read_i(read), .read_o(read_word), .dma_read_o(dma_read), .dma_read_i(dma_word), .window_log2_i,
    .part_log2_i, .slot_i, .subcluster_i, .route_lower_i, .route_upper_i, .link_i(link_q), .aer_i,
    .aer_write_o, .aer_data_o, .area_base_o(area_base), .refused_i(refused), .dma_irq_i(dma_irq),
    .may_append_i(self_room && self_free && !self_busy && !answer && !irq_pending),
    .notify_waits_o(notify_waits), .append_o(append), .append_internal_o(append_internal), .append_addr_o(append_addr),
    .append_entry_o(append_entry), .irq_free_i(!answer && !append_local), .irq_pending_o(irq_pending),
    .irq_send_o(irq)
  );

  // Internal RAM: an entry of the ring is appended only while SELF neither reads nor writes it.
  localparam int unsigned RamWidth = $clog2(RamBytes);

  logic                ring_write;
  logic [15:0]         ram_addr;
  logic [BusBytes-1:0] ram_write;
  logic [BusWidth-1:0] ram_data;

  assign ring_write = append && append_internal;
  assign ram_write = ring_write ? BusBytes'(8'hff) : self_write;
  assign ram_data = ring_write ? BusWidth'(append_entry) : self_data;
  assign ram_addr = ring_write ? {append_addr[15:3], 3'b000} : self_addr;
  hub_ram #(.Bytes(RamBytes), .BusBytes(BusBytes)) u_ram (
    .clk_i, .a_addr_i(RamWidth'(ram_addr)), .a_write_i(ram_write), .a_data_i(ram_data),
    .a_data_o(ram_word), .b_addr_i(RamWidth'(dma_ram_addr)), .b_data_o(dma_ram_data)
  );

  hub_join #(
    .Ports(Ports), .BusBytes(BusBytes), .OutputCycles(OutputCycles), .LocalPackets(LocalPackets),
    .LocalUnits(LocalUnits)
  ) u_join (
    .clk_i, .rst_ni, .cycle_i, .mps_i(mps_q), .id_i(cfg_id_i[15:0]), .answer_i(answer),
    .answer_due_i(answer_due), .answer_out_i(self_port), .answer_header_i(answer_header),
    .answer_cut_i(cut), .answer_addr_i(first_byte), .answer_bytes_i(answer_bytes),
    .data_write_i(data_write), .data_i(answer_data), .append_i(append_local),
    .append_addr_i(append_addr), .append_entry_i(append_entry), .irq_i(irq), .msi_i(cfg_msi_i),
    .msi_addr_i(cfg_msi_addr_i), .msi_data_i(cfg_msi_data_i), .mgmt_valid_i, .mgmt_out_i,
    .mgmt_header_i, .mgmt_data_i, .mgmt_ready_o, .valid_o(local_valid), .out_o(local_out),
    .class_o(local_class), .header_o(local_header), .data_o(local_data), .grant_i(local_grant),
    .read_i(local_read), .waits_o(local_waits), .room_o(self_room)
  );

  hub_dma #(
    .Ports(Ports), .Pairs(Pairs), .BusBytes(BusBytes), .GapCycles(GapCycles),
    .OutputCycles(OutputCycles), .StartCycles(StartCycles), .DecodeCycles(DecodeCycles),
    .FetchInternalCycles(FetchInternalCycles), .FetchHostCycles(FetchHostCycles),
    .Prefetch(Prefetch), .ReadTags(ReadTags), .WindowBytes(WindowBytes), .ReadBytes(ReadBytes),
    .ReadIssueCycles(ReadIssueCycles), .CompletionCycles(CompletionCycles),
    .TimeoutCycles(TimeoutCycles), .StatusRegisterCycles(StatusRegisterCycles),
    .StatusHostCycles(StatusHostCycles), .StatusInternalCycles(StatusInternalCycles)
  ) u_dma (
    .clk_i, .rst_ni, .cycle_i, .window_log2_i, .part_log2_i, .slot_i, .bar_base_i,
    .cfg_memory_i(cfg_memory_i[0]), .cfg_id_i(cfg_id_i[15:0]), .cfg_mrrs_i, .cfg_mps_i,
    .area_base_i(area_base), .route_lower_i, .route_upper_i,
    .write_addr_i(write_addr), .write_data_i(self_data), .write_enable_i(write_enable),
    .dma_read_addr_i(dma_read), .dma_read_data_o(dma_word), .dma_irq_o(dma_irq), .busy_o(dma_busy),
    .ram_addr_o(dma_ram_addr), .ram_data_i(dma_ram_data), .sink_valid_i(tx_valid_o[Ports]),
    .sink_sop_i(tx_sop_o[Ports]), .sink_host_i(32'(sink_source) < Classes), .sink_id_i(id_q[15:0]),
    .sink_data_i(tx_data_o[Ports*BusWidth +: BusWidth]), .err_unexpected_o(dma_unexpected_o),
    .err_poisoned_o(dma_poisoned_o), .err_timeout_o(dma_timeout_o),
    .err_master_abort_o(dma_master_abort_o), .err_target_abort_o(dma_target_abort_o),
    .err_header_o(dma_header_o), .own_valid_o(dma_valid), .own_out_o(dma_out),
    .own_class_o(dma_class), .own_header_o(dma_header), .own_data_o(dma_data),
    .own_grant_i(dma_grant), .own_read_i(dma_next)
  );

  // Quiet: what takes as long as a packet waits or a list is at work is over, and since then all that
  // takes a fixed number of cycles.
  localparam int unsigned StageCycles = ReceiveCycles + RouteCycles + OutputCycles + RegisterCycles +
                                        CompletionCycles + GapCycles + (Ddr != 0 ? DdrCycles : 0) + 8;
  logic                           idle;
  logic [$clog2(StageCycles+1)-1:0] idle_d, idle_q;

  assign idle = rx_valid_i == '0 && tx_valid_o == '0 && !forward_waits && !local_waits &&
                !notify_waits && !irq_pending && !dma_busy && dma_valid == '0 && !mgmt_valid_i;
  always_comb begin
    idle_d = '0;
    if (idle) idle_d = quiet_o ? idle_q : idle_q + 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_q <= '0;
    else         idle_q <= idle_d;
  end
  assign quiet_o = 32'(idle_q) == StageCycles;

  logic unused_addr;
  assign unused_addr = &{append_addr[2:0], ram_addr, dma_ram_addr};

endmodule
