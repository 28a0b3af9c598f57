/* What the stand-in for CUDA's driver answers who asks for its functions: a part of fake_cuda.c,
 * which alone includes it. A name has several versions, and forms for a default stream of each
 * thread. */
#ifndef FAKE_CUDA_ADDRESSES_H
#define FAKE_CUDA_ADDRESSES_H

EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                               int *status);

typedef void any(void);
#define FIRST 2000
#define SECOND 3020
static const struct version {
    const char *name;
    int since;
    uint64_t flags; /* PER_THREAD, or 0 */
    any *function;
} versions[] = {
    {"cuInit", FIRST, 0, (any *)cuInit},
    {"cuDriverGetVersion", 2020, 0, (any *)cuDriverGetVersion},
    {"cuModuleLoadData", FIRST, 0, (any *)cuModuleLoadData},
    {"cuModuleGetFunction", FIRST, 0, (any *)cuModuleGetFunction},
    {"cuLibraryGetKernel", 12000, 0, (any *)cuLibraryGetKernel},
    {"cuKernelGetFunction", 12000, 0, (any *)cuKernelGetFunction},
    {"cuDeviceGet", FIRST, 0, (any *)cuDeviceGet},
    {"cuDevicePrimaryCtxRetain", 7000, 0, (any *)cuDevicePrimaryCtxRetain},
    {"cuCtxSetCurrent", 4000, 0, (any *)cuCtxSetCurrent},
    {"cuLaunchKernelEx", 11060, 0, (any *)cuLaunchKernelEx},
    {"cuGraphLaunch", 10000, 0, (any *)cuGraphLaunch},
    {"cuGraphInstantiateWithFlags", 11040, 0, (any *)cuGraphInstantiateWithFlags},
    {"cuStreamBeginCapture", 10010, 0, (any *)cuStreamBeginCapture_v2},
    {"cuStreamEndCapture", 10000, 0, (any *)cuStreamEndCapture},
    {"cuMemcpyDtoHAsync", SECOND, 0, (any *)cuMemcpyDtoHAsync_v2},
    {"cuMemAllocManaged", 6000, 0, (any *)cuMemAllocManaged},
    {"cuMemHostAlloc", FIRST, 0, (any *)cuMemHostAlloc},
    {"cuMemFreeHost", FIRST, 0, (any *)cuMemFreeHost},
    {"cuStreamCreate", FIRST, 0, (any *)cuStreamCreate},
    {"cuStreamDestroy", 4000, 0, (any *)cuStreamDestroy_v2},
    {"cuLaunchHostFunc", 10000, 0, (any *)cuLaunchHostFunc},
    {"cuMemFreeAsync", 11020, 0, (any *)cuMemFreeAsync},
    {"cuMemcpyBatchAsync", 12000, 0, (any *)cuMemcpyBatchAsync_v2},
    {"cuStreamSynchronize", FIRST, 0, (any *)cuStreamSynchronize},
    {"cuStreamSynchronize", FIRST, PER_THREAD, (any *)cuStreamSynchronize_ptsz},
    {"cuStreamQuery", FIRST, 0, (any *)cuStreamQuery},
    {"cuCtxSynchronize", FIRST, 0, (any *)cuCtxSynchronize},
    {"cuEventCreate", FIRST, 0, (any *)cuEventCreate},
    {"cuEventRecord", FIRST, 0, (any *)cuEventRecord},
    {"cuEventSynchronize", FIRST, 0, (any *)cuEventSynchronize},
    {"cuEventQuery", FIRST, 0, (any *)cuEventQuery},
    {"cuLaunchKernel", FIRST, 0, (any *)cuLaunchKernel},
    {"cuLaunchKernel", FIRST, PER_THREAD, (any *)cuLaunchKernel_ptsz},
    {"cuMemcpyDtoH", SECOND, 0, (any *)cuMemcpyDtoH_v2},
    {"cuMemcpyHtoD", SECOND, 0, (any *)cuMemcpyHtoD_v2},
    {"cuMemcpyHtoDAsync", SECOND, 0, (any *)cuMemcpyHtoDAsync_v2},
    {"cuMemcpy", FIRST, 0, (any *)cuMemcpy},
    {"cuMemcpy2D", SECOND, 0, (any *)cuMemcpy2D_v2},
    {"cuMemcpy3D", SECOND, 0, (any *)cuMemcpy3D_v2},
    {"cuMemHostRegister", 6050, 0, (any *)cuMemHostRegister_v2},
    {"cuMemHostUnregister", 4000, 0, (any *)cuMemHostUnregister},
    {"cuMemAlloc", SECOND, 0, (any *)cuMemAlloc_v2},
    {"cuMemFree", SECOND, 0, (any *)cuMemFree_v2},
    {"cuPointerGetAttribute", FIRST, 0, (any *)cuPointerGetAttribute},
    {"cuGetProcAddress", FIRST, 0, (any *)cuGetProcAddress},
    {"cuGetProcAddress", 12000, 0, (any *)cuGetProcAddress_v2},
};

/* The latest version that is not newer than asked for. */
static void *find(const char *name, int version, uint64_t flags)
{
    const struct version *best = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(versions[i].name, name) == 0 && versions[i].since <= version &&
            (versions[i].flags == 0 || (versions[i].flags & flags) != 0))
            best = &versions[i];
    return best != NULL ? (void *)(uintptr_t)best->function : NULL;
}

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    *function = find(name, version, flags);
    return *function != NULL ? 0 : NOT_FOUND;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    if (status != NULL)
        *status = 0;
    return cuGetProcAddress(name, function, version, flags);
}

#endif
