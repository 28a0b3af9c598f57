"""Plays another user, who foretells where the live record of a program with sessions will lie:
plant_live.py FOLDER VICTIM COMMAND... It makes that folder, with links to VICTIM, and becomes the
command."""

import os
import socket
import sys

NOBODY = 65534
if os.geteuid() != 0:
    print("not installed: root, who may give a folder to another user")
    sys.exit(77)
live, victim, command = sys.argv[1], sys.argv[2], sys.argv[3:]
keys = [os.environ[name] for name in ("PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID")
        if name in os.environ]
key = keys[0] if keys else f"{socket.gethostname()}-{os.getppid()}"
number = 0xcbf29ce484222325
for byte in key.encode():
    number = (number ^ byte) * 0x100000001b3 % 2 ** 64
folder = os.path.join(live, f"mprof-{number:016x}")
try:
    os.mkdir(folder, 0o777)
    for rank in range(4):
        os.symlink(victim, os.path.join(folder, f"rank-{rank}.mprof.part"))
    os.chmod(folder, 0o777)
    os.chown(folder, NOBODY, NOBODY)
except FileExistsError:
    pass  # the other rank was first
os.execvp(command[0], command)
