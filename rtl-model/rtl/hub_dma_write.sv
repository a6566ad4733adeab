// The write register of one channel: the next packet of data or the status word, and its way out of the
// buffers. It is filled at a step, may be granted OutputCycles later, and is free from the grant on.
// Data is read from the buffers beat by beat, one cycle before the crossbar takes it.
module hub_dma_write #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned GapCycles = 1,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned ReadTags = 8,
  parameter int unsigned ReadBytes = 256,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned TagWidth = ReadTags > 1 ? $clog2(ReadTags) : 1,
  localparam int unsigned DwWidth = $clog2(ReadBytes / 4),
  localparam int unsigned Areas = 3,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [5:0]          window_log2_i,
  input  logic [5:0]          part_log2_i,
  input  logic [63:0]         bar_base_i,
  input  logic                memory_i,
  input  logic [15:0]         id_i,
  input  logic [Areas*64-1:0] area_base_i,
  input  logic [Ports*3-1:0]  mps_i,        // 128 << code

  // What may be written: data of the oldest request, or else a status word.
  input  logic                no_reads_i,
  input  logic                data_i,       // it has not failed
  input  logic [TagWidth-1:0] data_tag_i,
  input  logic [63:0]         data_dst_i,
  input  logic [OutWidth-1:0] data_out_i,
  input  logic [12:0]         data_left_i,
  input  logic [12:0]         data_ready_i,
  input  logic [DwWidth-1:0]  data_dw_i,
  input  logic                status_i,
  input  logic [63:0]         status_dst_i,
  input  logic [OutWidth-1:0] status_out_i,
  input  logic [63:0]         status_value_i,

  output logic                empty_o,      // the register
  output logic                closed_o,     // no way out, at this step
  output logic                sent_o,       // granted at this edge: data
  output logic [12:0]         sent_bytes_o,
  output logic                status_sent_o, // or the status word
  output logic                leaving_o,    // the last data of a request still leaves its buffer

  // To the crossbar.
  output logic                valid_o,
  output logic [OutWidth-1:0] out_o,
  output logic [127:0]        header_o,
  output logic [BusWidth-1:0] data_o,
  input  logic                grant_i,
  input  logic                read_i,

  // From the buffers.
  output logic [TagWidth-1:0] read_tag_o,
  output logic [DwWidth-1:0]  read_dw_o,
  input  logic [BusWidth-1:0] read_data_i
);

  if (OutputCycles < 1) begin : g_bad_output_cycles
    $error("hub_dma_write: OutputCycles: expected at least 1");
  end

  localparam int unsigned Lanes = BusBytes / 4;
  localparam int unsigned WaitWidth = $clog2(OutputCycles + 1);
  localparam int unsigned LeaveWidth = $clog2(4096 / BusBytes + GapCycles + 2);
  localparam logic [OutWidth-1:0] Self = OutWidth'(Ports + 1);

  // ---- the next packet ----------------------------------------------------------------------------

  logic [63:0]         dst, offset, leave;
  logic [OutWidth-1:0] out;
  logic                hit, own, closed, enough, unused_own;
  logic [12:0]         mps, to_page, bytes;

  assign dst = no_reads_i ? status_dst_i : data_dst_i;
  assign out = no_reads_i ? status_out_i : data_out_i;
  assign hit = memory_i && ((dst ^ bar_base_i) >> window_log2_i) == '0;
  assign offset = dst & ~({64{1'b1}} << window_log2_i);
  assign own = out == Self;

  hub_leave u_leave (
    .offset_i(offset), .host_i(out == '0), .part_log2_i, .area_base_i, .own_o(unused_own),
    .closed_o(closed), .addr_o(leave)
  );

  always_comb begin
    mps = 13'd128 << mps_i[2:0]; // also of SELF
    for (int unsigned p = 1; p < Ports; p++) begin
      if (out == OutWidth'(p)) mps = 13'd128 << mps_i[p*3 +: 3];
    end
    mps = mps - 13'(dst[1:0]); // of whole double words
    to_page = 13'd4096 - {1'b0, dst[11:0]};
    bytes = data_left_i < mps ? data_left_i : mps;
    if (to_page < bytes) bytes = to_page;
    enough = data_ready_i >= bytes;
    if (no_reads_i) bytes = 13'd8;
  end

  // ---- the register -------------------------------------------------------------------------------

  logic                 full_d, full_q, of_status_d, of_status_q;
  logic [WaitWidth-1:0] wait_d, wait_q; // edges until it may be granted
  logic [63:0]          addr_d, addr_q;
  logic [15:0]          id_d, id_q;
  logic [12:0]          bytes_d, bytes_q;
  logic [OutWidth-1:0]  out_d, out_q;
  logic                 wants, fills;

  assign empty_o = !full_q;
  assign wants = !full_q && (no_reads_i ? status_i : data_i);
  assign closed_o = wants && (!hit || closed);
  assign fills = wants && !closed_o && (no_reads_i || enough);

  always_comb begin
    full_d = full_q && !grant_i;
    wait_d = wait_q == '0 ? '0 : wait_q - 1'b1;
    of_status_d = of_status_q;
    addr_d = addr_q;
    id_d = id_q;
    bytes_d = bytes_q;
    out_d = out_q;
    if (fills) begin
      full_d = 1'b1;
      wait_d = WaitWidth'(OutputCycles - 1);
      of_status_d = no_reads_i;
      addr_d = own ? dst : leave;
      id_d = id_i;
      bytes_d = bytes;
      out_d = out;
    end
  end

  hub_dma_header u_header (
    .write_i(1'b1), .addr_i(addr_q), .bytes_i(bytes_q), .id_i(id_q), .tag_i(8'd0), .header_o
  );
  assign valid_o = full_q && wait_q == '0;
  assign out_o = out_q;
  assign sent_o = grant_i && !of_status_q;
  assign sent_bytes_o = bytes_q;
  assign status_sent_o = grant_i && of_status_q;

  // ---- the packet on its way out --------------------------------------------------------------------

  logic                  is_status_q;
  logic [1:0]            lead_q;           // disabled bytes of the first beat
  logic                  first_d, first_q;
  logic [12:0]           end_d, end_q;     // behind the last byte, from this beat on
  logic [DwWidth-1:0]    dw_d, dw_q;       // of this beat
  logic [TagWidth-1:0]   tag_q;
  logic [63:0]           status_q;
  logic [LeaveWidth-1:0] leave_d, leave_q; // edges until the buffer of a request is free
  logic [12:0]           whole;

  assign whole = bytes_q + 13'(addr_q[1:0]);
  assign read_tag_o = read_i ? tag_q : data_tag_i;
  assign read_dw_o = read_i ? dw_q + DwWidth'(Lanes) : data_dw_i;
  assign leaving_o = leave_q != '0;

  always_comb begin
    first_d = first_q && !read_i;
    end_d = read_i ? end_q - 13'(BusBytes) : end_q;
    dw_d = read_i ? read_dw_o : dw_q;
    leave_d = leave_q == '0 ? '0 : leave_q - 1'b1;
    if (grant_i) begin
      first_d = 1'b1;
      end_d = whole;
      dw_d = data_dw_i;
      if (sent_o && bytes_q == data_left_i) begin
        leave_d = LeaveWidth'((32'(whole) + BusBytes - 1) / BusBytes + GapCycles);
      end
    end
  end

  always_comb begin
    data_o = is_status_q ? BusWidth'(status_q) : read_data_i;
    for (int unsigned b = 0; b < BusBytes; b++) begin
      if (b >= 32'(end_q) || (first_q && b < 32'(lead_q))) data_o[b*8 +: 8] = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= 1'b0;
      wait_q  <= '0;
      leave_q <= '0;
    end else begin
      full_q  <= full_d;
      wait_q  <= wait_d;
      leave_q <= leave_d;
    end
  end

  always_ff @(posedge clk_i) begin
    of_status_q <= of_status_d;
    addr_q      <= addr_d;
    id_q        <= id_d;
    bytes_q     <= bytes_d;
    out_q       <= out_d;
    first_q     <= first_d;
    end_q       <= end_d;
    dw_q        <= dw_d;
    if (grant_i) begin
      is_status_q <= of_status_q;
      lead_q      <= addr_q[1:0];
      tag_q       <= data_tag_i;
      status_q    <= status_value_i;
    end
  end

  logic unused_bit;
  assign unused_bit = unused_own;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) user_grants_what_is_there: assert (!grant_i || valid_o);
  end
`endif

endmodule
