/* The name of a script (run_name.h), the same as in the report (parser/report/program_name.cc). */
#define _GNU_SOURCE
#include "file/run_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/system_file.h"

/* Also with a version: python3.11. */
static bool is_interpreter(const char *name)
{
    static const char *const names[] = {"python", "pypy", "julia", "Rscript", "octave", "perl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            name[length + strspn(name + length, "0123456789.")] == '\0')
            return true;
    }
    return false;
}

/* Has this option of an interpreter its value in the next word? */
static bool takes_a_word(const char *word)
{
    static const char *const options[] = {"-W", "-X", "-L", "-I"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(word, options[i]) == 0)
            return true;
    return false;
}

static const char *without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *run_name_script(const char *name, const char *words, size_t bytes)
{
    if (!is_interpreter(name))
        return NULL;
    const char *module = NULL;
    const char *const end = words + bytes;
    for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
        if (strcmp(word, "-c") == 0 || strcmp(word, "-e") == 0)
            break;
        if (module == NULL && strcmp(word, "-m") == 0) {
            word += strlen(word) + 1;
            module = word < end ? word : NULL;
            if (module == NULL || strcmp(module, "mpi4py") != 0) /* which runs a script, too */
                break;
        } else if (takes_a_word(word)) {
            word += strlen(word) + 1;
            if (word >= end)
                break;
        } else if (word[0] != '\0' && word[0] != '-') {
            return without_folder(word);
        }
    }
    return module;
}

void run_name(char *name, size_t capacity)
{
    char words[4096];
    int program_errno = errno;
    size_t bytes = system_file_read("/proc/self/cmdline", words, sizeof words);
    const char *script = NULL;
    if (bytes > 0)
        script = run_name_script(program_invocation_short_name, words, bytes);
    if (script == NULL || *script == '\0')
        script = program_invocation_short_name;
    snprintf(name, capacity, "%s", script);
    errno = program_errno;
}
