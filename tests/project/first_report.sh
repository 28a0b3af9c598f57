#!/usr/bin/env bash
# From a package to the first report of a given program, by what the README says to type, within five minutes. In a bare Debian that
# has its Open MPI and no compiler, as a user who is not root. The program was compiled elsewhere.
# usage: first_report.sh SOURCE_DIR PACKAGE_DIR WORK_DIR [DEBIAN_PACKAGE...]
#   PACKAGE_DIR       has what make_package made
#   DEBIAN_PACKAGE    more for the bare system
set -euo pipefail
source_dir=$1 package_dir=$2 work_dir=$3
shift 3
most_seconds=300
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
fail() { printf 'first_report: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || skip "only root can make another system"
for tool in mmdebstrap unshare mpicc.openmpi; do command -v "$tool" >/dev/null || skip "no $tool"; done
archive=$(echo "$package_dir"/mprof-*-linux-"$(uname -m)".tar.gz)
[ -f "$archive" ] || skip "no package in $package_dir"

# ---- the system ----

root=$work_dir/root
gone() { rm -rf --one-file-system -- "$root"; }
trap gone EXIT
gone
mkdir -p -- "$work_dir"
lists=()
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do [ ! -f "$list" ] || lists+=("$list"); done
codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
include=openmpi-bin
for package in "$@"; do include+=",$package"; done
TMPDIR=$work_dir unshare --mount --pid --fork --kill-child --mount-proc mmdebstrap --quiet --variant=apt --format=directory \
    --include="$include" --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
    "$codename" "$root" "${lists[@]}" || skip "no bare system could be made"
for compiler in cc gcc c++ g++ clang; do
    ! chroot "$root" sh -c "command -v $compiler" >/dev/null || fail "the system has a compiler: $compiler"
done
chroot "$root" useradd --create-home me
home=$root/home/me
# The demo, for a few seconds.
sed 's/[.]steps = [0-9][0-9]*/.steps = 400/' "$source_dir/share/demo/heat.c" >"$work_dir/app.c"
mpicc.openmpi -O2 -g "$work_dir/app.c" -o "$home/app" -lm
cp -- "$archive" "$home/"

# ---- what is typed ----

# The commands of a document below a heading: the lines of its first block.
typed() { # document, heading
    awk -v heading="$2" '$0 == heading { is_there = 1; next } is_there && /^    / { print substr($0, 5); seen = 1; next } seen { exit }' "$1"
}
name=$(basename -- "$archive" .tar.gz)
version=${name#mprof-}
version=${version%%-linux-*}
# Of the first block the third line is another run.
typed "$source_dir/share/doc/start/install.md" "## From an archive or a wheel" | head -n 2 | sed "s/VERSION/$version/; s/x86_64/$(uname -m)/g" >"$home/typed"
# The archive is there, so the wheel is not installed. Open MPI starts no more ranks than there are cores: first-report.md says so.
typed "$source_dir/README.md" "## On your own program" | grep -v "^pip install " | sed "s/-n 4/-n $(nproc)/" >>"$home/typed"
cat -- "$home/typed"
for wanted in "tar -xzf $name.tar.gz" "mprof run -- mpirun -n $(nproc) ./app" "mprof report --open"; do
    grep -qxF -- "$wanted" "$home/typed" || fail "the documents do not say to type: $wanted"
done
chroot "$root" chown -R me /home/me

begin=$SECONDS
root=$root unshare --mount --pid --fork --kill-child bash -euc '
    mount --make-rprivate /
    mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"; mount -t tmpfs tmpfs "$root/dev"
    mkdir -m 1777 "$root/dev/shm"; mkdir "$root/dev/pts"; mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"; ln -s /proc/self/fd "$root/dev/fd"
    for device in null zero random urandom; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
    chroot "$root" /usr/bin/env -i HOME=/home/me USER=me PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 setpriv --reuid me --regid me \
        --clear-groups bash -euxc "cd && . ./typed"' >"$work_dir/said" 2>&1 || { cat -- "$work_dir/said"; fail "what is typed fails"; }
seconds=$((SECONDS - begin))
cat -- "$work_dir/said"
page=$(echo "$home"/app.*.html)
[ -f "$page" ] || fail "there is no page"
grep -q '<h1>[A-Z]' "$page" || fail "the page has no verdict"
grep -q '^# VERDICT' "$work_dir/said" || fail "the run printed no summary"
[ "$seconds" -le "$most_seconds" ] || fail "it took $seconds s"
printf 'the first report after %d s\n' "$seconds"
