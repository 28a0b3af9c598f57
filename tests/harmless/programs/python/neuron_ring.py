"""A ring of nerve cells in NEURON, a cell on each rank. NEURON opens MPI by itself, or finds one
that is there, and chooses its own library by the file that defines MPI_Initialized."""
from neuron import h

h.nrnmpi_init()
context = h.ParallelContext()
rank, ranks = int(context.id()), int(context.nhost())
cell = h.Section(name="cell")
cell.insert("hh")
cell.L = cell.diam = 20
synapse = h.ExpSyn(cell(0.5))
context.set_gid2node(rank, rank)
spikes = h.NetCon(cell(0.5)._ref_v, None, sec=cell)
context.cell(rank, spikes)
connection = context.gid_connect((rank - 1) % ranks, synapse)
connection.weight[0], connection.delay = 0.05, 5
stimulus = h.IClamp(cell(0.5))
stimulus.delay, stimulus.dur, stimulus.amp = 1, 1, 2 if rank == 0 else 0
times, cells = h.Vector(), h.Vector()
context.spike_record(rank, times, cells)
context.set_maxstep(10)
h.finitialize(-65)
context.psolve(100)
print(f"rank {rank} of {ranks}: {len(times)} spikes, {sum(times):.3f}\ncalls MPI_Init_thread 1\n"
      "calls MPI_Finalize 1\n", end="", flush=True)
context.barrier()
h.quit()
