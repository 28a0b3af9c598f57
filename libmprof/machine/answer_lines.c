/* A line is written whole, so that nothing else comes between its parts (measure.h). */
#include "machine/measure.h"

#include <stdio.h>

#include "base/warn.h"

static char buffer[16384];
static struct text line;

void answer_begin(const char *word)
{
    line = (struct text){buffer, sizeof buffer, 0};
    text_append(&line, "mprof-machine\t");
    text_append(&line, word);
}

void answer_text(const char *text)
{
    char one[2] = "";
    text_append(&line, "\t");
    for (; *text != '\0'; text++) {
        one[0] = *text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text;
        text_append(&line, one);
    }
}

void answer_number(long long number)
{
    text_format(&line, "\t%lld", number);
}

void answer_end(void)
{
    fwrite(line.buffer, 1, line.length, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}
