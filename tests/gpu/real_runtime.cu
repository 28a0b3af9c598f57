// What a program asks CUDA's runtime for, compiled by NVIDIA's nvcc, in order: each error is one
// that the program prints. real_main.c calls it. run_real.py compares what it prints with mprof and
// without, where there is no driver, and where the driver is one that the runtime refuses.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stencil(float *values)
{
    values[threadIdx.x] += 1;
}

static int failed;

static void tell(int rank, const char *what, cudaError_t error)
{
    std::printf("rank %d %s: %d %s, %s\n", rank, what, static_cast<int>(error),
                cudaGetErrorName(error), cudaGetErrorString(error));
    failed += error != cudaSuccess;
}

extern "C" int use_gpu(int rank)
{
    int devices = -1, driver = -1, runtime = -1;
    float *values = nullptr, *pinned = nullptr;
    cudaStream_t stream = nullptr;
    tell(rank, "devices", cudaGetDeviceCount(&devices));
    tell(rank, "driver", cudaDriverGetVersion(&driver));
    tell(rank, "runtime", cudaRuntimeGetVersion(&runtime));
    std::printf("rank %d: %d devices, driver %d, runtime %d\n", rank, devices, driver, runtime);
    tell(rank, "memory", cudaMalloc(&values, 1 << 20));
    tell(rank, "pinned", cudaMallocHost(&pinned, 1 << 20));
    tell(rank, "stream", cudaStreamCreate(&stream));
    stencil<<<1, 32>>>(values);
    tell(rank, "launch", cudaGetLastError());
    tell(rank, "copy", cudaMemcpy(values, pinned, 1, cudaMemcpyDefault));
    tell(rank, "query", cudaStreamQuery(stream));
    tell(rank, "wait", cudaDeviceSynchronize());
    std::fflush(stdout);
    return failed;
}
