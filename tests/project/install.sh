#!/usr/bin/env bash
# An installation serves find_package(mprof), pkg-config and `mprof run`. It is in a folder with a space in its name,
# and was moved.
# usage: install.sh BUILD_DIR WORK_DIR CONSUMER_DIR GENERATOR BINDIR LIBDIR
set -euo pipefail
build_dir=$1 work_dir=$2 consumer=$3 generator=$4 bindir=$5 libdir=$6

rm -rf -- "$work_dir"
mkdir -p -- "$work_dir"
cmake --install "$build_dir" --prefix "$work_dir/first place"
mv -- "$work_dir/first place" "$work_dir/moved here"
prefix="$work_dir/moved here"
cd "$work_dir"

echo "--- no absolute path of the build or of the first place"
if grep -rIlF -e "$build_dir" -e "first place" "$prefix"; then exit 1; fi

expect_library() {  # program
    "$@"
    ldd "$1" | grep -F "libmprof.so => $prefix/$libdir/libmprof.so"
}

echo "--- find_package(mprof)"
# Without the run path that CMake adds: the linker would split it at a comma.
cmake -S "$consumer" -B from_cmake -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_SKIP_RPATH=ON
cmake --build from_cmake
LD_LIBRARY_PATH="$prefix/$libdir" expect_library from_cmake/consumer

echo "--- pkg-config"
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
    pkg-config --modversion mprof
    flags=$(pkg-config --cflags --libs mprof)
    # The flags are quoted for a shell.
    eval "cc -std=c11 -o from_pkg_config \"\$consumer/consumer.c\" $flags"
    LD_LIBRARY_PATH="$prefix/$libdir" expect_library ./from_pkg_config
fi

echo "--- mprof run"
"$prefix/$bindir/mprof" --version
mkdir run
cd run
"$prefix/$bindir/mprof" run -- cat /proc/self/maps >maps.txt
grep -F 'libmprof.so' maps.txt | tail -n 1
status=0
"$prefix/$bindir/mprof" run -- sh -c 'exit 7' || status=$?
[ "$status" = 7 ]
