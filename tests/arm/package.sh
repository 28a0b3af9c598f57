#!/usr/bin/env bash
# The package for ARM is made, checked, and unpacked for the tests that use it in the system of system.sh.
# usage: package.sh SOURCE_DIR WORK_DIR      WORK_DIR/unpacked is what its user has
# What was downloaded and built of libraries stays in WORK_DIR for the next time.
set -euo pipefail
source_dir=$1 work_dir=$2 arch=aarch64
skip() { printf 'skipped: %s\n' "$*"; exit 77; }

python3 -B "$source_dir/tests/groups/needs.py" aarch64-linux-gnu-gcc: qemu-aarch64 bzip2 xz make m4 bison flex tclsh || exit
command -v apt-get >/dev/null || skip "no apt-get, which fetches the sources of libraries"
"$source_dir/share/package/make_package" "$work_dir" --arch $arch || {
    [ -e "$work_dir/$arch/done/sources" ] || skip "the sources of libraries, or the compiler, could not be fetched"
    exit 1
}
"$source_dir/share/package/check_package" "$work_dir" $arch
rm -rf -- "$work_dir/unpacked"
mkdir -- "$work_dir/unpacked"
tar -xzf "$work_dir"/mprof-*-linux-$arch.tar.gz --strip-components=1 -C "$work_dir/unpacked"
