#!/usr/bin/env bash
# A whole Debian for ARM (aarch64) in a folder, with both MPIs, whose programs qemu runs: what mprof does on ARM, as far as another
# machine can tell. The tests of this folder call it.
#   system.sh make SYSTEM                         makes it in this folder, or leaves it if it is there (0.9 GB)
#   system.sh run SYSTEM FOLDER... -- COMMAND     runs a command in it, as root, in which the folders have the paths that they have here
# Needs root and Linux 6.7: nothing is registered on this machine, because binfmt_misc is that of a user namespace. Packages come from
# where this machine's apt takes its own. What ends the command, even a signal to this script, ends all that it started.
# Exit status: that of the command; 77 if this machine cannot do it.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
action=$1 system=$2
shift 2
skip() { printf 'skipped: %s\n' "$*"; exit 77; }

[ "$(uname -m)" = x86_64 ] || skip "it is for machines of x86-64"
[ "$(id -u)" = 0 ] || skip "only root can make another system"
python3 -B "$here/../groups/needs.py" qemu-aarch64-static mmdebstrap aarch64-linux-gnu-gcc: || exit
interpreter=/usr/lib/binfmt.d/qemu-aarch64.conf # of the package qemu-user-static
[ -f "$interpreter" ] || skip "no $interpreter"

work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-arm-XXXXXX")
gone() {
    trap '' INT TERM HUP
    # With the first process of its namespace every other ends. --kill-child does not reach it there.
    [ -z "${namespace-}" ] || { kill -KILL ${first-} "$namespace" && wait "$namespace"; } 2>/dev/null || true
    rm -rf --one-file-system -- "$work"
}
trap gone EXIT
trap 'exit 143' INT TERM HUP

# As root in namespaces of its own (users, mounts, processes), in which programs of ARM run. Who is who is as on this machine.
with_arm() { # command...
    local status=0
    mkfifo "$work/ready" "$work/go"
    unshare --user --mount --pid --fork --kill-child bash -euc '
        work=$1 interpreter=$2; shift 2
        echo >"$work/ready"; read -r <"$work/go"
        mount --make-rprivate /
        mount -t proc proc /proc
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit 77
        cat "$interpreter" >/proc/sys/fs/binfmt_misc/register
        exec "$@"' with_arm "$work" "$interpreter" "$@" <&0 &
    namespace=$!
    read -r -t 20 <>"$work/ready" || skip "no user namespaces"
    first=$(cat /proc/$namespace/task/*/children)
    first=${first%% *}
    echo 0 0 4294967295 >"/proc/$first/uid_map"
    echo 0 0 4294967295 >"/proc/$first/gid_map"
    echo >"$work/go"
    wait "$namespace" || status=$?
    namespace='' first=''
    rm -- "$work/ready" "$work/go"
    return $status
}

# Packages are unpacked and not configured, so that no program of theirs runs in the emulator: it would take many times as long.
packages=base-files,bash,binutils,coreutils,dash,findutils,g++,gcc,gfortran,grep,gzip,hostname,libc-bin,libc6-dev,libmpich-dev,libopenmpi-dev,mawk,mpich,openmpi-bin,python3,python3-mpi4py,sed,tar

make() {
    local lists=() codename status=0 root=$system/root
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    if [ "$(cat -- "$system/made" 2>/dev/null)" = "$codename $packages" ]; then return; fi
    rm -rf --one-file-system -- "$system"
    mkdir -p -- "$root"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian*.sources; do [ ! -f "$list" ] || lists+=("$list"); done
    TMPDIR=$work unshare --mount --pid --fork --kill-child --mount-proc mmdebstrap --quiet --mode=root --arch=arm64 --variant=extract \
        --format=tar --include="$packages" --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
        --aptopt='APT::Install-Recommends "false"' "$codename" "$work/system.tar" "${lists[@]}" || status=$?
    [ "$status" = 0 ] || skip "no system could be made (status $status of mmdebstrap)"
    tar -C "$root" -xf "$work/system.tar" --exclude='./dev/*'
    # What configuring would have done.
    echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"
    echo 'root:x:0:' >"$root/etc/group"
    echo '127.0.0.1 localhost' >"$root/etc/hosts"
    ln -sf mawk "$root/usr/bin/awk"
    ln -sf openmpi/lib/libmpi.so "$root/usr/lib/aarch64-linux-gnu/libmpi.so"
    # qemu has no process_vm_readv(). More ranks run than there are processors.
    cat >>"$root/etc/openmpi/openmpi-mca-params.conf" <<'SETTINGS'
btl_vader_single_copy_mechanism = none
rmaps_base_oversubscribe = 1
mpi_yield_when_idle = 1
SETTINGS
    run -- ldconfig
    printf '%s %s\n' "$codename" "$packages" >"$system/made"
}

run() { # FOLDER... -- command...
    local folders=""
    [ -e "$system/root/bin/bash" ] || skip "no system of ARM in $system, which the test arm.system makes"
    while [ "$1" != -- ]; do
        [ -d "$1" ] || skip "no $1, which the test arm.package makes"
        folders+="$1"$'\n' && shift
    done
    shift
    root=$system/root folders=$folders with_arm bash -euc '
        mount --bind "$root" "$root"; root=$(realpath "$root")
        mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"
        mount -t tmpfs tmpfs "$root/dev"; mkdir "$root/dev/shm" "$root/dev/pts"
        for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
        mount -t tmpfs -o mode=1777,size=4g tmpfs "$root/dev/shm"; mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
        ln -s pts/ptmx "$root/dev/ptmx"; ln -s /proc/self/fd "$root/dev/fd"
        for n in 0 1 2; do name=(stdin stdout stderr); ln -s "fd/$n" "$root/dev/${name[n]}"; done
        # Process numbers are the same in each, by which Open MPI names its folder in /tmp.
        mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
        while read -r folder; do
            [ -z "$folder" ] || { mkdir -p "$root$folder"; mount --rbind "$folder" "$root$folder"; }
        done <<<"$folders"
        cd /
        exec chroot "$root" /usr/bin/env -i HOME=/root USER=root LOGNAME=root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ${QEMU_CPU:+QEMU_CPU="$QEMU_CPU"} "$@"' arm "$@"
}

case $action in
make) make ;;
run) run "$@" ;;
*) skip "unknown action $action" ;;
esac
