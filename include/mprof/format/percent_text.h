/* How a percentage reads in the summary of libmprof and in every report: below 10 with one decimal,
 * and what is there is never 0.0%. tests/numbers/cases.tsv has examples. No state; any thread. */
#ifndef MPROF_PERCENT_TEXT_H
#define MPROF_PERCENT_TEXT_H

#include <stdio.h>

enum { MPROF_PERCENT_LETTERS = 32 };

static inline const char *mprof_percent_text(double percent, char text[MPROF_PERCENT_LETTERS])
{
    if (percent > 0 && percent < 0.05)
        snprintf(text, MPROF_PERCENT_LETTERS, "<0.1%%");
    else
        snprintf(text, MPROF_PERCENT_LETTERS, "%.*f%%", percent < 9.95 ? 1 : 0, percent);
    return text;
}

#endif
