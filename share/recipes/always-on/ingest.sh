#!/bin/sh
# mprof for all jobs: adds what is in the spool folder to the archive, and says what mprof cost. For cron, as an account of its own
# without rights: profiles are input that users wrote.
. "$(dirname -- "$0")/always.conf"
status=0
"$prefix/bin/mprof" archive add "$archive" --spool "$spool" || status=$?
"$(dirname -- "$0")/cost.py" "$prefix/bin/mprof" "$spool" || status=$?
exit $status
