/* Text in a fixed buffer (text.h). */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append_bytes(struct text *text, const char *bytes, size_t count)
{
    size_t room = text->capacity - text->length;
    if (count > room)
        count = room;
    memcpy(text->buffer + text->length, bytes, count);
    text->length += count;
}

void text_append(struct text *text, const char *more)
{
    append_bytes(text, more, strlen(more));
}

void text_format(struct text *text, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_append(text, line);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool base_name_begins(const char *path, const char *const beginnings[])
{
    const char *name = base_name(path);
    for (int i = 0; beginnings[i] != NULL; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool is_plain(const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+@%^";
    return *argument != '\0' && argument[strspn(argument, plain)] == '\0';
}

void text_append_quoted(struct text *text, const char *argument)
{
    if (is_plain(argument)) {
        text_append(text, argument);
        return;
    }
    text_append(text, "'");
    for (const char *c = argument; *c != '\0'; c++) {
        if (*c == '\'')
            text_append(text, "'\\''");
        else
            append_bytes(text, c, 1);
    }
    text_append(text, "'");
}

void text_end(struct text *text)
{
    append_bytes(text, "", 1);
}

void text_key(struct text *text, const char *key, const char *value)
{
    text_append(text, key);
    text_end(text);
    text_append(text, value);
    text_end(text);
}
