// Whether one channel has a list, how it goes, and the registers. What ends, fails or starts it at an
// edge acts from the next one on: first an error of a step, then a store. An error of an answer that
// comes for the next edge is kept aside, since a read of the registers must not see it before.
module hub_dma_list #(
  parameter int unsigned BusBytes = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [1:0]            channel_i, // constant
  input  logic [63:0]           cycle_i,   // number of the coming edge

  input  logic [23:0]           store_addr_i,
  input  logic [BusBytes*8-1:0] store_data_i,
  input  logic [BusBytes/4-1:0] store_enable_i,
  input  logic [7:3]            read_offset_i,
  output logic [63:0]           read_data_o,
  output logic [31:0]           irq_o,

  input  logic                  ends_i,
  input  logic [3:0]            step_error_i, // 0: none
  input  logic [3:0]            late_error_i,
  input  logic                  late_i,       // a request is given up
  input  logic                  sent_i,       // data
  input  logic [12:0]           sent_bytes_i,

  output logic                  busy_o,
  output logic                  failed_o,
  output logic                  abort_o,
  output logic                  start_o,
  output logic                  start_list_o,
  output logic [31:0]           start_head_o,
  output logic                  new_turn_o,   // it starts with other tags
  output logic [63:0]           new_src_o,
  output logic [63:0]           new_dst_o,
  output logic [31:0]           new_length_o,
  output logic [63:0]           status_addr_o,
  output logic [63:0]           status_data_o,
  output logic [63:0]           table_o
);

  localparam logic [3:0] ErrBusy = 4'd6; // as HUB_DMA_ERR_BUSY

  logic        busy_d, busy_q, failed_d, failed_q, unanswered_d, unanswered_q, refused;
  logic [3:0]  error_d, error_q, late_error_q;
  logic [31:0] ended_q, irq;
  logic [63:0] bytes_q;

  hub_dma_registers #(.BusBytes(BusBytes)) u_registers (
    .clk_i, .rst_ni, .channel_i, .write_addr_i(store_addr_i), .write_data_i(store_data_i),
    .write_enable_i(store_enable_i), .read_offset_i, .read_data_o, .show_busy_i(busy_q),
    .show_error_i(error_q), .show_ended_i(ended_q), .show_bytes_i(bytes_q),
    .show_clock_i(cycle_i - 64'd1), .busy_i(busy_q && !ends_i), .abort_o, .start_o, .start_list_o,
    .start_head_o, .refused_o(refused), .new_src_o, .new_dst_o, .new_length_o, .status_addr_o,
    .status_data_o, .table_o, .irq_o(irq)
  );

  always_comb begin
    busy_d = (busy_q && !ends_i) || start_o;
    failed_d = failed_q || step_error_i != '0 || abort_o;
    error_d = late_error_q != '0 ? late_error_q : error_q;
    if (step_error_i != '0) error_d = step_error_i;
    unanswered_d = unanswered_q;
    if (start_o) begin
      failed_d = 1'b0;
      error_d = '0;
      unanswered_d = 1'b0;
    end
    if (refused) error_d = ErrBusy;
    if (late_error_i != '0) failed_d = 1'b1;
    if (late_i) unanswered_d = 1'b1;
  end

  assign busy_o = busy_q;
  assign failed_o = failed_q;
  assign new_turn_o = start_o && unanswered_q;
  assign irq_o = ends_i ? irq : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      failed_q     <= 1'b0;
      unanswered_q <= 1'b0;
      error_q      <= '0;
      late_error_q <= '0;
      ended_q      <= '0;
      bytes_q      <= '0;
    end else begin
      busy_q       <= busy_d;
      failed_q     <= failed_d;
      unanswered_q <= unanswered_d;
      error_q      <= error_d;
      late_error_q <= late_error_i;
      ended_q      <= ended_q + 32'(ends_i);
      bytes_q      <= bytes_q + (sent_i ? 64'(sent_bytes_i) : '0);
    end
  end

endmodule
