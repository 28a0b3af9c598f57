#!/usr/bin/env bash
# libmprof.so needs only libc's own libraries. It needs no symbol that libc lacks. It brings no library search path.
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
