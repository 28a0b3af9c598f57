/* A program without an MPI, which opens libraries that have one each, for run_two_mpis.py.
 *
 * two_mpis ORDER BINDING LIBRARY...
 *
 * ORDER: "after" = one library after the other, "beside" = all are opened before the first is used,
 * "closed" = each is only asked for its name and closed, but for the last one. BINDING: lazy, now.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_library(const char *path, const char *binding)
{
    void *library = dlopen(path, (strcmp(binding, "now") == 0 ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        exit(1);
    }
    return library;
}

static int call(void *library, const char *name)
{
    int (*function)(void);
    *(void **)&function = dlsym(library, name);
    return function();
}

static void name(void *library)
{
    const char *(*function)(void);
    *(void **)&function = dlsym(library, "plugin_name");
    printf("%s initialized %d\n", function(), call(library, "plugin_is_initialized"));
    fflush(stdout);
}

static void use(void *library)
{
    name(library);
    printf("sum %d\n", call(library, "plugin_use"));
    printf("initialized %d\n", call(library, "plugin_is_initialized"));
    printf("end %d\n", call(library, "plugin_end"));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    void *libraries[MOST];
    const char *order = argv[1];
    for (int i = 3; i < argc && i < MOST; i++) {
        libraries[i] = open_library(argv[i], argv[2]);
        if (strcmp(order, "after") == 0 || (strcmp(order, "closed") == 0 && i == argc - 1))
            use(libraries[i]);
        if (strcmp(order, "closed") == 0 && i < argc - 1) {
            name(libraries[i]);
            dlclose(libraries[i]);
        }
    }
    for (int i = 3; i < argc && i < MOST && strcmp(order, "beside") == 0; i++)
        use(libraries[i]);
    return 0;
}
