// The registers of the hub (regs/hub_regs.h) but for those of the DMA channels, with what they do: the
// interrupt, and the ring of notifications.
//
// A beat of a write comes before the edge at which it takes effect. Each of its lanes is one half of a
// register, and lanes that are not enabled as a whole change nothing. What changes at an edge acts from
// the next one on. A read shows registers as they are in its cycle.
module hub_registers #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Pairs = 8,
  parameter int unsigned BusBytes = 16,
  parameter int unsigned RingWaits = 256, // HUB_RING_WAITS
  localparam int unsigned Areas = 3,
  localparam int unsigned Lanes = BusBytes / 4,
  localparam int unsigned BusWidth = 8 * BusBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // A beat of a write.
  input  logic                      first_i,   // of its packet
  input  logic [23:0]               addr_i,    // of lane 0
  input  logic [Lanes-1:0]          enable_i,
  input  logic [BusWidth-1:0]       data_i,

  // A read of one register.
  input  logic [23:3]               read_i,
  output logic [63:0]               read_o,
  output logic [9:3]                dma_read_o, // channel and register
  input  logic [63:0]               dma_read_i,

  // What else the registers show.
  input  logic [5:0]                window_log2_i,
  input  logic [5:0]                part_log2_i,
  input  logic [15:0]               slot_i,
  input  logic [15:0]               subcluster_i,
  input  logic [Ports*Pairs*64-1:0] route_lower_i,
  input  logic [Ports*Pairs*64-1:0] route_upper_i,
  input  logic [Ports-1:0]          link_i,     // HUB_LINK_STATUS
  input  logic [Ports*64-1:0]       aer_i,
  output logic [Ports*2-1:0]        aer_write_o, // halves: bits that are ones are cleared
  output logic [Ports*64-1:0]       aer_data_o,

  output logic [Areas*64-1:0]       area_base_o,
  input  logic [1:0]                refused_i,  // requests and halves that HUB_UR_COUNT counts

  // Notifications and interrupts.
  input  logic [31:0]               dma_irq_i,
  input  logic                      may_append_i,
  output logic                      notify_waits_o,
  output logic                      append_o,
  output logic                      append_internal_o,
  output logic [63:0]               append_addr_o,
  output logic [63:0]               append_entry_o,
  input  logic                      irq_free_i,
  output logic                      irq_pending_o,
  output logic                      irq_send_o
);

  localparam logic [23:0] Id         = 24'h00;
  localparam logic [23:0] Slot       = 24'h08;
  localparam logic [23:0] LinkStatus = 24'h10;
  localparam logic [23:0] IrqRaise   = 24'h20;
  localparam logic [23:0] IrqStatus  = 24'h28;
  localparam logic [23:0] IrqMask    = 24'h30;
  localparam logic [23:0] UrCount    = 24'h40;
  localparam logic [23:0] AreaBase   = 24'h80;
  localparam logic [23:0] Notify     = 24'h100;
  localparam logic [23:0] RingBase   = 24'h108;
  localparam logic [23:0] RingSize   = 24'h110;
  localparam logic [23:0] RingTail   = 24'h118;
  localparam logic [23:0] RingHead   = 24'h120;
  localparam logic [23:0] RingLost   = 24'h128;
  localparam logic [23:0] RouteMask  = 24'h200;
  localparam logic [23:0] Errors     = 24'h300;
  localparam logic [23:0] Route      = 24'h400;
  localparam logic [23:0] Dma        = 24'h1000; // four channels of 256 bytes

  logic [Areas*64-1:0] area_base_d, area_base_q;
  logic [63:0]         ring_base_d, ring_base_q, ring_tail_d, ring_tail_q, ring_head, ring_lost;
  logic [31:0]         ring_size_d, ring_size_q, irq_status, irq_mask;
  logic [63:0]         refused_q;
  logic [31:0]         low_d, low_q; // of HUB_NOTIFY, as far as its packet has it

  // What the beat asks for.
  logic        notify, mask_write;
  logic [63:0] notify_value;
  logic [31:0] raise, clear, mask, notify_raise, word;
  logic [23:0] at;

  always_comb begin
    area_base_d = area_base_q;
    ring_base_d = ring_base_q;
    ring_size_d = ring_size_q;
    ring_tail_d = ring_tail_q;
    low_d = first_i ? '0 : low_q;
    notify = 1'b0;
    notify_value = '0;
    mask_write = 1'b0;
    mask = '0;
    raise = dma_irq_i;
    clear = '0;
    aer_write_o = '0;
    aer_data_o = '0;
    at = '0;
    word = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      at = addr_i + 24'(4 * i);
      word = data_i[i*32 +: 32];
      if (enable_i[i]) begin
        unique case (at)
          IrqRaise:         raise = raise | word;
          IrqStatus:        clear = word;
          IrqMask: begin
            mask_write = 1'b1;
            mask = word;
          end
          Notify:           low_d = word;
          Notify + 24'd4: begin
            notify = 1'b1;
            notify_value = {word, low_d};
          end
          RingBase:         ring_base_d[31:0] = {word[31:6], 6'd0};
          RingBase + 24'd4: ring_base_d[63:32] = word;
          RingSize:         ring_size_d = word;
          RingTail:         ring_tail_d[31:0] = word;
          RingTail + 24'd4: ring_tail_d[63:32] = word;
          default: ;
        endcase
        for (int unsigned h = 0; h < 2 * Areas; h++) begin
          if (at == AreaBase + 24'(4 * h)) begin
            area_base_d[h*32 +: 32] = h % 2 == 0 ? {word[31:12], 12'd0} : word;
          end
        end
        for (int unsigned h = 0; h < 2 * Ports; h++) begin
          if (at == Errors + 24'(4 * h)) begin
            aer_write_o[h] = 1'b1;
            aer_data_o[h*32 +: 32] = word;
          end
        end
      end
    end
  end

  hub_notify #(.Waits(RingWaits)) u_notify (
    .clk_i, .rst_ni, .notify_i(notify), .value_i(notify_value), .may_i(may_append_i),
    .base_i(ring_base_q), .size_i(ring_size_q), .tail_i(ring_tail_q), .head_o(ring_head),
    .lost_o(ring_lost), .waits_o(notify_waits_o), .append_o, .internal_o(append_internal_o), .addr_o(append_addr_o),
    .entry_o(append_entry_o), .raise_o(notify_raise)
  );
  hub_irq u_irq (
    .clk_i, .rst_ni, .raise_i(raise | notify_raise), .clear_i(clear), .mask_write_i(mask_write),
    .mask_i(mask), .status_o(irq_status), .mask_o(irq_mask), .free_i(irq_free_i),
    .pending_o(irq_pending_o), .send_o(irq_send_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      area_base_q <= '0;
      ring_base_q <= '0;
      ring_size_q <= '0;
      ring_tail_q <= '0;
      refused_q   <= '0;
      low_q       <= '0;
    end else begin
      area_base_q <= area_base_d;
      ring_base_q <= ring_base_d;
      ring_size_q <= ring_size_d;
      ring_tail_q <= ring_tail_d;
      refused_q   <= refused_q + 64'(refused_i);
      low_q       <= low_d;
    end
  end
  assign area_base_o = area_base_q;

  // Reads.
  logic [23:0] from;
  logic [63:0] parts;

  assign from = {read_i, 3'b000};
  assign dma_read_o = from[9:3];
  assign parts = 64'd1 << (window_log2_i - part_log2_i);
  always_comb begin
    unique case (from)
      Id:         read_o = {16'd0, 8'd4, 8'(Ports), 32'h3242_5548};
      Slot:       read_o = {parts[15:0], 10'd0, part_log2_i, subcluster_i, slot_i};
      LinkStatus: read_o = 64'(link_i);
      IrqStatus:  read_o = {32'd0, irq_status};
      IrqMask:    read_o = {32'd0, irq_mask};
      UrCount:    read_o = refused_q;
      RingBase:   read_o = ring_base_q;
      RingSize:   read_o = {32'd0, ring_size_q};
      RingTail:   read_o = ring_tail_q;
      RingHead:   read_o = ring_head;
      RingLost:   read_o = ring_lost;
      RouteMask:  read_o = ~({64{1'b1}} << window_log2_i);
      default:    read_o = '0;
    endcase
    for (int unsigned a = 0; a < Areas; a++) begin
      if (from == AreaBase + 24'(8 * a)) read_o = area_base_q[a*64 +: 64];
    end
    for (int unsigned p = 0; p < Ports; p++) begin
      if (from == Errors + 24'(8 * p)) read_o = aer_i[p*64 +: 64];
      for (int unsigned k = 0; k < Pairs; k++) begin
        // A pair that matches nothing is not in use.
        if (from[23:4] == 20'((Route >> 4) + 24'(16 * p + k)) &&
            route_lower_i[(p*Pairs+k)*64 +: 64] <= route_upper_i[(p*Pairs+k)*64 +: 64]) begin
          read_o = from[3] ? route_upper_i[(p*Pairs+k)*64 +: 64] : route_lower_i[(p*Pairs+k)*64 +: 64];
        end
      end
    end
    if (from[23:10] == Dma[23:10]) read_o = dma_read_i;
  end

  logic unused_parts;
  assign unused_parts = &parts[63:16];

endmodule
