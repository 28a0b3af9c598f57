// The program of left_by_jump.c with C++ exceptions.
#include "left_by_jump.c"
