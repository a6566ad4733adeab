/* Chapter 4, datatypes: random nested ones are checked against a list of their bytes. */
#include "check.h"

#include <stdint.h>

#define MOST 4096 /* bytes of data in a random type */

struct model {
    MPI_Datatype type;
    int size, at[MOST]; /* where each byte of data lies, in order */
    int lb, ub;         /* with the extent's rounding */
    int align, any;
};

static uint32_t state = 12345;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

static void append(struct model *m, const struct model *old, int disp, int marked)
{
    if (old->size == 0)
        return;
    for (int i = 0; i < old->size && m->size < MOST; i++)
        m->at[m->size++] = disp + old->at[i];
    if (!marked) {
        m->lb = !m->any || disp + old->lb < m->lb ? disp + old->lb : m->lb;
        m->ub = !m->any || disp + old->ub > m->ub ? disp + old->ub : m->ub;
        m->any = 1;
    }
    m->align = old->align > m->align ? old->align : m->align;
}

static void round_up(struct model *m)
{
    if (m->any && (m->ub - m->lb) % m->align != 0)
        m->ub += m->align - (m->ub - m->lb) % m->align;
}

/* The new type in *m, of *old, which goes. */
static void derive(struct model *m, struct model *old)
{
    int how = below(6), count = 1 + below(3), length = below(3), stride = below(9) - 4;
    int lens[3], disps[3], extent = old->ub - old->lb;
    MPI_Aint bytes[3];
    MPI_Datatype types[3];

    memset(m, 0, sizeof(*m));
    m->align = 1;
    for (int i = 0; i < 3; i++) {
        lens[i] = below(3);
        disps[i] = below(9) - 3;
        bytes[i] = below(60) - 20;
        types[i] = old->type;
    }
    switch (old->size * 9 > MOST ? 5 : how) {
    case 0:
        MPI_Type_contiguous(count, old->type, &m->type);
        for (int i = 0; i < count; i++)
            append(m, old, i * extent, 0);
        break;
    case 1:
        MPI_Type_vector(count, length, stride, old->type, &m->type);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < length; j++)
                append(m, old, (i * stride + j) * extent, 0);
        break;
    case 2:
        MPI_Type_create_hvector(count, length, bytes[0], old->type, &m->type);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < length; j++)
                append(m, old, i * (int)bytes[0] + j * extent, 0);
        break;
    case 3:
        MPI_Type_indexed(count, lens, disps, old->type, &m->type);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < lens[i]; j++)
                append(m, old, (disps[i] + j) * extent, 0);
        break;
    case 4:
        MPI_Type_create_struct(count, lens, bytes, types, &m->type);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < lens[i]; j++)
                append(m, old, (int)bytes[i] + j * extent, 0);
        break;
    default:
        MPI_Type_dup(old->type, &m->type);
        append(m, old, 0, 0);
    }
    round_up(m);
    MPI_Type_free(&old->type);
}

static unsigned char memory[1 << 20], other[1 << 20], packed[1 << 16], again[1 << 16];

static int low_of(const struct model *m)
{
    int low = m->size > 0 ? m->at[0] : 0;

    for (int i = 1; i < m->size; i++)
        low = m->at[i] < low ? m->at[i] : low;
    return low;
}

static int high_of(const struct model *m)
{
    int high = m->size > 0 ? m->at[0] + 1 : 0;

    for (int i = 1; i < m->size; i++)
        high = m->at[i] + 1 > high ? m->at[i] + 1 : high;
    return high;
}

static void sizes(const struct model *m, int n)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size, low = low_of(m), high = high_of(m);

    MPI_Type_get_extent(m->type, &lb, &extent);
    MPI_Type_get_true_extent(m->type, &true_lb, &true_extent);
    MPI_Type_size(m->type, &size);
    CHECK(size == m->size, "4.1 random type %d: size %d, expected %d", n, size, m->size);
    CHECK(lb == m->lb && extent == m->ub - m->lb, "4.1 random type %d: %ld + %ld, expected %d + %d",
          n, (long)lb, (long)extent, m->lb, m->ub - m->lb);
    CHECK(true_lb == low && true_extent == high - low, "4.1 random type %d: true extent", n);
}

/* Is `bytes` what `count` of them at `at` hold, in order? */
static int holds(const unsigned char *bytes, const struct model *m, const unsigned char *at,
                 int count)
{
    for (int i = 0; i < m->size * count; i++)
        if (bytes[i] != at[i / m->size * (m->ub - m->lb) + m->at[i % m->size]])
            return 0;
    return 1;
}

static unsigned char memory[1 << 20], other[1 << 20], packed[1 << 16], again[1 << 16];
static unsigned char *const at = memory + sizeof(memory) / 2;
static unsigned char *const to = other + sizeof(other) / 2;

static void packing(const struct model *m, int count, int n)
{
    int position = 0;

    MPI_Pack(at, count, m->type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    CHECK(holds(packed, m, at, count) && position == m->size * count, "4.2 random type %d: packed",
          n);
    memset(other, 0, sizeof(other));
    position = 0;
    MPI_Unpack(packed, m->size * count, &position, to, count, m->type, MPI_COMM_SELF);
    CHECK(holds(packed, m, to, count) && position == m->size * count,
          "4.2 random type %d: unpacked", n);
    position = 0;
    MPI_Pack(to, count, m->type, again, sizeof(again), &position, MPI_COMM_SELF);
    CHECK(holds(again, m, at, count), "4.2 random type %d: packed again", n);
}

/* Around the ring, as bytes and as the same type. */
static void sending(const struct model *m, int count, int bytes_of_basic, int n)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    int elements = -1, had = -1;
    MPI_Status status;

    memset(again, 0, sizeof(again));
    MPI_Sendrecv(at, count, m->type, right, 5, again, sizeof(again), MPI_BYTE, left, 5,
                 MPI_COMM_WORLD, &status);
    CHECK(holds(again, m, at, count), "4.1.11 random type %d: sent", n);
    memset(other, 0, sizeof(other));
    MPI_Sendrecv(at, count, m->type, right, 6, to, count, m->type, left, 6, MPI_COMM_WORLD,
                 &status);
    CHECK(holds(packed, m, to, count), "4.1.11 random type %d: received", n);
    MPI_Get_elements(&status, m->type, &elements);
    MPI_Get_count(&status, m->type, &had);
    CHECK(elements == m->size * count / bytes_of_basic, "4.1.11 random type %d: elements", n);
    CHECK(had == (m->size > 0 ? count : 0), "4.1.11 random type %d: count", n);
}

static void random_type(int n)
{
    static const struct {
        MPI_Datatype type;
        int size;
    } basics[] = { { MPI_CHAR, 1 }, { MPI_SHORT, 2 }, { MPI_INT, 4 }, { MPI_DOUBLE, 8 } };
    static struct model a, b;
    int which = below(4), count = 1 + below(2);

    memset(&a, 0, sizeof(a));
    MPI_Type_dup(basics[which].type, &a.type);
    a.size = a.ub = a.align = basics[which].size;
    a.any = 1;
    for (int i = 0; i < a.size; i++)
        a.at[i] = i;
    for (int depth = 1 + below(6); depth > 0; depth--) {
        derive(&b, &a);
        a = b;
    }
    MPI_Type_commit(&a.type);
    sizes(&a, n);
    packing(&a, count, n);
    sending(&a, count, basics[which].size, n);
    MPI_Type_free(&a.type);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "random_types");
    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (unsigned char)(i * 7 + i / 251);
    for (int n = 0; n < 60; n++)
        random_type(n);
    return check_end();
}
