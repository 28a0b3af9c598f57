#!/bin/sh
# Runs the programs of tests/gpu with a real driver: one call, at most 4 minutes, no network. In the
# folder that pack.sh made. Needs Python 3 and a GPU.
#
#   run.sh
#
# 1. Each program of gpu_cases.c but copies, hidden, kinds and staging, whose times are those of the
#    stand-in: states against the program's own clock, class, line and kernel.
# 2. Counts of driver calls by CUPTI (gpu_count.so), where libcupti is found, against the report's.
# 3. What a launch costs with mprof and without: at most 3 % more.
# 4. Other tools beside mprof, those that are installed there: ncu, compute-sanitizer, and PyTorch's
#    profiler, which has to see as many events as without mprof.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here" || exit 1
export LD_LIBRARY_PATH="$here/lib:${LD_LIBRARY_PATH:-}"
export PATH="$here/bin:$PATH"
export MPROF_SUMMARY=off
failed=0
result() { # name, status
    [ "$2" -eq 0 ] && echo "passed: $1" || { echo "FAILED: $1"; failed=1; }
}

# Of an older libc than that of the machine where it was packed nothing here runs.
mprof --version || { echo "the packed programs do not run here"; exit 77; }
python3 - <<'END' || { echo "no driver of CUDA here"; exit 77; }
import ctypes
import sys
try:
    sys.exit(ctypes.CDLL("libcuda.so.1").cuInit(0))
except OSError:
    sys.exit(1)
END

timeout 120 python3 tests/gpu/run_cases.py --mpi mpich --mpirun "$here/bin/mpiexec.hydra" \
    --library "$here/lib/libmprof.so" --mprof "$here/bin/mprof" --time-limit 30 \
    "$here/bin/gpu_cases" --source "$here/tests/gpu/gpu_cases.c" \
    --cases even uneven late nothing graphs streams events threads
result "programs with a real driver" $?

cupti=$(ls "$here"/lib/libcupti.so* /usr/local/cuda*/extras/CUPTI/lib64/libcupti.so* 2> /dev/null | head -1)
if [ -n "$cupti" ]; then
    for case in even graphs streams memory; do
        LD_PRELOAD="$here/lib/gpu_count.so" GPU_COUNT_CUPTI=$cupti \
            timeout 20 mpiexec.hydra -n 2 "$here/bin/gpu_cases" $case > counted.txt
        rm -rf "counted_$case"
        timeout 20 mprof run -o "counted_$case" -- mpiexec.hydra -n 2 "$here/bin/gpu_cases" $case > run.txt
        mprof report "counted_$case" --json - > report.json
        python3 - counted.txt report.json <<'END'
import json
import re
import sys
counts = [{}, {}]
for rank, name, count in re.findall(r"cupti (\d+) (\w+) (\d+)", open(sys.argv[1]).read()):
    counts[int(rank)][name] = int(count)
for row, count in zip(json.load(open(sys.argv[2]))["ranks"], counts):
    for field in ("waits", "polls", "copies"):
        if row["gpu_" + field] != count.get(field, 0):
            sys.exit(f"{field} of rank {row['rank']}: {row['gpu_' + field]}, CUPTI {count}")
END
        result "counts of $case are CUPTI's" $?
    done
else
    echo "skipped: no CUPTI here"
fi

cost() { # words before the program: seconds of all launches
    timeout 30 "$@" mpiexec.hydra -n 1 "$here/bin/gpu_cases" launches |
        sed -n 's/rank 0 launches [0-9.]* //p'
}
for _ in 1 2 3; do echo "$(cost) $(cost mprof run -o cost --)"; rm -rf cost; done > cost.txt
python3 - cost.txt <<'END'
import sys
rows = [[float(word) for word in line.split()] for line in open(sys.argv[1])]
alone, profiled = (min(column) for column in zip(*rows))
print(f"4,000 launches: {alone:.4f} s alone, {profiled:.4f} s with mprof")
sys.exit(profiled > 1.03 * alone)
END
result "a launch costs at most 3 % more" $?

for tool in "ncu --target-processes all" "compute-sanitizer --target-processes all"; do
    name=${tool%% *}
    if ! command -v "$name" > /dev/null; then
        echo "skipped: $name is not installed here"
        continue
    fi
    rm -rf beside
    timeout 40 $tool mprof run -o beside -- mpiexec.hydra -n 1 "$here/bin/gpu_cases" graphs > beside.txt 2>&1 &&
        mprof report beside --json - > report.json &&
        python3 -c 'import json; row = json.load(open("report.json"))["ranks"][0]
assert row["gpu_waits"] == 8 and row["gpu_wait_s"] > 0.2, row'
    result "$name beside mprof" $?
done

if python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2> /dev/null; then
    timeout 40 python3 torch_events.py > alone.txt &&
        LD_PRELOAD="$here/lib/libmprof.so" timeout 40 python3 torch_events.py > with.txt &&
        cmp alone.txt with.txt
    result "PyTorch's profiler beside mprof" $?
else
    echo "skipped: no PyTorch with CUDA here"
fi
exit $failed
