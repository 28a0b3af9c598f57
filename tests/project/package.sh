#!/usr/bin/env bash
# The package for older systems is made and serves somebody who has nothing else; made again it has the same bytes.
# usage: package.sh SOURCE_DIR WORK_DIR
set -euo pipefail
source_dir=$1 work_dir=$2 arch=$(uname -m)
command -v apt-get >/dev/null || { echo "skipped: no apt-get, which fetches the sources of libraries"; exit 77; }

make_again() {
    rm -rf -- "$work_dir/$arch/build"
    "$source_dir/share/package/make_package" "$work_dir" --arch "$arch"
    (cd "$work_dir" && sha256sum ./*.tar.gz ./*.whl)
}
make_again | tee "$work_dir.first"
"$source_dir/share/package/check_package" "$work_dir" "$arch"
make_again >"$work_dir.second"
diff <(grep ' [.]/' "$work_dir.first") <(grep ' [.]/' "$work_dir.second")
