// What joins the local queue: at each edge at most one of what SELF makes, a notification, an interrupt,
// or a request of the management processor, in this order.
module hub_join #(
  parameter int unsigned Ports = 4,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned OutputCycles = 3,
  parameter int unsigned LocalPackets = 128,
  parameter int unsigned LocalUnits = 1024,
  localparam int unsigned OutWidth = $clog2(Ports + 2),
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [63:0]         cycle_i, // the number of the coming edge
  input  logic [2:0]          mps_i,   // what this and the ID say is N's
  input  logic [15:0]         id_i,

  // An answer of SELF, or the completions that it is cut into.
  input  logic                answer_i,
  input  logic [63:0]         answer_due_i,
  input  logic [OutWidth-1:0] answer_out_i,
  input  logic [127:0]        answer_header_i,
  input  logic                answer_cut_i,
  input  logic [11:0]         answer_addr_i,
  input  logic [12:0]         answer_bytes_i,
  input  logic                data_write_i,
  input  logic [BusWidth-1:0] data_i,

  // A notification for the ring in host memory.
  input  logic                append_i,
  input  logic [63:0]         append_addr_i,
  input  logic [63:0]         append_entry_i,

  // An interrupt.
  input  logic                irq_i,
  input  logic                msi_i, // enabled
  input  logic [63:0]         msi_addr_i,
  input  logic [31:0]         msi_data_i,

  // The management processor.
  input  logic                mgmt_valid_i,
  input  logic [OutWidth-1:0] mgmt_out_i,
  input  logic [127:0]        mgmt_header_i,
  input  logic [31:0]         mgmt_data_i,
  output logic                mgmt_ready_o,

  // The head of the queue.
  output logic                valid_o,
  output logic [OutWidth-1:0] out_o,
  output logic [1:0]          class_o,
  output logic [127:0]        header_o,
  output logic [BusWidth-1:0] data_o,
  input  logic                grant_i,
  input  logic                read_i,
  output logic                waits_o, // a packet is in the queue
  output logic                room_o   // for what one request to SELF can make
);

  logic                msi, mgmt;
  logic [63:0]         due, data, addr;
  logic [OutWidth-1:0] out;
  logic [127:0]        write, header;

  assign msi = irq_i && msi_i;
  assign mgmt_ready_o = !answer_i && !append_i && !msi;
  assign mgmt = mgmt_valid_i && mgmt_ready_o;
  assign addr = append_i ? append_addr_i : msi_addr_i;

  hub_dma_header u_header (
    .write_i(1'b1), .addr_i({addr[63:2], 2'b00}), .bytes_i(append_i ? 13'd8 : 13'd4), .id_i,
    .tag_i(8'd0), .header_o(write)
  );

  always_comb begin
    due = cycle_i + 64'(OutputCycles);
    out = '0;
    header = write;
    data = append_i ? append_entry_i : {32'd0, msi_data_i};
    if (answer_i) begin
      due = answer_due_i;
      out = answer_out_i;
      header = answer_header_i;
    end else if (mgmt) begin
      due = cycle_i + 64'd1;
      out = mgmt_out_i;
      header = mgmt_header_i;
      data = {32'd0, mgmt_data_i};
    end
  end

  hub_local #(
    .Ports(Ports), .BusBytes(BusBytes), .Packets(LocalPackets), .Units(LocalUnits)
  ) u_local (
    .clk_i, .rst_ni, .cycle_i, .join_i(answer_i || append_i || msi || mgmt),
    .join_answer_i(answer_i), .join_due_i(due), .join_out_i(out), .join_header_i(header),
    .join_data_i(data), .join_cut_i(answer_i && answer_cut_i), .join_addr_i(answer_addr_i),
    .join_bytes_i(answer_bytes_i), .join_mps_i(mps_i), .data_write_i, .data_i, .valid_o, .out_o,
    .class_o, .header_o, .data_o, .grant_i, .data_read_i(read_i), .waits_o, .room_o
  );

  logic unused_addr;
  assign unused_addr = &addr[1:0];

endmodule
