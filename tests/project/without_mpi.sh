#!/usr/bin/env bash
# libmprof is built from its own table of MPI's facts. It configures and builds without finding any MPI. It reads no
# mpi.h, even where there is one. It needs nothing that only the mprof command needs: no library, which are hidden here, and no C++
# compiler.
# usage: without_mpi.sh SOURCE_DIR WORK_DIR GENERATOR
set -euo pipefail
source_dir=$1 work_dir=$2 generator=$3

rm -rf -- "$work_dir"
if grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](mpi|mpio|mpi-ext)\.h' \
    "$source_dir/libmprof" "$source_dir/include"; then
    echo "must not include MPI's header"
    exit 1
fi

hidden=("-DCMAKE_FIND_ROOT_PATH=$work_dir/empty")
for kind in LIBRARY INCLUDE PACKAGE; do hidden+=("-DCMAKE_FIND_ROOT_PATH_MODE_$kind=ONLY"); done
# Not optimised: that is most of the time to compile, and finds nothing out here.
CXX=/nonexistent env -u CPATH -u C_INCLUDE_PATH cmake -S "$source_dir" -B "$work_dir" -G "$generator" "${hidden[@]}" \
    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DMPROF_PARSER=OFF -DCMAKE_BUILD_TYPE=None
env -u CPATH -u C_INCLUDE_PATH cmake --build "$work_dir" --parallel 2
[ -f "$work_dir/lib/libmprof.so" ]
[ -f "$work_dir/lib/libmprof.a" ]

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
