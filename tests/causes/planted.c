/* Programs with a planted cause, for run_causes.py: planted CASE FOLDER. A comment "waits: CASE"
 * marks the line at which the waiting must show. A comment "slow: CASE" marks the lines around the
 * computing that causes it. A comment "named: CASE" marks a line of which one must be named.
 *
 * Each rank leaves two files in FOLDER. arrivals-RANK says when it came to each call that may wait.
 * departures-RANK says when it left the call. Both are times of the clock that all processes of a
 * machine share. The true waiting, and how much the machine disturbed, follow from these files
 * alone.
 *
 * Work is done by sleeping until a point in time. Two cores can do this for any number of ranks.
 * Where a case must have the CPU, it is arithmetic until then.
 * FOLDER/lost-RANK says how long the rank was off the CPU on purpose, FOLDER/worked-RANK how long
 * it computed on one. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1 << 19, FILE_COUNT = 1 << 20, MOST_ARRIVALS = 4096 };

static int rank, size;
static double *large;
static const char *folder = ".";
static double arrivals[MOST_ARRIVALS], departures[MOST_ARRIVALS];
static size_t arrival_count;
static double lost_s;   /* off the CPU, outside MPI */
static double worked_s; /* on it */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double thread_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The n-th of the CPUs that the process may use, from the first again after the last. */
static int nth_cpu(int n)
{
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    n %= CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &allowed) && n-- == 0)
            return cpu;
    return 0;
}

/* A few microseconds of arithmetic between two looks at the clock: else nearly all samples of the
 * computing would be in the kernel's code that reads it. Each value ends at 2 more than the one
 * before, so none overflows. */
__attribute__((noinline)) static void relax(void)
{
    enum { VALUES = 1024 };
    static _Thread_local double values[VALUES];
    for (int i = 1; i < VALUES; i++)
        values[i] = 0.5 * (values[i - 1] + values[i]) + 1;
}

static void work_us(long us)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += us % 1000000 * 1000;
    end.tv_sec += us / 1000000 + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
        ;
}

/* The same on the CPU: for at most as many ranks as there are cores. */
static void compute_us(long us)
{
    const double end_s = now_s() + (double)us * 1e-6;
    const double cpu_s = thread_cpu_s();
    while (now_s() < end_s)
        relax();
    worked_s += thread_cpu_s() - cpu_s;
}

/* Just before a call that may have to wait. */
static void arrive(void)
{
    if (arrival_count < MOST_ARRIVALS)
        arrivals[arrival_count++] = now_s();
}

/* Just after it. */
static void depart(void)
{
    departures[arrival_count - 1] = now_s();
}

static void write_times(const char *name, const double *times, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, rank);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(times, sizeof *times, count, file) != count || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int next_rank(void)
{
    return (rank + 1) % size;
}

static int rank_before(void)
{
    return (rank + size - 1) % size;
}

/* Rank size / 2 computes 40 ms longer in every step: much more than other load delays it. */
static void late_rank(void)
{
    double x = 1;
    double sum;
    for (int step = 0; step < 50; step++) {
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* waits, slow: late_rank
                                                                          */
        depart();
    }
}

/* The same where communicators are made: the others wait there, and no start-up is slow. */
static void late_dup(void)
{
    for (int step = 0; step < 50; step++) {
        MPI_Comm comm;
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* waits, slow: late_dup */
        depart();
        MPI_Comm_free(&comm);
    }
}

static void late_root(void)
{
    int data[256] = {0};
    for (int step = 0; step < 50; step++) {
        work_us(rank == 1 ? 41000 : 1000);
        arrive();
        MPI_Bcast(data, 256, MPI_INT, 1, MPI_COMM_WORLD); /* waits, slow: late_root */
        depart();
    }
}

/* Even ranks send 40 ms late, every time. */
static void late_sender(void)
{
    double data[128] = {0};
    for (int step = 0; step < 50; step++) {
        work_us(rank % 2 == 0 ? 41000 : 1000);
        arrive();
        if (rank % 2 == 0)
            MPI_Send(data, 128, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD); /* slow: late_sender */
        else
            MPI_Recv(data, 128, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, /* waits: late_sender */
                     MPI_STATUS_IGNORE);
        depart();
    }
}

/* Who does not know what comes asks first, and waits there. */
static void late_probed(void)
{
    double data[128] = {0};
    for (int step = 0; step < 50; step++) {
        work_us(rank % 2 == 0 ? 41000 : 1000);
        arrive();
        if (rank % 2 == 0) {
            MPI_Send(data, 128, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD); /* slow: late_probed */
        } else {
            MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, /* waits: late_probed */
                      MPI_STATUS_IGNORE);
            MPI_Recv(data, 128, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        depart();
    }
}

static void late_matched(void)
{
    double data[128] = {0};
    MPI_Message message;
    for (int step = 0; step < 50; step++) {
        work_us(rank % 2 == 0 ? 41000 : 1000);
        arrive();
        if (rank % 2 == 0) {
            MPI_Send(data, 128, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD); /* slow: late_matched */
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, /* waits: late_matched */
                       MPI_STATUS_IGNORE);
            MPI_Mrecv(data, 128, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        }
        depart();
    }
}

/* All wait where they give a communicator up. MPICH lets each go on, so there they wait where the
 * next one is made. */
static void late_disconnect(void)
{
    for (int step = 0; step < 50; step++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* waits, slow: late_disconnect */
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_Comm_disconnect(&comm); /* waits, slow: late_disconnect */
        depart();
    }
}

/* A window, and the group of the partner alone. */
static void begin_epochs(double *memory, MPI_Win *window, MPI_Group *pair)
{
    const int partner = rank ^ 1;
    MPI_Group all;
    MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &partner, pair);
    MPI_Group_free(&all);
}

static void late_fence(void)
{
    double mine = 0;
    MPI_Win window;
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int step = 0; step < 50; step++) {
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_Win_fence(0, window); /* waits, slow: late_fence */
        depart();
    }
    MPI_Win_free(&window);
}

/* Pairs; the rank that gives access to its memory is late. An MPI may wait in either call. */
static void late_post(void)
{
    double memory = 0, mine = 1;
    MPI_Win window;
    MPI_Group pair;
    begin_epochs(&memory, &window, &pair);
    for (int step = 0; step < 50; step++) {
        work_us(rank % 2 == 0 ? 1000 : 41000);
        arrive();
        if (rank % 2 == 0) {
            MPI_Win_start(pair, 0, window); /* waits: late_post */
            MPI_Put(&mine, 1, MPI_DOUBLE, rank ^ 1, 0, 1, MPI_DOUBLE, window);
            MPI_Win_complete(window); /* waits: late_post */
        } else {
            MPI_Win_post(pair, 0, window); /* slow: late_post */
            MPI_Win_wait(window);
        }
        depart();
    }
    MPI_Group_free(&pair);
    MPI_Win_free(&window);
}

/* The same with a rank that is late when it is done with the other one's memory. */
static void late_complete(void)
{
    double memory = 0, mine = 1;
    MPI_Win window;
    MPI_Group pair;
    begin_epochs(&memory, &window, &pair);
    for (int step = 0; step < 50; step++) {
        if (rank % 2 == 0) {
            MPI_Win_start(pair, 0, window);
            MPI_Put(&mine, 1, MPI_DOUBLE, rank ^ 1, 0, 1, MPI_DOUBLE, window);
            work_us(41000);
            arrive();
            MPI_Win_complete(window); /* slow: late_complete */
        } else {
            MPI_Win_post(pair, 0, window);
            work_us(1000);
            arrive();
            MPI_Win_wait(window); /* waits: late_complete */
        }
        depart();
    }
    MPI_Group_free(&pair);
    MPI_Win_free(&window);
}

/* Rank 0 gives access to its memory to two ranks. The last one is late when it is done with it; the
 * other one is done at once, and waits for the next time. */
static void late_of_group(void)
{
    double memory[2] = {0}, mine = 1;
    MPI_Win window;
    MPI_Group all, others, first;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (const int[]){1, 2}, &others);
    MPI_Group_incl(all, 1, (const int[]){0}, &first);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int step = 0; step < 50; step++) {
        if (rank == 1)
            work_us(1000);
        arrive();
        if (rank == 0) {
            MPI_Win_post(others, 0, window);
        } else {
            MPI_Win_start(first, 0, window); /* waits: late_of_group */
            MPI_Put(&mine, 1, MPI_DOUBLE, 0, rank - 1, 1, MPI_DOUBLE, window);
        }
        depart();
        if (rank == 2)
            work_us(41000);
        arrive();
        if (rank == 0)
            MPI_Win_wait(window); /* waits: late_of_group */
        else
            MPI_Win_complete(window); /* waits, slow: late_of_group */
        depart();
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
    arrive();
    MPI_Win_free(&window); /* waits: late_of_group */
    depart();
}

static void late_window(void)
{
    double mine = 0;
    for (int step = 0; step < 50; step++) {
        MPI_Win window;
        MPI_Win_create(&mine, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* slow: late_window */
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_Win_free(&window); /* waits, slow: late_window */
        depart();
    }
}

static void late_open(void)
{
    char file_name[4096];
    snprintf(file_name, sizeof file_name, "%s/opened", folder);
    for (int step = 0; step < 50; step++) {
        MPI_File file;
        work_us(rank == size / 2 ? 41000 : 1000);
        arrive();
        MPI_File_open(MPI_COMM_WORLD, file_name, /* waits, slow: late_open */
                      MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        depart();
        MPI_File_close(&file);
    }
}

/* Who has nothing to write comes first to close the file. */
static void late_close(void)
{
    char file_name[4096];
    snprintf(file_name, sizeof file_name, "%s/closed", folder);
    for (int step = 0; step < 30; step++) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, file_name, /* waits, slow: late_close */
                      MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        work_us(rank == size / 2 ? 101000 : 1000);
        arrive();
        MPI_File_close(&file); /* waits, slow: late_close */
        depart();
    }
}

/* 4 MiB: no MPI sends that before the receiver, which is 40 ms late, is there. */
static void late_receiver(void)
{
    for (int step = 0; step < 50; step++) {
        work_us(rank % 2 == 0 ? 1000 : 41000);
        arrive();
        if (rank % 2 == 0)
            MPI_Send(large, LARGE, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD); /* waits: late_receiver
                                                                              */
        else
            MPI_Recv(large, LARGE, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, /* slow: late_receiver
                                                                             */
                     MPI_STATUS_IGNORE);
        depart();
    }
}

/* Each rank waits for the one before, and all for the last. */
static void chain(void)
{
    int token = 0;
    for (int step = 0; step < 100; step++) {
        arrive();
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        depart();
        work_us(4000);
        arrive();
        if (rank + 1 < size)
            MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Bcast(&token, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
        depart();
    }
}

/* Every rank is late in its turn; on average all compute the same. */
static void moving(void)
{
    double x = 1;
    double sum;
    for (int step = 0; step < 400; step++) {
        work_us(step % size == rank ? 5000 : 1000);
        arrive();
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* waits: moving */
        depart();
    }
}

static void exchange(void)
{
    double mine[64] = {0};
    double theirs[64];
    MPI_Sendrecv(mine, 64, MPI_DOUBLE, next_rank(), 0, theirs, 64, MPI_DOUBLE, rank_before(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Steps of random length, and a barrier before each exchange that does not need it. */
static void barriers(void)
{
    srand((unsigned)rank + 1);
    for (int step = 0; step < 400; step++) {
        work_us(500 + rand() % 4000);
        arrive();
        MPI_Barrier(MPI_COMM_WORLD); /* waits: barriers */
        depart();
        exchange();
    }
}

/* Another rank has more arithmetic in each step. */
static void in_turn(void)
{
    for (int step = 0; step < 400; step++) {
        compute_us(step % size == rank ? 5000 : 1000);
        arrive();
        MPI_Barrier(MPI_COMM_WORLD); /* waits: in_turn */
        depart();
    }
}

/* Odd ranks ask again and again whether the message has come. */
static void polling(void)
{
    int data = 0;
    for (int step = 0; step < 100; step++) {
        if (rank % 2 == 0) {
            work_us(15000);
            MPI_Send(&data, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
            continue;
        }
        MPI_Request request;
        MPI_Irecv(&data, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, &request);
        for (int done = 0; !done;)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

/* Until rank 0 says that it is enough: how many messages that are nobody knows. */
static void tiny(void)
{
    const double end_s = now_s() + 2;
    double more = 1;
    for (long step = 0; more != 0; step++) {
        if (rank % 2 == 0) {
            more = step % 1024 != 0 || now_s() < end_s;
            MPI_Send(&more, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&more, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&more, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&more, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
        }
    }
}

static void bandwidth(void)
{
    double *theirs = calloc(LARGE, sizeof *theirs);
    for (int step = 0; step < 1500; step++)
        MPI_Sendrecv(large, LARGE, MPI_DOUBLE, next_rank(), 0, theirs, LARGE, MPI_DOUBLE,
                     rank_before(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(theirs);
}

/* The steps of the cases that follow: rank 0 does something else than computing in each. */
static void lose_time(void (*lose)(int step))
{
    double x = 1;
    double sum;
    for (int step = 0; step < 40; step++) {
        compute_us(10000);
        if (rank == 0)
            lose(step);
        arrive();
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* waits, slow: lose_time
                                                                          */
        depart();
    }
}

static void compute_more(int step)
{
    (void)step;
    compute_us(40000);
}

static void sleep_more(int step)
{
    (void)step;
    const double begin_s = now_s();
    work_us(40000);
    lost_s += now_s() - begin_s;
}

/* For a while, not a number of times: with a fast disk that would be less than MPI_Init takes. */
static void write_and_sync(int step)
{
    static char block[4096];
    char path[4096];
    snprintf(path, sizeof path, "%s/synced", folder);
    const double begin_s = now_s();
    const double cpu_s = thread_cpu_s();
    const int file = open(path, O_CREAT | O_WRONLY | (step == 0 ? O_TRUNC : O_APPEND), 0600);
    while (now_s() - begin_s < 0.02)
        if (write(file, block, sizeof block) < 0 || fsync(file) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
    lost_s += now_s() - begin_s - (thread_cpu_s() - cpu_s);
}

/* The kernel's copy of the pages is dropped, so each one comes from the disk. */
static volatile char *mapped_pages(size_t bytes)
{
    char path[4096];
    char *content = calloc(1, bytes);
    snprintf(path, sizeof path, "%s/pages", folder);
    const int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (write(file, content, bytes) != (ssize_t)bytes || fsync(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(content);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    void *pages = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    madvise(pages, bytes, MADV_RANDOM);
    close(file);
    return pages;
}

static void touch_pages(int step)
{
    enum { PAGE = 4096, PAGES_OF_STEP = 400, STEPS = 40 };
    static volatile char *pages;
    const double begin_s = now_s();
    const double cpu_s = thread_cpu_s();
    if (pages == NULL)
        pages = mapped_pages((size_t)PAGE * PAGES_OF_STEP * STEPS);
    for (size_t i = 0; i < PAGES_OF_STEP; i++)
        (void)pages[((size_t)step * PAGES_OF_STEP + i) * PAGE];
    lost_s += now_s() - begin_s - (thread_cpu_s() - cpu_s);
}

/* The few pages that a program brings from the disk on its way are not what it waits for. */
static void touch_page_and_sleep(int step)
{
    enum { PAGE = 4096, STEPS = 40 };
    static volatile char *pages;
    if (pages == NULL)
        pages = mapped_pages((size_t)PAGE * STEPS);
    const double begin_s = now_s();
    (void)pages[(size_t)step * PAGE];
    work_us(100000);
    lost_s += now_s() - begin_s;
}

static void computing(void)
{
    lose_time(compute_more);
}

static void sleeping(void)
{
    lose_time(sleep_more);
}

/* One sleep after MPI_Init, whose pages may have come from a disk. */
static void sleeping_once(void)
{
    if (rank == 0)
        work_us(500000);
    arrive();
    MPI_Barrier(MPI_COMM_WORLD); /* waits, slow: sleeping_once */
    depart();
}

static void sleeping_after_fault(void)
{
    lose_time(touch_page_and_sleep);
}

static void syncing(void)
{
    lose_time(write_and_sync);
}

static void faulting(void)
{
    lose_time(touch_pages);
}

/* Rank 0 shares its CPU with three processes that do nothing but compute: whatever else runs beside
 * the ranks, it has the smaller part of one. */
static void beside_hog(void)
{
    enum { HOGS = 3 };
    pid_t hogs[HOGS];
    double x = 1;
    double sum;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)nth_cpu(rank), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < HOGS && rank == 0; i++) {
        hogs[i] = fork();
        if (hogs[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
    }
    for (int step = 0; step < 15; step++) {
        const double cpu_s = thread_cpu_s();
        const double begin_s = now_s();
        while (thread_cpu_s() < cpu_s + 0.04)
            for (int i = 0; i < 50; i++) /* the kernel reads this clock */
                relax();
        lost_s += now_s() - begin_s - (thread_cpu_s() - cpu_s);
        arrive();
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* waits, slow: beside_hog
                                                                          */
        depart();
    }
    for (int i = 0; i < HOGS && rank == 0; i++) {
        kill(hogs[i], SIGKILL);
        waitpid(hogs[i], NULL, 0);
    }
}

/* Four threads of each rank compute; they have two CPUs in all. */
static void *compute_on_thread(void *unused)
{
    const double cpu_s = thread_cpu_s();
    while (thread_cpu_s() < cpu_s + 0.4)
        relax();
    return unused;
}

static void many_threads(void)
{
    double x = 1;
    double sum;
    for (int step = 0; step < 3; step++) {
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, compute_on_thread, NULL);
        compute_on_thread(NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Next to nothing after MPI_Init. */
static void slow_start(void)
{
    work_us(10000);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void file_output(void)
{
    MPI_File file;
    double *data = calloc(FILE_COUNT, sizeof *data);
    char file_name[4096];
    snprintf(file_name, sizeof file_name, "%s/output", folder);
    MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    for (int step = 0; step < 120; step++) {
        work_us(1000);
        MPI_File_write_at_all(file, (MPI_Offset)rank * FILE_COUNT * 8, data, FILE_COUNT, MPI_DOUBLE,
                              MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    free(data);
}

/* Until rank 0 says that it is enough: how fast a disk is nobody knows. */
static int goes_on(double begin)
{
    int more = MPI_Wtime() - begin < 0.8;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

static MPI_File open_file(MPI_Comm comm, const char *name)
{
    MPI_File file;
    char file_name[4096];
    snprintf(file_name, sizeof file_name, "%s/%s", folder, name);
    MPI_File_open(comm, file_name, /* named: open_storm */
                  MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    return file;
}

static void sync_storm(void)
{
    MPI_File file = open_file(MPI_COMM_WORLD, "stormy.dat");
    const double begin = MPI_Wtime();
    while (goes_on(begin)) {
        MPI_File_write_at(file, (MPI_Offset)rank * 8, large, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
        for (int i = 0; i < 20; i++)
            MPI_File_sync(file); /* named: sync_storm */
    }
    MPI_File_close(&file);
}

static void open_storm(void)
{
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 0.8) {
        MPI_File file = open_file(MPI_COMM_SELF, "stormy.dat");
        MPI_File_close(&file);
    }
}

static void small_writes(void)
{
    MPI_File file = open_file(MPI_COMM_WORLD, "stormy.dat");
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 0.8)
        MPI_File_write_at(file, (MPI_Offset)rank * 8, large, /* named: small_writes */
                          1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void healthy(void)
{
    double x = 1;
    double sum;
    for (int step = 0; step < 100; step++) {
        compute_us(60000);
        exchange();
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"late_rank", late_rank},
             {"late_dup", late_dup},
             {"late_root", late_root},
             {"late_sender", late_sender},
             {"late_receiver", late_receiver},
             {"late_probed", late_probed},
             {"late_matched", late_matched},
             {"late_disconnect", late_disconnect},
             {"late_fence", late_fence},
             {"late_window", late_window},
             {"late_post", late_post},
             {"late_complete", late_complete},
             {"late_of_group", late_of_group},
             {"late_open", late_open},
             {"late_close", late_close},
             {"chain", chain},
             {"moving", moving},
             {"barriers", barriers},
             {"in_turn", in_turn},
             {"polling", polling},
             {"tiny", tiny},
             {"bandwidth", bandwidth},
             {"slow_start", slow_start},
             {"file_output", file_output},
             {"computing", computing},
             {"sleeping", sleeping},
             {"sleeping_once", sleeping_once},
             {"sleeping_after_fault", sleeping_after_fault},
             {"syncing", syncing},
             {"faulting", faulting},
             {"beside_hog", beside_hog},
             {"many_threads", many_threads},
             {"sync_storm", sync_storm},
             {"open_storm", open_storm},
             {"small_writes", small_writes},
             {"healthy", healthy}};

int main(int argc, char **argv)
{
    large = calloc(LARGE, sizeof *large);
    folder = argc > 2 ? argv[2] : folder;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    write_times("arrivals", arrivals, arrival_count);
    write_times("departures", departures, arrival_count);
    write_times("lost", &lost_s, 1);
    write_times("worked", &worked_s, 1);
    MPI_Finalize();
    free(large);
    return 0;
}
