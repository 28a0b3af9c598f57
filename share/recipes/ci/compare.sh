#!/usr/bin/env bash
# Runs a program several times under mprof and compares it with earlier runs; for continuous integration.
#
#   compare.sh HISTORY RUNS PERCENT -- COMMAND...   compares RUNS new runs with those in the folder HISTORY. Exit status 3: slower by
#                                                   more than PERCENT and than chance. Writes comparison.md, comparison.html, new/
#   compare.sh --keep HISTORY                       adds the new runs to HISTORY and drops all but the newest 20
#   compare.sh --publish HISTORY FOLDER [COMMIT]    adds the figures of the new runs to HISTORY/runs.db, which keeps all for years, and
#                                                   writes FOLDER/PROGRAM.html, a page of its history, and FOLDER/PROGRAM.svg, a badge
#
# Each run is one file, new/NUMBER.merged, without the names of machine and user. Without history there is nothing to compare: fine.
set -euo pipefail
keep=20

if [ "${1-}" = --keep ]; then
    mkdir -p -- "$2"
    for run in new/*.merged; do cp -- "$run" "$2/$(date +%Y%m%d%H%M%S)-$(basename -- "$run")"; done
    find "$2" -name '*.merged' | sort | head -n -$keep | xargs -r -d '\n' rm --
    exit
fi
if [ "${1-}" = --publish ]; then
    mkdir -p -- "$2"
    # Exit status 1: a run is incomplete. It is kept, and is in no history.
    mprof archive add "$2/runs.db" new/*.merged ${4:+--commit "$4"} || [ $? = 1 ]
    mprof archive publish "$2/runs.db" "$3"
    exit
fi
[ "${4-}" = -- ] && [ $# -ge 5 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
history=$1 runs=$2 percent=$3
shift 4

join_by_comma() { local IFS=,; echo "$*"; }
rm -rf -- new
mkdir -- new
for ((run = 1; run <= runs; run++)); do
    mprof run --summary off --output "new/$run.mprof" -- "$@"
    mprof scrub "new/$run.mprof" -o "new/$run.merged"
    rm -rf -- "new/$run.mprof"
done

shopt -s nullglob
old=("$history"/*.merged)
if [ ${#old[@]} = 0 ]; then
    echo "No earlier run to compare with: this is the first one." | tee comparison.md
    exit 0
fi
status=0
mprof diff "$(join_by_comma "${old[@]}")" "$(join_by_comma new/*.merged)" --fail-if-slower "$percent" \
    --markdown comparison.md --html comparison.html || status=$?
cat comparison.md
# Noise hides whether it is slower: more runs, or a quieter machine, would tell.
if [ "$status" = 4 ]; then status=0; fi
exit $status
