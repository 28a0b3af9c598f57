#!/usr/bin/env bash
# Where no library of the mprof command is found, configuring says all of them at once, and each way on. The search for libraries is
# confined to an empty folder, so the machine's are hidden.
# usage: missing.sh SOURCE_DIR WORK_DIR GENERATOR
set -euo pipefail
source_dir=$1 work_dir=$2 generator=$3

rm -rf -- "$work_dir"
mkdir -p -- "$work_dir/empty"
hidden=("-DCMAKE_FIND_ROOT_PATH=$work_dir/empty")
for kind in LIBRARY INCLUDE PACKAGE; do hidden+=("-DCMAKE_FIND_ROOT_PATH_MODE_$kind=ONLY"); done

if cmake -S "$source_dir" -B "$work_dir/build" -G "$generator" "${hidden[@]}" >"$work_dir/log" 2>&1; then
    echo "it configures without any library"
    exit 1
fi
for text in 'CLI11, for' 'nlohmann_json, for' 'fmt, for' 'zstd, for' 'zlib, for' 'elfutils, for' 'apt-get install libcli11-dev' \
    'spack install' 'conda install' '-DMPROF_FETCH=ON' '-DMPROF_PARSER=OFF'; do
    grep -qF -e "$text" "$work_dir/log" || { cat "$work_dir/log"; echo "the message lacks: $text"; exit 1; }
done
[ "$(grep -c 'CMake Error' "$work_dir/log")" = 1 ] || { cat "$work_dir/log"; echo "more than one error"; exit 1; }

# One that is missing is named alone, and a folder of archives that lacks it is said.
mkdir "$work_dir/archives"
! cmake -S "$source_dir" -B "$work_dir/one" -G "$generator" -DMPROF_FETCH="$work_dir/archives" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON >"$work_dir/log" 2>&1
grep -q 'MPROF_FETCH: 0 archives of CLI11' "$work_dir/log"
grep -q 'CLI11, for' "$work_dir/log"
! grep -q 'fmt, for' "$work_dir/log"
