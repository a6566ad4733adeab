// The registers of one channel, as far as they only hold what is written, and what a write starts
// (regs/hub_regs.h). Whole double words come with the beats of SELF; those of a beat act in the order
// of their addresses, and from the next edge on. A start takes the registers as they are behind its
// own beat.
module hub_dma_registers #(
  parameter int unsigned BusBytes = 16,
  localparam int unsigned Lanes = BusBytes / 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [1:0]            channel_i, // constant

  input  logic [23:0]           write_addr_i, // lane 0's, in the hub's own area
  input  logic [BusBytes*8-1:0] write_data_i,
  input  logic [Lanes-1:0]      write_enable_i,

  input  logic [7:3]            read_offset_i,
  output logic [63:0]           read_data_o,
  input  logic                  show_busy_i,
  input  logic [3:0]            show_error_i,
  input  logic [31:0]           show_ended_i,
  input  logic [63:0]           show_bytes_i,
  input  logic [63:0]           show_clock_i,

  input  logic                  busy_i,       // behind the step of this edge
  output logic                  abort_o,
  output logic                  start_o,
  output logic                  start_list_o, // by a pointer; otherwise by the registers
  output logic [31:0]           start_head_o,
  output logic                  refused_o,    // a start of a channel that is busy

  output logic [63:0]           new_src_o,    // for a start
  output logic [63:0]           new_dst_o,
  output logic [31:0]           new_length_o,
  output logic [63:0]           status_addr_o,
  output logic [63:0]           status_data_o,
  output logic [63:0]           table_o,
  output logic [31:0]           irq_o
);

  localparam logic [7:0] Src = 8'h00, Dst = 8'h08, Length = 8'h10, StatusAddr = 8'h18,
                         StatusData = 8'h20, Control = 8'h28, Head = 8'h30, Table = 8'h38,
                         State = 8'h40, Bytes = 8'h48, Clock = 8'h50, Irq = 8'h58;

  logic [63:0] src_d, src_q, dst_d, dst_q, length_d, length_q, addr_d, addr_q, data_d, data_q,
               table_d, table_q, irq_d, irq_q;
  logic        start_registers;

  always_comb begin
    logic [21:0] at; // a double word's
    logic [31:0] value;
    logic        busy;

    src_d = src_q;
    dst_d = dst_q;
    length_d = length_q;
    addr_d = addr_q;
    data_d = data_q;
    table_d = table_q;
    irq_d = irq_q;
    abort_o = 1'b0;
    start_registers = 1'b0;
    start_list_o = 1'b0;
    start_head_o = '0;
    refused_o = 1'b0;
    busy = busy_i;
    for (int unsigned l = 0; l < Lanes; l++) begin
      at = write_addr_i[23:2] + 22'(l);
      value = write_data_i[l*32 +: 32];
      if (write_enable_i[l] && at[21:6] == {14'h4, channel_i}) begin
        case ({at[5:1], 3'b000})
          Src:        src_d[32'(at[0])*32 +: 32] = value;
          Dst:        dst_d[32'(at[0])*32 +: 32] = value;
          Length:     length_d[32'(at[0])*32 +: 32] = value;
          StatusAddr: addr_d[32'(at[0])*32 +: 32] = value;
          StatusData: data_d[32'(at[0])*32 +: 32] = value;
          Irq:        irq_d[32'(at[0])*32 +: 32] = value;
          Table: begin
            table_d[32'(at[0])*32 +: 32] = value;
            table_d[11:0] = '0;
          end
          Control: begin
            if (!at[0] && value[1]) begin
              abort_o = 1'b1;
            end else if (!at[0] && value[0]) begin
              start_registers = !busy;
              refused_o = busy;
              busy = 1'b1;
            end
          end
          Head: begin
            if (!at[0]) begin
              start_list_o = !busy;
              refused_o = refused_o || busy;
              start_head_o = value;
            end
          end
          default: ;
        endcase
      end
    end
  end

  assign start_o = start_registers || start_list_o;
  assign new_src_o = src_d;
  assign new_dst_o = dst_d;
  assign new_length_o = length_d[31:0];
  assign status_addr_o = addr_q;
  assign status_data_o = data_q;
  assign table_o = table_q;
  assign irq_o = irq_q[31:0];

  always_comb begin
    case ({read_offset_i, 3'b000})
      Src:        read_data_o = src_q;
      Dst:        read_data_o = dst_q;
      Length:     read_data_o = length_q;
      StatusAddr: read_data_o = addr_q;
      StatusData: read_data_o = data_q;
      Table:      read_data_o = table_q;
      State:      read_data_o = {show_ended_i, 24'h0, show_error_i, 3'h0, show_busy_i};
      Bytes:      read_data_o = show_bytes_i;
      Clock:      read_data_o = show_clock_i;
      Irq:        read_data_o = irq_q;
      default:    read_data_o = '0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      src_q    <= '0;
      dst_q    <= '0;
      length_q <= '0;
      addr_q   <= '0;
      data_q   <= '0;
      table_q  <= '0;
      irq_q    <= '0;
    end else begin
      src_q    <= src_d;
      dst_q    <= dst_d;
      length_q <= length_d;
      addr_q   <= addr_d;
      data_q   <= data_d;
      table_q  <= table_d;
      irq_q    <= irq_d;
    end
  end

  logic unused_bits;
  assign unused_bits = &write_addr_i[1:0];

endmodule
