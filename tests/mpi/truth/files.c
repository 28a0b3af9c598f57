/* Truth: MPI-IO. Bytes are what was really read or written: a read beyond the file's end counts
 * less than was asked for. The file lies in $TRUTH_DIR. Nonblocking operations count on the call
 * that began them. Split collectives count on the call that ends them, because only that call knows
 * the bytes. */
#include "truth.h"

enum { BLOCK = 100 };

static MPI_File file;
static char data[10 * BLOCK];

static void meet(void)
{
    MPI_File_sync(file);
    expect("MPI_File_sync", 1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    expect_size("MPI_Barrier", 0, 1);
}

static void seek(MPI_Offset offset)
{
    MPI_File_seek(file, offset, MPI_SEEK_SET);
    expect("MPI_File_seek", 1, 0);
}

static void test_explicit_offsets(void)
{
    MPI_Offset mine = truth_rank * BLOCK;
    MPI_Status status;
    int count = 0;
    memset(data, 'a' + truth_rank, sizeof data);
    MPI_File_write_at(file, mine, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_at", BLOCK, 1);
    meet();
    MPI_File_read_at(file, 0, data, 2, MPI_INT, &status);
    expect_size("MPI_File_read_at", 2 * sizeof(int), 1);
    MPI_Get_count(&status, MPI_INT, &count);
    expect("MPI_Get_count", 1, 0);
    CHECK(count == 2 && data[0] == 'a');
    MPI_File_read_at_all(file, mine, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_at_all", BLOCK, 1);
    CHECK(data[0] == 'a' + truth_rank && data[BLOCK - 1] == 'a' + truth_rank);
    MPI_File_write_at_all(file, mine, data, BLOCK, MPI_CHAR, &status);
    expect_size("MPI_File_write_at_all", BLOCK, 1);
    meet();
}

/* The last 30 bytes of the file, with room for more; and nothing at all behind it. */
static void test_short_reads(void)
{
    MPI_Offset end = truth_ranks * BLOCK;
    MPI_File_read_at(file, end - 30, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_at", 30, 1);
    MPI_File_read_at(file, end + 30, data, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_at", 0, 1);
    meet();
}

static void test_individual_pointer(void)
{
    seek(truth_rank * BLOCK);
    MPI_File_write(file, data, 20, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write", 20, 1);
    MPI_File_write_all(file, data, 30, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_all", 30, 1);
    meet();
    seek(truth_rank * BLOCK);
    MPI_File_read(file, data, 25, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read", 25, 1);
    MPI_File_read_all(file, data, 15, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_all", 15, 1);
    meet();
}

static void wait(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
}

static void test_nonblocking(void)
{
    MPI_Request request;
    MPI_Offset mine = truth_rank * BLOCK;
    memset(data, 'A' + truth_rank, sizeof data);
    MPI_File_iwrite_at(file, mine, data, 40, MPI_CHAR, &request);
    expect_size("MPI_File_iwrite_at", 40, 1);
    wait(&request);
    seek(mine + 40);
    MPI_File_iwrite(file, data, 60, MPI_CHAR, &request);
    expect_size("MPI_File_iwrite", 60, 1);
    wait(&request);
    MPI_File_iwrite_at_all(file, mine, data, 70, MPI_CHAR, &request);
    expect_size("MPI_File_iwrite_at_all", 70, 1);
    wait(&request);
    meet();
    MPI_File_iread_at(file, mine, data, BLOCK, MPI_CHAR, &request);
    expect_size("MPI_File_iread_at", BLOCK, 1);
    wait(&request);
    CHECK(data[BLOCK - 1] == 'A' + truth_rank);
    seek(mine);
    MPI_File_iread(file, data, 10, MPI_CHAR, &request);
    expect_size("MPI_File_iread", 10, 1);
    wait(&request);
    MPI_File_iread_all(file, data, 11, MPI_CHAR, &request);
    expect_size("MPI_File_iread_all", 11, 1);
    wait(&request);
    meet();
}

static void test_split_collectives(void)
{
    MPI_Offset mine = truth_rank * BLOCK;
    MPI_File_write_at_all_begin(file, mine, data, BLOCK, MPI_CHAR);
    expect("MPI_File_write_at_all_begin", 1, 0);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_at_all_end", BLOCK, 1);
    meet();
    seek(mine);
    MPI_File_read_all_begin(file, data, 50, MPI_CHAR);
    expect("MPI_File_read_all_begin", 1, 0);
    MPI_File_read_all_end(file, data, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_all_end", 50, 1);
    /* Not beyond the file's end: there Open MPI 4.1.4 hangs, as it does in nonblocking reads. */
    MPI_File_read_at_all_begin(file, mine, data, 7, MPI_CHAR);
    expect("MPI_File_read_at_all_begin", 1, 0);
    MPI_File_read_at_all_end(file, data, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_at_all_end", 7, 1);
    meet();
    seek(mine);
    MPI_File_write_all_begin(file, data, 5, MPI_CHAR);
    expect("MPI_File_write_all_begin", 1, 0);
    MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_all_end", 5, 1);
    meet();
}

/* Derived types count their data, in the file's view, too: four of each five bytes. */
static void test_view(void)
{
    MPI_Datatype spread;
    MPI_Type_vector(3, 4, 5, MPI_CHAR, &spread);
    expect("MPI_Type_vector", 1, 0);
    MPI_Type_commit(&spread);
    expect("MPI_Type_commit", 1, 0);
    MPI_File_set_view(file, truth_rank * BLOCK, MPI_CHAR, spread, "native", MPI_INFO_NULL);
    expect("MPI_File_set_view", 1, 0);
    MPI_File_write_at(file, 0, data, 1, spread, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_at", 12, 1);
    meet();
    MPI_File_read_at(file, 0, data, 12, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_at", 12, 1);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    expect("MPI_File_set_view", 1, 0);
    MPI_Type_free(&spread);
    expect("MPI_Type_free", 1, 0);
    meet();
}

/* The shared pointer: who writes where is not known. */
static void test_shared_pointer(void)
{
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    expect("MPI_File_seek_shared", 1, 0);
    MPI_File_write_shared(file, data, 8, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_shared", 8, 1);
    meet();
    MPI_File_write_ordered(file, data, truth_rank + 1, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_write_ordered", truth_rank + 1, 1);
    meet();
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    expect("MPI_File_seek_shared", 1, 0);
    MPI_File_read_shared(file, data, 4, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_shared", 4, 1);
    meet();
    MPI_File_read_ordered(file, data, 2, MPI_CHAR, MPI_STATUS_IGNORE);
    expect_size("MPI_File_read_ordered", 2, 1);
    meet();
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *folder = getenv("TRUTH_DIR");
    MPI_Offset size = 0;
    truth_begin(&argc, &argv);
    snprintf(path, sizeof path, "%s/data", folder != NULL ? folder : ".");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    expect("MPI_File_open", 1, 0);
    test_explicit_offsets();
    test_short_reads();
    test_individual_pointer();
    test_nonblocking();
    test_split_collectives();
    test_view();
    test_shared_pointer();
    MPI_File_get_size(file, &size);
    expect("MPI_File_get_size", 1, 0);
    CHECK(size == truth_ranks * BLOCK);
    MPI_File_close(&file);
    expect("MPI_File_close", 1, 0);
    return truth_end();
}
