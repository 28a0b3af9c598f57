#!/usr/bin/env bash
# The site is made of the documents; no link of it leads nowhere, the gallery has a page for each verdict, and the search finds
# what users ask for (questions.tsv, where there is a browser).
# usage: make_site.sh SOURCE_DIR MPROF WORK_DIR [--no-gallery]
set -euo pipefail
source_dir=$1 mprof=$2 work_dir=$3
shift 3
"$source_dir/tests/groups/needs.py" mpicc.openmpi:

mkdir -p -- "$work_dir"
"$source_dir/share/site/make_site" "$mprof" "$work_dir/work" "$work_dir/site" "$@" 2>&1 | tee "$work_dir/log" || status=$?
if [ ! -x "$work_dir/work/python/bin/mkdocs" ]; then
    echo "skipped: MkDocs could not be installed from PyPI"
    exit 77
fi
if grep 'left out of the gallery' "$work_dir/log"; then exit 1; fi
[ "${status-0}" = 0 ] || exit "$status"
export MODULES="$work_dir/work/node" CHROMIUM
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
[ ! -e "$MODULES/installed" ] || node "$source_dir/tests/documents/search_site.mjs" "$work_dir/site"
