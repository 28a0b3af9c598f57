/* Which functions of MPI are there? A program asks by weak references in itself, in a library that
 * it is linked with and in a plugin (weak_table.c), and by name. Where MPI_Barrier is there, it is
 * called. With WITHOUT_MPI the program is not linked with MPI, and opens the one of its second
 * argument at last, if any. */
#include <dlfcn.h>

#ifdef WITHOUT_MPI
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define REQUIRE(condition) ((condition) ? (void)0 : abort())
#else
#include "harmless.h"
#endif

struct weak_look {
    unsigned char is_in_data, is_in_code, was_in_data, was_in_code;
};
typedef int function_type(void);
typedef const struct weak_look *place_type(function_type *const volatile **addresses);
place_type program, library;

static const char *const names[] = {
#define X(name) #name,
#include "names.inc"
#undef X
};
enum { COUNT = sizeof names / sizeof names[0], PLACES = 3 };

static void say(int i, const struct weak_look *look)
{
    printf(" %d%d%d%d", look[i].is_in_data, look[i].is_in_code, look[i].was_in_data,
           look[i].was_in_code);
}

static void say_all(place_type *const *places, int count)
{
    function_type *const volatile *addresses;
    const struct weak_look *looks[PLACES];
    void *self = dlopen(NULL, RTLD_NOW);
    for (int place = 0; place < count; place++)
        looks[place] = places[place](&addresses);
    for (int i = 0; i < COUNT; i++) {
        printf("%s", names[i]);
        for (int place = 0; place < count; place++)
            say(i, looks[place]);
        printf(" %d%d\n", dlsym(RTLD_DEFAULT, names[i]) != NULL, dlsym(self, names[i]) != NULL);
    }
}

#ifndef WITHOUT_MPI
static int number_of(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    abort();
}

static void call_all(place_type *const *places, int count)
{
    const int barrier = number_of("MPI_Barrier");
    for (int place = 0; place < count; place++) {
        function_type *const volatile *addresses;
        places[place](&addresses);
        ((int (*)(MPI_Comm))(void (*)(void))addresses[barrier])(MPI_COMM_WORLD);
    }
    made("MPI_Barrier", count);
}
#endif

int main(int argc, char **argv)
{
    REQUIRE(argc >= 2);
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != NULL);
    place_type *const places[PLACES] = {program, library, (place_type *)dlsym(plugin, "plugin")};
#ifdef WITHOUT_MPI
    say_all(places, PLACES);
    if (argc > 3 && dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) != NULL) {
        /* It is there for what comes now. */
        void *late = dlopen(argv[3], RTLD_NOW | RTLD_LOCAL);
        REQUIRE(late != NULL);
        place_type *const all[] = {program, library, (place_type *)dlsym(late, "plugin")};
        say_all(all, PLACES);
    }
#else
    MPI_Init(&argc, &argv);
    say_all(places, PLACES);
    call_all(places, PLACES);
    MPI_Finalize();
#endif
    return 0;
}
