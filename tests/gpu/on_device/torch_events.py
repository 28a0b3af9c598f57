"""Kernels and copies of a few steps on the GPU, as PyTorch's profiler counts them: the same with
mprof and without (run.sh)."""
import collections

import torch
from torch.profiler import ProfilerActivity, profile

layer = torch.nn.Linear(256, 256).cuda()
values = torch.ones(64, 256, device="cuda")
layer(values).sum().backward()
torch.cuda.synchronize()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    for _ in range(10):
        layer(values).sum().backward()
        values.cpu()
    torch.cuda.synchronize()
counts = collections.Counter(event.name for event in profiler.events()
                             if event.device_type == torch.autograd.DeviceType.CUDA)
assert counts, "the profiler saw nothing on the GPU"
for name, count in sorted(counts.items()):
    print(count, name)
