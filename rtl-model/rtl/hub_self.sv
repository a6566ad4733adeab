// What ends in the hub: registers and internal RAM, answers, and refusals (docs/hub-spec.md, "SELF").
//
// A packet that is granted at edge g shows its header in the cycle behind it, and is judged there. Beat
// k of a write comes in the cycle before edge g + 1 + k, at which it takes effect: it is taken beside
// the output's register. A read looks at registers in the cycle behind edge g, and at RAM at the edges
// from g + 1 on. Its answer joins the local queue at edge g + 1; a beat of data follows one edge behind
// that at which it was read. No packet is taken while one is read.
module hub_self #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned RegisterCycles = 8,
  parameter int unsigned OutputCycles = 3,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned Lanes = BusBytes / 4,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [63:0]           cycle_i,

  // From the crossbar.
  input  logic                  sop_i,        // a header
  input  logic [127:0]          header_i,
  input  logic [OutWidth-1:0]   port_i,       // by which the packet came; 0: the hub's own as well
  input  logic                  beat_i,       // the next beat of data
  output logic                  busy_o,       // a packet is read

  // Straps, and what the IP says, of the edge before.
  input  logic [5:0]            window_log2_i,
  input  logic [5:0]            part_log2_i,
  input  logic [15:0]           slot_i,
  input  logic [2:0]            mps_i,        // of N
  input  logic [Ports*16-1:0]   id_i,

  // Registers.
  output logic                  first_o,
  output logic [23:0]           addr_o,
  output logic [Lanes-1:0]      enable_o,
  output logic [23:3]           read_o,
  input  logic [63:0]           read_i,
  output logic [1:0]            refused_o,

  // Internal RAM.
  output logic [15:0]           ram_addr_o,
  output logic [BusBytes-1:0]   ram_write_o,
  input  logic [BusWidth-1:0]   ram_data_i,

  // To the local queue.
  output logic                  answer_o,
  output logic [63:0]           due_o,
  output logic [127:0]          answer_header_o,
  output logic                  cut_o,
  output logic [11:0]           first_byte_o,
  output logic [12:0]           bytes_o,
  output logic                  data_write_o,
  output logic [BusWidth-1:0]   data_o,

  // For the error registers of the port.
  output logic                  err_valid_o,
  output logic                  err_advisory_o,
  output logic [4:0]            err_kind_o,   // the bit of Uncorrectable Error Status
  output logic [127:0]          err_header_o
);

  if (RegisterCycles < 1 || RegisterCycles > 1024) begin : g_bad_register_cycles
    $error("hub_self: RegisterCycles: expected 1 to 1024");
  end

  localparam logic [4:0] ErrPoisoned = 5'd12;
  localparam logic [4:0] ErrAbort = 5'd15;
  localparam logic [4:0] ErrUnsupported = 5'd20;

  logic        poisoned, unsupported, abort, write, read, posted, ram, error;
  logic [23:0] at;
  logic [10:0] length;

  hub_judge u_judge (
    .header_i, .host_i(port_i == '0), .window_log2_i, .part_log2_i, .slot_i, .poisoned_o(poisoned),
    .unsupported_o(unsupported), .abort_o(abort), .write_o(write), .read_o(read), .posted_o(posted),
    .ram_o(ram), .at_o(at), .first_o(first_byte_o), .bytes_o(bytes_o)
  );
  assign length = {{header_i[17:16], header_i[31:24]} == '0, header_i[17:16], header_i[31:24]};
  assign error = poisoned || unsupported || abort;

  // Errors, and answers.
  assign err_valid_o = sop_i && error;
  assign err_advisory_o = !poisoned && !posted; // the requester judges it (6.2.3.2.4.1)
  assign err_kind_o = poisoned ? ErrPoisoned : abort ? ErrAbort : ErrUnsupported;
  assign err_header_o = {header_i[127:16], 1'b0, header_i[14:0]};
  assign answer_o = sop_i && (read || (error && !posted));
  assign due_o = cycle_i - 64'd1 + 64'(RegisterCycles) + 64'(OutputCycles);
  assign cut_o = read;

  logic [15:0] id;
  logic [2:0]  status;
  always_comb begin
    id = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (port_i == OutWidth'(p)) id = id_i[p*16 +: 16];
    end
    status = read ? 3'd0 : abort ? 3'd4 : 3'd1;
    answer_header_o = '0;
    answer_header_o[7:0] = read ? 8'h4a : 8'h0a;
    answer_header_o[15:8] = {1'b0, header_i[14:12], 1'b0, header_i[10], 2'b00};
    answer_header_o[23:16] = {2'b00, header_i[21:20], 4'b0000};
    answer_header_o[47:32] = {id[7:0], id[15:8]};
    answer_header_o[63:48] = {bytes_o[7:0], status, 1'b0, bytes_o[11:8]};
    answer_header_o[87:64] = {header_i[55:48], header_i[47:32]};
  end

  // Writes: the packet's rest behind this beat.
  logic        writing_d, writing_q, first_d, first_q, to_ram, to_ram_q;
  logic [23:0] at_now, at_q;
  logic [10:0] left, left_q;
  logic [3:0]  first_be, first_be_q, last_be, last_be_q, be;
  logic        beat;
  logic [1:0]  parts; // double words that are not written as a whole

  assign at_now = sop_i ? at : at_q;
  assign to_ram = sop_i ? ram : to_ram_q;
  assign left = sop_i ? length : left_q;
  assign first_be = sop_i ? header_i[59:56] : first_be_q;
  assign last_be = sop_i ? header_i[63:60] : last_be_q;
  assign first_d = sop_i ? 1'b1 : first_q;
  assign writing_d = sop_i ? write : writing_q;
  assign beat = beat_i && writing_d;

  always_comb begin
    enable_o = '0;
    ram_write_o = '0;
    parts = '0;
    be = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      be = '0;
      if (beat && 32'(left) > i) begin
        be = '1;
        if (first_d && i == 0)        be = first_be;
        else if (32'(left) == i + 1)  be = last_be;
      end
      enable_o[i] = be == '1 && !to_ram;
      if (be != '1 && be != '0 && !to_ram) parts = parts + 2'd1;
      ram_write_o[i*4 +: 4] = to_ram ? be : '0;
    end
  end
  assign first_o = first_d;
  assign addr_o = at_now;
  assign refused_o = sop_i && unsupported ? 2'd1 : parts;

  // Reads: beats of each completion, which end at a multiple of Max_Payload_Size.
  logic        reading, reading_q, registers_q, read_q;
  logic [15:0] from, from_q, end_d, end_q, next, edge_at; // end: behind the last byte; both in RAM
  logic [2:0]  mps, mps_q; // of all beats of a read
  logic [63:0] word, word_q;
  logic [BusWidth-1:0]   mask_d, mask_q;

  assign reading = (sop_i && read) || reading_q;
  assign from = sop_i ? at[15:0] : from_q;
  assign mps = sop_i ? mps_i : mps_q;
  assign end_d = sop_i ? at[15:0] + 16'({length, 2'b00}) : end_q; // 0: the end of RAM
  always_comb begin
    edge_at = (from | ((16'd128 << mps) - 16'd1)) + 16'd1;
    next = from + 16'(BusBytes);
    if (16'(edge_at - from) < 16'(BusBytes)) next = edge_at;
    if (16'(end_d - from) <= 16'(next - from)) next = end_d;
  end
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      mask_d[i*32 +: 32] = {32{16'(next - from) > 16'(4 * i)}};
    end
  end
  assign busy_o = reading;
  assign ram_addr_o = reading ? from : at_now[15:0];
  assign read_o = at[23:3];
  assign word = at[2] ? {32'd0, read_i[63:32]} : read_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q <= 1'b0;
      first_q   <= 1'b0;
      reading_q <= 1'b0;
      read_q    <= 1'b0;
    end else begin
      writing_q <= writing_d;
      first_q   <= first_d && !beat_i;
      reading_q <= reading && next != end_d;
      read_q    <= reading;
    end
  end

  always_ff @(posedge clk_i) begin
    to_ram_q    <= to_ram;
    at_q        <= beat_i ? at_now + 24'(BusBytes) : at_now;
    left_q      <= beat_i ? left - 11'(Lanes) : left;
    first_be_q  <= first_be;
    last_be_q   <= last_be;
    from_q      <= next;
    end_q       <= end_d;
    mps_q       <= mps;
    mask_q      <= mask_d;
    registers_q <= !ram;
    word_q      <= word;
  end

  assign data_write_o = read_q;
  assign data_o = (registers_q ? BusWidth'(word_q) : ram_data_i) & mask_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) user_waits_for_a_read: assert (!sop_i || !reading_q);
  end
`endif

  logic unused_bits;
  assign unused_bits = &{header_i[11], header_i[9:8], bytes_o[12]};

endmodule
