#!/bin/sh
# mprof for all jobs: Epilog of slurm.conf. Slurm runs it as root on each node of a job when the job has ended. It gathers the job's
# profiles into one file each, SPOOL/USER/JOB.STEP.mprof, for ingest.sh.
#
# Everything is done as the user, because the folders are the user's: root must not follow what may be links. An Epilog that fails
# makes Slurm drain the node, so this one never does.
. "$(dirname -- "$0")/always.conf"

gather() { # running folder, the user's folder, prefix, days
    cd "$1" 2>/dev/null || exit 0
    umask 027
    for profile in *.mprof; do
        [ -d "$profile" ] || continue
        timeout 60 "$3/bin/mprof" merge "$profile" -o "$2/$profile" --lines
        [ ! -s "$2/$profile" ] || rm -rf "$profile"
    done
    rm -f ./*.decision
    cd / && rmdir "$1"
    find "$2" -maxdepth 1 -name '*.mprof' -mtime "+$4" -delete
}

if [ "${1:-}" = gather ]; then
    shift
    gather "$@"
    exit 0
fi
mine=$spool/$SLURM_JOB_USER
nodes=${SLURM_JOB_NODELIST:-${SLURM_NODELIST:-$SLURMD_NODENAME}}
first=$(scontrol show hostnames "$nodes" | head -n 1) # asks no daemon
if [ "$first" = "$SLURMD_NODENAME" ] && [ -d "$mine/running/$SLURM_JOB_ID" ]; then
    runuser -u "$SLURM_JOB_USER" -- "$0" gather "$mine/running/$SLURM_JOB_ID" "$mine" "$prefix" "$days" >/dev/null 2>&1
fi
exit 0
