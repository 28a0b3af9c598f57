/* Text in a fixed buffer. What does not fit is left out; nothing overflows. For the TEXT section
 * and the summary. And names of files. Any thread. */
#ifndef MPROF_TEXT_H
#define MPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *buffer;
    size_t capacity;
    size_t length;
};

void text_append(struct text *text, const char *more);
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);

/* The last part of a path. Does it begin with one of these? The last one is NULL. */
const char *base_name(const char *path);
bool base_name_begins(const char *path, const char *const beginnings[]);

/* As one argument of a shell command. */
void text_append_quoted(struct text *text, const char *argument);

/* NUL, which ends a key or value of the TEXT section. */
void text_end(struct text *text);
void text_key(struct text *text, const char *key, const char *value);

#endif
