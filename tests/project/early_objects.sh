#!/usr/bin/env bash
# The code of libmprof/interpose/early.c, and elf_symbols.c, run while the dynamic linker is at work. They need nothing outside
# their own files: no function of libc, not even one that the compiler calls by itself (memset, the stack protector).
# The linker has made of them what the dynamic linker calls, and has exported no name of it.
# usage: early_objects.sh LIBRARY OBJECT... (all of libmprof.so; others are passed over)
set -euo pipefail
library=$1
shift
early=()
for object in "$@"; do
    case $object in
    */interpose/early.* | */interpose/elf_symbols.*) early+=("$object") ;;
    esac
done
[ ${#early[@]} -gt 1 ]

# Names of functions, which are data; what linkers define; the dynamic linker's list of objects; libgcc's atomics of ARM.
allowed='mpi_name_(texts|offsets)|_DYNAMIC|__ehdr_start|_GLOBAL_OFFSET_TABLE_|_r_debug|__aarch64_[a-z0-9_]+'
defined=$(nm --defined-only "${early[@]}" | awk '$2 ~ /^[[:alpha:]]$/ {print $3}' | sort -u)
needed=$(nm --undefined-only "${early[@]}" | awk '$1 ~ /^[[:alpha:]]$/ {print $2}' | sort -u | grep -vE "^($allowed)\$")
outside=$(comm -13 <(echo "$defined") <(echo "$needed"))
if [ -n "$outside" ]; then
    echo "called at the early moment: $outside"
    exit 1
fi
if ! grep -q '_IRELATIV' <<<"$(readelf --wide --relocs "$library")"; then
    echo "nothing is called at the early moment"
    exit 1
fi
if nm --dynamic --defined-only "$library" | grep -i early; then
    echo "must not be exported"
    exit 1
fi
echo "${#early[@]} files need only each other"
