#!/usr/bin/env bash
# In place of launchers, batch systems and containers that are not on this machine: does what the document means, and no more.
# It is what its name says: srun, aprun, jsrun (options with one value each, then the program: 4 ranks of Open MPI), sbatch, qsub, bsub
# (run the script), apptainer, podman (run the command, with and without the environment's LD_PRELOAD), module (nothing).
set -euo pipefail
name=$(basename -- "$0")

case $name in
module) ;;
sbatch | qsub) exec bash -e "${@: -1}" ;;
bsub) exec bash -e /dev/stdin ;;
srun | aprun | jsrun)
    while [ $# -gt 0 ]; do
        case $1 in
        --*) shift ;;
        -*) shift 2 ;;
        *) break ;;
        esac
    done
    export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4
    exec mpirun -n 4 "$@"
    ;;
apptainer | podman)
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        --bind | -v | -w | -e) shift 2 ;;
        -*) shift ;;
        *) break ;;
        esac
    done
    shift
    if [ "$name" = podman ]; then exec env -u LD_PRELOAD "$@"; fi
    exec "$@"
    ;;
*)
    echo "stand_in.sh: it stands for $name?" >&2
    exit 2
    ;;
esac
