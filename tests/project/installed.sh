#!/usr/bin/env bash
# What a user of a cluster does with an installation. The test has only the installed tree, from a folder with a space
# in its name, and runs as an ordinary user. It runs a program with each MPI that is installed. It reads the profile,
# the manual and the completion.
# usage: installed.sh BUILD_DIR PROGRAM.c MODULE_CHECK.tcl BINDIR LIBDIR MANDIR DATADIR
set -euo pipefail
build_dir=$1 program=$2 module_check=$3 bindir=$4 libdir=$5 mandir=$6 datadir=$7

if [ "$(id -u)" != 0 ]; then
    echo "skipped: not root, so there is no other user to become"
    exit 77
fi
command -v setpriv >/dev/null || { echo "skipped: no setpriv (util-linux)"; exit 77; }

# Not below the build folder, nor in root's folder of temporary files: another user may not be allowed to enter them.
# /tmp may be too small.
umask 022
work_dir=$(mktemp -d "/var/tmp/mprof installed XXXXXX")
trap 'rm -rf -- "$work_dir"' EXIT
chmod 755 "$work_dir"
prefix="$work_dir/soft ware/mprof"
cmake --install "$build_dir" --prefix "$prefix" >"$work_dir/install.log"
mkdir "$work_dir/home"
chown 65534:65534 "$work_dir/home"

for mpi in openmpi mpich; do
    if command -v "mpicc.$mpi" >/dev/null; then "mpicc.$mpi" -O1 -o "$work_dir/hello_$mpi" "$program"; fi
done

as_user() {
    env -i PATH="$prefix/$bindir:/usr/local/bin:/usr/bin:/bin" HOME="$work_dir/home" TMPDIR="$work_dir/home" LC_ALL=C.UTF-8 \
        setpriv --reuid=65534 --regid=65534 --clear-groups timeout -k 5 60 "$@"
}
cd "$work_dir/home"
[ "$(as_user id -u)" = 65534 ]
[ "$(as_user sh -c 'command -v mprof')" = "$prefix/$bindir/mprof" ]

sends() {  # profile: calls of MPI_Send and bytes, from the JSON report
    as_user mprof report "$1" --json "$1.json"
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    if row["function"] == "MPI_Send":
        print(row["calls"], row["bytes"])' "$1.json"
}

run_with() {  # mpi, options of mpirun...
    local mpi=$1
    shift
    command -v "mpirun.$mpi" >/dev/null && [ -x "$work_dir/hello_$mpi" ] || { echo "--- $mpi: skipped, not installed"; return 0; }
    echo "--- $mpi"
    as_user mprof run --check "$work_dir/hello_$mpi"
    for place in outside inside; do
        local profile="$place $mpi.mprof"
        if [ "$place" = outside ]; then
            as_user mprof run -o "$profile" -- "mpirun.$mpi" "$@" -n 2 "$work_dir/hello_$mpi" >out.txt 2>err.txt
        else
            as_user "mpirun.$mpi" "$@" -n 2 mprof run -o "$profile" "$work_dir/hello_$mpi" >out.txt 2>err.txt
        fi || { cat err.txt; exit 1; }
        [ "$(cat out.txt)" = "the sum is 6" ]
        grep -q '^##mprof' err.txt || { cat err.txt; exit 1; }
        as_user mprof report "$profile" | grep -E '^# MPI_Init '
        [ "$(sends "$profile")" = "3 24" ]
    done
}
run_with openmpi --oversubscribe --mca mpi_yield_when_idle 1
run_with mpich

echo "--- a colon cannot be preloaded, and that is said"
mkdir "$work_dir/a:b"
cp -r "$prefix" "$work_dir/a:b/mprof"
status=0
as_user "$work_dir/a:b/mprof/$bindir/mprof" run true 2>err.txt || status=$?
[ "$status" = 2 ]
grep -q "treats the colon in the path" err.txt

echo "--- manual"
ls "$prefix/$mandir/man1"
commands=$(as_user mprof --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
[[ " $(echo $commands) " = *" run "*" merge "* ]]
if command -v man >/dev/null; then
    for page in mprof $(printf 'mprof-%s ' $commands); do
        MANWIDTH=80 man --warnings -l "$prefix/$mandir/man1/$page.1" >page.txt 2>warnings.txt
        cat warnings.txt
        [ ! -s warnings.txt ]
        grep -q "^NAME" page.txt
    done
fi

echo "--- completion"
touch "$work_dir/home/two words.txt"
as_user bash -euo pipefail -c '
source "$1/bash-completion/completions/mprof"
complete -p mprof
completes() {  # expected words, word... of the command line
    local expected=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _mprof
    local found="${COMPREPLY[*]:-}"
    [ "$found" = "$expected" ] || { echo "$*: completed to $found, not $expected"; exit 1; }
}
completes "run report" mprof r
completes "--json" mprof report --j
completes "--check" mprof run --ch
completes "--width --world" mprof report --w
completes "text" mprof run --summary te
completes "bash" mprof --completions b
completes "two words.txt" mprof merge two
completes "--output" mprof run --memory 4M --o
completes "two words.txt" mprof run -- ./app two
completes "two words.txt" mprof run -o out ./app two
' bash "$prefix/$datadir"
zsh_file=$prefix/$datadir/zsh/site-functions/_mprof
fish_file=$prefix/$datadir/fish/vendor_completions.d/mprof.fish
for command in $commands; do
    grep -q "^    $command)" "$zsh_file"
    grep -q "__fish_seen_subcommand_from $command'" "$fish_file"
done
if command -v zsh >/dev/null; then
    zsh -f -c '
        _describe() { print -r -- $commands }
        _arguments() { print -r -- $# $words[1] }
        words=(mprof "") CURRENT=2; source "$1" | grep -q "report:Tell what"
        words=(mprof report --b) CURRENT=3; source "$1" | grep -q "^[12][0-9] report"
    ' zsh "$zsh_file"
fi
if command -v fish >/dev/null; then
    completes_in_fish() {  # expected word, command line
        HOME=$work_dir/home fish --no-config -c "source '$fish_file'; complete -C '$2'" | cut -f1 |
            grep -q -x -e "$1" || { echo "fish: $2 is not completed to $1"; exit 1; }
    }
    completes_in_fish report "mprof re"
    completes_in_fish --json "mprof report --js"
    completes_in_fish off "mprof run --summary o"
    completes_in_fish fish "mprof --completions f"
fi

echo "--- environment module"
if command -v tclsh >/dev/null; then
    tclsh "$module_check" "$prefix/$datadir/modulefiles/mprof" "$prefix" "$bindir"
    ln -s "$prefix/$datadir/modulefiles/mprof" "$work_dir/linked"
    tclsh "$module_check" "$work_dir/linked" "$prefix" "$bindir"
fi

echo "--- Spack recipe"
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$prefix/$datadir/mprof/recipes/package.py"

echo "--- links of documents"
python3 -c '
import pathlib, re, sys
wrong = []
for document in pathlib.Path(sys.argv[1]).rglob("*.md"):
    for link in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", document.read_text()):
        # The sources are not installed, nor is the folder of packages.
        if not re.search(r"^(\.\./)+(include|libmprof|parser|tests|package|demo|dev|python|share)\b", link):
            if not (document.parent / link).exists():
                wrong.append(f"{document.name}: {link}")
sys.exit("\n".join(wrong) or 0)' "$prefix/$datadir/doc"
