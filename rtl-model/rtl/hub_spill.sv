// The posted packets of a port that wait for their outputs, first in, first out, on the chip or in DDR3
// (docs/hub-spec.md, "DDR3"). Headers stay here; what hub_queue says of their age holds here, too.
//
// A packet has a slot on the chip from its first beat on, until it is granted or written to DDR3. A slot
// has room for the largest packet, so that slots become free in any order. The slot goes with the
// header through the stages of the receive stream, and with it whether the packet may ask.
//
// A packet asks if ChipTlps others were on the chip at its first beat. It may be taken from the cycle on
// that is behind its header and all of its data. With each packet that leaves the chip, the first one
// that asks stays. So ChipTlps packets on the chip are before the first one that asks, packets go to
// DDR3 in their order, and they come back in it: DDR3 is a FIFO of beats for each port.
//
// `take_i` in the cycle before edge b: beat k of the data is on `spill_data_o` k cycles behind that edge.
// The slot is free before the last beat is read. What comes for it comes behind the reader.
module hub_spill #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned Headers = 32,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned ChipTlps = 16,     // more of them have to wait on the chip
  parameter int unsigned DdrTlps = 64,      // places in DDR3, at most
  parameter int unsigned LargestUnits = 16, // of 16 bytes: data of the largest packet
  localparam int unsigned SlotWidth = Headers > 1 ? $clog2(Headers) : 1,
  localparam int unsigned TagWidth = SlotWidth + 1,
  localparam int unsigned PlacesWidth = DdrTlps > 0 ? $clog2(DdrTlps + 1) : 1,
  localparam int unsigned OrderWidth = 32,
  localparam int unsigned DwordsWidth = 11,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   begin_i,       // a packet's first beat
  input  logic [31:0]            first_i,       // its first double word
  output logic [TagWidth-1:0]    tag_o,         // its slot, and whether it may ask
  input  logic                   write_i,       // a header, with its tag
  input  logic [TagWidth-1:0]    tag_i,
  input  logic [OutWidth-1:0]    out_i,
  input  logic [127:0]           header_i,
  input  logic [OrderWidth-1:0]  order_i,
  input  logic                   data_write_i,
  input  logic [BusWidth-1:0]    data_i,

  output logic                   valid_o,       // the head may be granted but for its output
  output logic                   head_o,        // there is one
  output logic [OutWidth-1:0]    out_o,
  output logic [127:0]           header_o,
  output logic [OrderWidth-1:0]  order_o,
  input  logic                   grant_i,
  output logic                   free_o,        // that frees a place on the chip
  output logic [BusWidth-1:0]    data_o,
  input  logic                   data_read_i,

  input  logic [PlacesWidth-1:0] places_i,      // in DDR3
  output logic                   wants_o,       // a packet is for DDR3,
  output logic [DwordsWidth-1:0] dwords_o,      // with so much data
  input  logic                   take_i,
  output logic [BusWidth-1:0]    spill_data_o,
  input  logic                   written_i,     // its slot is free from the next edge on
  input  logic                   ready_i,       // one more may be granted from the next edge on
  output logic                   spill_read_o,  // takes the beat that DDR3 shows
  input  logic [BusWidth-1:0]    spill_data_i
);

  if (ChipTlps < 1 || ChipTlps >= Headers) begin : g_bad_chip_tlps
    $error("hub_spill: ChipTlps: expected 1 or more, and less than Headers");
  end
  if (DdrTlps < 1 || LargestUnits < BusBytes / 16) begin : g_bad_size
    $error("hub_spill: DdrTlps: expected at least 1; LargestUnits: expected a beat or more");
  end

  localparam int unsigned Entries = Headers + DdrTlps;
  localparam int unsigned EntriesWidth = $clog2(Entries + 1);
  localparam int unsigned NumberWidth = EntriesWidth + 1; // of packets, wraps
  localparam int unsigned UsedWidth = $clog2(Headers + 1);
  localparam int unsigned SlotBeats = (LargestUnits * 16 + BusBytes - 1) / BusBytes;
  localparam int unsigned BeatsWidth = 9;
  localparam int unsigned AddrWidth = Headers * SlotBeats > 1 ? $clog2(Headers * SlotBeats) : 1;
  localparam int unsigned YoungWidth = $clog2(OutputCycles + 1);
  localparam int unsigned AskWidth = NumberWidth + SlotWidth + DwordsWidth;

  // Slots, and the packet that comes.
  logic [Headers-1:0]    taken_d, taken_q;
  logic [SlotWidth-1:0]  slot;
  logic                  asks;                        // there are enough before it
  logic [8:0]            unused_units;
  logic [BeatsWidth-1:0] first_beats, left_d, left_q; // beats of data to come
  logic                  complete;                    // all of it is here
  logic [AddrWidth-1:0]  write_addr_q;

  // The queue.
  logic [EntriesWidth-1:0] used;
  logic [OutputCycles-1:0] recent_q;
  logic [YoungWidth-1:0]   young;
  logic [NumberWidth-1:0]  head_q, tail_q, ddr_head; // numbers: of the head, the next, in DDR3
  logic [SlotWidth-1:0]    head_slot;
  logic [PlacesWidth-1:0]  in_ddr, ready_d, ready_q;
  logic                    head_in_ddr, reads_ddr_q, old, chip_grant, ddr_grant;
  logic [AddrWidth-1:0]    read_addr_d, read_addr_q, spill_addr_d, spill_addr_q;
  logic [BusWidth-1:0]     chip_data;

  // Who asks.
  logic [UsedWidth-1:0]    on_chip_d, on_chip_q;
  logic [UsedWidth-1:0]    asks_d, asks_q;     // on the chip, those with beats to come among them
  logic [UsedWidth-1:0]    waiting;            // those that may be taken
  logic [UsedWidth-1:0]    stay_d, stay_q;     // that will stay, of those with beats to come
  logic                    granted_q;          // a packet left the chip for an output at the last edge
  logic                    stays;              // the first that asks
  logic [UsedWidth-1:0]    done_d, done_q;     // complete, and the header still on its way
  logic                    late_d, late_q;     // the last header is here, and not all of its data
  logic                    complete_now, joins, join_stays;
  logic                    join_may, last_may_q;
  logic [AskWidth-1:0]     who, last_q;       // who joins; that of the last header
  logic [NumberWidth-1:0]  ask_number;         // the first that asks
  logic [SlotWidth-1:0]    ask_slot, written_slot_q;
  logic [DwordsWidth-1:0]  dwords;

  always_comb begin
    slot = '0;
    for (int unsigned s = Headers; s > 0; s--) begin
      if (!taken_q[s-1]) slot = SlotWidth'(s - 1);
    end
  end

  always_comb begin
    taken_d = taken_q;
    if (chip_grant) taken_d = taken_d & ~(Headers'(1) << head_slot);
    if (written_i)  taken_d = taken_d & ~(Headers'(1) << written_slot_q);
    if (begin_i)    taken_d = taken_d | (Headers'(1) << slot);
  end

  // One that left at the edge of the first beat made this packet ask, and then stay.
  assign asks = 32'(on_chip_q) >= ChipTlps;
  assign tag_o = {asks, slot};

  hub_length #(.BusBytes(BusBytes)) u_length (
    .header_i(first_i), .units_o(unused_units), .beats_o(first_beats)
  );

  assign left_d = begin_i ? first_beats : left_q - BeatsWidth'(data_write_i);
  assign complete = (begin_i || data_write_i) && left_d == '0;

  hub_fifo #(.Width(SlotWidth + OrderWidth + OutWidth + 128), .Depth(Entries)) u_headers (
    .clk_i, .rst_ni, .write_i, .data_i({tag_i[SlotWidth-1:0], order_i, out_i, header_i}),
    .read_i(grant_i), .data_o({head_slot, order_o, out_o, header_o}), .used_o(used)
  );
  hub_fifo #(.Width(NumberWidth), .Depth(DdrTlps)) u_in_ddr (
    .clk_i, .rst_ni, .write_i(take_i), .data_i(ask_number), .read_i(ddr_grant), .data_o(ddr_head),
    .used_o(in_ddr)
  );

  // A copy for each reader.
  hub_memory #(.Width(BusWidth), .Depth(Headers * SlotBeats)) u_data (
    .clk_i, .write_i(data_write_i), .write_addr_i(write_addr_q), .data_i, .read_addr_i(read_addr_d),
    .data_o(chip_data)
  );
  hub_memory #(.Width(BusWidth), .Depth(Headers * SlotBeats)) u_spill (
    .clk_i, .write_i(data_write_i), .write_addr_i(write_addr_q), .data_i,
    .read_addr_i(spill_addr_d), .data_o(spill_data_o)
  );

  always_comb begin
    read_addr_d = read_addr_q;
    if (grant_i)          read_addr_d = AddrWidth'(32'(head_slot) * SlotBeats);
    else if (data_read_i) read_addr_d = read_addr_q + 1'b1;
    spill_addr_d = take_i ? AddrWidth'(32'(ask_slot) * SlotBeats) : spill_addr_q + 1'b1;
  end

  always_comb begin
    young = '0;
    for (int unsigned k = 0; k < OutputCycles; k++) young = young + YoungWidth'(recent_q[k]);
  end

  assign head_o = used != '0;
  assign head_in_ddr = in_ddr != '0 && ddr_head == head_q;
  assign old = 32'(out_o) >= Ports || 32'(used) > 32'(young);
  assign valid_o = head_o && old && (!head_in_ddr || ready_q != '0 || ready_i);
  assign chip_grant = grant_i && !head_in_ddr;
  assign ddr_grant = grant_i && head_in_ddr;
  assign free_o = chip_grant;
  assign ready_d = ready_q + PlacesWidth'(ready_i) - PlacesWidth'(ddr_grant);
  assign data_o = reads_ddr_q ? spill_data_i : chip_data;
  assign spill_read_o = data_read_i && reads_ddr_q;

  assign on_chip_d = on_chip_q + UsedWidth'(begin_i) - UsedWidth'(chip_grant) - UsedWidth'(take_i);

  // A packet joins with its header, or with the end of its data.
  assign dwords = header_i[6] ? {{header_i[17:16], header_i[31:24]} == '0, header_i[17:16], header_i[31:24]} : '0;
  assign who = write_i ? {tail_q, tag_i[SlotWidth-1:0], dwords} : last_q;
  assign join_may = write_i ? tag_i[SlotWidth] : last_may_q;
  always_comb begin
    done_d = done_q;
    late_d = late_q;
    complete_now = 1'b0;
    if (write_i) begin
      complete_now = done_q != '0 || complete;
      late_d = !complete_now;
      done_d = done_q + UsedWidth'(complete) - UsedWidth'(complete_now);
    end else if (complete) begin
      complete_now = late_q;
      late_d = 1'b0;
      done_d = done_q + UsedWidth'(!late_q);
    end
  end
  assign joins = complete_now && join_may;

  hub_fifo #(.Width(AskWidth), .Depth(Headers)) u_asks (
    .clk_i, .rst_ni, .write_i(joins && !join_stays), .data_i(who),
    .read_i(take_i || (stays && waiting != '0)), .data_o({ask_number, ask_slot, dwords_o}),
    .used_o(waiting)
  );

  assign stays = granted_q && asks_q != '0;
  assign join_stays = stay_q != '0 || (stays && waiting == '0);
  assign stay_d = stay_q + UsedWidth'(stays && waiting == '0) - UsedWidth'(joins && join_stays);
  assign asks_d = asks_q + UsedWidth'(begin_i && asks) - UsedWidth'(stays) - UsedWidth'(take_i);
  assign wants_o = waiting != '0 && !stays && in_ddr < places_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q     <= '0;
      left_q      <= '0;
      recent_q    <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      ready_q     <= '0;
      reads_ddr_q <= 1'b0;
      on_chip_q   <= '0;
      asks_q      <= '0;
      stay_q      <= '0;
      granted_q   <= 1'b0;
      done_q      <= '0;
      late_q      <= 1'b0;
    end else begin
      taken_q     <= taken_d;
      left_q      <= left_d;
      recent_q    <= OutputCycles'({recent_q, write_i});
      head_q      <= head_q + NumberWidth'(grant_i);
      tail_q      <= tail_q + NumberWidth'(write_i);
      ready_q     <= ready_d;
      if (grant_i) reads_ddr_q <= head_in_ddr;
      on_chip_q   <= on_chip_d;
      asks_q      <= asks_d;
      stay_q      <= stay_d;
      granted_q   <= chip_grant;
      done_q      <= done_d;
      late_q      <= late_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_i)           write_addr_q <= AddrWidth'(32'(slot) * SlotBeats);
    else if (data_write_i) write_addr_q <= write_addr_q + 1'b1;
    read_addr_q  <= read_addr_d;
    spill_addr_q <= spill_addr_d;
    if (take_i)  written_slot_q <= ask_slot;
    if (write_i) begin
      last_q     <= who;
      last_may_q <= join_may;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_has_a_slot:    assert (!begin_i || taken_q != '1);
      user_has_places:    assert (32'(places_i) <= DdrTlps);
      user_takes_one:     assert (!take_i || wants_o);
      user_grants_a_head: assert (!grant_i || valid_o);
      own_ready_is_there: assert (ready_q <= in_ddr);
      own_asks_are_rest:  assert (granted_q || (32'(on_chip_q) <= ChipTlps ? asks_q == '0
                                                : 32'(on_chip_q) == 32'(asks_q) + ChipTlps));
      own_head_stays:     assert (!take_i || ask_number != head_q);
    end
  end
`endif

endmodule
