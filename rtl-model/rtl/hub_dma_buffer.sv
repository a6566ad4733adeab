// The buffers of one channel, in BusBytes / 4 lanes, so that a beat can be written and read from any double
// word on: lane l has the double words l, l + Lanes, ... of each tag.
//
// A lane is two memories, each with room for all tags: completions write the one, internal RAM the other.
// They write at once, but never to the same tag, and a bit for each tag says which of them has its data.
// Data that is written in one cycle can be read in the next one, and is on `data_o` in the cycle behind that.
module hub_dma_buffer #(
  parameter int unsigned BusBytes = 16,
  parameter int unsigned ReadTags = 8,
  parameter int unsigned ReadBytes = 256, // of one buffer
  localparam int unsigned Lanes = BusBytes / 4,
  localparam int unsigned TagWidth = ReadTags > 1 ? $clog2(ReadTags) : 1,
  localparam int unsigned DwWidth = $clog2(ReadBytes / 4),
  localparam int unsigned LaneWidth = $clog2(Lanes),
  localparam int unsigned RowWidth = DwWidth - LaneWidth
) (
  input  logic                 clk_i,

  input  logic [BusBytes-1:0]  cpl_write_i, // by byte, from lane 0 of the beat on
  input  logic [TagWidth-1:0]  cpl_tag_i,
  input  logic [DwWidth-1:0]   cpl_dw_i,    // where the beat begins
  input  logic [BusBytes*8-1:0] cpl_data_i,

  input  logic                 ram_write_i, // a beat of all lanes
  input  logic [TagWidth-1:0]  ram_tag_i,
  input  logic [RowWidth-1:0]  ram_row_i,
  input  logic [BusBytes*8-1:0] ram_data_i,

  input  logic [TagWidth-1:0]  read_tag_i,
  input  logic [DwWidth-1:0]   read_dw_i,
  output logic [BusBytes*8-1:0] data_o
);

  if (BusBytes != 16 && BusBytes != 32) begin : g_bad_bus_bytes
    $error("hub_dma_buffer: BusBytes: expected 16 or 32");
  end
  if (ReadBytes < 2 * BusBytes || ReadBytes > 4096 || (ReadBytes & (ReadBytes - 1)) != 0) begin : g_bad_read_bytes
    $error("hub_dma_buffer: ReadBytes: expected a power of two from 64 to 4096");
  end
  if (ReadTags < 1 || ReadTags > 32) begin : g_bad_read_tags
    $error("hub_dma_buffer: ReadTags: expected 1 to 32");
  end

  // Beats as they lie in the lanes; lanes before the first one have the next row. What internal RAM
  // brings begins with lane 0, and fills what is behind its last byte, too.
  logic [BusBytes*8-1:0]     cpl_data;
  logic [BusBytes-1:0]       cpl_write;
  logic [Lanes*RowWidth-1:0] cpl_row, read_row;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [LaneWidth-1:0] cpl_from;

      cpl_from = LaneWidth'(l) - cpl_dw_i[LaneWidth-1:0];
      cpl_data[l*32 +: 32] = cpl_data_i[32'(cpl_from)*32 +: 32];
      cpl_write[l*4 +: 4] = cpl_write_i[32'(cpl_from)*4 +: 4];
      cpl_row[l*RowWidth +: RowWidth] =
          cpl_dw_i[DwWidth-1:LaneWidth] + RowWidth'(LaneWidth'(l) < cpl_dw_i[LaneWidth-1:0]);
      read_row[l*RowWidth +: RowWidth] =
          read_dw_i[DwWidth-1:LaneWidth] + RowWidth'(LaneWidth'(l) < read_dw_i[LaneWidth-1:0]);
    end
  end

  // One memory for both would have two ports to write.
  localparam int unsigned Rows = 1 << (TagWidth + RowWidth);

  logic [ReadTags-1:0]   from_ram_q;           // by tag, which of them brought its data
  logic [BusBytes*8-1:0] cpl_shown, ram_shown; // at what was read
  logic [BusBytes*8-1:0] shown;
  logic                  ram_q;
  logic [LaneWidth-1:0]  lane_q; // of its first double word

  for (genvar l = 0; l < Lanes; l++) begin : g_lane
    logic [TagWidth+RowWidth-1:0] read_at;

    assign read_at = {read_tag_i, read_row[l*RowWidth +: RowWidth]};

    hub_dma_lane #(.Rows(Rows)) u_cpl (
      .clk_i, .write_i(cpl_write[l*4 +: 4]), .row_i({cpl_tag_i, cpl_row[l*RowWidth +: RowWidth]}),
      .data_i(cpl_data[l*32 +: 32]), .read_row_i(read_at), .data_o(cpl_shown[l*32 +: 32])
    );
    hub_dma_lane #(.Rows(Rows)) u_ram (
      .clk_i, .write_i({4{ram_write_i}}), .row_i({ram_tag_i, ram_row_i}), .data_i(ram_data_i[l*32 +: 32]),
      .read_row_i(read_at), .data_o(ram_shown[l*32 +: 32])
    );
  end

  always_ff @(posedge clk_i) begin
    if (cpl_write_i != '0) from_ram_q[cpl_tag_i] <= 1'b0;
    if (ram_write_i)       from_ram_q[ram_tag_i] <= 1'b1;
    ram_q  <= from_ram_q[read_tag_i];
    lane_q <= read_dw_i[LaneWidth-1:0];
  end

  assign shown = ram_q ? ram_shown : cpl_shown;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [LaneWidth-1:0] from;

      from = LaneWidth'(l) + lane_q;
      data_o[l*32 +: 32] = shown[32'(from)*32 +: 32];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    user_writes_a_tag_once: assert (cpl_write_i == '0 || !ram_write_i || cpl_tag_i != ram_tag_i);
  end
`endif

endmodule
