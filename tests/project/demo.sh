#!/usr/bin/env bash
# The demo program gives the right result under mprof. The report and the comparison name the rank that was given more
# work, and so does the verdict; the balanced run is neither uneven nor in turn. The pages are there.
# usage: demo.sh MPROF DEMO_DIR WORK_DIR
set -euo pipefail
mprof=$1 demo_dir=$2 work_dir=$3

"$(dirname -- "${BASH_SOURCE[0]}")/../groups/needs.py" mpicc: mpirun
rm -rf -- "$work_dir"
mkdir -p -- "$work_dir"
cd "$work_dir"
"$demo_dir/run" "$mprof" . --size 1000 --steps 1500 | tee output.txt
[ "$(grep -c '^heat: .*: correct$' output.txt)" = 2 ]
"$mprof" report imbalanced.mprof --all | grep -E '^# +rank 2 on .* [0-9.]+ +[0-9.]+ +[0-9.]+$' >/dev/null
grep -qE '^# rank 2 +[0-9.]+ +[0-9.]+ +\+[0-9.]+ ' output.txt
verdict() { "$mprof" report "$1.mprof" --brief | sed -n '2,/^# [^ ]* *:/p' | tr -d '#' | tr -s ' \n' ' '; }
verdict imbalanced | tee /dev/stderr | grep 'LOAD-IMBALANCE BOUND. Rank 2 ' >/dev/null
if verdict balanced | grep -E 'VERDICT : (SYNCHRONISATION|LOAD-IMBALANCE) BOUND' >&2; then exit 1; fi
for run in balanced imbalanced; do
    grep -q '</html>' "$run.html"
done
