#!/usr/bin/env bash
# libmprof.so needs only libc's own libraries, and no function that glibc 2.17 lacks. It needs no symbol that libc lacks. It brings no
# library search path.
# usage: needed_libraries.sh LIBRARY
set -euo pipefail
library=$1

dynamic=$(readelf --wide --dynamic "$library")
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
echo "needed: $(paste -sd' ' <<<"$needed")"
[ -n "$needed" ]

others=$(grep -vE '^(libc|libm|libdl|librt|libpthread)\.so\.[0-9]+$|^ld-linux.*\.so\.[0-9]+$' <<<"$needed" || true)
if [ -n "$others" ]; then
    echo "not one of libc's own: $others"
    exit 1
fi
if grep -E '\((RPATH|RUNPATH|TEXTREL)\)' <<<"$dynamic"; then
    echo "must not be there"
    exit 1
fi

# Undefined MPI symbols would be found in whatever MPI is loaded, and be fatal where there is none.
undefined=$(readelf --wide --dyn-syms "$library" | awk '$7 == "UND" && $8 ~ /^P?MPI_|^ompi_|^MPIR_/ {print $8}')
if [ -n "$undefined" ]; then
    echo "undefined: $undefined"
    exit 1
fi

# A package's libmprof.so loads with glibc 2.17 (share/package), which check_package sees. It is seen here without a
# package, too: a symbol of version 2.18 to 2.31 is a function that glibc 2.17 lacks. Later versions tell nothing, because
# glibc gave them to old functions that moved.
later=$(readelf --wide --dyn-syms "$library" | grep -oE '[A-Za-z_0-9]+@GLIBC_2[.](1[89]|2[0-9]|3[01])\b' || true)
if [ -n "$later" ]; then
    echo "not in glibc 2.17: $later"
    exit 1
fi
