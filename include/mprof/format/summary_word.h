/* The summary of libmprof: what a value of MPROF_SUMMARY means, for libmprof and for `mprof run`;
 * what its sentence hangs on; and how a percentage reads in it and in every report. No state; any
 * thread. */
#ifndef MPROF_SUMMARY_WORD_H
#define MPROF_SUMMARY_WORD_H

#include <stddef.h>
#include <stdio.h>
#include <strings.h>

/* "off" and "text", also in the words of other options; everything else is the name of a file. */
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

/* ---- limits ---------------------------------------------------------------------------------- */

/* What the sentence of the summary hangs on. It knows sums over ranks alone, so it has few limits.
 * Those of reports are in parser/report/verdict_thresholds.h. */
#define MPROF_SUMMARY_OFF_CPU_PERCENT 10.0 /* of the wallclock: less is not told */
#define MPROF_SUMMARY_SLOW_FACTOR 1.05     /* of the mean rank: who computes longer is named */

/* ---- percentages ----------------------------------------------------------------------------- */

/* How a percentage reads in the summary of libmprof and in every report: below 10 with one decimal,
 * and what is there is never 0.0%. tests/numbers/cases.tsv has examples. No state; any thread. */

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
