/* Functions that the other sources call from places worth looking up; test_symbols.py finds the
 * calls in the machine code by these names. Those with an underscore are what Fortran calls. */
#define MARKER(name)          \
    void marker_##name(void); \
    void marker_##name(void)  \
    {                         \
        __asm__ volatile(""); \
    }
MARKER(plain)
MARKER(inner)
MARKER(twice)
MARKER(cold)
MARKER(copy)
MARKER(parallel)
MARKER(library)
MARKER(member)
MARKER(template)
MARKER(lambda)
MARKER(module_)
MARKER(outside_)
MARKER(contained_)
MARKER(program_)
