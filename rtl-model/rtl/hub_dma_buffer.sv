// The buffers of one channel, one for each tag. Each is BusBytes / 4 lanes, so that a beat can be written
// and read from any double word on: lane l has the double words l, l + Lanes, ...
//
// Completions and internal RAM write at once, but never to the same tag. Data that is written in one
// cycle can be read in the next one, and is on `data_o` in the cycle behind that.
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

  logic [ReadTags*BusBytes*8-1:0] stored; // by tag
  logic [BusBytes*8-1:0]          shown;  // by the tag that was read
  logic [TagWidth-1:0]            tag_q;
  logic [LaneWidth-1:0]           lane_q; // of its first double word

  for (genvar t = 0; t < ReadTags; t++) begin : g_tag
    logic from_ram;

    assign from_ram = ram_write_i && ram_tag_i == TagWidth'(t);

    for (genvar l = 0; l < Lanes; l++) begin : g_lane
      logic [3:0] write;

      assign write = from_ram ? '1 : cpl_tag_i == TagWidth'(t) ? cpl_write[l*4 +: 4] : '0;

      hub_dma_lane #(.Rows(1 << RowWidth)) u_lane (
        .clk_i, .write_i(write),
        .row_i(from_ram ? ram_row_i : cpl_row[l*RowWidth +: RowWidth]),
        .data_i(from_ram ? ram_data_i[l*32 +: 32] : cpl_data[l*32 +: 32]),
        .read_row_i(read_row[l*RowWidth +: RowWidth]),
        .data_o(stored[(t*Lanes+l)*32 +: 32])
      );
    end
  end

  always_ff @(posedge clk_i) begin
    tag_q  <= read_tag_i;
    lane_q <= read_dw_i[LaneWidth-1:0];
  end

  assign shown = stored[32'(tag_q)*BusBytes*8 +: BusBytes*8];

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
