#!/bin/sh
# mprof for all jobs: TaskProlog of slurm.conf. Slurm runs it as the user, before each task, and adds the lines
# "export NAME=value" to the task's environment.
#
# All tasks of a step must be profiled, or none: the first one decides, by a file that the others find.
# Kill switches: the file SPOOL/off for all users, NO_MPROF=1 in the environment of a job for one.
. "$(dirname -- "$0")/always.conf"

# A step of programs: the batch script and shells have numbers above.
case ${SLURM_STEP_ID:-} in '' | *[!0-9]*) exit 0 ;; esac
[ "$SLURM_STEP_ID" -lt 4294967280 ] || exit 0

mine=$spool/$SLURM_JOB_USER
running=$mine/running/$SLURM_JOB_ID
name=$SLURM_JOB_ID
[ -z "${SLURM_ARRAY_TASK_ID:-}" ] || name=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
name=$name.$SLURM_STEP_ID

is_wanted() {
    [ ! -e "$spool/off" ] && [ -z "${NO_MPROF:-}" ] || return 1
    case ${LD_PRELOAD:-} in *libmprof.so*) return 1 ;; esac
    # mpirun starts its helpers on the other nodes as a step. It starts the ranks on its own node itself, without this prolog.
    case $(squeue -h -s "$SLURM_JOB_ID.$SLURM_STEP_ID" -o %j) in
    '' | orted | prted | hydra_* | pmi_proxy | mpispawn) return 1 ;;
    esac
    [ "$(du -sm "$mine" | cut -f 1)" -lt "$megabytes" ]
}

# Nothing that goes wrong here may stop a task.
decide() {
    [ -d "$mine" ] && [ -w "$mine" ] && mkdir -p "$running" || return 1
    decision=$running/$name.decision
    if [ ! -e "$decision" ]; then
        own=$decision.$(hostname).$$
        if is_wanted; then echo on; else echo off; fi >"$own" || return 1
        ln "$own" "$decision" # fails if another task was first
        rm -f "$own"
    fi
    [ "$(cat "$decision")" = on ]
}

if decide 2>/dev/null; then
    echo "export LD_PRELOAD=$prefix/lib/libmprof.so${LD_PRELOAD:+:$LD_PRELOAD}"
    echo "export MPROF_OUTPUT=$running/$name.mprof"
    echo "export MPROF_SUMMARY=off"
fi
exit 0
