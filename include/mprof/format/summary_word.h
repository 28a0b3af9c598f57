/* What a value of MPROF_SUMMARY means, for libmprof and for `mprof run`. No state; any thread. */
#ifndef MPROF_SUMMARY_WORD_H
#define MPROF_SUMMARY_WORD_H

#include <stddef.h>
#include <strings.h>

/* "off" and "text" in the words of other options, too; everything else is the name of a file. */
static inline const char *mprof_summary_meant(const char *value)
{
    static const char *const words[][2] = {{"0", "off"},   {"no", "off"},   {"none", "off"},
                                           {"off", "off"}, {"1", "text"},   {"yes", "text"},
                                           {"on", "text"}, {"text", "text"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(value, words[i][0]) == 0)
            return words[i][1];
    return value;
}

#endif
