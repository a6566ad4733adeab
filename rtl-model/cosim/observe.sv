// Where events (hub_event) are taken from: the kinds in the order of enum model_event_kind.

bind hub_core hub_before #(.Ports(Ports), .BusWidth(BusWidth)) u_see_before (.clk_i, .rst_ni,
  .mgmt_taken_i(mgmt_valid_i && mgmt_ready_o), .aer_write_i(aer_write_o), .aer_data_i(aer_data_o),
  .ddr_read_i(ddr_read_o), .ddr_write_i(ddr_write_o), .ddr_data_i(ddr_data_o));

// What comes in, and DDR3.
bind hub_receive hub_event #(.Kind(0)) u_see_routed (.clk_i, .rst_ni, .valid_i(valid_i && sop_i),
  .where_i(32'(Port)), .value_i(32'(out)), .count_i(32'(class_i)), .long_i('0), .header_i(header));
bind hub_port hub_event #(.Kind(1)) u_see_taken (.clk_i, .rst_ni, .valid_i(take_i),
  .where_i(32'(Port)), .value_i('0), .count_i('0), .long_i('0), .header_i('0));

// Answers of SELF.
bind hub_join hub_event #(.Kind(2)) u_see_answer (.clk_i, .rst_ni, .valid_i(answer_i),
  .where_i(32'(answer_out_i)), .value_i({19'd0, answer_addr_i, answer_cut_i}), .count_i(32'(answer_bytes_i)),
  .long_i(answer_due_i), .header_i(answer_header_i));

// Completions, for the next edge.
bind hub_dma_channel hub_event #(.Kind(3)) u_see_fetched (.clk_i, .rst_ni, .valid_i(u_fetch.taken),
  .where_i(32'(channel_i)), .value_i('0), .count_i('0), .long_i('0), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(4)) u_see_read (.clk_i, .rst_ni, .valid_i(read_answered),
  .where_i(32'(channel_i)), .value_i(32'(u_reads.at_tag)), .count_i('0), .long_i('0), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(5)) u_see_late (.clk_i, .rst_ni, .valid_i(cut_late),
  .where_i(32'(channel_i)), .value_i(32'(late_error)), .count_i('0), .long_i('0), .header_i('0));
bind hub_dma hub_event #(.Kind(6)) u_see_completion (.clk_i, .rst_ni, .valid_i(cpl_begin),
  .where_i('0), .value_i('0), .count_i('0), .long_i('0), .header_i('0));

// Steps of a channel.
bind hub_dma_channel hub_event #(.Kind(7)) u_see_filled (.clk_i, .rst_ni, .valid_i(u_write.fills),
  .where_i(32'(channel_i)), .value_i({16'd0, 8'(data_tag), 6'd0, u_write.bytes == data_left, no_reads}),
  .count_i(32'(u_write.out)), .long_i(u_write.addr_d), .header_i(128'(u_write.bytes)));
bind hub_dma_channel hub_event #(.Kind(8)) u_see_issued (.clk_i, .rst_ni, .valid_i(issue),
  .where_i(32'(channel_i)), .value_i({16'd0, 8'(u_reads.tail_q), 6'd0, u_work.all_ends, ask_ram}),
  .count_i(32'(issue_bytes)), .long_i(issue_addr), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(9)) u_see_fetch (.clk_i, .rst_ni, .valid_i(fetch_host || fetch_ram),
  .where_i(32'(channel_i)), .value_i({31'd0, fetch_ram}), .count_i('0), .long_i(fetch_addr), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(10)) u_see_begun (.clk_i, .rst_ni,
  .valid_i(u_work.begins && begin_error == '0), .where_i(32'(channel_i)),
  .value_i({28'd0, u_work.begins_status, u_work.next.internal,
    !u_work.own_q && !u_work.through && u_work.descriptor_i[190], u_work.next.status}),
  .count_i('0), .long_i('0), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(11)) u_see_cut (.clk_i, .rst_ni, .valid_i(cut),
  .where_i(32'(channel_i)), .value_i(32'(step_error)), .count_i('0), .long_i('0), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(12)) u_see_dropped (.clk_i, .rst_ni, .valid_i(u_reads.head_gone && !sent),
  .where_i(32'(channel_i)), .value_i('0), .count_i('0), .long_i('0), .header_i('0));
bind hub_dma_channel hub_event #(.Kind(13)) u_see_ended (.clk_i, .rst_ni, .valid_i(ends),
  .where_i(32'(channel_i)), .value_i(irq_o), .count_i('0), .long_i('0), .header_i('0));

// Notifications, registers and interrupts; what joins the local queue.
bind hub_registers hub_event #(.Kind(14)) u_see_notified (.clk_i, .rst_ni, .valid_i(append_o),
  .where_i('0), .value_i('0), .count_i('0), .long_i('0), .header_i('0));
bind hub_registers hub_event #(.Kind(15)) u_see_lost (.clk_i, .rst_ni, .valid_i(u_notify.lose),
  .where_i('0), .value_i('0), .count_i('0), .long_i('0), .header_i('0));
bind hub_join hub_event #(.Kind(16)) u_see_appended (.clk_i, .rst_ni, .valid_i(append_i && !answer_i),
  .where_i('0), .value_i('0), .count_i('0), .long_i(due), .header_i(write));
bind hub_dma_channel hub_event #(.Kind(17)) u_see_started (.clk_i, .rst_ni, .valid_i(start),
  .where_i(32'(channel_i)), .value_i({31'd0, start_list}), .count_i('0), .long_i('0), .header_i('0));
bind hub_registers hub_event #(.Kind(18)) u_see_raised (.clk_i, .rst_ni,
  .valid_i(raise != dma_irq_i || notify_raise != '0), .where_i('0), .value_i('0), .count_i('0), .long_i('0), .header_i('0));
bind hub_registers hub_event #(.Kind(19)) u_see_refused (.clk_i, .rst_ni, .valid_i(refused_i != '0),
  .where_i('0), .value_i(32'(refused_i)), .count_i('0), .long_i('0), .header_i('0));
bind hub_join hub_event #(.Kind(20)) u_see_interrupt (.clk_i, .rst_ni, .valid_i(msi && !answer_i && !append_i),
  .where_i('0), .value_i('0), .count_i('0), .long_i(due), .header_i(write));
bind hub_join hub_event #(.Kind(21)) u_see_request (.clk_i, .rst_ni, .valid_i(mgmt),
  .where_i(32'(mgmt_out_i)), .value_i('0), .count_i('0), .long_i(due), .header_i(mgmt_header_i));

// A request waits for its answer, or none does any more.
bind hub_dma_channel hub_event #(.Kind(22)) u_see_waits (.clk_i, .rst_ni,
  .valid_i((u_reads.waits_d != '0 || u_fetch.waits_d) != (u_reads.waits_q != '0 || u_fetch.waits_q)),
  .where_i(32'(channel_i)), .value_i({31'd0, u_reads.waits_d != '0 || u_fetch.waits_d}), .count_i('0), .long_i('0),
  .header_i('0));
