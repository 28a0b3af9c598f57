/* GPUs that are open, and their memory (gpu.h). */
#define _GNU_SOURCE
#include "base/gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_file.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

enum { MOST_DEVICES = 16, NAME_BYTES = 32 };

struct devices {
    char names[MOST_DEVICES][NAME_BYTES];
    size_t count;
    const char *sharing; /* NULL = not known of any */
};

/* "/dev/nvidia0", but not "/dev/nvidiactl" or "/dev/nvidia-uvm". */
static bool is_gpu(const char *path)
{
    static const char *const begins[] = {"/dev/nvidia", "/dev/dri/renderD", "/dev/accel/accel"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const char *number = path + strlen(begins[i]);
        if (strncmp(path, begins[i], strlen(begins[i])) == 0 && *number != '\0' &&
            strspn(number, "0123456789") == strlen(number))
            return true;
    }
    return false;
}

/* A file of capabilities is open for a part of a GPU; a pipe leads to the server that shares one.
 */
static void note_sharing(struct devices *devices, const char *path)
{
    if (strncmp(path, "/dev/nvidia-caps/", strlen("/dev/nvidia-caps/")) == 0)
        devices->sharing = "MIG";
    else if (strstr(path, "nvidia-mps") != NULL)
        devices->sharing = "MPS";
}

static void add_device(struct devices *devices, const char *path)
{
    for (size_t i = 0; i < devices->count; i++)
        if (strcmp(devices->names[i], path) == 0)
            return;
    const size_t bytes = strlen(path) + 1;
    if (devices->count < MOST_DEVICES && bytes <= NAME_BYTES)
        memcpy(devices->names[devices->count++], path, bytes);
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(a, b);
}

static void read_descriptors(struct devices *devices, const char *folder)
{
    char path[256];
    DIR *links = opendir(folder);
    if (links == NULL)
        return;
    for (const struct dirent *link; (link = readdir(links)) != NULL;) {
        ssize_t length = readlinkat(dirfd(links), link->d_name, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        note_sharing(devices, path);
        if (is_gpu(path))
            add_device(devices, path);
    }
    closedir(links);
}

void gpu_devices_write_texts(struct text *text, const char *descriptors)
{
    struct devices devices = {.count = 0, .sharing = NULL};
    char list[MOST_DEVICES * NAME_BYTES];
    struct text names = {list, sizeof list, 0};
    read_descriptors(&devices, descriptors);
    if (devices.count == 0)
        return;
    if (devices.sharing == NULL && secure_getenv("CUDA_MPS_PIPE_DIRECTORY") != NULL)
        devices.sharing = "MPS";
    qsort(devices.names, devices.count, NAME_BYTES, by_name);
    for (size_t i = 0; i < devices.count; i++)
        text_format(&names, "%s%s", i > 0 ? "," : "", devices.names[i]);
    text_end(&names);
    text_key(text, "gpu_devices", list);
    if (devices.sharing != NULL)
        text_key(text, "gpu_sharing", devices.sharing);
}

/* cuCtxGetDevice(CUdevice *device) and cuDeviceGetUuid(CUuuid *uuid, CUdevice device). */
typedef int get_device(int *device);
typedef int get_uuid(unsigned char *uuid, int device);

void gpu_uuid_write_text(struct text *text)
{
    enum { UUID_BYTES = 16 };
    unsigned char uuid[UUID_BYTES];
    char hex[2 * UUID_BYTES + 1];
    int device = 0;
    const int program_errno = errno;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    errno = program_errno;
    if (library == NULL)
        return;
    get_device *which = (get_device *)dlsym(library, "cuCtxGetDevice");
    get_uuid *ask = (get_uuid *)dlsym(library, "cuDeviceGetUuid_v2");
    if (ask == NULL)
        ask = (get_uuid *)dlsym(library, "cuDeviceGetUuid");
    if (which != NULL && ask != NULL && which(&device) == 0 && ask(uuid, device) == 0) {
        char name[64];
        for (size_t i = 0; i < UUID_BYTES; i++)
            snprintf(hex + 2 * i, 3, "%02x", uuid[i]);
        snprintf(name, sizeof name, "GPU-%.8s-%.4s-%.4s-%.4s-%s", hex, hex + 8, hex + 12, hex + 16,
                 hex + 20);
        text_key(text, "gpu_uuid", name);
    }
    dlclose(library);
}

void gpu_cpus_of_write_text(struct text *text, const char *bus_id, const char *devices)
{
    char id[32], path[256], list[1024];
    const size_t length = strlen(bus_id);
    if (length >= sizeof id)
        return;
    for (size_t i = 0; i <= length; i++)
        id[i] = (char)tolower((unsigned char)bus_id[i]);
    snprintf(path, sizeof path, "%s/%s/local_cpulist", devices, id);
    system_line_read(path, list, sizeof list);
    if (list[0] != '\0')
        text_key(text, "gpu_cpus", list);
}

/* cuDeviceGetPCIBusId(char *id, int bytes, CUdevice device), and HIP's. */
typedef int get_bus_id(char *id, int bytes, int device);

void gpu_cpus_write_text(struct text *text)
{
    static const struct {
        const char *library, *device, *bus_id;
    } drivers[] = {{"libcuda.so.1", "cuCtxGetDevice", "cuDeviceGetPCIBusId"},
                   {"libamdhip64.so.6", "hipGetDevice", "hipDeviceGetPCIBusId"},
                   {"libamdhip64.so.7", "hipGetDevice", "hipDeviceGetPCIBusId"}};
    const int program_errno = errno;
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        char id[32] = "";
        int device = 0;
        void *library = dlopen(drivers[i].library, RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        get_device *which = (get_device *)dlsym(library, drivers[i].device);
        get_bus_id *ask = (get_bus_id *)dlsym(library, drivers[i].bus_id);
        if (which != NULL && ask != NULL && which(&device) == 0 &&
            ask(id, (int)sizeof id, device) == 0)
            gpu_cpus_of_write_text(text, id, "/sys/bus/pci/devices");
        dlclose(library);
    }
    errno = program_errno;
}

/* ---- whose memory is it? --------------------------------------------------------------------- */

/* CUDA and HIP are asked. The functions are looked up in a library that is loaded already
 * (RTLD_NOLOAD), and only when one is not known yet: a program may load it late. Looking takes a
 * microsecond, so it is done for the first call, when the program asks a driver for a function, and
 * now and then. */

/* cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address), and HIP's
 * of the same shape. */
typedef int get_attribute(void *data, int attribute, uintptr_t address);

/* HIP may answer for memory that it does not know, too: TYPE_NONE. */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, TYPE_NONE = 0, TYPE_DEVICE = 2, LOOK_EVERY = 256 };

static const struct {
    const char *library;
    const char *function;
} sources[] = {{"libcuda.so.1", "cuPointerGetAttribute"},
               {"libamdhip64.so", "hipPointerGetAttribute"},
               {"libamdhip64.so.6", "hipPointerGetAttribute"},
               {"libamdhip64.so.7", "hipPointerGetAttribute"}};

enum { SOURCES = sizeof sources / sizeof sources[0] };

static uint32_t looks;

void gpu_driver_appeared(void)
{
    __atomic_store_n(&looks, 0, __ATOMIC_RELAXED);
}

static get_attribute *found(void)
{
    static get_attribute *function;
    if (function != NULL || __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % LOOK_EVERY != 0)
        return function;
    const int program_errno = errno;
    for (size_t i = 0; i < SOURCES && function == NULL; i++) {
        void *library = dlopen(sources[i].library, RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL)
            function = (get_attribute *)dlsym(library, sources[i].function);
    }
    errno = program_errno;
    return function;
}

enum mprof_memory_kind gpu_memory_kind(const void *address)
{
    get_attribute *ask = found();
    uint32_t type = 0;
    uint32_t managed = 0;
    if (ask == NULL || ask(&type, MEMORY_TYPE, (uintptr_t)address) != 0 || type == TYPE_NONE)
        return MPROF_MEMORY_HOST;
    if (ask(&managed, IS_MANAGED, (uintptr_t)address) == 0 && managed != 0)
        return MPROF_MEMORY_MANAGED;
    return type == TYPE_DEVICE ? MPROF_MEMORY_DEVICE : MPROF_MEMORY_PINNED;
}

bool is_device_memory(const void *address)
{
    return gpu_memory_kind(address) == MPROF_MEMORY_DEVICE;
}

/* ---- kernels that were told before mprof came ------------------------------------------------ */

/* hipKernelNameRefByPtr(const void *function, hipStream_t stream) */
typedef const char *get_name(const void *function, void *stream);

const char *gpu_name_of_function(const void *function)
{
    static get_name *ask;
    static bool was_looked_for;
    if (!__atomic_load_n(&was_looked_for, __ATOMIC_ACQUIRE)) {
        const int program_errno = errno;
        for (size_t i = 0; i < SOURCES && ask == NULL; i++) {
            void *library = dlopen(sources[i].library, RTLD_LAZY | RTLD_NOLOAD);
            if (library != NULL)
                ask = (get_name *)dlsym(library, "hipKernelNameRefByPtr");
        }
        errno = program_errno;
        __atomic_store_n(&was_looked_for, true, __ATOMIC_RELEASE);
    }
    return ask != NULL ? ask(function, NULL) : NULL;
}
