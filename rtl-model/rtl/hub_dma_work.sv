// The descriptor at work in one channel: begun, checked block by block, and issued as read requests; or
// a status word that is due. Steps follow from the registers before the edge.
// `now` is the descriptor, `at` where the next request begins, `left` and `row` what is missing of it
// and of its block. The registers' own descriptor waits in `now` from the start on.
module hub_dma_work #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned StartCycles = 4,
  parameter int unsigned DecodeCycles = 4,
  parameter int unsigned ReadBytes = 256,
  parameter int unsigned ReadIssueCycles = 6,
  parameter int unsigned StatusRegisterCycles = 8,
  parameter int unsigned StatusHostCycles = 8,
  parameter int unsigned StatusInternalCycles = 8,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned Areas = 3,
  localparam int unsigned BeatsWidth = 9
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // Straps and what the host sets.
  input  logic [5:0]                window_log2_i,
  input  logic [5:0]                part_log2_i,
  input  logic [15:0]               slot_i,
  input  logic [63:0]               bar_base_i,
  input  logic                      memory_i,
  input  logic [2:0]                mrrs_i,        // 128 << code
  input  logic [Areas*64-1:0]       area_base_i,
  input  logic [Ports*Pairs*64-1:0] lower_i,
  input  logic [Ports*Pairs*64-1:0] upper_i,

  // A list.
  input  logic                      busy_i,
  input  logic                      failed_i,
  input  logic                      start_i,
  input  logic                      start_list_i,
  input  logic [63:0]               new_src_i,
  input  logic [63:0]               new_dst_i,
  input  logic [31:0]               new_length_i,
  input  logic [63:0]               status_addr_i,
  input  logic [63:0]               status_data_i,
  input  logic                      cut_i,         // of this edge, behind the step or later
  input  logic                      more_i,        // to fetch
  input  logic                      empty_i,       // nothing is fetched
  input  logic                      valid_i,       // the next descriptor
  input  logic                      internal_i,
  input  logic [255:0]              descriptor_i,
  output logic                      pop_o,
  output logic                      end_o,         // the list is through
  input  logic                      idle_i,        // no request is open, and the write register is empty
  input  logic                      no_reads_i,

  // Requests.
  input  logic                      tag_free_i,
  output logic                      ask_ram_o,
  output logic                      ask_host_o,
  output logic [63:0]               addr_o,        // at the host, or in internal RAM
  output logic [63:0]               dst_o,
  output logic [12:0]               bytes_o,
  output logic [BeatsWidth-1:0]     beats_o,       // from internal RAM
  output logic [OutWidth-1:0]       out_o,
  input  logic                      issue_i,       // it is issued

  // The status word.
  output logic                      status_o,      // it may be written, once no request is open
  output logic [63:0]               status_dst_o,
  output logic [OutWidth-1:0]       status_out_o,
  output logic [63:0]               status_value_o,
  input  logic                      status_sent_i,

  output logic [3:0]                issue_error_o, // at this edge; 0: none
  output logic [3:0]                begin_error_o
);

  localparam int unsigned PaceWidth = $clog2(StartCycles + ReadIssueCycles + 1);
  localparam int unsigned StatusMost =
      StatusRegisterCycles > StatusHostCycles ?
      (StatusRegisterCycles > StatusInternalCycles ? StatusRegisterCycles : StatusInternalCycles) :
      (StatusHostCycles > StatusInternalCycles ? StatusHostCycles : StatusInternalCycles);
  localparam int unsigned SinceWidth = $clog2(StatusMost + StartCycles + 2) + 1;
  localparam int unsigned DecodeWidth = $clog2(StartCycles + DecodeCycles + 1);
  localparam logic [3:0] ErrLength = 4'd1, ErrAlign = 4'd2, ErrSource = 4'd3, ErrDest = 4'd4; // as HUB_DMA_ERR_*

  localparam logic signed [SinceWidth-1:0] MostSince = SinceWidth'(StatusMost);
  localparam logic signed [SinceWidth-1:0] StartSince = SinceWidth'(1 - signed'(StartCycles));

  typedef struct packed {
    logic        status, internal;
    logic [63:0] src, dst, data;
    logic [31:0] size, src_gap, dst_gap;
    logic [29:0] burst;
  } descriptor_t;

  descriptor_t next, now_d, now_q;
  logic        active_d, active_q, ending_d, ending_q, overlaps_d, overlaps_q;
  logic        own_d, own_q;                       // the descriptor of the registers is to begin
  logic [DecodeWidth-1:0] own_wait_d, own_wait_q;  // edges until then
  logic [63:0] src_at_d, src_at_q, dst_at_d, dst_at_q;
  logic [31:0] left_d, left_q, row_d, row_q;
  logic [OutWidth-1:0]  way_d, way_q;              // by which its writes leave
  logic [PaceWidth-1:0] pace_d, pace_q;            // edges until the next request
  logic signed [SinceWidth-1:0] since_d, since_q;  // edges from the last one on

  // ---- which descriptor may begin --------------------------------------------------------------

  logic through, begins_status, begins_own, begins_next, begins;
  assign through = busy_i && !active_q && empty_i && !own_q && !more_i;
  assign begins_status = through && status_addr_i != '0 && !ending_q && !failed_i;
  assign begins_own = busy_i && !active_q && own_q && own_wait_q == '0;
  assign begins_next = busy_i && !active_q && !own_q && valid_i &&
                       (next.status || overlaps_q || no_reads_i);
  assign begins = begins_status || begins_own || begins_next;
  assign pop_o = begins_next;
  assign end_o = through && !begins_status && idle_i;

  always_comb begin
    next = now_q; // that of the registers
    if (through) begin // of which a status word needs no more
      next.status = 1'b1;
      next.dst = status_addr_i;
      next.data = status_data_i;
    end else if (!own_q) begin
      next.status = descriptor_i[191];
      next.internal = internal_i;
      next.src = {16'h0, descriptor_i[47:32], descriptor_i[31:0]};
      next.dst = {16'h0, descriptor_i[63:48], descriptor_i[95:64]};
      next.data = {descriptor_i[127:96], descriptor_i[31:0]};
      next.size = descriptor_i[127:96];
      next.burst = descriptor_i[189:160];
      next.src_gap = descriptor_i[223:192];
      next.dst_gap = descriptor_i[255:224];
    end
  end

  // ---- a block is checked: the first one, or the one behind the block at work -------------------

  logic [31:0] row_first, left_behind, row_behind;
  logic [63:0] src_behind, dst_behind, src_first, dst_first, src_last, dst_last, dst_offset, unused_src, unused_leave;
  logic        src_ok, dst_ok, dst_hit, dst_last_hit, dst_same, none, closed, unused_internal;
  logic [OutWidth-1:0] way;
  logic [3:0]  row_error, shape_error;

  assign row_first = next.burst != '0 && {2'b00, next.burst} < next.size ? {2'b00, next.burst} : next.size;
  assign left_behind = left_q - row_q;
  assign row_behind = {2'b00, now_q.burst} < left_behind ? {2'b00, now_q.burst} : left_behind;
  assign src_behind = src_at_q + 64'(row_q) + 64'(now_q.src_gap);
  assign dst_behind = dst_at_q + 64'(row_q) + 64'(now_q.dst_gap);
  assign src_first = active_q ? now_q.src : next.src;
  assign dst_first = active_q ? now_q.dst : next.dst;
  assign src_last = active_q ? src_behind + 64'(row_behind) - 64'd1 : next.src + 64'(row_first) - 64'd1;
  assign dst_last = active_q ? dst_behind + 64'(row_behind) - 64'd1 : next.dst + 64'(row_first) - 64'd1;

  hub_dma_source u_row (
    .first_i(src_first), .last_i(src_last), .bar_base_i, .memory_i, .window_log2_i, .part_log2_i,
    .slot_i, .area_base_i, .ok_o(src_ok), .internal_o(unused_internal), .addr_o(unused_src)
  );

  assign dst_hit = memory_i && ((dst_first ^ bar_base_i) >> window_log2_i) == '0;
  assign dst_last_hit = memory_i && ((dst_last ^ bar_base_i) >> window_log2_i) == '0;
  assign dst_same = ((dst_first ^ dst_last) >> (part_log2_i - 6'd2)) == '0;
  assign dst_offset = dst_first & ~({64{1'b1}} << window_log2_i);

  hub_way #(.Ports(Ports), .Pairs(Pairs)) u_way (
    .offset_i(dst_offset), .part_log2_i, .area_base_i, .lower_i, .upper_i, .none_o(none),
    .closed_o(closed), .out_o(way), .addr_o(unused_leave)
  );

  assign dst_ok = dst_hit && !none && !closed;
  assign row_error = !src_ok ? ErrSource : !dst_ok || !dst_last_hit || !dst_same ? ErrDest : '0;

  always_comb begin
    shape_error = row_error;
    if (((next.src[3:0] ^ next.dst[3:0]) != '0) ||
        (next.burst != '0 && (next.src_gap[3:0] ^ next.dst_gap[3:0]) != '0)) shape_error = ErrAlign;
    if (next.size == '0 || next.size[1:0] != '0 || next.burst[1:0] != '0) shape_error = ErrLength;
    if (next.status) shape_error = next.dst[2:0] != '0 ? ErrAlign : !dst_ok ? ErrDest : '0;
  end
  assign begin_error_o = begins ? shape_error : '0;

  // ---- the next request -------------------------------------------------------------------------

  logic [12:0] piece, bytes;
  logic        due, ok, internal, row_ends, all_ends;
  always_comb begin
    piece = 13'd128 << mrrs_i;
    if (mrrs_i > 3'd5 || 32'(piece) > ReadBytes) piece = 13'(ReadBytes);
    bytes = piece - (13'(src_at_q) & (piece - 13'd1));
    if (row_q < 32'(bytes)) bytes = 13'(row_q);
  end

  hub_dma_source u_request (
    .first_i(src_at_q), .last_i(src_at_q + 64'(bytes) - 64'd1), .bar_base_i, .memory_i,
    .window_log2_i, .part_log2_i, .slot_i, .area_base_i, .ok_o(ok), .internal_o(internal), .addr_o
  );

  assign due = active_q && !now_q.status && tag_free_i && pace_q == '0;
  assign ask_ram_o = due && ok && internal;
  assign ask_host_o = due && ok && !internal;
  assign bytes_o = bytes;
  assign beats_o = BeatsWidth'((32'(bytes) + 32'(src_at_q[1:0]) + BusBytes - 1) / BusBytes);
  assign {dst_o, out_o} = {dst_at_q, way_q};
  assign row_ends = 32'(bytes) == row_q;
  assign all_ends = 32'(bytes) == left_q;
  assign issue_error_o = due && !ok ? ErrSource : issue_i && row_ends && !all_ends ? row_error : '0;

  // ---- the status word --------------------------------------------------------------------------

  logic signed [SinceWidth-1:0] prepared;
  assign prepared = ending_q ? SinceWidth'(StatusRegisterCycles)
                  : now_q.internal ? SinceWidth'(StatusInternalCycles) : SinceWidth'(StatusHostCycles);
  assign status_o = active_q && now_q.status && since_q >= prepared;
  assign {status_dst_o, status_out_o, status_value_o} = {now_q.dst, way_q, now_q.data};

  always_comb begin
    now_d = now_q;
    active_d = active_q;
    ending_d = (ending_q || begins_status) && !end_o;
    overlaps_d = overlaps_q;
    own_d = own_q;
    own_wait_d = own_wait_q == '0 ? '0 : own_wait_q - 1'b1;
    src_at_d = src_at_q;
    dst_at_d = dst_at_q;
    left_d = left_q;
    row_d = row_q;
    way_d = way_q;
    pace_d = pace_q == '0 ? '0 : pace_q - 1'b1;
    since_d = since_q == MostSince ? since_q : since_q + 1'b1;
    if (issue_i) begin
      src_at_d = row_ends ? src_behind : src_at_q + 64'(bytes);
      dst_at_d = row_ends ? dst_behind : dst_at_q + 64'(bytes);
      left_d = left_q - 32'(bytes);
      row_d = row_ends ? row_behind : row_q - 32'(bytes);
      active_d = !all_ends;
      pace_d = PaceWidth'(ReadIssueCycles - 1);
      since_d = StatusMost == 0 ? '0 : SinceWidth'(1);
    end
    if (status_sent_i) active_d = 1'b0;
    if (begins) begin
      now_d = next;
      active_d = 1'b1;
      own_d = 1'b0;
      src_at_d = next.src;
      dst_at_d = next.dst;
      left_d = next.size;
      row_d = row_first;
      way_d = way;
      if (!next.status) overlaps_d = descriptor_i[190]; // that of the registers is alone
    end
    if (cut_i) {active_d, own_d} = '0;
    if (start_i) begin
      overlaps_d = 1'b1;
      pace_d = PaceWidth'(StartCycles - 1);
      since_d = StartSince;
      own_d = !start_list_i;
      own_wait_d = DecodeWidth'(StartCycles + DecodeCycles - 1);
      now_d = '0;
      now_d.src = new_src_i;
      now_d.dst = new_dst_i;
      now_d.size = new_length_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      ending_q   <= 1'b0;
      overlaps_q <= 1'b0;
      own_q      <= 1'b0;
      own_wait_q <= '0;
      pace_q     <= '0;
      since_q    <= '0;
    end else begin
      active_q   <= active_d;
      ending_q   <= ending_d;
      overlaps_q <= overlaps_d;
      own_q      <= own_d;
      own_wait_q <= own_wait_d;
      pace_q     <= pace_d;
      since_q    <= since_d;
    end
  end

  always_ff @(posedge clk_i) begin
    now_q    <= now_d;
    src_at_q <= src_at_d;
    dst_at_q <= dst_at_d;
    left_q   <= left_d;
    row_q    <= row_d;
    way_q    <= way_d;
  end

  logic unused_bits;
  assign unused_bits = &{unused_internal, unused_src, unused_leave, descriptor_i[159:128]};

endmodule
