"""Nodes made of network namespaces, for the tests that need more than one. Each has a host name, an
address and a network card.

    with Nodes(2) as nodes:
        command = nodes.on(0, ["mpirun", ...])

This needs root, ip and unshare. Without one of them, or where the kernel refuses, the test is
skipped. The traffic of the nodes stays between them. They share the processors, files and /dev/shm
of the one machine.
"""

import os
import shutil
import subprocess
import tempfile

import jobs
import needs


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    jobs.need(done.returncode == 0, f"nodes here: {' '.join(words)}: {done.stderr.strip()}")


def ip(*words):
    run("ip", *words)


class Nodes:
    """`count` nodes, called node1, node2 ... among themselves. Their namespaces have this process's
    id in their names. `rate`: of their network cards, as tc writes it ("100mbit")."""

    def __init__(self, count, rate=None):
        self.count = count
        self.rate = rate
        self.bridge = f"mpb{os.getpid()}"

    def name(self, node):
        return f"mp{os.getpid()}n{node}"

    def __enter__(self):
        jobs.need(os.geteuid() == 0, "root, which network namespaces need")
        needs.need("ip")  # tc comes with it
        jobs.need(shutil.which("unshare"), "unshare")
        self.folder = tempfile.TemporaryDirectory(prefix="mprof-nodes-")
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def make(self):
        ip("link", "add", self.bridge, "type", "bridge")
        ip("link", "set", self.bridge, "up")
        hosts = "127.0.0.1 localhost\n" + "".join(f"10.77.0.{i + 1} node{i + 1}\n"
                                                  for i in range(self.count))
        for i in range(self.count):
            name = self.name(i)
            ip("netns", "add", name)
            ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", name, "master", self.bridge, "up")
            ip("-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "set", "eth0", "up")
            if self.rate:
                self.set_rate(i, self.rate)
            os.makedirs(f"/etc/netns/{name}", exist_ok=True)  # ip lays it over /etc
            with open(f"/etc/netns/{name}/hosts", "w", encoding="utf-8") as file:
                file.write(hosts)
        self.shell = os.path.join(self.folder.name, "shell")
        with open(self.shell, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nnode=$1\nshift\nexec ip netns exec '
                       f'"mp{os.getpid()}n$((${{node#node}} - 1))" '
                       'unshare --uts sh -c "hostname $node; $*"\n')
        os.chmod(self.shell, 0o755)

    def set_rate(self, node, rate):
        """How fast the network card of a node sends from now on."""
        run("tc", "-n", self.name(node), "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate",
            rate, "burst", "32kbit", "latency", "50ms")

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        for i in range(self.count):
            name = self.name(i)
            for words in (["netns", "del", name], ["link", "del", name]):
                subprocess.run(["ip", *words], capture_output=True, check=False)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True, check=False)
        # /etc/netns itself stays: another test may just be making a folder in it.
        self.folder.cleanup()

    def on(self, node, command):
        """The command that runs `command` on a node."""
        return ["ip", "netns", "exec", self.name(node), "unshare", "--uts", "sh",
                "-c", 'hostname "$0"; exec "$@"', f"node{node + 1}"] + command

    def settings(self):
        """Variables with which Open MPI and MPICH start ranks on the nodes, and send over TCP."""
        return {
            "PRTE_MCA_plm": "ssh", "PRTE_MCA_plm_ssh_agent": self.shell,
            "PRTE_MCA_prte_if_include": "10.77.0.0/24",
            "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": self.shell,
            "OMPI_MCA_btl": "tcp,self,vader", "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24",
            "OMPI_MCA_oob_tcp_if_include": "10.77.0.0/24", "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": self.shell, "UCX_NET_DEVICES": "eth0",
            "FI_PROVIDER": "tcp",
            "UCX_TLS": "tcp,self,posix"}  # else UCX finds out that the nodes share memory

    def hosts(self, slots):
        """The nodes as MPICH's and Open MPI's launchers name them, each with as many ranks."""
        return ",".join(f"node{i + 1}:{slots}" for i in range(self.count))
