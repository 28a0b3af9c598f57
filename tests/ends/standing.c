/* The last rank stands somewhere outside MPI until it may go on, the others wait for it in
 * MPI_Barrier. Used by run_standing.py, as standing.f90 and standing.py.
 *
 *     standing MODE STAGE PIPE
 *
 * STAGE is a file whose first byte is 0 at first, then 1, and 2 when the rank may go on. MODE:
 *
 * loop   endless_loop(), which looks at that byte
 * pipe   read_answer(): reads a byte from PIPE
 * lock   at 1 it starts a thread, which holds a lock in hold_lock(), and waits for that lock in
 *        wait_for_lock()
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned char *stage;
static volatile unsigned long turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_held;

__attribute__((noinline)) static void endless_loop(void)
{
    while (*stage < 2)
        turns = turns + 1; /* stands: loop */
}

static void *hold_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    is_held = 1;
    endless_loop();
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((noinline)) static void wait_for_lock(void)
{
    pthread_mutex_lock(&lock); /* stands: lock */
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static int read_answer(int pipe)
{
    char byte = 0;
    const ssize_t bytes = read(pipe, &byte, 1); /* stands: pipe */
    return bytes == 1;                          /* an interrupted read is 0 */
}

static int late_thread(void)
{
    pthread_t late;
    while (*stage < 1)
        usleep(10000);
    if (pthread_create(&late, NULL, hold_lock, NULL) != 0)
        return 0;
    while (!is_held)
        usleep(10000);
    wait_for_lock();
    return pthread_join(late, NULL) == 0;
}

static int stand(const char *mode, const char *pipe)
{
    if (strcmp(mode, "pipe") == 0)
        return read_answer(open(pipe, O_RDWR));
    if (strcmp(mode, "lock") == 0)
        return late_thread();
    endless_loop();
    return 1;
}

int main(int argc, char **argv)
{
    int rank, size, is_fine = 1;
    if (argc != 4)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    const int file = open(argv[2], O_RDWR);
    stage = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || stage == MAP_FAILED)
        return 2;
    if (rank == size - 1)
        is_fine = stand(argv[1], argv[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_fine)
        printf("rank %d of %d went on\n", rank, size);
    return MPI_Finalize();
}
