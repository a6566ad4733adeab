/* Chapter 13, files, in a temporary directory, or by the name that is the first argument: opening,
 * views, data access at each place, in each way; errors. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "check.h"

#define N 6

static char path[512];
static MPI_File file;

static int amode_code(int amode)
{
    MPI_File f = MPI_FILE_NULL;
    int code = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &f);

    if (code == MPI_SUCCESS)
        MPI_File_close(&f);
    return code;
}

static void open_new(int amode)
{
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | amode, MPI_INFO_NULL, &file),
             "13.2.1 open a new file");
}

static void close_and_delete(void)
{
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL), "13.2.3 delete");
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Offset size_of(MPI_File f)
{
    MPI_Offset size = -1;

    MPI_File_get_size(f, &size);
    return size;
}

static MPI_Offset position(MPI_File f)
{
    MPI_Offset at = -1;

    MPI_File_get_position(f, &at);
    return at;
}

static MPI_Offset shared_position(MPI_File f)
{
    MPI_Offset at = -1;

    MPI_File_get_position_shared(f, &at);
    return at;
}

static int count_of(const MPI_Status *status, MPI_Datatype type)
{
    int count = -1;

    MPI_Get_count(status, type, &count);
    return count;
}

static void opening(void)
{
    int amode = 0, result = -1, one = MPI_MODE_RDWR | (check_rank == 0 ? MPI_MODE_APPEND : 0);
    MPI_Group group, world;
    MPI_File other;

    CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, amode_code(MPI_MODE_RDONLY), "13.7 no such file");
    CHECK(MPI_File_delete(path, MPI_INFO_NULL) == MPI_ERR_NO_SUCH_FILE, "13.2.3 no such file");
    CHECK_ERROR(MPI_ERR_AMODE, amode_code(0), "13.2.1 no way of access");
    CHECK_ERROR(MPI_ERR_AMODE, amode_code(MPI_MODE_RDONLY | MPI_MODE_WRONLY), "13.2.1 two ways");
    CHECK_ERROR(MPI_ERR_AMODE, amode_code(MPI_MODE_RDONLY | MPI_MODE_CREATE), "13.2.1 create");
    CHECK_ERROR(MPI_ERR_AMODE, amode_code(MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL), "13.2.1 RDWR");
    open_new(MPI_MODE_RDWR | MPI_MODE_EXCL);
    CHECK(MPI_File_get_amode(file, &amode) == MPI_SUCCESS &&
              amode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL),
          "13.2.7 access mode");
    MPI_File_get_group(file, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    CHECK(result == MPI_IDENT, "13.2.7 group");
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    CHECK_ERROR(MPI_ERR_FILE_EXISTS, amode_code(MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY),
                "13.2.1 EXCL");
    if (check_size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME, amode_code(one), "13.2.1 other modes");
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &other),
             "13.2.1 by one process");
    CHECK_OK(MPI_File_close(&other), "13.2.2 by one process");
    CHECK(other == MPI_FILE_NULL, "13.2.2 close sets the handle");
    CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file, "13.1 handle in Fortran");
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file),
             "13.2.1 DELETE_ON_CLOSE");
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, amode_code(MPI_MODE_RDONLY), "13.2.2 has deleted it");
}

static void sizes(void)
{
    MPI_Info info;
    char value[32] = "";
    int flag = 0, c = 7;

    open_new(MPI_MODE_RDWR);
    CHECK(size_of(file) == 0, "13.2.6 empty");
    CHECK_OK(MPI_File_set_size(file, 100), "13.2.4 grow");
    CHECK(size_of(file) == 100, "13.2.6 size");
    CHECK_OK(MPI_File_preallocate(file, 50), "13.2.5 smaller");
    CHECK(size_of(file) == 100, "13.2.5 leaves what is there");
    CHECK_OK(MPI_File_preallocate(file, 5000), "13.2.5 larger");
    CHECK(size_of(file) == 5000, "13.2.5 size");
    CHECK_OK(MPI_File_set_size(file, 10), "13.2.4 shrink");
    CHECK(size_of(file) == 10, "13.2.6 size");
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_size(file, -1), "13.2.4 negative");
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_END) == MPI_SUCCESS && position(file) == 10,
          "13.4.3 end of the file");
    CHECK(MPI_File_seek(file, -3, MPI_SEEK_CUR) == MPI_SUCCESS && position(file) == 7,
          "13.4.3 relative");
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_seek(file, -8, MPI_SEEK_CUR), "13.4.3 before the begin");
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_seek(file, 0, 1), "13.4.3 no such place");
    CHECK_OK(MPI_File_seek(file, 1 + (MPI_Offset)5000000000, MPI_SEEK_SET), "13.4.3 far away");
    CHECK(position(file) == 5000000001, "13.4.3 far away");
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_write(file, &c, 1, MPI_BYTE, MPI_STATUS_IGNORE), "13.4 far away");
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "4");
    MPI_Info_set(info, "no such hint", "4");
    CHECK_OK(MPI_File_set_info(file, info), "13.2.8 set");
    MPI_Info_free(&info);
    MPI_File_get_info(file, &info);
    MPI_Info_get(info, "cb_nodes", 31, value, &flag);
    CHECK(flag && strcmp(value, "4") == 0, "13.2.8 hint");
    MPI_Info_get(info, "no such hint", 31, value, &flag);
    CHECK(!flag, "13.2.8 no hint");
    MPI_Info_free(&info);
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    CHECK_OK(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_APPEND | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        "13.2.1 APPEND");
    CHECK(position(file) == 5000000002 && shared_position(file) == 5000000002,
          "13.2.1 both pointers are at the end");
    close_and_delete();
}

/* What rank r wrote at place i. */
static int value(int r, int i)
{
    return 1000 * r + i;
}

static int wrong(const int *got, int r, int n)
{
    int bad = 0;

    for (int i = 0; i < n; i++)
        bad += got[i] != value(r, i);
    return bad;
}

static void offsets(void)
{
    int out[N], in[N] = { 0 }, left = (check_rank + check_size - 1) % check_size;
    MPI_Offset own = (MPI_Offset)sizeof(out) * check_rank, far = (MPI_Offset)sizeof(out) * left;
    MPI_Status status = { .MPI_ERROR = 77 };
    MPI_Request requests[2];

    for (int i = 0; i < N; i++)
        out[i] = value(check_rank, i);
    open_new(MPI_MODE_RDWR);
    CHECK_OK(MPI_File_write_at(file, own, out, N, MPI_INT, &status), "13.4.2 write");
    CHECK(count_of(&status, MPI_INT) == N && status.MPI_ERROR == 77, "13.4.2 status");
    CHECK(position(file) == 0, "13.4.2 leaves the pointer");
    CHECK_OK(MPI_File_sync(file), "13.6.1 sync");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_sync(file), "13.6.1 sync");
    CHECK_OK(MPI_File_read_at(file, far, in, N, MPI_INT, &status), "13.4.2 read");
    CHECK(wrong(in, left, N) == 0, "13.4.2 data of a neighbour");
    CHECK_OK(MPI_File_iread_at(file, far + 4, in, N - 1, MPI_INT, &requests[0]), "13.4.2 iread");
    CHECK_OK(MPI_File_iwrite_at(file, own, out, N, MPI_INT, &requests[1]), "13.4.2 iwrite");
    MPI_Wait(&requests[0], &status);
    CHECK(count_of(&status, MPI_INT) == N - 1 && in[0] == value(left, 1), "13.4.2 iread");
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_write_at_all(file, own, out, N, MPI_INT, &status), "13.4.2 collective");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_at_all(file, far, in, N, MPI_INT, &status), "13.4.2 collective");
    CHECK(wrong(in, left, N) == 0 && count_of(&status, MPI_INT) == N, "13.4.2 collective");
    CHECK_OK(MPI_File_iwrite_at_all(file, own, out, N, MPI_INT, &requests[0]), "13.4.2 both");
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_iread_at_all(file, own, in, N, MPI_INT, &requests[0]), "13.4.2 both");
    MPI_Wait(&requests[0], &status);
    CHECK(wrong(in, check_rank, N) == 0 && count_of(&status, MPI_INT) == N, "13.4.2 both");
    CHECK_OK(
        MPI_File_read_at(file, (MPI_Offset)sizeof(out) * check_size - 8, in, N, MPI_INT, &status),
        "13.4 beyond the end");
    CHECK(count_of(&status, MPI_INT) == 2, "13.4 as much as there is");
    CHECK(MPI_File_read_at(file, 1 << 20, in, N, MPI_INT, &status) == MPI_SUCCESS &&
              count_of(&status, MPI_INT) == 0,
          "13.4 beyond the end");
    close_and_delete();
}

static void pointers(void)
{
    int out[N], in[N] = { 0 }, left = (check_rank + check_size - 1) % check_size;
    MPI_Status status;
    MPI_Request request;

    for (int i = 0; i < N; i++)
        out[i] = value(check_rank, i);
    open_new(MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_view(file, (MPI_Offset)sizeof(out) * check_rank, MPI_INT, MPI_INT,
                               "native", MPI_INFO_NULL),
             "13.3 a displacement for each rank");
    CHECK_OK(MPI_File_write(file, out, 2, MPI_INT, &status), "13.4.3 write");
    CHECK(position(file) == 2, "13.4.3 in etypes");
    CHECK_OK(MPI_File_iwrite(file, out + 2, 1, MPI_INT, &request), "13.4.3 iwrite");
    CHECK(position(file) == 3, "13.4.3 at the begin of the call");
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_write_all(file, out + 3, 1, MPI_INT, &status), "13.4.3 collective");
    CHECK_OK(MPI_File_iwrite_all(file, out + 4, 1, MPI_INT, &request), "13.4.3 both");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_write_all_begin(file, out + 5, 1, MPI_INT), "13.4.5 begin");
    CHECK_OK(MPI_File_write_all_end(file, out + 5, &status), "13.4.5 end");
    CHECK(count_of(&status, MPI_INT) == 1 && position(file) == N, "13.4.5 end");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_set_view(file, (MPI_Offset)sizeof(out) * left, MPI_INT, MPI_INT, "native",
                               MPI_INFO_NULL),
             "13.3 another view");
    CHECK(position(file) == 0, "13.3 the pointer is at its begin");
    CHECK_OK(MPI_File_read(file, in, 1, MPI_INT, &status), "13.4.3 read");
    CHECK_OK(MPI_File_iread(file, in + 1, 1, MPI_INT, &request), "13.4.3 iread");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_iread_all(file, in + 2, 1, MPI_INT, &request), "13.4.3 both");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_File_read_all(file, in + 3, 2, MPI_INT, &status), "13.4.3 collective");
    CHECK_OK(MPI_File_read_all_begin(file, in + 5, 1, MPI_INT), "13.4.5 begin");
    CHECK_OK(MPI_File_read_all_end(file, in + 5, &status), "13.4.5 end");
    CHECK(wrong(in, left, N) == 0, "13.4.3 data of a neighbour");
    close_and_delete();
}

/* Ints of all ranks in turn: a tile of one int in the place of this rank. */
static MPI_Datatype tile_of(int rank)
{
    MPI_Datatype block, tile;
    MPI_Aint at = (MPI_Aint)sizeof(int) * rank;
    int one = 1;

    MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)sizeof(int) * check_size, &tile);
    MPI_Type_commit(&tile);
    MPI_Type_free(&block);
    return tile;
}

static void views(void)
{
    MPI_Datatype tile = tile_of(check_rank), etype, filetype, gaps;
    int out[2 * N], in[2 * N] = { 0 }, bad = 0, size = 0;
    MPI_Offset disp = 0, at = 0;
    MPI_Aint extent = 0;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
    MPI_Status status;

    for (int i = 0; i < 2 * N; i++)
        out[i] = i % 2 == 0 ? value(check_rank, i / 2) : -1;
    MPI_Type_vector(N, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    open_new(MPI_MODE_RDWR);
    CHECK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep) == MPI_SUCCESS && disp == 0 &&
              etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(datarep, "native") == 0,
          "13.3 at first");
    CHECK_OK(MPI_File_set_view(file, 20, MPI_INT, tile, "native", MPI_INFO_NULL), "13.3 set");
    MPI_Type_free(&tile);
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep), "13.3 get");
    MPI_Type_size(filetype, &size);
    CHECK(disp == 20 && etype == MPI_INT && size == 4, "13.3 get");
    MPI_Type_free(&filetype);
    CHECK(MPI_File_get_byte_offset(file, 3, &at) == MPI_SUCCESS &&
              at == 20 + 4 * (3 * check_size + check_rank),
          "13.4.3 bytes");
    CHECK(MPI_File_get_type_extent(file, gaps, &extent) == MPI_SUCCESS && extent == 4 * (2 * N - 1),
          "13.5.1 extent");
    CHECK_OK(MPI_File_write_all(file, out, 1, gaps, &status), "13.3 gaps on both sides");
    CHECK(count_of(&status, MPI_INT) == N && position(file) == N, "13.3 gaps on both sides");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_END) == MPI_SUCCESS && position(file) == N,
          "13.4.3 end in this view");
    CHECK_OK(MPI_File_read_at_all(file, 1, in, N, MPI_INT, &status), "13.3 read");
    CHECK(count_of(&status, MPI_INT) == N - 1 && wrong(in, check_rank, 0) == 0 &&
              in[0] == value(check_rank, 1) && in[N - 2] == value(check_rank, N - 1),
          "13.3 read up to the end");
    for (int i = 0; i < 2 * N; i++)
        in[i] = -2;
    CHECK_OK(MPI_File_read_at(file, 0, in, 1, gaps, &status), "13.3 read");
    for (int i = 0; i < 2 * N; i++)
        bad += in[i] != (i % 2 == 0 ? value(check_rank, i / 2) : -2);
    CHECK(bad == 0, "13.3 leaves the gaps in memory");
    CHECK_OK(MPI_File_set_view(file, 20, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "13.3 whole");
    for (int i = 0; i < N; i++)
        for (int r = 0; r < check_size; r++)
            bad +=
                MPI_File_read(file, in, 1, MPI_INT, &status) != MPI_SUCCESS || in[0] != value(r, i);
    CHECK(bad == 0, "13.3 where each rank's ints are");
    MPI_Type_free(&gaps);
    close_and_delete();
}

/* Blocks of bytes, of `unit` each, with gaps, from a few random numbers. */
static MPI_Datatype random_blocks(unsigned *seed, int unit, int blocks)
{
    int lengths[8], at[8], next = 0;
    MPI_Datatype type, whole;

    for (int i = 0; i < blocks; i++) {
        at[i] = next + (int)(*seed >> 8) % 4;
        *seed = *seed * 1103515245 + 12345;
        lengths[i] = 1 + (int)(*seed >> 16) % 5;
        *seed = *seed * 1103515245 + 12345;
        next = at[i] + lengths[i];
    }
    for (int i = 0; i < blocks; i++) {
        lengths[i] *= unit;
        at[i] *= unit;
    }
    MPI_Type_indexed(blocks, lengths, at, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, (next + (int)(*seed >> 20) % 3) * unit, &whole);
    MPI_Type_commit(&whole);
    MPI_Type_free(&type);
    return whole;
}

/* Where the first `n` bytes of a type lie in memory, or in a file, found by MPI_Pack(). */
static void places(MPI_Datatype type, int n, int at[])
{
    static unsigned char memory[2][2000], packed[2][1000];
    int size, position = 0;

    MPI_Type_size(type, &size);
    for (int i = 0; i < 2000; i++) {
        memory[0][i] = (unsigned char)(i % 256);
        memory[1][i] = (unsigned char)(i / 256);
    }
    for (int k = 0; k < 2; k++, position = 0)
        MPI_Pack(memory[k], (n + size - 1) / size, type, packed[k], 1000, &position, MPI_COMM_SELF);
    for (int i = 0; i < n; i++)
        at[i] = packed[0][i] + 256 * packed[1][i];
}

/* Views and memory of random blocks, against a picture of the file. */
static void random_views(void)
{
    static unsigned char picture[4000], bytes[4000], out[2000], in[2000];
    static int in_file[1000], in_memory[1000];
    unsigned seed = 77 + (unsigned)check_rank;
    char own[540];
    int bad = 0;
    MPI_File f;

    snprintf(own, sizeof(own), "%s-%d", path, check_rank);
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, own,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &f),
             "13.2.1 open");
    for (int turn = 0; turn < 40; turn++) {
        int unit = 1 + turn % 3, size, count, skip = (int)(seed >> 16) % 9, n, high = 0, end = -1;
        MPI_Datatype etype, tile = random_blocks(&seed, unit, 1 + turn % 7), memory;
        MPI_Offset disp = turn % 5, at = -1;
        MPI_Status status;

        MPI_Type_contiguous(unit, MPI_BYTE, &etype);
        MPI_Type_commit(&etype);
        memory = random_blocks(&seed, unit, 1 + turn % 4);
        MPI_Type_size(memory, &size);
        count = 1 + (int)(seed >> 16) % 4;
        n = size * count;
        places(tile, skip * unit + n, in_file);
        places(memory, n, in_memory);
        for (int i = 0; i < 2000; i++)
            out[i] = (unsigned char)((unsigned)i * 7 + (unsigned)turn);
        memset(picture, 0, sizeof(picture));
        for (int i = 0; i < n; i++) {
            high = (int)disp + in_file[skip * unit + i] + 1;
            picture[high - 1] = out[in_memory[i]];
        }
        MPI_File_set_size(f, 0);
        bad += MPI_File_set_view(f, disp, etype, tile, "native", MPI_INFO_NULL) != MPI_SUCCESS;
        MPI_File_seek(f, skip, MPI_SEEK_SET);
        bad += MPI_File_write(f, out, count, memory, &status) != MPI_SUCCESS;
        bad += count_of(&status, MPI_BYTE) != n || size_of(f) != high;
        bad += position(f) != skip + n / unit;
        bad += MPI_File_get_byte_offset(f, skip, &at) != MPI_SUCCESS ||
               at != disp + in_file[skip * unit];
        bad += MPI_File_seek(f, 0, MPI_SEEK_END) != MPI_SUCCESS || position(f) != skip + n / unit;
        memset(in, 0, sizeof(in));
        bad += MPI_File_read_at(f, skip, in, count + 1, memory, &status) != MPI_SUCCESS ||
               count_of(&status, MPI_BYTE) != n;
        for (int i = 0; i < n; i++)
            bad += in[in_memory[i]] != out[in_memory[i]];
        MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        memset(bytes, 0, sizeof(bytes));
        bad += MPI_File_read(f, bytes, sizeof(bytes), MPI_BYTE, &status) != MPI_SUCCESS;
        MPI_Get_count(&status, MPI_BYTE, &end);
        bad += end != high || memcmp(bytes, picture, sizeof(bytes)) != 0;
        CHECK(bad == 0, "13.3 random blocks, turn %d", turn);
        MPI_Type_free(&etype);
        MPI_Type_free(&tile);
        MPI_Type_free(&memory);
    }
    CHECK_OK(MPI_File_close(&f), "13.2.2 close");
}

static void bad_views(void)
{
    const int one[2] = { 1, 1 }, back[2] = { 3, 0 };
    MPI_Datatype pair, falling;
    MPI_Offset at = 0;

    open_new(MPI_MODE_RDWR);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    CHECK_ERROR(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, pair, "native", MPI_INFO_NULL),
                "13.3 not committed");
    MPI_Type_commit(&pair);
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_view(file, 0, pair, MPI_INT, "native", MPI_INFO_NULL),
                "13.3 half an etype");
    MPI_Type_indexed(2, one, back, MPI_INT, &falling);
    MPI_Type_commit(&falling);
    CHECK(MPI_File_set_view(file, 0, MPI_INT, falling, "native", MPI_INFO_NULL) != MPI_SUCCESS,
          "13.3 displacements that fall");
    MPI_Type_free(&falling);
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_view(file, -1, pair, pair, "native", MPI_INFO_NULL),
                "13.3 negative displacement");
    CHECK_ERROR(
        MPI_ERR_ARG,
        MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, pair, pair, "native", MPI_INFO_NULL),
        "13.3 current displacement");
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_DATAREP,
                MPI_File_set_view(file, 0, pair, pair, "external32", MPI_INFO_NULL),
                "13.5 data representation");
    CHECK_ERROR(MPI_ERR_TYPE,
                MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, pair, "native", MPI_INFO_NULL),
                "13.3 no type");
    if (check_size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME,
                    MPI_File_set_view(file, 0, check_rank == 0 ? pair : MPI_INT, pair, "native",
                                      MPI_INFO_NULL),
                    "13.3 etypes of other extents");
    CHECK_OK(MPI_File_set_view(file, 0, pair, pair, "native", MPI_INFO_NULL), "13.3 good");
    CHECK(MPI_File_write(file, &at, 3, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS,
          "13.4.1 half an etype");
    CHECK_ERROR(MPI_ERR_COUNT, MPI_File_write(file, &at, -1, pair, MPI_STATUS_IGNORE),
                "13.4.1 negative count");
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_write_at(file, -1, &at, 1, pair, MPI_STATUS_IGNORE),
                "13.4.2 negative offset");
    CHECK_ERROR(
        check_rank == 0 ? MPI_ERR_COUNT : MPI_SUCCESS,
        MPI_File_write_at_all(file, 0, &at, check_rank == 0 ? -1 : 0, pair, MPI_STATUS_IGNORE),
        "13.4.2 wrong on one rank alone");
    CHECK(MPI_File_read_all_end(file, &at, MPI_STATUS_IGNORE) != MPI_SUCCESS,
          "13.4.5 has not begun");
    CHECK_OK(MPI_File_read_all_begin(file, &at, 1, pair), "13.4.5 begin");
    CHECK(MPI_File_read_all_begin(file, &at, 1, pair) != MPI_SUCCESS, "13.4.5 one at a time");
    CHECK(MPI_File_read_at_all_end(file, &at, MPI_STATUS_IGNORE) != MPI_SUCCESS,
          "13.4.5 another one");
    CHECK_OK(MPI_File_read_all_end(file, &at, MPI_STATUS_IGNORE), "13.4.5 end");
    MPI_Type_free(&pair);
    close_and_delete();
}

/* Each rank's ints are somewhere, whole and in their order. */
static void shared(void)
{
    int out[3], in = -1, *seen = calloc((size_t)check_size, sizeof(*seen)), bad = 0;
    unsigned order = 0, least = 0;
    MPI_Status status;
    MPI_Request request;

    for (int i = 0; i < 3; i++)
        out[i] = value(check_rank, i);
    open_new(MPI_MODE_RDWR);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "13.3 view");
    CHECK_OK(MPI_File_write_shared(file, out, 1, MPI_INT, &status), "13.4.4 write");
    CHECK(count_of(&status, MPI_INT) == 1, "13.4.4 status");
    CHECK_OK(MPI_File_iwrite_shared(file, out + 1, 2, MPI_INT, &request), "13.4.4 iwrite");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(shared_position(file) == 3 * check_size, "13.4.4 position");
    CHECK(position(file) == 0, "13.4.4 leaves the individual pointer");
    for (int i = 0; i < 3 * check_size; i++) {
        int r;

        MPI_File_read(file, &in, 1, MPI_INT, &status);
        r = in / 1000;
        order = 31 * order + (unsigned)in;
        bad += r < 0 || r >= check_size || in != value(r, seen[r]++);
    }
    CHECK(bad == 0, "13.4.4 all of it once");
    MPI_Allreduce(&order, &least, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    CHECK(order == least, "13.4.4 in one order");
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "13.4.4 seek");
    CHECK_OK(MPI_File_write_ordered(file, out, check_rank % 2 + 1, MPI_INT, &status),
             "13.4.4 ordered");
    CHECK(shared_position(file) == check_size + check_size / 2, "13.4.4 ordered");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_at(file, check_rank + check_rank / 2, &in, 1, MPI_INT, &status),
             "13.4.4 ordered");
    CHECK(in == value(check_rank, 0), "13.4.4 in the order of ranks");
    CHECK_OK(MPI_File_write_ordered_begin(file, out, 1, MPI_INT), "13.4.5 ordered");
    CHECK_OK(MPI_File_write_ordered_end(file, out, &status), "13.4.5 ordered");
    CHECK_OK(MPI_File_seek_shared(file, -check_size, MPI_SEEK_CUR), "13.4.4 back");
    CHECK_OK(MPI_File_read_ordered(file, &in, 1, MPI_INT, &status), "13.4.4 ordered");
    CHECK(in == value(check_rank, 0), "13.4.4 what was written");
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "13.4.4 seek");
    CHECK_OK(MPI_File_read_shared(file, &in, 1, MPI_INT, &status), "13.4.4 read");
    CHECK(count_of(&status, MPI_INT) == 1, "13.4.4 read");
    CHECK_OK(MPI_File_iread_shared(file, &in, 1, MPI_INT, &request), "13.4.4 iread");
    MPI_Wait(&request, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(shared_position(file) == 2 * check_size, "13.4.4 read");
    CHECK(MPI_File_seek_shared(file, -1, MPI_SEEK_SET) != MPI_SUCCESS, "13.4.4 before the begin");
    CHECK(MPI_File_seek_shared(file, 0, MPI_SEEK_END) == MPI_SUCCESS &&
              shared_position(file) == 3 * check_size,
          "13.4.4 end");
    if (check_size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME, MPI_File_seek_shared(file, check_rank, MPI_SEEK_SET),
                    "13.4.4 to other places");
    free(seen);
    close_and_delete();
}

/* Writes of all ranks to one place: the last rank's are there, and whole. */
static void conflicts(void)
{
    int out[100], in[100], bad = 0, flag = -1;

    for (int i = 0; i < 100; i++)
        out[i] = check_rank;
    open_new(MPI_MODE_RDWR);
    CHECK(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && !flag, "13.6.1 at first");
    CHECK_OK(MPI_File_set_atomicity(file, 1), "13.6.1 set");
    CHECK(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && flag, "13.6.1 get");
    if (check_size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME, MPI_File_set_atomicity(file, check_rank), "13.6.1 not same");
    CHECK_OK(MPI_File_write_at(file, 0, out, 100, MPI_INT, MPI_STATUS_IGNORE), "13.6.1 at once");
    CHECK_OK(MPI_File_read_at(file, 0, in, 100, MPI_INT, MPI_STATUS_IGNORE), "13.6.1 at once");
    for (int i = 1; i < 100; i++)
        bad += in[i] != in[0];
    CHECK(bad == 0, "13.6.1 one rank's or another's");
    CHECK_OK(MPI_File_write_at_all(file, 0, out, 100, MPI_INT, MPI_STATUS_IGNORE), "13.6.1 all");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_at_all(file, 0, in, 100, MPI_INT, MPI_STATUS_IGNORE), "13.6.1 all");
    for (int i = 1; i < 100; i++)
        bad += in[i] != in[0];
    CHECK(bad == 0, "13.6.1 all");
    close_and_delete();
}

#ifdef HUBSIM_MPI_H /* what the standard leaves to the library */

/* Times in this call by all ranks, at most. */
static double time_of(int (*call)(MPI_File, const void *, int, MPI_Datatype, MPI_Status *),
                      const void *buf, int count)
{
    double begin, longest = 0;

    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    CHECK_OK(call(file, buf, count, MPI_INT, MPI_STATUS_IGNORE), "13.4.3 write");
    begin = MPI_Wtime() - begin;
    MPI_Allreduce(&begin, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

/* Collective writes go by rank where they meet, and at once where they only interleave. */
static void order(void)
{
    static int out[4000], in[4000], all[256 * 64];
    int top = (check_size - 1) / 2 * 2, bad = 0;
    double talk, alone, together;
    MPI_Datatype part, half;
    const int sizes[3] = { 16, 20, 4 * check_size }, subsizes[3] = { 16, 10, 4 };
    const int starts[3] = { 0, 10 * (check_rank % 2), 4 * check_rank };

    for (int i = 0; i < 4000; i++)
        out[i] = check_rank;
    open_new(MPI_MODE_RDWR);
    CHECK_OK(MPI_File_write_at_all(file, 4 * check_rank, out, 100, MPI_INT, MPI_STATUS_IGNORE),
             "the order of ranks");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, 0, in, 99 + check_size, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < 99 + check_size; i++)
        bad += in[i] != (i < check_size ? i : check_size - 1);
    CHECK(bad == 0, "the order of ranks: blocks");
    MPI_Barrier(MPI_COMM_WORLD);
    /* those of even ranks meet each other, not those of odd ones */
    MPI_Type_vector(300, 1, 2, MPI_INT, &half);
    MPI_Type_commit(&half);
    MPI_File_set_view(file, 4 * (check_rank % 2), MPI_INT, half, "native", MPI_INFO_NULL);
    CHECK_OK(MPI_File_write_all(file, out, 300, MPI_INT, MPI_STATUS_IGNORE), "the order of ranks");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at(file, 0, in, 599, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < 599; i += 2)
        bad += in[i] != top;
    CHECK(bad == 0, "the order of ranks: blocks at a distance");
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_File_set_view(file, 0, MPI_INT, part, "native", MPI_INFO_NULL);
    alone = time_of(MPI_File_write, out, 3840);
    together = time_of(MPI_File_write_all, out, 3840);
    talk = MPI_Wtime();
    for (int i = 0; i < 8; i++)
        MPI_Allgather(out, 256, MPI_INT, all, 256, MPI_INT, MPI_COMM_WORLD);
    talk = MPI_Wtime() - talk;
    CHECK(alone > time_of(MPI_File_write, out, 384), "what is longer takes longer");
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CHECK(time_of(MPI_File_write, out, 4000) > time_of(MPI_File_write, out, 40),
          "copies take their time over any network");
    CHECK(together < 1.2 * alone + talk, "parts of an array: %g us, alone %g us, messages %g us",
          together * 1e6, alone * 1e6, talk * 1e6);
    MPI_Type_free(&part);
    MPI_Type_free(&half);
    close_and_delete();
}

#endif

static void modes(void)
{
    int x = 5;

    open_new(MPI_MODE_WRONLY);
    CHECK_ERROR(MPI_ERR_ACCESS, MPI_File_read_at(file, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE),
                "13.7 read of what is written");
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "13.2.1");
    CHECK_ERROR(MPI_ERR_READ_ONLY, MPI_File_write_at(file, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE),
                "13.7 write of what is read");
    CHECK_ERROR(MPI_ERR_READ_ONLY, MPI_File_write_all(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE),
                "13.7 the same by all");
    CHECK_ERROR(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 0), "13.7 size of what is read");
    CHECK_OK(MPI_File_close(&file), "13.2.2 close");
    open_new(MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_OPERATION,
                MPI_File_write_at(file, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE), "13.2.1 SEQUENTIAL");
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET),
                "13.2.1 SEQUENTIAL");
    CHECK_OK(MPI_File_write_ordered(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE), "13.4.4 ordered");
    CHECK_OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                               MPI_INFO_NULL),
             "13.3 current displacement");
    CHECK_OK(MPI_File_write_shared(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE), "13.4.4 shared");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(size_of(file) == 8 * check_size, "13.3 goes on where it was");
    close_and_delete();
}

static int handled;
static MPI_File handled_file;

static void handle(MPI_File *f, int *code, ...)
{
    handled = *code;
    handled_file = *f;
}

static void handlers(void)
{
    MPI_Errhandler handler, got = MPI_ERRHANDLER_NULL;
    int x = 0;

    CHECK(MPI_File_get_errhandler(MPI_FILE_NULL, &got) == MPI_SUCCESS && got == MPI_ERRORS_RETURN,
          "13.7 default");
    MPI_File_create_errhandler(handle, &handler);
    open_new(MPI_MODE_RDWR);
    CHECK(MPI_File_get_errhandler(file, &got) == MPI_SUCCESS && got == MPI_ERRORS_RETURN,
          "13.7 default of a file");
    CHECK_OK(MPI_File_set_errhandler(file, handler), "8.3.3 set");
    CHECK(MPI_File_write_at(file, -1, &x, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS &&
              handled == MPI_ERR_ARG && handled_file == file,
          "8.3.3 called");
    CHECK(MPI_File_call_errhandler(file, MPI_ERR_QUOTA) == MPI_SUCCESS && handled == MPI_ERR_QUOTA,
          "8.3.4 called");
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler), "13.7 of files to come");
    CHECK_ERROR(MPI_ERR_AMODE, amode_code(0), "13.7 of opening");
    CHECK(handled == MPI_ERR_AMODE && handled_file == MPI_FILE_NULL, "13.7 of opening");
    close_and_delete();
    CHECK_ERROR(MPI_ERR_FILE, MPI_File_sync(MPI_FILE_NULL), "13.7 no file");
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
    const char *dir = getenv("TMPDIR");

    check_begin(&argc, &argv, "io");
    if (argc > 1) {
        snprintf(path, sizeof(path), "%s", argv[1]);
    } else if (check_rank == 0) { /* another one for each run beside this one */
        snprintf(path, sizeof(path) - 8, "%s/hubsim-io-XXXXXX", dir != NULL ? dir : "/tmp");
        CHECK(mkdtemp(path) != NULL, "a directory for the files");
        strcat(path, "/file");
    }
    MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
    opening();
    sizes();
    offsets();
    pointers();
    views();
    random_views();
    bad_views();
    shared();
    conflicts();
#ifdef HUBSIM_MPI_H
    order();
#endif
    modes();
    handlers();
    if (argc < 2 && check_rank == 0) {
        *strrchr(path, '/') = '\0';
        CHECK(remove(path) == 0, "nothing is left");
    }
    return check_end();
}
