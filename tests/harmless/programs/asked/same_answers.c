/* Asks in every way for the address of a function of MPI and for the file that defines it, and
 * calls what it got. Which answers are equal, and what dladdr() says, must be as without mprof. */
#include <dlfcn.h>
#include <link.h>

#include "harmless.h"

typedef int barrier_type(MPI_Comm);
typedef void *dlsym_type(void *, const char *);
typedef void *ask_type(int);

enum { CALLS = 5, WAYS = 10 };

/* Of same_answers_library.c, which this program is linked with and also opens a second copy of. */
void *ask(int way);

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void say_file(const char *name, const void *address)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    struct link_map *object = NULL;
    REQUIRE(dladdr(address, &info) != 0);
    printf("%s: %s in %s\n", name, info.dli_sname, base_name(info.dli_fname));
    REQUIRE(dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0);
    REQUIRE(dladdr1(address, &info, (void **)&object, RTLD_DL_LINKMAP) != 0);
    printf("  at its place %d, in %s\n",
           (void *)(object->l_addr + (symbol != NULL ? symbol->st_value : 0)) == info.dli_saddr,
           base_name(object->l_name));
    /* What programs do with it: is it Open MPI? */
    void *file = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    printf("  ompi_mpi_init %d, PMPI_Init %d\n",
           file != NULL && dlsym(file, "ompi_mpi_init") != NULL,
           file != NULL && dlsym(file, "PMPI_Init") != NULL);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    MPI_Init(&argc, &argv);
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != NULL);
    ask_type *ask_plugin = (ask_type *)dlsym(plugin, "ask");
    REQUIRE(ask_plugin != NULL);
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    dlsym_type *libc_dlsym = (dlsym_type *)dlsym(libc, "dlsym");
    void *everything = dlopen(NULL, RTLD_NOW);
    void *found[WAYS] = {(void *)MPI_Barrier,
                         dlsym(RTLD_DEFAULT, "MPI_Barrier"),
                         dlsym(everything, "MPI_Barrier"),
                         dlsym(RTLD_NEXT, "MPI_Barrier"),
                         libc_dlsym(everything, "MPI_Barrier"),
                         ask(0),
                         ask(1),
                         ask(2),
                         ask_plugin(0),
                         ask_plugin(2)};
    int calls = 0;
    for (int way = 0; way < WAYS; way++) {
        printf("way %d: equals that of way", way);
        for (int other = 0; other < WAYS; other++)
            if (found[way] == found[other])
                printf(" %d", other);
        printf("\n");
        for (int i = 0; found[way] != NULL && i < CALLS; i++, calls++)
            ((barrier_type *)found[way])(MPI_COMM_WORLD);
        if (found[way] != NULL)
            say_file("MPI_Barrier", found[way]);
    }
    say_file("MPI_Status_c2f", dlsym(RTLD_DEFAULT, "MPI_Status_c2f"));
    say_file("getpid", (void *)dlsym(RTLD_DEFAULT, "getpid"));
    say_file("ask", (void *)ask_plugin);
    printf("one dlsym %d, one dlopen %d, one dladdr %d %d\n", libc_dlsym == dlsym,
           dlsym(libc, "dlopen") == (void *)dlopen, dlsym(libc, "dladdr") == (void *)dladdr,
           dlsym(libc, "dladdr1") == (void *)dladdr1);
    made("MPI_Barrier", calls);
    MPI_Finalize();
    return 0;
}
