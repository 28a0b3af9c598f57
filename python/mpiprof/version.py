"""The version, that of mprof (CMakeLists.txt); a test compares them."""

VERSION = "0.1.0"
