#!/bin/sh
# Makes libmprof.a (interpose/static_link.c); called by CMake.
#   make_static_library.sh COMPILER LINKER OBJCOPY AR TRAMPOLINES FOLDER LIBRARY OBJECT...
set -eu
compiler=$1 linker=$2 objcopy=$3 ar=$4 trampolines=$5 folder=$6 library=$7
shift 7
cd "$folder"
# live_file.h has two back ends: here the one without zstd, so that a program's own zstd is not disturbed.
for object in "$@"; do
    shift
    case $object in *compress_zstd*) ;; *) set -- "$@" "$object" ;; esac
done
"$linker" -r -o mprof_core.o "$@"
"$objcopy" --wildcard --keep-global-symbol=mpi_slots --keep-global-symbol="mprof_library_*" mprof_core.o
"$compiler" -c "$trampolines"/*.s
"$ar" rcs "$library" ./*.o
