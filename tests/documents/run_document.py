#!/usr/bin/env python3
"""Does what a document tells its reader to do, and compares what comes out.

    run_document.py DOCUMENT.md --source FOLDER --build FOLDER --work FOLDER

A block of kind `console` has commands after "$ " and what they print. All of a document run in one
shell, in an empty folder. Each must succeed. In what is expected, a number stands for any number, a
space for any space, "..." for any text, and a line "..." for any lines. A block that begins with
#!/bin/bash is a job script. A block of kind `sh` behind it submits it; without one it is run.

A comment <!-- run: WORDS; WORDS --> prepares the folder:

    files A B       copies of these files of the repository
    archive         mprof as an archive, as ./dev package makes it
    text NAME       the next block that is not run is the content of this file
    needs THING     two CPUs, or a module of Python; else the rest is skipped

Launchers, batch systems and containers are stand-ins (stand_in.sh): what follows the launcher's
options is started on 4 ranks by Open MPI. Exit status 77: something is not there.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
STAND_INS = ["srun", "aprun", "jsrun", "sbatch", "qsub", "bsub", "apptainer", "podman", "module"]
# What a job has in its environment, by the marks of its script.
JOBS = {
    "#SBATCH": {"SLURM_JOB_ID": "4711", "ENVIRONMENT": "BATCH"},
    "#PBS": {"PBS_JOBID": "4711"},
    "#BSUB": {"LSB_JOBID": "4711"},
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|^<!-- run: (.*?) -->$", re.M | re.S)
END = "end of command"


def skip(what):
    print(f"skipped: {what}")
    sys.exit(SKIPPED)


class Folder:
    """Where a document is tried: commands are looked for in bin/ first."""

    def __init__(self, arguments):
        self.source, self.build = arguments.source.resolve(), arguments.build.resolve()
        self.top = arguments.work.resolve()
        shutil.rmtree(self.top, ignore_errors=True)
        self.work, self.bin = self.top / "work", self.top / "bin"
        self.work.mkdir(parents=True)
        self.bin.mkdir()
        for name in ("mpirun", "mpicc", "mpifort"):
            path = shutil.which(f"{name}.openmpi")
            if path is None:
                skip(f"no {name}.openmpi")
            options = ""
            if name == "mpirun":
                options = "--oversubscribe --mca mpi_yield_when_idle 1"
                options += " --allow-run-as-root" if os.geteuid() == 0 else ""
            self.add_command(name, f'exec {path} {options} "$@"')
        # The one that has Debian's packages.
        self.add_command("python3", 'exec /usr/bin/python3 "$@"')
        for name in STAND_INS:
            (self.bin / name).symlink_to(HERE / "stand_in.sh")
        prefix = self.top / "mprof"
        subprocess.run(["cmake", "--install", self.build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        kept = {name: value for name, value in os.environ.items()
                if not re.match(r"MPROF|SLURM|PBS|LSB|PMI|OMPI", name)}
        self.environment = {**kept, "PATH": f"{self.bin}:{prefix}/bin:{os.environ['PATH']}",
                            "CPATH": str(prefix / "include"), "COLUMNS": "80", "LC_ALL": "C.UTF-8",
                            "MPROF_ROOT": str(prefix)}

    def add_command(self, name, words):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{words}\n")
        path.chmod(0o755)

    def add_archive(self):
        """And mprof is found only when the archive was unpacked."""
        version = re.search(r"project\(mprof VERSION (\S+)",
                            (self.source / "CMakeLists.txt").read_text())[1]
        name = f"mprof-{version}-linux-x86_64"
        (self.top / "mprof").rename(self.top / name)
        subprocess.run(["tar", "-czf", self.work / f"{name}.tar.gz", "-C", self.top, name],
                       check=True)
        shutil.rmtree(self.top / name)

    def shell(self, script):
        return subprocess.run(["bash", "-c", script], cwd=self.work, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                              timeout=300)


def need(thing):
    if thing == "two CPUs":
        if len(os.sched_getaffinity(0)) < 2:
            skip("less than two CPUs")
    elif subprocess.run(["/usr/bin/python3", "-c", f"import {thing}"], check=False,
                        stderr=subprocess.DEVNULL).returncode != 0:
        skip(f"no {thing}")


def as_pattern(lines):
    """Of the lines that a command should print."""
    pattern = ""
    for line in lines:
        if line == "...":
            pattern += r"(?:.*\n)*?"
            continue
        words = re.split(r"(\.\.\.|\d+(?:[.]\d+)?|\s+)", line.strip())
        pattern += r"\s*" + "".join(
            ".*?" if word == "..." else r"[0-9.]+" if word[:1].isdigit()
            else r"[ \t]+" if word.isspace() else re.escape(word)
            for word in words) + r"[ \t]*\n"
    return pattern


def commands_of(text):
    """(command, lines that it should print)"""
    commands = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.startswith("> "):
            command, lines = commands.pop()
            commands.append((f"{command}\n{line[2:]}", lines))
        else:
            commands[-1][1].append(line)
    return commands


def run_console(folder, blocks):
    """All in one shell. Returns what is wrong."""
    commands = [command for block in blocks for command in commands_of(block)]
    script = "".join(f"{command}\nprintf '\\n%s %s\\n' '{END}' $?\n" for command, _ in commands)
    output = folder.shell(script).stdout
    print(output)
    parts = re.split(rf"\n{END} (\d+)\n", output)
    for (command, lines), shown, status in zip(commands, parts[::2], parts[1::2]):
        if status != "0":
            yield f"exit status {status}: {command}"
        elif lines and not re.fullmatch(as_pattern(lines), shown.rstrip("\n") + "\n"):
            yield f"{command}\nshould print\n" + "\n".join(lines) + f"\nand prints\n{shown}"
    if len(parts) // 2 != len(commands):
        yield f"only {len(parts) // 2} of {len(commands)} commands were run"


def run_script(folder, text, submit):
    """A job script, by the command that submits it."""
    file = folder.work / (re.search(r"(\S+)$", submit)[1] if submit else "job.sh")
    file.write_text(text)
    for mark, variables in JOBS.items():
        if mark in text:
            folder.environment.update(variables, PBS_O_WORKDIR=str(folder.work))
    before = set(folder.work.iterdir())
    done = folder.shell(submit or f"bash -e {file}")
    print(f"$ {submit or file}\n{done.stdout}")
    new = set(folder.work.iterdir()) - before
    names = sorted(path.name for path in new if path.name.endswith(".mprof"))
    if done.returncode != 0:
        yield f"exit status {done.returncode}:\n{text}"
    elif names != ["heat.4711.0.mprof" if "\nsrun " in text else "heat.4711.mprof"]:
        yield f"the profiles are {names}, after\n{text}"
    for path in new:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for variables in JOBS.values():
        for name in variables:
            folder.environment.pop(name, None)


def prepare(folder, words):
    """Returns the name of a file whose text follows."""
    text = None
    for part in words.split(";"):
        kind, *rest = part.split(None, 1)
        if kind == "files":
            for name in rest[0].split():
                shutil.copy(folder.source / name, folder.work)
        elif kind == "archive":
            folder.add_archive()
        elif kind == "needs":
            need(rest[0].strip())
        elif kind == "text":
            text = rest[0].strip()
        else:
            sys.exit(f"unknown words in a comment: {part}")
    return text


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("document", type=pathlib.Path)
    for name in ("source", "build", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    folder = Folder(arguments)
    text = arguments.document.read_text()
    blocks = [(kind, content, words) for kind, content, words in BLOCK.findall(text)]
    console, wrong, script, name, ran = [], [], None, None, 0
    scripts = []
    for kind, content, words in blocks:
        if words:
            name = prepare(folder, words) or name
        elif kind == "console":
            console.append(content)
        elif kind == "sh" and script:
            scripts.append((script, content.strip()))
            script = None
        elif kind == "bash" and content.startswith("#!/bin/bash"):
            if script:
                scripts.append((script, ""))
            script = content
        elif name:
            (folder.work / name).write_text(content)
            name = None
    if script:
        scripts.append((script, ""))
    if scripts:
        subprocess.run([folder.bin / "mpicc", "-O2", "-g", folder.source / "share/demo/heat.c",
                        "-o", folder.work / "heat", "-lm"], check=True)
    for script, submit in scripts:
        wrong += run_script(folder, script, submit)
        ran += 1
    if console:
        wrong += run_console(folder, console)
        ran += len(console)
    if not ran:
        sys.exit("nothing was found to run")
    print(json.dumps({"run": ran, "wrong": len(wrong)}))
    print("\n\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
