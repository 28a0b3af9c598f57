// What texts call a library that a build can do without, and the package that has it. For messages
// of both halves that it was not there:
//
//   "this mprof was built without " MPROF_LIBRARY_HWLOC
//
// The lines are made of share/package/packages.txt by write_packages.py.
#pragma once

#define MPROF_LIBRARY_ELFUTILS "elfutils (Debian: libelf-dev libdw-dev)"
#define MPROF_LIBRARY_XXHASH "xxHash (Debian: libxxhash-dev)"
#define MPROF_LIBRARY_PROTOZERO "protozero (Debian: libprotozero-dev)"
#define MPROF_LIBRARY_OTF2 "OTF2 (Debian: libopen-trace-format2-dev)"
#define MPROF_LIBRARY_SCOTCH "Scotch (Debian: libscotch-dev)"
#define MPROF_LIBRARY_HWLOC "hwloc (Debian: libhwloc-dev)"
#define MPROF_LIBRARY_SQLITE "SQLite (Debian: libsqlite3-dev)"
