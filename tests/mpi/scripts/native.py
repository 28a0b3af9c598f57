"""Calls a library in C, which calls MPI, from two lines."""
import ctypes
import sys

from mpi4py import MPI  # noqa: F401

library = ctypes.CDLL(sys.argv[1])
assert library.in_library(3) == 0  # @3
assert library.in_library(4) == 0  # @4
