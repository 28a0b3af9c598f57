/* Truth: derived datatypes. Bytes are count times the type's size (its data, without the holes).
 * This also holds for types that are freed right after use, while the request is pending. */
#include "truth.h"
#include <stddef.h>

static const MPI_Comm world = MPI_COMM_WORLD;
struct particle { /* 4 + hole of 4 + 24 + 2 + hole of 6 */
    int id;
    double position[3];
    char name[2];
};
enum { PARTICLE_BYTES = sizeof(int) + 3 * sizeof(double) + 2 };

static void commit(MPI_Datatype *type)
{
    MPI_Type_commit(type);
    expect("MPI_Type_commit", 1, 0);
}

static void release(MPI_Datatype *type)
{
    MPI_Type_free(type);
    expect("MPI_Type_free", 1, 0);
}

static MPI_Datatype particle_type(void)
{
    MPI_Datatype packed, type;
    int lengths[3] = {1, 3, 2};
    MPI_Aint offsets[3] = {offsetof(struct particle, id), offsetof(struct particle, position),
                           offsetof(struct particle, name)};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, offsets, types, &packed);
    expect("MPI_Type_create_struct", 1, 0);
    MPI_Type_create_resized(packed, 0, sizeof(struct particle), &type);
    expect("MPI_Type_create_resized", 1, 0);
    release(&packed);
    commit(&type);
    return type;
}

/* Five columns of three from a 10 x 10 matrix. */
static void test_vector(void)
{
    double matrix[10][10] = {{0}};
    MPI_Datatype column;
    MPI_Type_vector(5, 3, 10, MPI_DOUBLE, &column);
    expect("MPI_Type_vector", 1, 0);
    commit(&column);
    if (truth_rank == 0) {
        matrix[4][2] = 42;
        MPI_Send(matrix, 1, column, 1, 0, world);
        expect_send("MPI_Send", 1, 15 * sizeof(double));
    } else if (truth_rank == 1) {
        MPI_Status status;
        int elements = 0;
        MPI_Recv(matrix, 1, column, 0, 0, world, &status);
        expect_size("MPI_Recv", 15 * sizeof(double), 1);
        MPI_Get_elements(&status, column, &elements);
        expect("MPI_Get_elements", 1, 0);
        CHECK(elements == 15 && matrix[4][2] == 42);
    }
    MPI_Bcast(matrix, 1, column, 0, world);
    expect_size("MPI_Bcast", 15 * sizeof(double), 1);
    release(&column);
}

static void test_struct(void)
{
    struct particle particles[20];
    MPI_Datatype type = particle_type();
    memset(particles, 0, sizeof particles);
    if (truth_rank == 0) {
        particles[16].position[2] = 0.25;
        MPI_Send(particles, 17, type, 1, 0, world);
        expect_send("MPI_Send", 1, 17 * PARTICLE_BYTES);
    } else if (truth_rank == 1) {
        MPI_Recv(particles, 20, type, 0, 0, world, MPI_STATUS_IGNORE);
        expect_size("MPI_Recv", 17 * PARTICLE_BYTES, 1);
        CHECK(particles[16].position[2] == 0.25);
    }
    MPI_Allgather(particles, 1, type, particles + 1, 1, type, world);
    expect_size("MPI_Allgather", PARTICLE_BYTES, 1);
    release(&type);
}

/* Nested, and gone before the request completes: (vector of 4 particles' ids and so on) x 2, 3
 * times. */
static void test_nested(void)
{
    static struct particle particles[64];
    MPI_Datatype inner = particle_type(), spread, outer;
    MPI_Request request;
    long long size = 3LL * 2 * 4 * PARTICLE_BYTES;
    MPI_Type_vector(4, 1, 2, inner, &spread);
    expect("MPI_Type_vector", 1, 0);
    MPI_Type_contiguous(2, spread, &outer);
    expect("MPI_Type_contiguous", 1, 0);
    release(&inner);
    release(&spread);
    commit(&outer);
    if (truth_rank == 0) {
        particles[0].id = 9;
        MPI_Isend(particles, 3, outer, 1, 0, world, &request);
        expect_send("MPI_Isend", 1, size);
    } else if (truth_rank == 1) {
        MPI_Irecv(particles, 3, outer, 0, 0, world, &request);
        expect_size("MPI_Irecv", size, 1);
    } else {
        request = MPI_REQUEST_NULL;
    }
    release(&outer);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    CHECK(truth_rank > 1 || particles[0].id == 9);
}

/* Sent as ten doubles, received as 80 bytes; a type without data; a persistent request whose type
 * is freed. */
static void test_odd_types(void)
{
    double numbers[10] = {0};
    MPI_Datatype empty, pair;
    MPI_Request request;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    expect("MPI_Type_contiguous", 1, 0);
    commit(&empty);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    expect("MPI_Type_contiguous", 1, 0);
    commit(&pair);
    if (truth_rank == 0) {
        MPI_Send(numbers, 10, MPI_DOUBLE, 1, 0, world);
        expect_send("MPI_Send", 1, 10 * sizeof(double));
        MPI_Send(numbers, 3, empty, 1, 1, world);
        expect_send("MPI_Send", 1, 0);
        MPI_Send_init(numbers, 5, pair, 1, 2, world, &request);
        expect("MPI_Send_init", 1, 0);
        expect_transfers("MPI_Send_init", 10 * sizeof(int), 2);
        expect_message(0, 1, 2, 2 * 10 * sizeof(int));
    } else if (truth_rank == 1) {
        MPI_Recv(numbers, 10 * sizeof(double), MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE);
        expect_size("MPI_Recv", 10 * sizeof(double), 1);
        MPI_Recv(numbers, 3, empty, 0, 1, world, MPI_STATUS_IGNORE);
        expect_size("MPI_Recv", 0, 1);
        MPI_Recv_init(numbers, 5, pair, 0, 2, world, &request);
        expect("MPI_Recv_init", 1, 0);
        expect_transfers("MPI_Recv_init", 10 * sizeof(int), 2);
    }
    release(&empty);
    release(&pair);
    for (int turn = 0; turn < 2 && truth_rank < 2; turn++) {
        MPI_Start(&request);
        expect("MPI_Start", 1, 0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
    }
    if (truth_rank < 2) {
        MPI_Request_free(&request);
        expect("MPI_Request_free", 1, 0);
    }
}

/* The handle of a freed type may be given to the next one, which has another size. */
static void test_handle_reuse(void)
{
    int space[32] = {0};
    for (int length = 1; length <= 30; length++) {
        MPI_Datatype type;
        MPI_Type_contiguous(length, MPI_SHORT, &type);
        expect("MPI_Type_contiguous", 1, 0);
        commit(&type);
        MPI_Bcast(space, 1, type, 0, world);
        expect_size("MPI_Bcast", length * (long long)sizeof(short), 1);
        release(&type);
    }
}

/* Packed by hand: MPI_Pack moves nothing between ranks. */
static void test_pack(void)
{
    char packed[100];
    int values[3] = {1, 2, 3}, position = 0, bound = 0;
    MPI_Pack_size(3, MPI_INT, world, &bound);
    expect("MPI_Pack_size", 1, 0);
    CHECK(bound >= (int)(3 * sizeof(int)) && bound <= (int)sizeof packed);
    MPI_Pack(values, 3, MPI_INT, packed, sizeof packed, &position, world);
    expect("MPI_Pack", 1, 0);
    CHECK(position == 3 * sizeof(int));
    MPI_Bcast(packed, position, MPI_PACKED, 0, world);
    expect_size("MPI_Bcast", 3 * sizeof(int), 1);
    position = 0;
    MPI_Unpack(packed, 3 * sizeof(int), &position, values, 3, MPI_INT, world);
    expect("MPI_Unpack", 1, 0);
    CHECK(values[2] == 3);
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_vector();
    test_struct();
    test_nested();
    test_odd_types();
    test_handle_reuse();
    test_pack();
    return truth_end();
}
