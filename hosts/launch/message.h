/*
 * Messages between ranks, within a node and over the control network. A sender
 * puts them into its own queue; the node takes out what is due, in the order of
 * ranks: which of several sends of one instant comes first must not depend on
 * the event queue.
 */
#ifndef LAUNCH_MESSAGE_H
#define LAUNCH_MESSAGE_H

#include "hosts/launch/thread.h"

extern const struct host_net_ops launch_net_ops;

void launch_messages_init(struct launch_node *node);
void launch_messages_cancel(struct launch_node *node);
/** The queues of a rank. */
void launch_mail_init(struct launch_thread *t);
/** Frees messages that it has not received, and those that it has sent and the node not taken. */
void launch_mail_fini(struct launch_thread *t);

#endif /* LAUNCH_MESSAGE_H */
