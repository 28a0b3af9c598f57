/* Lists of ranks (rank_list.h). */
#include "base/rank_list.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

/* Digits at `*at`, which moves behind them. */
static bool take_number(const char **at, long *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *number = strtol(*at, &end, 10);
    *at = end;
    return *number <= INT_MAX;
}

/* One part of the list; `*at` moves behind it and the comma. False = it is none. */
static bool take_part(const char **at, long *first, long *last)
{
    if (!take_number(at, first))
        return false;
    *last = *first;
    if (**at == '-') {
        (*at)++;
        if (!take_number(at, last) || *last < *first)
            return false;
    }
    if (**at == ',' && (*at)[1] != '\0')
        (*at)++;
    else if (**at != '\0')
        return false;
    return true;
}

bool rank_list_is_valid(const char *list)
{
    long first;
    long last;
    do {
        if (!take_part(&list, &first, &last))
            return false;
    } while (*list != '\0');
    return true;
}

bool rank_list_has(const char *list, int rank)
{
    long first;
    long last;
    while (list != NULL && *list != '\0' && take_part(&list, &first, &last))
        if (rank >= first && rank <= last)
            return true;
    return list == NULL;
}

bool rank_list_has_some(const char *list, int ranks)
{
    long first;
    long last;
    while (list != NULL && *list != '\0' && take_part(&list, &first, &last))
        if (first < ranks)
            return true;
    return list == NULL;
}
