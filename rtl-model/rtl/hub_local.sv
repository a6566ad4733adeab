// The local queue: answers to reads of the host, refusals, notifications, interrupts, and requests of
// the management processor, first in, first out.
//
// At each edge at most one joins, and may be granted from the edge `join_due_i` on. A read is one of
// them, however many completions answer it: they are cut at its head. Their data follows by itself, in
// beats of its own for each completion, and is read as fast as the output takes it. What has up to 8
// bytes of data brings them along.
//
// Packets and units of data are counted from the edge on at which their request joins, so `room_o`
// knows all completions of a read at once. A refusal that joins at the coming edge is counted already.
module hub_local #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned Packets = 128,
  parameter int unsigned Units = 1024, // of 16 bytes of data
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [63:0]         cycle_i,       // the number of the coming edge

  input  logic                join_i,
  input  logic                join_answer_i, // by SELF
  input  logic [63:0]         join_due_i,
  input  logic [OutWidth-1:0] join_out_i,
  input  logic [127:0]        join_header_i, // completions of a read: all but length, bytes, address
  input  logic [63:0]         join_data_i,
  input  logic                join_cut_i,    // a read, of these bytes:
  input  logic [11:0]         join_addr_i,   // in their page
  input  logic [12:0]         join_bytes_i,
  input  logic [2:0]          join_mps_i,
  input  logic                data_write_i,  // a beat of what was read
  input  logic [BusWidth-1:0] data_i,

  output logic                valid_o,
  output logic [OutWidth-1:0] out_o,
  output logic [1:0]          class_o,
  output logic [127:0]        header_o,
  output logic [BusWidth-1:0] data_o,
  input  logic                grant_i,
  input  logic                data_read_i,
  output logic                waits_o,       // a packet is in it
  output logic                room_o         // for the answers to one request, and what comes with it
);

  localparam int unsigned AnswerPackets = 36;
  localparam int unsigned AnswerUnits = 4096 / 16 + AnswerPackets;
  localparam int unsigned BeatUnits = BusBytes / 16;
  localparam int unsigned Beats = (Units + Packets * (BeatUnits - 1)) / BeatUnits;
  localparam int unsigned BeatsWidth = 9;
  localparam int unsigned HeaderWidth = 128 - 8; // Length has two bits, but for completions of a read
  localparam int unsigned CutWidth = 12 + 13 + 3;
  localparam int unsigned EntryWidth = 64 + OutWidth + HeaderWidth + 1 + 64;

  logic [$clog2(Packets+1)-1:0] used;
  logic [$clog2(Beats+1)-1:0]   beats_used;
  logic [63:0]                  due, data, data_q; // a read has no data here, but what is left of it
  logic [HeaderWidth-1:0]       entry_header;
  logic                         cut, pop;
  logic [11:0]                  addr, entry_addr, addr_d, addr_q;
  logic [12:0]                  left, entry_left, left_d, left_q, piece;
  logic [2:0]                   mps;
  logic                         begun_d, begun_q; // some of the head's completions have left
  logic [10:0]                  dwords;
  logic                         last_piece;
  logic                         small_q;          // the packet on its way has its data in data_q
  logic [BusWidth-1:0]          read_data;

  hub_fifo #(.Width(EntryWidth), .Depth(Packets)) u_entries (
    .clk_i, .rst_ni, .write_i(join_i),
    .data_i({join_due_i, join_out_i, join_header_i[127:32], join_header_i[25:18], join_header_i[15:0], join_cut_i,
             join_cut_i ? {{64-CutWidth{1'b0}}, join_addr_i, join_bytes_i, join_mps_i} : join_data_i}),
    .read_i(pop), .data_o({due, out_o, entry_header, cut, data}), .used_o(used)
  );
  assign {entry_addr, entry_left, mps} = data[CutWidth-1:0];
  hub_fifo #(.Width(BusWidth), .Depth(Beats)) u_data (
    .clk_i, .rst_ni, .write_i(data_write_i), .data_i, .read_i(data_read_i && !small_q),
    .data_o(read_data), .used_o(beats_used)
  );

  // The head, or what is left of it.
  assign addr = begun_q ? addr_q : entry_addr;
  assign left = begun_q ? left_q : entry_left;

  hub_cut u_cut (
    .addr_i(addr), .left_i(left), .mps_i(mps), .piece_o(piece), .dwords_o(dwords), .last_o(last_piece)
  );

  assign pop = grant_i && (!cut || last_piece);
  always_comb begin
    begun_d = begun_q;
    addr_d = addr_q;
    left_d = left_q;
    if (grant_i) begin
      begun_d = !pop;
      addr_d = addr + 12'(piece);
      left_d = left - piece;
    end
  end

  assign waits_o = used != '0;
  assign valid_o = used != '0 && due <= cycle_i;
  always_comb begin
    header_o = {entry_header[HeaderWidth-1:24], 6'd0, entry_header[23:16], 2'd0, entry_header[15:0]};
    if (cut) begin
      {header_o[31:24], header_o[17:16]} = {dwords[7:0], dwords[9:8]};
      {header_o[63:56], header_o[51:48]} = {left[7:0], left[11:8]};
      header_o[95:88] = {1'b0, addr[6:0]};
    end
  end
  always_comb begin
    class_o = 2'd1;
    if (header_o[4:0] == 5'b01010) class_o = 2'd2;
    else if (header_o[4:0] == '0) class_o = 2'd0;
  end
  assign data_o = small_q ? BusWidth'(data_q) : read_data;

  // Room.
  logic [8:0]  packets_d, packets_q, join_packets;
  logic [11:0] units_d, units_q, join_units;
  logic [8:0]  units;
  logic [12:0] size, lead, span, rest; // bytes: of a piece, before the first one, up to the end
  logic [BeatsWidth-1:0] unused_beats;

  hub_length #(.BusBytes(BusBytes)) u_length (
    .header_i(header_o[31:0]), .units_o(units), .beats_o(unused_beats)
  );

  always_comb begin
    size = 13'd128 << join_mps_i;
    lead = 13'(join_addr_i) & (size - 13'd1);
    span = lead + join_bytes_i;
    rest = span > size ? span - size : '0; // behind the first piece, and aligned
    join_packets = 9'd1;
    join_units = 12'(join_header_i[6]);
    if (join_cut_i) begin
      join_packets = 9'((span + size - 13'd1) >> (3'd7 + 4'(join_mps_i)));
      join_units = 12'(((span > size ? size : span) + 13'd15 - (lead & ~13'd3)) >> 4) +
                   12'((rest + 13'd15) >> 4);
    end
    packets_d = packets_q - 9'(grant_i) + (join_i ? join_packets : '0);
    units_d = units_q - (grant_i ? 12'(units) : '0) + (join_i ? join_units : '0);
  end

  assign room_o = 32'(packets_q) + 32'(join_answer_i) + AnswerPackets <= Packets &&
                  32'(units_q) + AnswerUnits <= Units;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q   <= 1'b0;
      small_q   <= 1'b0;
      packets_q <= '0;
      units_q   <= '0;
    end else begin
      begun_q   <= begun_d;
      if (grant_i) small_q <= !cut;
      packets_q <= packets_d;
      units_q   <= units_d;
    end
  end

  always_ff @(posedge clk_i) begin
    addr_q <= addr_d;
    left_q <= left_d;
    if (grant_i) data_q <= data;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      user_joins_where_room_is: assert (!join_i || 32'(used) < Packets);
      user_grants_a_head:       assert (!grant_i || valid_o);
      own_data_is_in_time:      assert (!data_read_i || small_q || beats_used != '0);
      user_sends_little_data:   assert (!join_i || join_cut_i || {join_header_i[31:26], join_header_i[17:16]} == '0);
      own_counts_agree:         assert (32'(packets_q) >= 32'(used));
    end
  end
`endif

  logic unused_bits;
  assign unused_bits = &{unused_beats, beats_used, dwords[10], left[12], piece[12], join_header_i[31:26], join_header_i[17:16]};

endmodule
