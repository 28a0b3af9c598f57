#!/bin/sh
# Packs all that run.sh needs on a machine with a GPU and without network: the programs of tests/gpu
# and gpu_count.c, libmprof.so, mprof, an MPICH with its launcher, and the libraries of all of them.
# The driver is the other machine's. Nothing else is brought; the file is below 60 MB.
#
#   pack.sh BUILD_FOLDER FOLDER.tar.gz [LIBCUPTI]
#
# LIBCUPTI: libcupti.so of CUDA's toolkit (packages/ in BUILD_FOLDER/tests/gpu has one after the test
# gpu.install), for machines that have a driver alone.
set -eu
build=$(cd "$1" && pwd)
result=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/on_device/bin" "$folder/on_device/lib"
cp "$build/bin/mprof" "$build/tests/gpu/mpich/gpu_cases" "$folder/on_device/bin/"
for launcher in mpirun.mpich mpiexec.hydra hydra_pmi_proxy; do
    cp "$(readlink -f "$(command -v $launcher)")" "$folder/on_device/bin/$launcher"
done
cp "$build/lib/libmprof.so" "$build/tests/gpu/driver/libgpu_runtime.so" "$folder/on_device/lib/"
[ $# -lt 3 ] || cp -L "$3" "$folder/on_device/lib/"
gcc -shared -fPIC -O2 -o "$folder/on_device/lib/gpu_count.so" "$here/gpu_count.c" -ldl -pthread
# Tests find each other, and the table of packages, where they are in the repository.
tests="$folder/on_device/tests"
mkdir -p "$tests/gpu" "$tests/mpi" "$tests/groups"
cp "$here/run.sh" "$here/torch_events.py" "$here/../../../dev" "$folder/on_device/"
cp "$here/../run_cases.py" "$here/../gpu_cases.c" "$tests/gpu/"
cp "$here"/../../mpi/*.py "$tests/mpi/"
cp "$here"/../../groups/*.py "$tests/groups/"
# The loader and all of libc are the other machine's; the driver is never packed.
export LD_LIBRARY_PATH="$folder/on_device/lib"
of_libc='libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|ld-linux[^/]*'
for file in "$folder"/on_device/bin/* "$folder"/on_device/lib/*; do ldd "$file"; done > "$folder/needed"
if grep 'not found' "$folder/needed"; then echo "not packed" >&2; exit 1; fi
sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' "$folder/needed" | sort -u | grep -v "^$folder" |
    grep -v -E "/($of_libc|libcuda)\.so" |
    while read -r library; do cp -L "$library" "$folder/on_device/lib/"; done
unset LD_LIBRARY_PATH
tar -C "$folder" -czf "$result" on_device
bytes=$(wc -c < "$result")
echo "$result: $bytes bytes"
[ "$bytes" -lt 60000000 ] || { echo "larger than 60 MB" >&2; exit 1; }
