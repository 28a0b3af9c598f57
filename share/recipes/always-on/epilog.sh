#!/bin/sh
# mprof for all jobs: Epilog of slurm.conf. Slurm runs it as root on each node of a job when the job has ended. It gathers the job's
# profiles into one file each, SPOOL/USER/JOB.STEP.mprof, for ingest.sh.
#
# Everything is done as the user, because the folders are the user's: root must not follow what may be links. An Epilog that fails
# makes Slurm drain the node, so this one never does.
. "$(dirname -- "$0")/always.conf"

gather_job() { # job, the user's folder, prefix
    cd "$2/running/$1" 2>/dev/null || return 0
    for profile in *.mprof; do
        [ -d "$profile" ] || continue
        timeout 60 "$3/bin/mprof" merge "$profile" -o "$2/$profile" --lines
        [ ! -s "$2/$profile" ] || rm -rf "$profile"
    done
    rm -f ./*.decision*
    cd / && rmdir "$2/running/$1"
}

# A node that crashes runs no Epilog. What its jobs left is gathered a day later, if Slurm says that they have ended.
gather_left() { # the user's folder, prefix
    left=$(find "$1/running" -mindepth 1 -maxdepth 1 -mmin +1440 -printf '%f\n')
    [ -n "$left" ] && known=$(squeue -h -u "$(id -un)" -o %A) || return 0
    for job in $left; do
        echo "$known" | grep -qx "$job" || gather_job "$job" "$1" "$2"
    done
}

gather() { # job, the user's folder, prefix, days
    umask 027
    gather_job "$1" "$2" "$3"
    gather_left "$2" "$3"
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
    runuser -u "$SLURM_JOB_USER" -- "$0" gather "$SLURM_JOB_ID" "$mine" "$prefix" "$days" >/dev/null 2>&1
fi
exit 0
