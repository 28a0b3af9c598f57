// The same by C++ exceptions.
#include "left_by_jump.c"
