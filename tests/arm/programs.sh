#!/usr/bin/env bash
# Compiles programs of tests/mpi/truth in the system of system.sh, by its own compilers.
# usage: programs.sh MPI SOURCE_FOLDER OUTPUT_FOLDER PROGRAM... -- OPTION...
set -euo pipefail
mpi=$1 source_folder=$2 output_folder=$3
shift 3
programs=()
while [ "$1" != -- ]; do programs+=("$1") && shift; done
shift
mkdir -p -- "$output_folder"
for program in "${programs[@]}"; do
    source=$source_folder/$program
    if [ -f "$source.cc" ]; then compiler=(mpicxx."$mpi") source+=.cc; else compiler=(mpicc."$mpi" -std=c11) source+=.c; fi
    [ "$output_folder/$program" -nt "$source" ] || "${compiler[@]}" "$@" -o "$output_folder/$program" "$source"
done
