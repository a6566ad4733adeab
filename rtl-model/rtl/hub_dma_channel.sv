// One DMA channel. At each edge each of its parts does at most one step, by the registers before the
// edge (docs/hub-spec.md, "DMA channels"). What overrides them, in this order: an error that a step
// found, a store to the registers, and what answers and time-outs change for the next edge.
module hub_dma_channel #(
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
  parameter int unsigned WindowBytes = 0, // reading goes on while fewer are in flight; 0: only tags count
  parameter int unsigned ReadBytes = 256,
  parameter int unsigned ReadIssueCycles = 6,
  parameter int unsigned TimeoutCycles = 0,
  parameter int unsigned StatusRegisterCycles = 8,
  parameter int unsigned StatusHostCycles = 8,
  parameter int unsigned StatusInternalCycles = 8,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned Areas = 3,
  localparam int unsigned RamWidth = 16,
  localparam int unsigned BeatsWidth = 9,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [1:0]                channel_i, // constant
  input  logic [63:0]               cycle_i,

  // Straps, and what the host sets.
  input  logic [5:0]                window_log2_i,
  input  logic [5:0]                part_log2_i,
  input  logic [15:0]               slot_i,
  input  logic [63:0]               bar_base_i,
  input  logic                      memory_i,
  input  logic [15:0]               id_i,
  input  logic [2:0]                mrrs_i,
  input  logic [Ports*3-1:0]        mps_i,
  input  logic [Areas*64-1:0]       area_base_i,
  input  logic [Ports*Pairs*64-1:0] lower_i,
  input  logic [Ports*Pairs*64-1:0] upper_i,

  // Registers.
  input  logic [23:0]               store_addr_i,
  input  logic [BusWidth-1:0]       store_data_i,
  input  logic [BusBytes/4-1:0]     store_enable_i,
  input  logic [7:3]                read_offset_i,
  output logic [63:0]               read_data_o,
  output logic [31:0]               irq_o,
  output logic                      busy_o,        // a list is at work

  // Completions.
  input  logic                      cpl_begin_i,
  input  logic                      cpl_id_i,      // it has the requester ID of N
  input  logic [7:0]                cpl_tag_i,
  input  logic [2:0]                cpl_status_i,
  input  logic                      cpl_has_data_i,
  input  logic                      cpl_poisoned_i,
  input  logic [10:0]               cpl_dwords_i,
  input  logic [12:0]               cpl_count_i,
  input  logic [6:0]                cpl_addr_i,
  input  logic                      cpl_beat_i,
  input  logic [BusWidth-1:0]       cpl_data_i,
  output logic                      answered_o,
  output logic                      late_o,

  // Internal RAM.
  output logic                      ram_ask_o,
  output logic [RamWidth-1:0]       ram_addr_o,
  output logic [BeatsWidth-1:0]     ram_beats_o,
  input  logic                      ram_grant_i,
  input  logic                      ram_beat_i,
  input  logic [BeatsWidth-1:0]     ram_index_i,
  input  logic [BusWidth-1:0]       ram_data_i,

  // Sources of the crossbar: requests, which go to N, and writes.
  output logic                      request_valid_o,
  output logic [127:0]              request_header_o,
  input  logic                      request_grant_i,
  output logic                      write_valid_o,
  output logic [OutWidth-1:0]       write_out_o,
  output logic [127:0]              write_header_o,
  output logic [BusWidth-1:0]       write_data_o,
  input  logic                      write_grant_i,
  input  logic                      write_read_i
);

  localparam int unsigned TagWidth = ReadTags > 1 ? $clog2(ReadTags) : 1;
  localparam int unsigned UsedWidth = $clog2(ReadTags + 1);
  localparam int unsigned SumWidth = $clog2(ReadTags * ReadBytes + 1);
  localparam int unsigned LengthWidth = $clog2(ReadBytes + 1);
  localparam int unsigned DwWidth = $clog2(ReadBytes / 4);
  localparam int unsigned RowWidth = $clog2(ReadBytes / BusBytes);
  localparam logic [12:0] DescBytes = 13'd32;          // as HUB_DESC_BYTES
  localparam logic [8:0]  DescBeats = 9'(32 / BusBytes);
  localparam logic [3:0] ErrSource = 4'd3, ErrDest = 4'd4, ErrFetch = 4'd5,
                         ErrTimeout = 4'd7, ErrPoison = 4'd8, ErrAbort = 4'd9; // as HUB_DMA_ERR_*

  // ---- the list ---------------------------------------------------------------------------------

  logic        busy, failed, abort, start, start_list, new_turn, ends, status_sent, sent;
  logic [3:0]  step_error, late_error; // of this edge's steps; of answers for the next one
  logic [12:0] sent_bytes;
  logic [31:0] head, new_length;
  logic [63:0] new_src, new_dst, status_addr, status_data, descriptors;

  hub_dma_list #(.BusBytes(BusBytes)) u_list (
    .clk_i, .rst_ni, .channel_i, .cycle_i, .store_addr_i, .store_data_i, .store_enable_i,
    .read_offset_i, .read_data_o, .irq_o, .ends_i(ends), .step_error_i(step_error),
    .late_error_i(late_error), .late_i(late_o), .sent_i(sent), .sent_bytes_i(sent_bytes),
    .busy_o(busy), .failed_o(failed), .abort_o(abort), .start_o(start), .start_list_o(start_list),
    .start_head_o(head), .new_turn_o(new_turn), .new_src_o(new_src), .new_dst_o(new_dst),
    .new_length_o(new_length), .status_addr_o(status_addr), .status_data_o(status_data),
    .table_o(descriptors)
  );

  assign busy_o = busy;

  // ---- errors -----------------------------------------------------------------------------------

  logic [3:0] issue_error, begin_error;
  logic       bad_pointer, closed, cut, cut_late;
  logic       fetch_tag, read_tag;          // the completion has such a tag of this channel
  logic       cpl_good, fetch_answered, fetch_spoilt, fetch_late, read_answered, read_late;
  logic [3:0] cpl_error;

  always_comb begin
    step_error = begin_error;
    if (closed) step_error = ErrDest;
    if (issue_error != '0) step_error = issue_error;
    if (bad_pointer) step_error = ErrFetch;
  end
  assign cut = step_error != '0 || abort;

  assign fetch_tag = cpl_begin_i && cpl_id_i && cpl_tag_i[7] && cpl_tag_i[2:0] == {1'b0, channel_i};
  assign read_tag = cpl_begin_i && cpl_id_i && cpl_tag_i[7:5] == {1'b0, channel_i};
  assign cpl_good = cpl_status_i == 3'd0 && cpl_has_data_i && !cpl_poisoned_i;

  always_comb begin
    cpl_error = fetch_tag ? ErrFetch : ErrSource;
    if (cpl_status_i == 3'd0 && cpl_has_data_i && cpl_poisoned_i) cpl_error = ErrPoison;
    if (cpl_status_i == 3'd4) cpl_error = ErrAbort;
    late_error = '0;
    if (fetch_spoilt || (read_answered && !cpl_good)) late_error = cpl_error;
    if (fetch_late || read_late) late_error = ErrTimeout;
  end
  assign cut_late = late_error != '0;
  assign answered_o = fetch_answered || read_answered;
  assign late_o = fetch_late || read_late;

  // ---- descriptors --------------------------------------------------------------------------------

  logic                ask_fetch_host, ask_fetch_ram, fetch_host, fetch_ram, more, empty, valid, internal, pop;
  logic [63:0]         fetch_addr;
  logic [RamWidth-1:0] fetch_ram_addr;
  logic [7:0]          fetch_tag_now;
  logic [255:0]        descriptor;
  logic                ram_fetches_q; // the beats of internal RAM are a descriptor

  hub_dma_fetch #(
    .BusBytes(BusBytes), .Prefetch(Prefetch), .StartCycles(StartCycles),
    .DecodeCycles(DecodeCycles), .FetchInternalCycles(FetchInternalCycles),
    .FetchHostCycles(FetchHostCycles), .TimeoutCycles(TimeoutCycles)
  ) u_fetch (
    .clk_i, .rst_ni, .channel_i, .cycle_i, .start_i(start), .start_list_i(start_list), .start_head_i(head),
    .new_turn_i(new_turn), .cut_i(cut), .cut_late_i(cut_late), .table_i(descriptors),
    .ask_host_o(ask_fetch_host), .addr_o(fetch_addr), .tag_o(fetch_tag_now), .host_i(fetch_host),
    .ask_ram_o(ask_fetch_ram), .ram_addr_o(fetch_ram_addr), .ram_i(fetch_ram), .bad_o(bad_pointer),
    .more_o(more), .answer_i(fetch_tag), .answer_tag_i(cpl_tag_i),
    .answer_good_i(cpl_good && cpl_dwords_i == 11'd8), .answered_o(fetch_answered),
    .spoilt_o(fetch_spoilt), .late_o(fetch_late), .cpl_begin_i, .cpl_beat_i, .cpl_data_i,
    .ram_beat_i(ram_beat_i && ram_fetches_q), .ram_index_i, .ram_data_i, .empty_o(empty),
    .valid_o(valid), .internal_o(internal), .descriptor_o(descriptor), .pop_i(pop)
  );

  // ---- the descriptor at work ---------------------------------------------------------------------

  logic                  ask_ram, ask_host, issue, tag_free, no_reads, register_empty, leaving;
  logic [63:0]           issue_addr, issue_dst, status_dst, status_value;
  logic [12:0]           issue_bytes;
  logic [BeatsWidth-1:0] issue_beats;
  logic [OutWidth-1:0]   issue_out, status_out;
  logic                  status;
  logic [UsedWidth-1:0]  used;
  logic [SumWidth-1:0]   in_flight;
  logic [LengthWidth-1:0] gone_bytes;
  logic                  room;

  hub_dma_work #(
    .Ports(Ports), .Pairs(Pairs), .BusBytes(BusBytes), .StartCycles(StartCycles),
    .DecodeCycles(DecodeCycles), .ReadBytes(ReadBytes), .ReadIssueCycles(ReadIssueCycles),
    .StatusRegisterCycles(StatusRegisterCycles), .StatusHostCycles(StatusHostCycles),
    .StatusInternalCycles(StatusInternalCycles)
  ) u_work (
    .clk_i, .rst_ni, .window_log2_i, .part_log2_i, .slot_i, .bar_base_i, .memory_i, .mrrs_i,
    .area_base_i, .lower_i, .upper_i, .busy_i(busy), .failed_i(failed), .start_i(start),
    .start_list_i(start_list), .new_src_i(new_src), .new_dst_i(new_dst), .new_length_i(new_length),
    .status_addr_i(status_addr), .status_data_i(status_data), .cut_i(cut || cut_late), .more_i(more),
    .empty_i(empty), .valid_i(valid), .internal_i(internal), .descriptor_i(descriptor), .pop_o(pop),
    .end_o(ends), .idle_i(no_reads && register_empty), .no_reads_i(no_reads), .tag_free_i(tag_free),
    .ask_ram_o(ask_ram), .ask_host_o(ask_host), .addr_o(issue_addr), .dst_o(issue_dst),
    .bytes_o(issue_bytes), .beats_o(issue_beats), .out_o(issue_out), .issue_i(issue),
    .status_o(status), .status_dst_o(status_dst), .status_out_o(status_out),
    .status_value_o(status_value), .status_sent_i(status_sent), .issue_error_o(issue_error),
    .begin_error_o(begin_error)
  );

  // Data goes before descriptors, to internal RAM and to the host.
  assign tag_free = 32'(used) + 32'(leaving) < ReadTags &&
      (WindowBytes == 0 || 32'(in_flight) + (leaving ? 32'(gone_bytes) : 32'd0) < WindowBytes);
  assign issue = (ask_host && room) || (ask_ram && ram_grant_i);
  assign fetch_ram = ask_fetch_ram && !ask_ram && ram_grant_i;
  assign fetch_host = ask_fetch_host && room && !ask_host;
  assign ram_ask_o = ask_ram || ask_fetch_ram;
  assign ram_addr_o = ask_ram ? {issue_addr[RamWidth-1:2], 2'b00} : fetch_ram_addr;
  assign ram_beats_o = ask_ram ? issue_beats : DescBeats;

  // ---- requests and data ----------------------------------------------------------------------------

  logic                data, head_fails;
  logic [TagWidth-1:0] data_tag, cpl_to, ram_to, read_from;
  logic [63:0]         data_dst;
  logic [OutWidth-1:0] data_out;
  logic [12:0]         data_left, data_ready;
  logic [DwWidth-1:0]  data_dw, cpl_dw, read_dw;
  logic [RowWidth-1:0] ram_row;
  logic [BusBytes-1:0] cpl_write;
  logic                ram_write;
  logic [BusWidth-1:0] read_data;
  logic [7:0]          issue_tag;

  assign no_reads = used == '0;
  assign head_fails = closed && !no_reads;

  hub_dma_requests #(.Depth(ReadTags + 2), .OutputCycles(OutputCycles)) u_requests (
    .clk_i, .rst_ni, .room_o(room), .write_i((issue && ask_host) || fetch_host),
    .addr_i(ask_host ? issue_addr : fetch_addr), .bytes_i(ask_host ? issue_bytes : DescBytes),
    .tag_i(ask_host ? issue_tag : fetch_tag_now), .id_i, .valid_o(request_valid_o),
    .header_o(request_header_o), .grant_i(request_grant_i)
  );

  hub_dma_reads #(
    .Ports(Ports), .BusBytes(BusBytes), .ReadTags(ReadTags), .ReadBytes(ReadBytes),
    .FetchInternalCycles(FetchInternalCycles), .TimeoutCycles(TimeoutCycles)
  ) u_reads (
    .clk_i, .rst_ni, .channel_i, .cycle_i, .new_turn_i(new_turn), .push_i(issue), .push_internal_i(ask_ram),
    .push_dst_i(issue_dst), .push_out_i(issue_out), .push_bytes_i(issue_bytes),
    .push_addr_i(issue_addr[6:0]), .push_tag_o(issue_tag), .used_o(used),
    .bytes_o(in_flight), .gone_bytes_o(gone_bytes), .answer_i(read_tag),
    .answer_tag_i(cpl_tag_i[4:0]), .answer_data_i(cpl_has_data_i), .answer_bad_i(!cpl_good),
    .answer_dwords_i(cpl_dwords_i), .answer_count_i(cpl_count_i), .answer_addr_i(cpl_addr_i),
    .answered_o(read_answered), .late_o(read_late), .cpl_begin_i, .cpl_beat_i,
    .cpl_write_o(cpl_write), .cpl_tag_o(cpl_to), .cpl_dw_o(cpl_dw),
    .ram_beat_i(ram_beat_i && !ram_fetches_q), .ram_write_o(ram_write), .ram_tag_o(ram_to),
    .ram_row_o(ram_row), .head_o(data), .head_tag_o(data_tag), .head_dst_o(data_dst),
    .head_out_o(data_out), .head_left_o(data_left), .head_ready_o(data_ready), .head_dw_o(data_dw),
    .head_fails_i(head_fails), .head_drops_i(register_empty), .sent_i(sent), .sent_bytes_i(sent_bytes)
  );

  hub_dma_buffer #(.BusBytes(BusBytes), .ReadTags(ReadTags), .ReadBytes(ReadBytes)) u_buffer (
    .clk_i, .cpl_write_i(cpl_write), .cpl_tag_i(cpl_to), .cpl_dw_i(cpl_dw), .cpl_data_i,
    .ram_write_i(ram_write), .ram_tag_i(ram_to), .ram_row_i(ram_row), .ram_data_i,
    .read_tag_i(read_from), .read_dw_i(read_dw), .data_o(read_data)
  );

  hub_dma_write #(
    .Ports(Ports), .BusBytes(BusBytes), .GapCycles(GapCycles), .OutputCycles(OutputCycles),
    .ReadTags(ReadTags), .ReadBytes(ReadBytes)
  ) u_write (
    .clk_i, .rst_ni, .window_log2_i, .part_log2_i, .bar_base_i, .memory_i, .id_i, .area_base_i,
    .mps_i, .no_reads_i(no_reads), .data_i(data), .data_tag_i(data_tag),
    .data_dst_i(data_dst), .data_out_i(data_out), .data_left_i(data_left),
    .data_ready_i(data_ready), .data_dw_i(data_dw), .status_i(status), .status_dst_i(status_dst),
    .status_out_i(status_out), .status_value_i(status_value), .empty_o(register_empty),
    .closed_o(closed), .sent_o(sent), .sent_bytes_o(sent_bytes), .status_sent_o(status_sent),
    .leaving_o(leaving), .valid_o(write_valid_o), .out_o(write_out_o),
    .header_o(write_header_o), .data_o(write_data_o), .grant_i(write_grant_i),
    .read_i(write_read_i), .read_tag_o(read_from), .read_dw_o(read_dw), .read_data_i(read_data)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)          ram_fetches_q <= 1'b0;
    else if (ram_grant_i) ram_fetches_q <= fetch_ram;
  end

endmodule
