"""A real Slurm on nodes that are network namespaces (tests/connections/nodes.py).

    with Cluster(2, folder) as cluster:
        done = cluster.do(["srun", "-n", "2", "./app"])

slurmctld runs on node1, a slurmd on each node. munge has a key and a socket of its own, so nothing
of the machine's own Slurm is used or changed. All files are in `folder`. The nodes have 4 CPUs
each, whatever the machine has.

This needs root, Debian's slurm-wlm and munge, ip, nsenter and unshare. Without one of them the test
is skipped. Each job, node and daemon is gone when the `with` block ends.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "connections"), str(TESTS / "mpi")]
from jobs import need  # noqa: E402  pylint: disable=wrong-import-position
import needs  # noqa: E402  pylint: disable=wrong-import-position
from nodes import Nodes  # noqa: E402  pylint: disable=wrong-import-position

NODE_CPUS = 4
# slurmd finds no cgroups where "ip netns exec" has mounted a /sys of its own. Each node needs a
# /dev/shm of its own, because the MPIs call its files by job and rank.
ENTER = ('hostname "$0"; mount --bind "$1" /etc/hosts; mount -t tmpfs tmpfs /dev/shm; shift; '
         'exec "$@"')


class Cluster:
    """`extra`: lines of slurm.conf."""

    def __init__(self, count, folder, extra=()):
        self.count = count
        self.folder = pathlib.Path(folder).resolve()
        self.extra = extra
        self.nodes = Nodes(count)
        self.environment = {}

    def __enter__(self):
        need(os.geteuid() == 0, "root, which Slurm needs")
        for name in ("slurmd", "munged", "mount"):
            needs.need(name)
        self.nodes.__enter__()
        try:
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def start(self):
        for node in range(1, self.count + 1):
            for name in ("spool", "tmp"):
                (self.folder / f"{name}.node{node}").mkdir(parents=True)
        (self.folder / "control").mkdir()
        (self.folder / "slurm.conf").write_text("\n".join(self.configuration()) + "\n",
                                                encoding="utf-8")
        # The MPIs would find out that the nodes share memory. MPICH 5 tells addresses together with
        # memory that it never wrote to: unless that is 0, they are too long for Slurm's PMI2.
        self.environment = {
            "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.perturb=255",
            "SLURM_CONF": str(self.folder / "slurm.conf"), "UCX_TLS": "tcp,self,posix",
            "UCX_NET_DEVICES": "eth0", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PMIX_MCA_gds": "hash"}
        self.start_munge()
        self.daemon(0, ["slurmctld"])
        for node in range(self.count):
            self.daemon(node, ["slurmd", "-N", f"node{node + 1}"])
        if not self.becomes(lambda: self.idle_nodes() == self.count, 30):
            for log in sorted(self.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}")
            need(False, "Slurm: its nodes did not become idle")

    def configuration(self):
        here = self.folder
        yield from (
            "ClusterName=test", "SlurmctldHost=node1(10.77.0.1)", "AuthType=auth/munge",
            f"AuthInfo=socket={here}/munge.socket", "SlurmUser=root", "SlurmdUser=root",
            f"StateSaveLocation={here}/control", f"SlurmdSpoolDir={here}/spool.%n",
            f"SlurmctldPidFile={here}/slurmctld.pid", f"SlurmdPidFile={here}/%n.pid",
            f"SlurmctldLogFile={here}/slurmctld.log", f"SlurmdLogFile={here}/%n.log",
            f"TmpFS={here}/tmp.%n", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "MpiDefault=pmi2",
            "ReturnToService=2", "SlurmdParameters=config_overrides", "KillWait=2",
            "OverTimeLimit=0",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0")
        for node in range(1, self.count + 1):
            yield (f"NodeName=node{node} NodeAddr=10.77.0.{node} CPUs={NODE_CPUS} "
                   "RealMemory=2000 State=UNKNOWN")
        yield "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
        yield from self.extra

    def start_munge(self):
        """Its folders must belong to root and be open to no one else, which a clone's need not
        be: --force."""
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        files = [f"--{kind}-file={self.folder}/munge.{kind}" for kind in ("key", "pid", "log",
                                                                          "seed")]
        subprocess.run(["munged", "--force", *files, f"--socket={self.folder}/munge.socket"],
                       check=True, capture_output=True)

    def on(self, node, command):
        """The command that runs `command` on a node."""
        name = self.nodes.name(node)
        return ["nsenter", f"--net=/run/netns/{name}", "unshare", "--uts", "--mount", "sh", "-c",
                ENTER, f"node{node + 1}", f"/etc/netns/{name}/hosts", *command]

    def daemon(self, node, command):
        # No descriptor of ours: the daemons live on.
        subprocess.run(self.on(node, command), check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, **self.environment})

    def do(self, command, folder=None, seconds=60, **environment):
        """Runs a command on node1, as on a login node: (exit status, output)."""
        done = subprocess.run(self.on(0, [str(word) for word in command]), cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                              timeout=seconds,
                              env={**os.environ, **self.environment, **environment})
        return done.returncode, done.stdout

    def start_command(self, command, folder=None, **environment):
        """The same, not waited for."""
        return subprocess.Popen(self.on(0, [str(word) for word in command]), cwd=folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace",
                                env={**os.environ, **self.environment, **environment})

    def idle_nodes(self):
        status, output = self.do(["sinfo", "-h", "-t", "idle", "-o", "%D"])
        return int(output) if status == 0 and output.strip().isdigit() else 0

    def jobs(self, *words):
        """What squeue says of the jobs that have not ended. It fails for one that is forgotten."""
        status, output = self.do(["squeue", "-h", *words])
        return output.split() if status == 0 else []

    @staticmethod
    def becomes(condition, seconds):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
        return True

    def end(self):
        if (self.folder / "slurmctld.pid").exists():
            self.do(["scancel", "--user=root", "--signal=KILL", "--full"])
            self.do(["scancel", "--user=root"])
            self.becomes(lambda: not self.jobs(), 10)
        for name in [f"node{i + 1}" for i in range(self.count)] + ["slurmctld", "munge"]:
            self.end_daemon(self.folder / f"{name}.pid")
        self.nodes.__exit__()

    def end_daemon(self, pid_file):
        """It removes its file of the process id last."""
        try:
            process = int(pid_file.read_text())
            os.kill(process, signal.SIGTERM)
        except (OSError, ValueError):
            return
        self.becomes(lambda: not os.path.exists(f"/proc/{process}"), 10)
