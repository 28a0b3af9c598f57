"""A few steps of training with PyTorch on each rank, summed up by gloo, with MPI beside it: what is
printed is the same with mprof and without (run_real.py). Where PyTorch was built for CUDA, it says
why it has no GPU.

    train.py PORT [mpi]
"""
import os
import sys

import torch
import torch.distributed

rank, size, world = 0, 1, None
if len(sys.argv) > 2:
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    rank, size = world.rank, world.size


def tell(text):
    """In one piece, and the numbers as they are."""
    sys.stdout.write(f"rank {rank} {text}\n")
    sys.stdout.flush()


def try_gpu():
    tell(f"built for CUDA {torch.version.cuda}, {torch.cuda.device_count()} GPUs")
    try:
        torch.zeros(1).cuda()
    except (RuntimeError, AssertionError) as error:
        tell(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def train():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    values = torch.arange(64.0).reshape(8, 8) * (rank + 1) / 64
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(values).square().mean()
        loss.backward()
        for parameter in model.parameters():
            torch.distributed.all_reduce(parameter.grad)
            parameter.grad /= size
        optimizer.step()
        all_losses = world.allreduce(loss.item()) if world is not None else loss.item()
    tell(f"loss {loss.item().hex()}, of all {all_losses.hex()}")


os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1",
                  MASTER_PORT=sys.argv[1])
try_gpu()
torch.distributed.init_process_group("gloo")
train()
torch.distributed.destroy_process_group()
sys.exit(5)
