/* Counts calls of CUDA's driver by CUPTI's callbacks, for run.sh, and prints them at the end:
 * "cupti 1 waits 8". Preloaded; GPU_COUNT_CUPTI is the path of libcupti.so. The few declarations
 * that are needed are those of cupti_callbacks.h, which is not packed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAIN_DRIVER = 1, SITE_ENTER = 0 };
struct callback_data {
    int site;
    const char *function;
};
typedef void callback(void *user, int domain, unsigned id, const struct callback_data *data);
typedef int subscribe_type(void **subscriber, callback *function, void *user);
typedef int enable_type(unsigned enable, void *subscriber, int domain);

static unsigned long waits, polls, copies;

static int begins(const char *name, const char *begin)
{
    return strncmp(name, begin, strlen(begin)) == 0;
}

static void count(void *user, int domain, unsigned id, const struct callback_data *data)
{
    (void)user;
    (void)id;
    if (domain != DOMAIN_DRIVER || data->site != SITE_ENTER)
        return;
    if (begins(data->function, "cuStreamSynchronize") ||
        begins(data->function, "cuCtxSynchronize") || begins(data->function, "cuEventSynchronize"))
        __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
    else if (begins(data->function, "cuStreamQuery") || begins(data->function, "cuEventQuery"))
        __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
    else if (begins(data->function, "cuMemcpy"))
        __atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
}

static void tell(void)
{
    const char *rank = getenv("PMI_RANK");
    if (rank != NULL)
        printf("cupti %s waits %lu\ncupti %s polls %lu\ncupti %s copies %lu\n", rank, waits, rank,
               polls, rank, copies);
}

__attribute__((constructor)) static void begin(void)
{
    void *subscriber = NULL;
    const char *path = getenv("GPU_COUNT_CUPTI");
    void *cupti = path != NULL && getenv("PMI_RANK") != NULL ? dlopen(path, RTLD_NOW) : NULL;
    if (cupti == NULL)
        return;
    subscribe_type *subscribe = (subscribe_type *)dlsym(cupti, "cuptiSubscribe");
    enable_type *enable = (enable_type *)dlsym(cupti, "cuptiEnableDomain");
    if (subscribe != NULL && enable != NULL && subscribe(&subscriber, count, NULL) == 0 &&
        enable(1, subscriber, DOMAIN_DRIVER) == 0)
        atexit(tell);
}
