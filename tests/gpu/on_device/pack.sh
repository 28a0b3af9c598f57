#!/bin/sh
# Packs all that run.sh needs on a machine with a GPU and without network: the programs of tests/gpu
# and gpu_count.c, libmprof.so, mprof, an MPICH with its launcher, and the libraries of all of them.
# The driver is the other machine's. Nothing else is brought; the file is below 60 MB.
#
#   pack.sh BUILD_FOLDER FOLDER.tar.gz
set -eu
build=$(cd "$1" && pwd)
result=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/on_device/bin" "$folder/on_device/lib" "$folder/on_device/mpi"
cp "$build/bin/mprof" "$build/tests/gpu/mpich/gpu_cases" "$folder/on_device/bin/"
for launcher in mpirun.mpich mpiexec.hydra hydra_pmi_proxy; do
    cp "$(readlink -f "$(command -v $launcher)")" "$folder/on_device/bin/$launcher"
done
cp "$build/lib/libmprof.so" "$folder/on_device/lib/"
gcc -shared -fPIC -O2 -o "$folder/on_device/lib/gpu_count.so" "$here/gpu_count.c" -ldl -pthread
cp "$here/run.sh" "$here/../run_cases.py" "$here/../gpu_cases.c" "$folder/on_device/"
cp "$here"/../../mpi/*.py "$folder/on_device/mpi/"
mkdir "$folder/on_device/groups"
cp "$here"/../../groups/*.py "$folder/on_device/groups/"
# The loader and libc are the other machine's; the driver is never packed.
for file in "$folder"/on_device/bin/* "$folder/on_device/lib/libmprof.so"; do
    ldd "$file" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | sort -u | grep -v -E '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*|libcuda)\.so' |
    while read -r library; do cp -L "$library" "$folder/on_device/lib/"; done
tar -C "$folder" -czf "$result" on_device
bytes=$(wc -c < "$result")
echo "$result: $bytes bytes"
[ "$bytes" -lt 60000000 ] || { echo "larger than 60 MB" >&2; exit 1; }
