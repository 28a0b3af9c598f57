#!/usr/bin/env bash
# libmprof.so, and every object in it and in libmprof.a, is marked fit for shadow stacks. Otherwise the loader turns
# them off in a program that has them. In a static program the linker does so. The linker was told that the whole
# library is fit, so the test looks at the parts, too.
# usage: shadow_stack.sh LIBRARY OBJECT...
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "shadow stacks are x86-64's"; exit 77; }
library=$1
wrong=0
for object in "$@"; do
    if ! readelf --wide --notes "$object" 2>/dev/null | grep -q 'x86 feature:.*SHSTK'; then
        echo "not marked: $object"
        wrong=1
    fi
done
archive=$(dirname "$library")/libmprof.a
if [ -f "$archive" ]; then
    members=$(ar t "$archive" | wc -l)
    marked=$(readelf --wide --notes "$archive" 2>/dev/null | grep -c 'x86 feature:.*SHSTK')
    echo "$archive: $marked of $members marked"
    [ "$marked" = "$members" ] || wrong=1
fi
exit $wrong
