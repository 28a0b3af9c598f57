#!/usr/bin/env bash
# Installs what the tests of the page use (npm_packages.json) into a folder. It leaves alone what is there already.
# usage: install_modules.sh FOLDER
# If something cannot be installed, it says so here and in FOLDER/failed. The tests then skip with that reason. Exit
# status 0.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
folder=$1

mkdir -p -- "$folder"
cmp -s "$here/npm_packages.json" "$folder/installed" && exit 0
rm -rf -- "$folder/node_modules" "$folder/installed" "$folder/failed"

fail() {
    printf '%s\n' "$1" | tee "$folder/failed"
    exit 0
}

command -v node >/dev/null || fail "no Node.js"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || fail "Node.js is older than 18"
command -v npm >/dev/null || fail "no npm"
cp -- "$here/npm_packages.json" "$folder/package.json"
"$here/../../share/retry" npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-package-lock \
    --loglevel=error >"$folder/install.log" 2>&1 || fail "npm install failed: $(tail -1 "$folder/install.log" | cut -c 1-200)"
cp -- "$here/npm_packages.json" "$folder/installed"
echo "installed: $(ls "$folder/node_modules" | tr '\n' ' ')"
