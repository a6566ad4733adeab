// The requests for data of one channel, in the order of their data: what has come of each, and when it
// is given up. The place of a request is also that of its tag and its buffer.
//
// A request is pushed behind the last one, and leaves when its last byte was written, or when it has
// failed and nothing more of it can come. Answers that are shown before an edge are there behind it.
module hub_dma_reads #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned ReadTags = 8,
  parameter int unsigned ReadBytes = 256,
  parameter int unsigned FetchInternalCycles = 6,
  parameter int unsigned TimeoutCycles = 0, // 0: none
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned TagWidth = ReadTags > 1 ? $clog2(ReadTags) : 1,
  localparam int unsigned UsedWidth = $clog2(ReadTags + 1),
  localparam int unsigned DwWidth = $clog2(ReadBytes / 4),
  localparam int unsigned RowWidth = $clog2(ReadBytes / BusBytes),
  localparam int unsigned SumWidth = $clog2(ReadTags * ReadBytes + 1),
  localparam int unsigned LengthWidth = $clog2(ReadBytes + 1),
  localparam int unsigned CycleWidth = 64
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [1:0]            channel_i,    // constant
  input  logic [CycleWidth-1:0] cycle_i,      // number of the coming edge
  input  logic                  new_turn_i,   // the next list uses other tags

  input  logic                  push_i,
  input  logic                  push_internal_i, // read from internal RAM
  input  logic [63:0]           push_dst_i,
  input  logic [OutWidth-1:0]   push_out_i,
  input  logic [12:0]           push_bytes_i,
  input  logic [6:0]            push_addr_i,  // low bits of its source
  output logic [7:0]            push_tag_o,   // which it has
  output logic [UsedWidth-1:0]  used_o,
  output logic [SumWidth-1:0]   bytes_o,      // of all of them
  output logic [LengthWidth-1:0] gone_bytes_o, // what the last one whose data left has read

  // A completion with a tag of this channel.
  input  logic                  answer_i,
  input  logic [4:0]            answer_tag_i,   // its low bits
  input  logic                  answer_data_i,
  input  logic                  answer_bad_i,   // with an error, or without data
  input  logic [10:0]           answer_dwords_i,
  input  logic [12:0]           answer_count_i,
  input  logic [6:0]            answer_addr_i,
  output logic                  answered_o,     // it answers one of these requests
  output logic                  late_o,         // one was given up

  // Beats of data, from lane 0 of each on, and where they go in the buffers.
  input  logic                  cpl_begin_i,    // a completion for any channel, or none
  input  logic                  cpl_beat_i,
  output logic [BusBytes-1:0]   cpl_write_o,
  output logic [TagWidth-1:0]   cpl_tag_o,
  output logic [DwWidth-1:0]    cpl_dw_o,
  input  logic                  ram_beat_i,
  output logic                  ram_write_o,    // a beat of all lanes
  output logic [TagWidth-1:0]   ram_tag_o,
  output logic [RowWidth-1:0]   ram_row_o,

  // The oldest one.
  output logic                  head_o,         // there is one, and it has not failed
  output logic [TagWidth-1:0]   head_tag_o,
  output logic [63:0]           head_dst_o,     // of what is not yet written
  output logic [OutWidth-1:0]   head_out_o,
  output logic [12:0]           head_left_o,    // not yet written
  output logic [12:0]           head_ready_o,   // of that, so much is there
  output logic [DwWidth-1:0]    head_dw_o,      // where it begins in the buffer
  input  logic                  head_fails_i,
  input  logic                  head_drops_i,   // if it has failed
  input  logic                  sent_i,         // this is written
  input  logic [12:0]           sent_bytes_i
);

  if (TimeoutCycles == 1) begin : g_bad_timeout
    $error("hub_dma_reads: TimeoutCycles: expected 0 or at least 2");
  end

  localparam int unsigned Lanes = BusBytes / 4;
  localparam int unsigned Longest = TimeoutCycles > FetchInternalCycles ? TimeoutCycles : FetchInternalCycles;
  localparam int unsigned AtWidth = $clog2(Longest + 1) + 1;
  localparam int unsigned LeftWidth = $clog2(ReadBytes / 4 + 1); // a request ends at a multiple of ReadBytes or before
  localparam logic [TagWidth-1:0] Last = TagWidth'(ReadTags - 1);
  localparam logic [5:0] LastBase = 6'((32 / ReadTags - 1) * ReadTags); // the last set of tags

  logic [TagWidth-1:0]         head_d, head_q, tail_d, tail_q;
  logic [UsedWidth-1:0]        used_d, used_q;
  logic [SumWidth-1:0]         sum_d, sum_q;
  logic [LengthWidth-1:0]      gone_d, gone_q;
  logic [5:0]                  base_d, base_q; // the tags of this list begin with it
  logic [LengthWidth-1:0]      written_d, written_q; // bytes of the oldest one
  logic [ReadTags-1:0]         waits_d, waits_q;   // for answers, until `at`
  logic [ReadTags-1:0]         reads_d, reads_q;   // internal RAM, until `at`
  logic [ReadTags-1:0]         failed_d, failed_q; // nothing more of it is written
  logic [63+OutWidth:0]        mem [ReadTags];
  logic [LengthWidth-1:0]      bytes_q [ReadTags];
  logic [AtWidth-1:0]          at_q [ReadTags];
  logic [LengthWidth-1:0]      received_q [ReadTags];
  logic [6:0]                  addr_q [ReadTags]; // where the next answer has to begin

  logic [TagWidth-1:0] cpl_tag_d, cpl_tag_q, ram_tag_d, ram_tag_q;
  logic [DwWidth-1:0]  cpl_dw_d, cpl_dw_q;
  logic [RowWidth-1:0] ram_row_d, ram_row_q;
  logic [LeftWidth-1:0] cpl_left_d, cpl_left_q; // double words
  logic [3:0]          cpl_mask_d, cpl_mask_q; // enabled bytes of the first one
  logic                ram_live_d, ram_live_q; // nothing else has the place of what internal RAM brings
  logic [LengthWidth-1:0] head_left, head_ready;
  logic                head_gone, sent_last;
  logic [63:0]         dst;
  logic [7:0]          index; // the tag that was answered, in this list's set
  logic [TagWidth-1:0] at_tag;
  logic [12:0]         came;     // bytes of that request
  logic [6:0]          expected; // where they had to begin

  assign push_tag_o = {1'b0, channel_i, 5'd0} + 8'(base_q) + 8'(tail_q);
  assign used_o = used_q;
  assign bytes_o = sum_q;
  assign gone_bytes_o = gone_q;
  assign index = {3'b000, answer_tag_i} - 8'(base_q);
  assign at_tag = TagWidth'(index);

  always_comb begin
    logic [LengthWidth-1:0] missing;
    logic [LeftWidth-1:0] wanted;
    logic [1:0]  lead; // the first byte of the request in its double word

    head_d = head_q;
    tail_d = tail_q;
    used_d = used_q;
    base_d = base_q;
    written_d = written_q;
    waits_d = waits_q;
    reads_d = reads_q;
    failed_d = failed_q;
    cpl_tag_d = cpl_tag_q;
    cpl_dw_d = cpl_dw_q + DwWidth'(Lanes);
    cpl_left_d = 32'(cpl_left_q) > Lanes ? cpl_left_q - LeftWidth'(Lanes) : '0;
    cpl_mask_d = 4'hf;
    if (!cpl_beat_i) {cpl_dw_d, cpl_left_d, cpl_mask_d} = {cpl_dw_q, cpl_left_q, cpl_mask_q};
    ram_tag_d = ram_tag_q;
    ram_row_d = ram_row_q + RowWidth'(ram_beat_i);
    ram_live_d = ram_live_q;
    answered_o = 1'b0;
    late_o = 1'b0;

    // Steps of this edge.
    if (push_i) begin
      tail_d = tail_q == Last ? '0 : tail_q + 1'b1;
      waits_d[tail_q] = !push_internal_i;
      reads_d[tail_q] = push_internal_i;
      failed_d[tail_q] = 1'b0;
      // What is still to come of a request that had this place; until now a write on its way may read it.
      if (cpl_tag_q == tail_q) cpl_left_d = '0;
      if (ram_tag_q == tail_q) ram_live_d = 1'b0;
      if (push_internal_i) begin
        ram_tag_d = tail_q;
        ram_row_d = '0;
        ram_live_d = 1'b1;
      end
    end
    if (head_fails_i) failed_d[head_q] = 1'b1;
    head_gone = head_drops_i && used_q != '0 && failed_q[head_q] && !waits_q[head_q];
    sent_last = sent_i && sent_bytes_i == head_left_o;
    if (sent_i) written_d = written_q + LengthWidth'(sent_bytes_i);
    if (sent_last) head_gone = 1'b1;
    if (head_gone) begin
      head_d = head_q == Last ? '0 : head_q + 1'b1;
      written_d = '0;
    end
    used_d = used_q + UsedWidth'(push_i) - UsedWidth'(head_gone);
    sum_d = sum_q + (push_i ? SumWidth'(push_bytes_i) : '0);
    if (head_gone) sum_d = sum_d - SumWidth'(bytes_q[head_q]);
    gone_d = sent_last ? bytes_q[head_q] : gone_q; // one that is dropped behind it has no data that leave
    if (new_turn_i) base_d = base_q == LastBase ? '0 : base_q + 6'(ReadTags);

    // Answers for the next edge; a request of this one cannot have any yet.
    if (cpl_begin_i) cpl_left_d = '0;
    missing = bytes_q[at_tag] - received_q[at_tag];
    expected = addr_q[at_tag];
    came = {answer_dwords_i, 2'b00} - 13'(answer_addr_i[1:0]);
    if (came > 13'(missing)) came = 13'(missing);
    lead = expected[1:0] - received_q[at_tag][1:0];
    wanted = LeftWidth'((13'(missing) + 13'(answer_addr_i[1:0]) + 13'd3) >> 2);
    if (answer_i && 32'(index) < ReadTags && waits_q[at_tag] &&
        (!answer_data_i || (answer_count_i == 13'(missing) && answer_addr_i == expected))) begin
      answered_o = 1'b1;
      if (answer_bad_i) failed_d[at_tag] = 1'b1;
      if (answer_data_i) begin
        cpl_tag_d = at_tag;
        cpl_dw_d = DwWidth'((13'(received_q[at_tag]) + 13'(lead)) >> 2);
        cpl_left_d = answer_dwords_i < 11'(wanted) ? LeftWidth'(answer_dwords_i) : wanted;
        cpl_mask_d = 4'hf << answer_addr_i[1:0];
      end
      if (came == 13'(missing) || !answer_data_i) waits_d[at_tag] = 1'b0;
    end

    // What is over at the next edge.
    for (int unsigned i = 0; i < ReadTags; i++) begin
      if (at_q[i] == AtWidth'(cycle_i + 64'd1)) begin
        reads_d[i] = reads_d[i] && !reads_q[i];
        if (TimeoutCycles != 0 && waits_q[i] && waits_d[i]) begin
          waits_d[i] = 1'b0;
          failed_d[i] = 1'b1;
          late_o = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q     <= '0;
      tail_q     <= '0;
      used_q     <= '0;
      sum_q      <= '0;
      base_q     <= '0;
      written_q  <= '0;
      waits_q    <= '0;
      reads_q    <= '0;
      failed_q   <= '0;
      cpl_left_q <= '0;
      ram_live_q <= 1'b0;
    end else begin
      head_q     <= head_d;
      tail_q     <= tail_d;
      used_q     <= used_d;
      sum_q      <= sum_d;
      base_q     <= base_d;
      written_q  <= written_d;
      waits_q    <= waits_d;
      reads_q    <= reads_d;
      failed_q   <= failed_d;
      cpl_left_q <= cpl_left_d;
      ram_live_q <= ram_live_d;
    end
  end

  always_ff @(posedge clk_i) begin
    gone_q     <= gone_d;
    cpl_tag_q  <= cpl_tag_d;
    cpl_dw_q   <= cpl_dw_d;
    cpl_mask_q <= cpl_mask_d;
    ram_tag_q  <= ram_tag_d;
    ram_row_q  <= ram_row_d;
    if (push_i) begin
      mem[tail_q]        <= {push_out_i, push_dst_i};
      bytes_q[tail_q]    <= LengthWidth'(push_bytes_i);
      at_q[tail_q]       <= AtWidth'(cycle_i + (push_internal_i ? 64'(FetchInternalCycles) : 64'(TimeoutCycles)));
      received_q[tail_q] <= push_internal_i ? LengthWidth'(push_bytes_i) : '0;
      addr_q[tail_q]     <= push_addr_i;
    end
    if (answered_o && answer_data_i) begin // never of what is pushed now
      received_q[at_tag] <= received_q[at_tag] + LengthWidth'(came);
      addr_q[at_tag]     <= expected + 7'(came);
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      cpl_write_o[l*4 +: 4] = cpl_beat_i && 32'(cpl_left_q) > l ? (l == 0 ? cpl_mask_q : 4'hf) : '0;
    end
  end
  assign cpl_tag_o = cpl_tag_q;
  assign cpl_dw_o = cpl_dw_q;
  assign ram_tag_o = ram_tag_q;
  assign ram_row_o = ram_row_q;
  assign ram_write_o = ram_beat_i && ram_live_q;

  assign {head_out_o, dst} = mem[head_q];
  assign head_o = used_q != '0 && !failed_q[head_q];
  assign head_tag_o = head_q;
  assign head_dst_o = dst + 64'(written_q);
  assign head_left = bytes_q[head_q] - written_q;
  assign head_ready = received_q[head_q] - written_q;
  assign head_left_o = 13'(head_left);
  assign head_ready_o = reads_q[head_q] ? '0 : 13'(head_ready);
  assign head_dw_o = DwWidth'((13'(written_q) + 13'(dst[1:0])) >> 2);

`ifndef SYNTHESIS
  logic [CycleWidth-1:0] last_q; // number of the edge before
  logic [1:0]            is_q;

  always_ff @(posedge clk_i) begin
    last_q <= cycle_i;
    is_q   <= channel_i;
    if (rst_ni) begin
      user_pushes_where_room_is: assert (!push_i || 32'(used_q) < ReadTags);
      user_reads_what_fits:      assert (!push_i || (push_bytes_i != '0 &&
                                                     32'(push_bytes_i) + 32'(push_addr_i[1:0]) <= ReadBytes));
      user_sends_what_is_there:  assert (!sent_i || (used_q != '0 && sent_bytes_i != '0 &&
                                                     sent_bytes_i <= head_ready_o));
      user_fails_what_is_there:  assert (!head_fails_i || used_q != '0);
      user_ends_a_list_first:    assert (!new_turn_i || (used_q == '0 && !push_i));
      user_keeps_its_channel:    assert (used_q == '0 || channel_i == is_q);
`ifndef LEAVES_OUT_EDGES // by a simulator that knows that nothing happens then
      user_counts_edges:         assert (used_q == '0 || cycle_i == last_q + 64'd1);
`endif
      own_tags_are_the_channels: assert (base_q <= LastBase && 32'(base_q) % ReadTags == 0);
    end
  end
`endif
`ifdef FORMAL
  logic [SumWidth-1:0] held; // bytes of the places from the oldest one's on

  always_comb begin
    held = '0;
    for (int unsigned i = 0; i < ReadTags; i++) begin
      if ((i + ReadTags - 32'(head_q)) % ReadTags < 32'(used_q)) held = held + SumWidth'(bytes_q[i]);
    end
  end
  always_ff @(posedge clk_i) if (rst_ni) own_sum_is_theirs: assert (sum_q == held);

  logic                   left_q;   // some request's data have left,
  logic [LengthWidth-1:0] length_q; // and the last such request had so many bytes

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= 1'b0;
    else if (sent_last) left_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (sent_last) length_q <= written_q + LengthWidth'(sent_bytes_i);
    if (rst_ni) own_gone_is_what_left: assert (!left_q || gone_q == length_q);
  end

  logic [TagWidth-1:0] slot; // any one place; the proof follows its requests
  hub_dma_reads_proof #(.ReadTags(ReadTags), .TimeoutCycles(TimeoutCycles)) u_proof (
    .clk_i, .rst_ni, .push_i, .push_internal_i, .push_bytes_i, .push_tag_i(push_tag_o),
    .answer_tag_i({1'b0, channel_i, answer_tag_i}), .answer_at_i(at_tag), .answer_data_i,
    .answer_bad_i, .came_i(answered_o && answer_data_i ? 13'(LengthWidth'(came)) : '0),
    .answered_i(answered_o), .late_i(late_o), .head_fails_i, .sent_i, .sent_bytes_i, .gone_i(head_gone),
    .head_i(head_q), .tail_i(tail_q), .used_i(used_q),
    .head_ready_i(head_ready_o), .slot_o(slot), .tag_i({1'b0, channel_i, 5'd0} + 8'(base_q) + 8'(slot)),
    .waits_i(waits_q[slot]), .failed_i(failed_q[slot]), .bytes_i(13'(bytes_q[slot])),
    .received_i(13'(received_q[slot])), .written_i(13'(written_q)),
    .left_i(32'(AtWidth'(at_q[slot] - AtWidth'(cycle_i))))
  );
`endif

endmodule
