#!/usr/bin/env bash
# libmprof is built from its own table of MPI's facts. It configures and builds without finding any MPI. It reads no
# mpi.h, even where there is one. It needs nothing that only the mprof command needs.
# usage: without_mpi.sh SOURCE_DIR WORK_DIR GENERATOR
set -euo pipefail
source_dir=$1 work_dir=$2 generator=$3

rm -rf -- "$work_dir"
if grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](mpi|mpio|mpi-ext)\.h' \
    "$source_dir/libmprof" "$source_dir/include"; then
    echo "must not include MPI's header"
    exit 1
fi

env -u CPATH -u C_INCLUDE_PATH cmake -S "$source_dir" -B "$work_dir" -G "$generator" \
    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DMPROF_PARSER=OFF -DMPROF_TESTS=OFF
env -u CPATH -u C_INCLUDE_PATH cmake --build "$work_dir" --parallel 2
[ -f "$work_dir/lib/libmprof.so" ]

if [ "$generator" = Ninja ]; then
    headers=$(ninja -C "$work_dir" -t deps)
else
    headers=$(find "$work_dir" -name '*.d' -exec cat {} +)
fi
# A check that can fail: the project's own header is among them.
grep -q 'mprof/format/format\.h' <<<"$headers"
if grep -E '/(mpi|mpio|mpi_abi|mpi_proto|mpi-ext)\.h( |$)' <<<"$headers"; then
    echo "must not be read"
    exit 1
fi
