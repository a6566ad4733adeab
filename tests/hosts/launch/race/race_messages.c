/* Messages of MPI, and their buffers. */
#include <stdlib.h>
#include <string.h>

#include "races.h"

enum { LONG = 32768 }; /* words: beyond what any transport sends without asking */

static void peer_sends(void)
{
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
}

static void peer_receives(void)
{
    MPI_Recv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begin_send(void)
{
    MPI_Isend(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
}

static void begin_receive(void)
{
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
}

static void stores_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    buffer[3] = 1;
    end();
}

static void copies_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    memcpy(buffer, other_buffer, sizeof(buffer));
    end();
}

static void ok_loads_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    seen += buffer[3];
    end();
    buffer[3] = 1;
}

static void ok_sends_twice(void)
{
    if (me == 1) {
        peer_receives();
        peer_receives();
        return;
    }
    begin_send();
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
    end();
}

static void loads_while_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    seen += buffer[3];
    end();
}

static void stores_while_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    buffer[3] = 1;
    end();
}

static void ok_loads_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    end();
    seen += buffer[3];
    buffer[3] = 1;
}

static void sends_while_received(void)
{
    if (me == 0) {
        peer_sends();
        MPI_Recv(other_buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    begin_receive();
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    end();
}

static void receives_twice(void)
{
    if (me == 0) {
        peer_sends();
        peer_sends();
        return;
    }
    begin_receive();
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &other_request);
    end();
    MPI_Wait(&other_request, MPI_STATUS_IGNORE);
}

static void receives_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        MPI_Send(other_buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        return;
    }
    begin_send();
    MPI_Recv(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end();
}

static void stores_while_persistent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    MPI_Send_init(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    buffer[3] = 1;
    MPI_Start(&request);
    buffer[4] = 1;
    end();
    MPI_Request_free(&request);
}

static void ok_persistent(void)
{
    for (int i = 0; me == 1 && i < 3; i++)
        peer_receives();
    if (me == 1)
        return;
    MPI_Send_init(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        end();
        buffer[4] = (uint64_t)i;
    }
    MPI_Request_free(&request);
}

static void receive_column(void)
{
    MPI_Datatype column;

    MPI_Type_vector(WORDS / EVERY, 1, EVERY, MPI_UINT64_T, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(buffer, 1, column, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
}

static void loads_column(void)
{
    if (me == 0) {
        MPI_Send(buffer, WORDS / EVERY, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_column();
    seen += buffer[2 * EVERY];
    end();
}

static void ok_beside_column(void)
{
    if (me == 0) {
        MPI_Send(buffer, WORDS / EVERY, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_column();
    seen += buffer[2 * EVERY + 1];
    buffer[EVERY + 1] = 1;
    end();
}

/* Pieces of unlike lengths are no rows; a datatype has them in any order. */
static const int lengths[] = { 1, 2, 3, 4 };
static const int in_order[] = { 0, 100, 200, 300 }, out_of_order[] = { 300, 0, 200, 100 };

static void receive_pieces(const int *places)
{
    MPI_Datatype pieces;

    MPI_Type_indexed(4, lengths, places, MPI_UINT64_T, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Irecv(buffer, 1, pieces, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&pieces);
}

static void load_last_of_piece(const int *places)
{
    if (me == 0) {
        MPI_Send(buffer, 10, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_pieces(places);
    seen += buffer[places[2] + lengths[2] - 1];
    end();
}

static void loads_piece(void)
{
    load_last_of_piece(in_order);
}

static void loads_piece_out_of_order(void)
{
    load_last_of_piece(out_of_order);
}

static void load_beside_pieces(const int *places)
{
    if (me == 0) {
        MPI_Send(buffer, 10, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_pieces(places);
    for (int i = 0; i < 4; i++) {
        buffer[places[i] + lengths[i]] = 1;
        if (places[i] > 0)
            seen += buffer[places[i] - 1];
    }
    end();
}

static void ok_between_pieces(void)
{
    load_beside_pieces(in_order);
}

static void ok_between_pieces_out_of_order(void)
{
    load_beside_pieces(out_of_order);
}

static void loads_after_test(void)
{
    int flag;

    if (me == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        peer_sends();
        return;
    }
    begin_receive();
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    seen += buffer[3];
    MPI_Barrier(MPI_COMM_WORLD);
    end();
}

static void ok_loads_after_test(void)
{
    int flag = 0;

    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    seen += buffer[3];
}

/** As above, while the request stays. */
static void look_at_status(int waits)
{
    int flag = 0;

    if (me == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        peer_sends();
        return;
    }
    begin_receive();
    if (waits)
        MPI_Barrier(MPI_COMM_WORLD);
    do
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    while (waits && !flag);
    seen += buffer[3];
    if (!waits)
        MPI_Barrier(MPI_COMM_WORLD);
    end();
}

static void loads_after_status(void)
{
    look_at_status(0);
}

static void ok_loads_after_status(void)
{
    look_at_status(1);
}

static void loads_while_probed_message_comes(void)
{
    MPI_Message message;

    if (me == 0) {
        peer_sends();
        return;
    }
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(buffer, WORDS, MPI_UINT64_T, &message, &request);
    seen += buffer[3];
    end();
}

static void loads_other_of_any(void)
{
    MPI_Request both[2];
    int index;

    if (me == 0) {
        peer_sends();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(other_buffer, WORDS, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(other_buffer, WORDS, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &both[1]);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    seen += other_buffer[1];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
}

static void begin_and_let_go(void)
{
    begin_send();
    MPI_Request_free(&request);
}

static void stores_after_request_freed(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_and_let_go();
    buffer[3] = 1;
}

static void stores_after_persistent_freed(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    MPI_Send_init(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    buffer[3] = 1;
}

static void loads_after_request_freed(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    MPI_Request_free(&request);
    seen += buffer[3];
}

/* The answer says that the message has been received: example 3.13 of MPI 3.1. */
static void ok_stores_after_answer_to_freed(void)
{
    if (me == 1) {
        peer_receives();
        MPI_Send(other_buffer, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        return;
    }
    begin_and_let_go();
    MPI_Recv(other_buffer, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    buffer[3] = 1;
}

static void ok_frees_after_answer(void)
{
    if (me == 1) {
        peer_receives();
        MPI_Send(other_buffer, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        return;
    }
    begin_send();
    MPI_Recv(other_buffer, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    buffer[3] = 1;
}

/* Here the answer is a put. */
static void answer_by_put(int polls)
{
    if (me == 1) {
        mine[WORDS - 1] = 7;
        peer_receives();
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        return;
    }
    begin_and_let_go();
    if (polls)
        await(2 * WORDS - 1, 7);
    else
        arrived(SLOT);
    buffer[3] = 1;
}

static void ok_stores_after_put_to_freed(void)
{
    answer_by_put(0);
}

static void ok_stores_after_word_to_freed(void)
{
    answer_by_put(1);
}

static void ok_stores_to_cancelled(void)
{
    if (me == 0)
        return;
    begin_receive();
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    buffer[3] = 1;
}

static void send_standard(const void *words, int n)
{
    MPI_Send(words, n, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
}

static void send_synchronously(const void *words, int n)
{
    MPI_Ssend(words, n, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
}

static void begin_synchronously(const void *words, int n)
{
    MPI_Issend(words, n, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    end();
}

/** The second put may meet the first one, unless its rank knows that the other one has waited. */
static void put_around_message(void (*send)(const void *words, int n), int n)
{
    uint64_t *words = calloc((size_t)n + 1, sizeof(*words));

    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        send(words, n);
        put(1, 0, WORDS, tcaDMANotify, OTHER_SLOT);
    } else {
        arrived(SLOT);
        MPI_Recv(words, n, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        arrived(OTHER_SLOT);
    }
    free(words);
}

static void puts_after_short_send(void)
{
    put_around_message(send_standard, 0);
}

static void puts_after_long_send(void)
{
    put_around_message(send_standard, LONG);
}

static void ok_puts_after_short_ssend(void)
{
    put_around_message(send_synchronously, 0);
}

static void ok_puts_after_middle_ssend(void)
{
    put_around_message(send_synchronously, WORDS);
}

static void ok_puts_after_long_ssend(void)
{
    put_around_message(send_synchronously, LONG);
}

static void ok_puts_after_short_issend(void)
{
    put_around_message(begin_synchronously, 0);
}

static void ok_puts_after_long_issend(void)
{
    put_around_message(begin_synchronously, LONG);
}

const struct race_case race_messages[] = {
    CASE(stores_while_sent),
    CASE(copies_while_sent),
    CASE(ok_loads_while_sent),
    CASE(ok_sends_twice),
    CASE(loads_while_received),
    CASE(stores_while_received),
    CASE(ok_loads_received),
    CASE(sends_while_received),
    CASE(receives_twice),
    CASE(receives_while_sent),
    CASE(stores_while_persistent),
    CASE(ok_persistent),
    CASE(loads_column),
    CASE(ok_beside_column),
    CASE(loads_piece),
    CASE(loads_piece_out_of_order),
    CASE(ok_between_pieces),
    CASE(ok_between_pieces_out_of_order),
    CASE(loads_after_test),
    CASE(ok_loads_after_test),
    CASE(loads_after_status),
    CASE(ok_loads_after_status),
    CASE(loads_while_probed_message_comes),
    CASE(loads_other_of_any),
    CASE(stores_after_request_freed),
    CASE(stores_after_persistent_freed),
    CASE(loads_after_request_freed),
    CASE(ok_stores_after_answer_to_freed),
    CASE(ok_frees_after_answer),
    CASE(ok_stores_after_put_to_freed),
    CASE(ok_stores_after_word_to_freed),
    CASE(ok_stores_to_cancelled),
    CASE(puts_after_short_send),
    CASE(puts_after_long_send),
    CASE(ok_puts_after_short_ssend),
    CASE(ok_puts_after_middle_ssend),
    CASE(ok_puts_after_long_ssend),
    CASE(ok_puts_after_short_issend),
    CASE(ok_puts_after_long_issend),
    { NULL, NULL },
};
