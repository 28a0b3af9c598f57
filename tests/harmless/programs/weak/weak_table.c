/* Weak references to all functions of MPI, in code and in data. PLACE says where this is compiled
 * into: the program, a library that it is linked with, a plugin. Which of them are NULL is seen
 * twice: by a constructor, and when the program asks. names.inc has X(MPI_Abort) ... */
#include <stddef.h>

#define X(name) extern int name(void) __attribute__((weak));
#include "names.inc"
#undef X

typedef int function_type(void);

static function_type *const volatile in_data[] = {
#define X(name) name,
#include "names.inc"
#undef X
};

enum { COUNT = sizeof in_data / sizeof in_data[0] };

struct weak_look {
    unsigned char is_in_data, is_in_code, was_in_data, was_in_code;
};

static struct weak_look looks[COUNT];

static void look_at_code(void)
{
    struct weak_look *look = looks;
#define X(name) (look++)->is_in_code = name != NULL;
#include "names.inc"
#undef X
}

static void look_at_all(void)
{
    for (int i = 0; i < COUNT; i++)
        looks[i].is_in_data = in_data[i] != NULL;
    look_at_code();
}

static __attribute__((constructor)) void look_early(void)
{
    look_at_all();
    for (int i = 0; i < COUNT; i++) {
        looks[i].was_in_data = looks[i].is_in_data;
        looks[i].was_in_code = looks[i].is_in_code;
    }
}

/* All of them now, by number of the function; and its address. */
const struct weak_look *PLACE(function_type *const volatile **addresses);
const struct weak_look *PLACE(function_type *const volatile **addresses)
{
    *addresses = in_data;
    look_at_all();
    return looks;
}
