#!/usr/bin/env bash
# libmprof.so can be opened by a program that runs already (mpi4py.profile(), a plugin). Its thread-local storage is of the
# kind that costs no call, and glibc keeps 1,664 bytes of that for all libraries that are opened late. The limit here
# leaves some of it to the MPI and its friends.
# usage: thread_storage.sh LIBRARY
set -euo pipefail
most=1472
library=$1
bytes=$(readelf --wide --segments "$library" | awk '$1 == "TLS" { print $6 }')
echo "thread-local storage: $((bytes)) of at most $most bytes"
python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$library"
[ $((bytes)) -le "$most" ] || { readelf --wide --symbols "$library" | awk '$4 == "TLS" { print $3, $8 }' | sort -rnu; exit 1; }
