#!/usr/bin/env bash
# The demo program gives the right result under mprof, and the comparison names the rank that was given more work.
# usage: demo.sh MPROF DEMO_DIR WORK_DIR
set -euo pipefail
mprof=$1 demo_dir=$2 work_dir=$3

for command in mpicc mpirun python3; do
    command -v $command >/dev/null || exit 77
done
rm -rf -- "$work_dir"
mkdir -p -- "$work_dir"
cd "$work_dir"
"$demo_dir/run" "$mprof" . --size 1000 --steps 300 | tee output.txt
[ "$(grep -c '^heat: .*: correct$' output.txt)" = 2 ]
grep -qE '^  slowest rank .* 2, computes [0-9.]+ s$' output.txt
