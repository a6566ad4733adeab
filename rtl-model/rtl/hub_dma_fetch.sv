// Descriptors of one channel: fetched ahead from internal RAM or by reads of the host, and kept until
// they begin. What is asked for at an edge follows from the registers before it.
//
// A pointer is known when its word is there. Until then the descriptor that brings it waits among the
// others, so there is one fetch at a time. `cut_i` ends the list behind the steps of this edge,
// `cut_late_i` behind the answers that come for the next one.
module hub_dma_fetch #(
  parameter int unsigned BusBytes = 16,
  parameter int unsigned Prefetch = 4,
  parameter int unsigned StartCycles = 4,
  parameter int unsigned DecodeCycles = 4,
  parameter int unsigned FetchInternalCycles = 6,
  parameter int unsigned FetchHostCycles = 4,
  parameter int unsigned TimeoutCycles = 0,   // 0: none
  localparam int unsigned BusWidth = 8 * BusBytes,
  localparam int unsigned RamWidth = 16,
  localparam int unsigned DescriptorWidth = 256,
  localparam int unsigned CycleWidth = 64
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [1:0]                 channel_i,    // constant
  input  logic [CycleWidth-1:0]      cycle_i,      // number of the coming edge

  // A list.
  input  logic                       start_i,
  input  logic                       start_list_i, // by this pointer
  input  logic [31:0]                start_head_i,
  input  logic                       new_turn_i,   // it uses other tags
  input  logic                       cut_i,
  input  logic                       cut_late_i,
  input  logic [63:0]                table_i,

  // Its step.
  output logic                       ask_host_o,   // for 32 bytes
  output logic [63:0]                addr_o,
  output logic [7:0]                 tag_o,
  input  logic                       host_i,       // that is sent
  output logic                       ask_ram_o,
  output logic [RamWidth-1:0]        ram_addr_o,
  input  logic                       ram_i,
  output logic                       bad_o,        // a pointer to RAM behind its descriptors
  output logic                       more_o,       // a pointer is known, or an answer is to come

  // Answers and beats.
  input  logic                       answer_i,     // a completion with a tag of this channel's fetches
  input  logic [7:0]                 answer_tag_i,
  input  logic                       answer_good_i,
  output logic                       answered_o,   // it is the one that was waited for,
  output logic                       spoilt_o,     // but is no descriptor
  output logic                       late_o,       // nothing came in time
  input  logic                       cpl_begin_i,  // a completion for any channel, or none
  input  logic                       cpl_beat_i,
  input  logic [BusWidth-1:0]        cpl_data_i,
  input  logic                       ram_beat_i,   // a beat of a descriptor
  input  logic [8:0]                 ram_index_i,
  input  logic [BusWidth-1:0]        ram_data_i,

  // The next descriptor.
  output logic                       empty_o,
  output logic                       valid_o,      // it is decoded
  output logic                       internal_o,   // it came from internal RAM
  output logic [DescriptorWidth-1:0] descriptor_o,
  input  logic                       pop_i
);

  localparam int unsigned Beats = DescriptorWidth / BusWidth;

  if (BusBytes != 16 && BusBytes != 32) begin : g_bad_bus_bytes
    $error("hub_dma_fetch: BusBytes: expected 16 or 32");
  end
  if (Prefetch < 1 || Prefetch > 16) begin : g_bad_prefetch
    $error("hub_dma_fetch: Prefetch: expected 1 to 16");
  end
  if (DecodeCycles < Beats || FetchInternalCycles <= Beats) begin : g_bad_cycles
    $error("hub_dma_fetch: DecodeCycles, FetchInternalCycles: expected at least the beats of a descriptor, and more");
  end
  if (TimeoutCycles == 1) begin : g_bad_timeout
    $error("hub_dma_fetch: TimeoutCycles: expected 0 or at least 2");
  end

  localparam int unsigned IndexWidth = Prefetch > 1 ? $clog2(Prefetch) : 1;
  localparam int unsigned CountWidth = $clog2(Prefetch + 1);
  localparam int unsigned AtWidth = $clog2(FetchInternalCycles + DecodeCycles + 1);
  localparam int unsigned WaitWidth = $clog2(TimeoutCycles + 2);
  localparam int unsigned SinceWidth = $clog2(StartCycles + FetchInternalCycles + DecodeCycles + FetchHostCycles) + 2;
  localparam logic [31:0] DescEnd = 32'h7fff_ffff; // as HUB_DESC_END
  localparam logic [30:0] Descriptors = 31'd1024;  // as HUB_INTERNAL_DESCS
  localparam logic [7:0]  FetchTag = 8'd128;       // as HUB_FETCH_TAG
  localparam logic [IndexWidth-1:0] Last = IndexWidth'(Prefetch - 1);
  localparam int unsigned NextBeat = 4 * 32 / BusWidth, NextAt = 4 * 32 % BusWidth; // as HUB_DESC_NEXT

  localparam logic signed [SinceWidth-1:0] HostSince = SinceWidth'(FetchHostCycles);
  localparam logic signed [SinceWidth-1:0] StartSince = SinceWidth'(1 - signed'(StartCycles));
  localparam logic signed [SinceWidth-1:0] RamSince = SinceWidth'(1 - signed'(FetchInternalCycles));
  localparam logic signed [SinceWidth-1:0] AnswerSince = SinceWidth'(-signed'(DecodeCycles));

  // The pointer, and how many edges ago it was known; negative: it will be.
  logic [31:0]  pointer_d, pointer_q;
  logic         known_d, known_q, coming_d, coming_q;
  logic signed [SinceWidth-1:0] since_d, since_q;
  // A fetch from the host.
  logic                 waits_d, waits_q;
  logic [3:0]           turn_d, turn_q;
  logic [WaitWidth-1:0] deadline_d, deadline_q;
  logic                 over; // at the next edge
  // Descriptors that were fetched, and the edges at which they are decoded.
  logic [IndexWidth-1:0]       head_d, head_q, tail_d, tail_q;
  logic [CountWidth-1:0]       used_d, used_q;
  logic [Prefetch*AtWidth-1:0] at_d, at_q;
  logic [Prefetch-1:0]         decoded_d, decoded_q, internal_d, internal_q;
  // Where the beats of an answer go.
  logic [IndexWidth-1:0] cpl_slot_d, cpl_slot_q, ram_slot_d, ram_slot_q;
  logic                  cpl_on_d, cpl_on_q;
  logic [1:0]            cpl_index_d, cpl_index_q;
  logic                  room, is_internal;

  assign is_internal = pointer_q[31];
  assign room = 32'(used_q) < Prefetch;
  assign ask_host_o = known_q && !waits_q && room && !is_internal && since_q >= HostSince;
  assign ask_ram_o = known_q && room && is_internal && !waits_q && since_q >= 0 && !bad_o;
  assign bad_o = known_q && room && is_internal && !waits_q && since_q >= 0 && pointer_q[30:0] >= Descriptors;
  assign addr_o = table_i + {27'h0, pointer_q, 5'h0};
  assign ram_addr_o = {pointer_q[10:0], 5'h0};
  assign tag_o = FetchTag + 8'(channel_i) + {1'b0, turn_q, 3'b000};
  assign more_o = known_q || coming_q || waits_q;
  assign over = TimeoutCycles != 0 && deadline_q == WaitWidth'(cycle_i + 64'd1);

  // A word that brings the pointer.
  logic        cpl_next, ram_next;
  logic [31:0] next;
  assign cpl_next = cpl_beat_i && cpl_on_q && 32'(cpl_index_q) == NextBeat;
  assign ram_next = ram_beat_i && 32'(ram_index_i) == NextBeat;
  assign next = cpl_next ? cpl_data_i[NextAt +: 32] : ram_data_i[NextAt +: 32];

  // An answer; if the list was cut short meanwhile, it is dropped.
  logic taken;
  assign answered_o = answer_i && waits_q && answer_tag_i == tag_o;
  assign taken = answered_o && known_q && !cut_i && answer_good_i;
  assign spoilt_o = answered_o && known_q && !cut_i && !answer_good_i;
  assign late_o = waits_q && over && !answered_o;

  always_comb begin
    logic                push, push_internal;
    logic [AtWidth-1:0]  at;

    pointer_d = pointer_q;
    known_d = known_q;
    coming_d = coming_q;
    since_d = since_q == HostSince ? since_q : since_q + 1'b1;
    waits_d = waits_q;
    turn_d = turn_q;
    deadline_d = deadline_q;
    head_d = head_q;
    tail_d = tail_q;
    used_d = used_q;
    at_d = at_q;
    decoded_d = decoded_q;
    internal_d = internal_q;
    cpl_slot_d = cpl_slot_q;
    ram_slot_d = ram_slot_q;
    cpl_index_d = cpl_index_q + 2'(cpl_beat_i);

    // What is decoded at the next edge, and the step.
    for (int unsigned i = 0; i < Prefetch; i++) begin
      if (at_q[i*AtWidth +: AtWidth] == AtWidth'(cycle_i + 64'd1)) decoded_d[i] = 1'b1;
    end
    if (coming_q && (cpl_next || ram_next)) begin
      pointer_d = next;
      known_d = next != DescEnd;
      coming_d = 1'b0;
    end
    if (pop_i) begin
      head_d = head_q == Last ? '0 : head_q + 1'b1;
      used_d = used_q - 1'b1;
    end
    if (host_i) begin
      waits_d = 1'b1;
      deadline_d = WaitWidth'(cycle_i + 64'(TimeoutCycles));
    end
    push = ram_i;
    push_internal = ram_i;
    at = AtWidth'(cycle_i + 64'(FetchInternalCycles) + 64'(DecodeCycles));
    if (ram_i) begin
      ram_slot_d = tail_q;
      since_d = RamSince;
      known_d = 1'b0;
      coming_d = 1'b1;
    end
    if (cut_i) begin
      known_d = 1'b0;
      coming_d = 1'b0;
      push = 1'b0;
      head_d = tail_q;
      used_d = '0;
    end
    if (start_i) begin
      pointer_d = start_head_i;
      known_d = start_list_i && start_head_i != DescEnd;
      since_d = StartSince;
      turn_d = turn_q + 4'(new_turn_i);
    end

    // Answers for the next edge, then the end of their time.
    cpl_on_d = cpl_on_q && !cpl_begin_i;
    if (answered_o || late_o) waits_d = 1'b0;
    if (taken) begin
      push = 1'b1;
      at = AtWidth'(cycle_i + 64'(DecodeCycles) + 64'd1);
      cpl_slot_d = tail_q;
      since_d = AnswerSince;
      known_d = 1'b0;
      coming_d = 1'b1;
      cpl_on_d = 1'b1;
      cpl_index_d = '0;
    end
    if (push) begin
      at_d[32'(tail_q)*AtWidth +: AtWidth] = at;
      decoded_d[tail_q] = 1'b0;
      internal_d[tail_q] = push_internal;
      tail_d = tail_q == Last ? '0 : tail_q + 1'b1;
      used_d = used_d + 1'b1;
    end
    if (cut_late_i) begin
      known_d = 1'b0;
      coming_d = 1'b0;
      head_d = tail_d;
      used_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pointer_q   <= '0;
      known_q     <= 1'b0;
      coming_q    <= 1'b0;
      since_q     <= '0;
      waits_q     <= 1'b0;
      turn_q      <= '0;
      deadline_q  <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      used_q      <= '0;
      at_q        <= '0;
      decoded_q   <= '0;
      internal_q  <= '0;
      cpl_slot_q  <= '0;
      ram_slot_q  <= '0;
      cpl_on_q    <= 1'b0;
      cpl_index_q <= '0;
    end else begin
      pointer_q   <= pointer_d;
      known_q     <= known_d;
      coming_q    <= coming_d;
      since_q     <= since_d;
      waits_q     <= waits_d;
      turn_q      <= turn_d;
      deadline_q  <= deadline_d;
      head_q      <= head_d;
      tail_q      <= tail_d;
      used_q      <= used_d;
      at_q        <= at_d;
      decoded_q   <= decoded_d;
      internal_q  <= internal_d;
      cpl_slot_q  <= cpl_slot_d;
      ram_slot_q  <= ram_slot_d;
      cpl_on_q    <= cpl_on_d;
      cpl_index_q <= cpl_index_d;
    end
  end

  logic [127:0]               low [Prefetch];
  logic [95:0]                high [Prefetch]; // without the pointer, which has gone ahead
  logic [DescriptorWidth-1:0] came;
  logic [Beats-1:0]           comes;
  logic                       cpl_write;
  assign cpl_write = cpl_beat_i && cpl_on_q;

  assign came = {Beats{cpl_write ? cpl_data_i : ram_data_i}};
  always_comb begin
    for (int unsigned k = 0; k < Beats; k++) begin
      comes[k] = (cpl_write && 32'(cpl_index_q) == k) || (ram_beat_i && 32'(ram_index_i) == k);
    end
  end
  always_ff @(posedge clk_i) begin
    if (comes[0])       low[cpl_write ? cpl_slot_q : ram_slot_q] <= came[127:0];
    if (comes[Beats-1]) high[cpl_write ? cpl_slot_q : ram_slot_q] <= came[255:160];
  end

  assign descriptor_o = {high[head_q], 32'd0, low[head_q]};
  logic unused_pointer;
  assign unused_pointer = &came[159:128];
  assign internal_o = internal_q[head_q];
  assign empty_o = used_q == '0;
  assign valid_o = used_q != '0 && decoded_q[head_q];

`ifndef SYNTHESIS
  logic [CycleWidth-1:0] last_q; // number of the edge before
  logic [1:0]            is_q;

  always_ff @(posedge clk_i) begin
    last_q <= cycle_i;
    is_q   <= channel_i;
    if (rst_ni) begin
      user_sends_what_was_asked: assert (!(host_i && !ask_host_o) && !(ram_i && !ask_ram_o) && !(host_i && ram_i));
      user_ends_a_list_first:    assert (!start_i || (!more_o && empty_o));
      user_begins_what_is_there: assert (!pop_i || valid_o);
      user_keeps_its_channel:    assert (!waits_q || channel_i == is_q);
`ifndef LEAVES_OUT_EDGES // by a simulator that knows that nothing happens then
      user_counts_edges:         assert ((empty_o && !waits_q) || cycle_i == last_q + 64'd1);
`endif
    end
  end
`endif
`ifdef FORMAL
  logic [IndexWidth-1:0] slot; // any one place; the proof follows its descriptors
  hub_dma_fetch_proof #(
    .Prefetch(Prefetch), .DecodeCycles(DecodeCycles), .FetchInternalCycles(FetchInternalCycles), .TimeoutCycles(TimeoutCycles)
  ) u_proof (
    .clk_i, .rst_ni, .host_i, .tag_i(tag_o), .ram_i, .cut_i, .cut_late_i, .answer_tag_i,
    .answered_i(answered_o), .taken_i(taken), .late_i(late_o), .pop_i, .valid_i(valid_o),
    .internal_i(internal_o), .known_i(known_q), .coming_i(coming_q), .waits_i(waits_q), .over_i(over),
    .head_i(head_q), .tail_i(tail_q), .used_i(used_q), .slot_o(slot), .by_ram_i(internal_q[slot]), .decoded_i(decoded_q[slot]),
    .left_i(32'(AtWidth'(at_q[32'(slot)*AtWidth +: AtWidth] - AtWidth'(cycle_i)))),
    .rest_i(32'(WaitWidth'(deadline_q - WaitWidth'(cycle_i))))
  );
`endif

endmodule
