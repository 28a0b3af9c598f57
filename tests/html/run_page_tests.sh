#!/usr/bin/env bash
# Runs tests of the page. If something that they need is missing, they are skipped (exit status 77) and say why.
# usage: run_page_tests.sh modules|joined|types|browser MODULES TEST...
#   MODULES    folder where install_modules.sh put npm packages
#   modules    needs no npm packages
#   browser    needs Chromium as well; MPROF, SAMPLES (make_sample_page) and WORK are in the environment
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
kind=$1 modules=$2
shift 2

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

"$here/../groups/needs.py" node
[ "$kind" = modules ] || [ -e "$modules/installed" ] || skip "$(cat "$modules/failed" 2>/dev/null || echo "npm packages are not installed")"
export MODULES=$modules

case $kind in
types) exec node "$modules/node_modules/typescript/bin/tsc" -p "$here/tsconfig.json" ;;
browser)
    for CHROMIUM in chromium chromium-browser google-chrome; do
        "$CHROMIUM" --version >/dev/null 2>&1 && break
    done
    "$CHROMIUM" --version || skip "no Chromium"
    CHROMIUM=$(command -v "$CHROMIUM")
    export CHROMIUM
    mkdir -p -- "$WORK"
    ;;
esac
exec node --test --test-concurrency=1 "$@"
